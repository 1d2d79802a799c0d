"""Elements that nothing has written: where values computed from them end up, and that none reaches HBM (NKI701)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from nkilint_rules.operations.effects import RESULT
from nkilint_rules.words.memory import HBM
from reference_sim.machine.memory import Storage
from reference_sim.machine.program import running
from reference_sim.operations.dependence import carried
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import here
from reference_sim.report.wording import complain_unwritten
from reference_sim.tensors.accumulation import FRESH
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .protocol import Observer, follow, follower_of, leave
from .shadow import Origin, Shadow, origin_of, undefined_in

Marked = tuple[Any, Origin | None]
"""Which elements are undefined, if any, and where the first of them comes from."""

NONE: Marked = (None, None)


class Undefined(Observer):
    """Follows undefined elements through operations and assignments."""

    assigned: Marked = NONE  # in what the next write puts somewhere, where that is an assignment
    summed: Marked = NONE  # in what the next write adds to, where that is a matmul (of `+=`, `assigned` has it, too)

    def allocated(self, storage: Storage, filled: bool) -> None:
        if not filled:
            follow(storage, Shadow(True))

    def copies(self, target: Tensor, value: Tensor, where: Where) -> None:
        found = undefined_in(value, where)
        if found is not None and found.size == target.size:
            self.assigned = found.reshape(target.sizes), origin_of(value, where)

    def updates(self, target: Tensor, other: Any, kept: Any, where: Where) -> None:
        found: Any = None
        origin = None
        for tensor in (other, target) if kept is not None else (other,):
            marks = undefined_in(tensor, where) if isinstance(tensor, Tensor) else None
            if marks is None:
                continue
            if tensor is target and kept is not True:
                marks = marks & kept
            try:
                marks = np.broadcast_to(marks, target.sizes)
            except ValueError:  # the shapes have been complained about
                continue
            if marks.any():
                found = marks if found is None else found | marks
                origin = origin or origin_of(tensor, where)
        self.assigned = found, origin

    def sums(self, target: Tensor, held: Any, accumulate: Any) -> None:
        marks = None if accumulate is False else undefined_in(target)
        if marks is not None:
            self.summed = marks & np.not_equal(held, FRESH), origin_of(target, None)

    def wrote(self, target: Tensor, where: Where, operands: Operands | None) -> None:
        storage = target.storage
        marks, origin = self.assigned
        self.assigned = NONE
        if operands is not None:
            marks, origin = self._of_operands(target, operands)
        self.summed = NONE
        if marks is not None and storage.memory == HBM:
            if np.any(marks if where is None else marks[where]) and origin is not None:
                site, owner, element = origin
                complain_unwritten(owner, owner.site, element, site, [("the value reaches HBM here", here())])
            marks = None
        shadow = follower_of(storage, Shadow)
        if shadow is None:
            if marks is None:
                return
            shadow = Shadow()
            follow(storage, shadow)
        if marks is not None:
            shadow.origin = shadow.origin or origin
        if target.size:
            shadow.note(target, where, marks)
        if shadow.is_defined:
            leave(storage, shadow)

    def _of_operands(self, target: Tensor, operands: Operands) -> Marked:
        """Which elements of what an operation writes are undefined."""
        marks, origin = NONE
        if operands.marked:
            marks, origin = _undefined_in_result(operands, _name_of(target, operands), target.sizes)
        before, begun = self.summed
        if before is None or not before.any():
            return marks, origin
        return (before if marks is None else before | marks), origin or begun

    def addresses(self, tensor: Tensor) -> None:
        found = undefined_in(tensor, None)
        kept = current.addressing if (current := running()) is not None else None
        with suppress(ValueError):  # indices that come in another order than what they address
            found = found if found is None or kept is None else np.broadcast_to(found, kept.shape) & kept
        origin = origin_of(tensor, None) if found is not None and found.any() else None
        if origin is not None:
            site, owner, element = origin
            complain_unwritten(owner, owner.site, element, site, [("it is taken for a number here", here())])

    def gave_in_part(self, tile: Tensor, operands: Operands) -> None:
        """A result is undefined where its mask left elements out, and where its values come from undefined ones."""
        where = tile.storage.where
        marks, origin = _undefined_in_result(operands, RESULT, tile.sizes) if operands.marked else NONE
        undefined = np.zeros(tile.sizes, bool) if marks is None else np.array(marks)
        if where is not None:
            outside = np.ones(tile.sizes, bool)
            outside[where] = False
            undefined |= outside
        if undefined.any():
            follow(tile.storage, Shadow(undefined, origin))
            tile.storage.site = here()


def _undefined_in_result(operands: Operands, name: str, shape: tuple[int, ...]) -> Marked:
    """Which elements of what a call writes come from undefined ones, and where those were read."""
    written = operands.plan.effects.writes.get(name)
    found: Any = None
    origin = None
    for source, tensor in _marked(operands) if written is not None else ():
        how = written.sources.get(source) if written is not None else None
        where = operands.seen(source, tensor)
        marks = None if how is None else undefined_in(tensor, where)
        if how is None or marks is None:
            continue
        part = carried(how, marks, shape, operands)
        if part.any():
            found = part if found is None else found | part
            origin = origin or origin_of(tensor, where)
    return found, origin


def _marked(operands: Operands) -> Iterator[tuple[str, Tensor]]:
    """The operands with undefined elements, and their names."""
    for name, _ in operands.plan.reads:
        value = operands.arguments[name]
        for tensor in value if isinstance(value, (list, tuple)) else (value,):
            if any(tensor is marked for marked in operands.marked):
                yield name, tensor


def _name_of(target: Tensor, operands: Operands) -> str:
    """The operand that a call writes."""
    return next((name for name in operands.plan.effects.writes if operands.arguments.get(name) is target), "")
