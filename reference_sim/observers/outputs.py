"""What a kernel gives back and what it does to its inputs: outputs are in HBM, and written as a whole (NKI207, NKI702,
NKI703, NKI707)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from nkilint_rules.dataflow.output_memory import OutputMemory
from nkilint_rules.dataflow.partial_output import PartialOutput
from nkilint_rules.dataflow.unwritten_output import UnwrittenOutput
from nkilint_rules.operands.immutable_parameter import ImmutableParameter
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.memory import HBM, MEMORY_NAMES
from reference_sim.machine.dtypes import Array
from reference_sim.machine.program import Launch, Program
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import HEAD, Site, instructions
from reference_sim.report.wording import complain, returned_text
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .protocol import Follower, follow, follower_of
from .shadow import Shadow


class Input(Follower):
    """An argument of the kernel. Where it may be written it may be an output parameter, to be written as a whole."""

    __slots__ = ("mutable", "to_write", "was_read")

    def __init__(self, mutable: bool, output: bool) -> None:
        self.mutable, self.was_read = mutable, False
        self.to_write = Shadow(True) if output else None

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        self.was_read = True

    def used(self, tensor: Tensor, current: Program) -> None:
        self.was_read = True

    def wrote(self, tensor: Tensor, where: Where, current: Program) -> None:
        if self.mutable:
            return
        if current.launch.immutable_inputs:
            complain(ImmutableParameter.message(parameter=tensor.storage.name))
        if current.dialect == BETA1 and not self.was_read:
            self.to_write = self.to_write or Shadow(True)
            self.to_write.note(tensor, where, None)


def follow_inputs(inputs: Sequence[Tensor], mutable: Collection[str], outputs: Collection[str]) -> None:
    """Follow the arguments of a launch, of which some may be written and some have to be."""
    for tensor in inputs:
        name = tensor.storage.name
        follow(tensor.storage, Input(name in mutable, name in outputs))


def return_site(function: Callable[..., Any], result: Any = None) -> Site:
    """The last `return` of a function, of those that give as many values as a result has; or its first line."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    places: list[Site] = [(code, i.offset) for i in instructions(code) if i.opname == "RETURN_VALUE"]
    if len(places) > 1:
        count = len(result) if isinstance(result, (tuple, list)) else 1
        fitting = [p for p in places if returned_text(p, count - 1) and not returned_text(p, count)]
        places = fitting or places
    return places[-1] if places else (code, HEAD)


def returned_tensors(value: Any) -> Iterator[Tensor]:
    """The tensors in what a kernel returned."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from returned_tensors(item)
    elif isinstance(value, dict):
        yield from returned_tensors(list(value.values()))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from returned_tensors([getattr(value, each.name) for each in fields(value)])


def judge_outputs(result: Any, inputs: Sequence[Tensor], state: Launch, function: Callable[..., Any]) -> None:
    """Report outputs that lie on chip, were not written, or only in part. An input that is returned too is updated.

    Which rows an indirect store writes is the kernel's own choice: such an output is not judged for coverage.
    """
    site = return_site(function, result)
    returned = set()
    for position, tensor in enumerate(returned_tensors(result)):
        storage = tensor.storage
        returned.add(storage)
        called = storage.name or f"output {position}"
        if storage.memory != HBM:
            text = returned_text(site, position) or called
            said = OutputMemory.message(tensor=f"`{text}`", memory=MEMORY_NAMES[storage.memory])
            complain(said, site, (), state.strictness)
            continue
        if storage.kind == "private" and state.dialect == NKI:
            text = returned_text(site, position) or called
            complain(OutputMemory.private(tensor=f"`{text}`"), site, (), state.strictness)
        allocated = [("allocated here", storage.site)]
        _judge_written(tensor, follower_of(storage, Shadow), called, site, allocated, state)
    for tensor in inputs:
        known = follower_of(tensor.storage, Input)
        if known is not None and not known.was_read and tensor.storage not in returned:
            _judge_written(tensor, known.to_write, tensor.storage.name, _head(function), [], state)


def _judge_written(
    tensor: Tensor, shadow: Shadow | None, called: str, site: Site, related: list[tuple[str, Site]], state: Launch
) -> None:
    if shadow is None or shadow.undefined is None or shadow.dynamic or tensor.size == 0:
        return
    if shadow.undefined is True:
        complain(UnwrittenOutput.message(tensor=called), site, related, state.strictness)
        return
    missing = np.argwhere(shadow.undefined)
    element = f"[{', '.join(str(int(i)) for i in missing[0])}]"
    axis = _axis_of(np.asarray(shadow.undefined))
    said = (
        PartialOutput.message(element=element, tensor=called)
        if axis is None
        else PartialOutput.axis(element=element, tensor=called, axis=axis)
    )
    complain(said, site, related, state.strictness)


def _axis_of(missing: Array) -> int | None:
    """The axis along which elements are missing, if they are missing all across the others."""
    for axis in range(missing.ndim):
        others = tuple(a for a in range(missing.ndim) if a != axis)
        if np.array_equal(missing, np.broadcast_to(missing.all(axis=others, keepdims=True), missing.shape)):
            return axis
    return None


def _head(function: Callable[..., Any]) -> Site:
    """The first line of a function."""
    code = getattr(function, "__code__", None)
    return None if code is None else (code, HEAD)
