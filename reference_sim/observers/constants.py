"""Numbers that hang on no input, where the dtype of what they are put into does not hold them (NKI212)."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkilint_rules.operands.lossy_integer import LossyInteger
from nkilint_rules.words.dtypes import DType
from reference_sim.machine.memory import GIVEN, HIDDEN, Storage
from reference_sim.operations.operands import Operands
from reference_sim.report.wording import complain, name_of
from reference_sim.tensors.tensor import Tensor

from .protocol import Observer


class Constants(Observer):
    """Looks at what is computed of constants alone; `OverwrittenUnread` follows what comes of what."""

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
            if not _is_constant(value):
                return False
        elif any(isinstance(item, Tensor) and not _is_constant(item) for item in value):
            return False
    return True


def _is_constant(tensor: Tensor) -> bool:
    return not tensor.storage.origins & (GIVEN | HIDDEN)
