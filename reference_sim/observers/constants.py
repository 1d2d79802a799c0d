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

from .protocol import Follower, Observer, follow, follower_of, leave


class Constant(Follower):
    """A tensor to which only constants, and what was computed of them, have been written."""

    __slots__ = ()


class Constants(Observer):
    """Follows constants through operations."""

    def allocated(self, storage: Storage, filled: bool) -> None:
        follow(storage, Constant())

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        if operands is not None and _reads_constants(operands):
            follow(tile.storage, Constant())

    def wrote(self, target: Tensor, where: Where, operands: Operands | None) -> None:
        follower = follower_of(target.storage, Constant)
        if follower is not None and (operands is None or not _reads_constants(operands)):
            leave(target.storage, follower)

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
    plan = operands.plan
    if plan.opaque:
        return False
    for name, _, many in plan.reads:
        value = operands.arguments.get(name)
        if type(value) is Tensor:
            if follower_of(value.storage, Constant) is None:
                return False
        elif many and isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, Tensor) and follower_of(item.storage, Constant) is None:
                    return False
    return True
