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

    constant = False  # whether all that the present operation has read is

    def began(self, operands: Operands | None) -> None:
        self.constant = operands is not None and not operands.plan.opaque

    def used(self, tensor: Tensor, where: Where, operands: Operands | None = None) -> None:
        self.constant = self.constant and follower_of(tensor.storage, Constant) is not None

    read = used

    def allocated(self, storage: Storage, filled: bool) -> None:
        follow(storage, Constant())

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        if self.constant and operands is not None:
            follow(tile.storage, Constant())

    def wrote(self, target: Tensor, where: Where, operands: Operands | None) -> None:
        follower = None if self.constant else follower_of(target.storage, Constant)
        if follower is not None:
            leave(target.storage, follower)

    def converts(self, storage: Storage | None, element: DType, values: Any, operands: Operands) -> None:
        if not self.constant or operands.entry.name in LossyInteger.fills:
            return
        array = np.asarray(values)
        if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and np.all(array == np.rint(array))):
            return
        low, high = element.integers
        for value in (array.max(), array.min()) if array.size else ():
            if not low <= value <= high:
                name = "a tensor" if storage is None else name_of(storage)
                complain(LossyInteger.kept(tensor=name, value=int(value), dtype=element, low=low, high=high))
