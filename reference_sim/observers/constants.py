"""Numbers that hang on no input, where the dtype of what they are put into does not hold them (NKI212)."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkilint_rules.operands.lossy_integer import LossyInteger
from nkilint_rules.words.dtypes import DType
from reference_sim.machine.memory import Storage
from reference_sim.operations.operands import Operands
from reference_sim.report.wording import complain, name_of
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .protocol import Observer


class Constants(Observer):
    """Follows constants through operations: the tensors to which only these, and what was computed of them, go."""

    def allocated(self, storage: Storage, filled: bool) -> None:
        storage.constant = True

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        if operands is not None and _reads_constants(operands):
            tile.storage.constant = True

    def wrote(self, target: Tensor, where: Where, operands: Operands | None) -> None:
        if target.storage.constant and (operands is None or not _reads_constants(operands)):
            target.storage.constant = False

    def converts(self, storage: Storage | None, element: DType, values: Any, operands: Operands) -> None:
        if operands.entry.name in LossyInteger.fills or not _reads_constants(operands):
            return
        array = np.asarray(values)
        if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and np.all(array == np.rint(array))):
            return
        low, high = element.integers
        for value in (array.max(), array.min()) if array.size else ():
            if not low <= value <= high:
                name = "a tensor" if storage is None else name_of(storage)
                complain(LossyInteger.kept(tensor=name, value=int(value), dtype=element, low=low, high=high))


def _reads_constants(operands: Operands) -> bool:
    """Whether all that a call reads is constant."""
    plan, arguments = operands.plan, operands.arguments
    if plan.opaque:
        return False
    for name, _ in plan.reads:
        value = arguments[name]
        if type(value) is Tensor:
            if not value.storage.constant:
                return False
        elif any(isinstance(item, Tensor) and not item.storage.constant for item in value):
            return False
    return True
