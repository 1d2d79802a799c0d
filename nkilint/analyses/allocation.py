"""What a directly allocated kernel of Beta 1 as a whole has to obey: no other tensors than those that it places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nkilint.evaluator.device.placement.place import ARGUMENT
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Event, Obligation
from nkilint.evaluator.values.tensors import Declaration, View
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint_rules.operations.form import Call
from nkilint_rules.placement.implicit_tensor import ImplicitTensor
from nkilint_rules.placement.internal_hbm import InternalHbm
from nkilint_rules.placement.mixed_allocation import MixedAllocation
from nkilint_rules.placing.direct import FIRST, STACK, is_automatic, is_internal
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, negation
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM
from nkilint_rules.words.records import dataclass

from .registry import states


@dataclass(frozen=True, slots=True)
class _Kernel:
    """A directly allocated kernel: its first allocation, and the condition on the inputs under which there is one."""

    run: Run
    first: Event
    direct: Any

    @property
    def other(self) -> str:
        return named(self.first.arguments["tensor"].base)


@states(MixedAllocation, ImplicitTensor, InternalHbm)
def state_direct_allocation(run: Run) -> Iterator[Obligation]:
    """What a directly allocated kernel as a whole has to obey."""
    placed = [e for e in run.trace.events if e.kind == "allocation" and ARGUMENT in e.arguments]
    if not placed or STACK in run.trace.directives:
        return
    kernel = _Kernel(run, placed[0], any_of(_reached(e) for e in placed))
    yield from _mixed(kernel)
    yield from _implicit(kernel)
    yield from _internal(kernel)


def _reached(event: Event) -> Any:
    """The condition on the inputs under which an event happens, as far as it is one."""
    conditions = [c for c in event.site.conditions() if isinstance(c, Cond)]
    return all_of(c for c in conditions if all(v.kind == "input" for v in variables(c)))


def named(base: Declaration) -> str:
    """A tensor as messages call it."""
    return base.name or "a tensor"


# --- automatic allocation beside direct allocation ---


def _mixed(kernel: _Kernel) -> Iterator[Obligation]:
    automatic = list(_automatic(kernel.run))
    if not automatic:
        code = MixedAllocation.code
        kernel.run.trace.proved[code] = kernel.run.trace.proved.get(code, 0) + 1
        return
    event, base = automatic[0]
    related = [("this one is placed automatically, too", e.site.at) for e, _ in automatic[1:]]
    related = [pair for pair in dict.fromkeys(related) if pair[1] != event.site.at][:8]
    message = MixedAllocation.message(tensor=named(base), other=kernel.other)
    if event.kind != "allocation" and event.operation is not None:
        message = MixedAllocation.result(operation=event.operation.leaf, other=kernel.other)
    first = (FIRST, kernel.first.site.at)
    yield Obligation(message, negation(kernel.direct), event.site, (first, *related))


def _automatic(run: Run) -> Iterator[tuple[Event, Declaration]]:
    """Tensors on chip that no allocator places, in program order, with the events that make them."""
    used = _used(run)
    for event in run.trace.events:
        if event.kind == "allocation":
            base = event.arguments["tensor"].base
            if is_automatic(base.memory, ARGUMENT in event.arguments):
                yield event, base
        for access in event.accesses:
            base = access.view.base
            if (
                access.operand == "result"
                and base.kind == "result"
                and id(base) in used
                and is_automatic(base.memory, False)
            ):
                yield event, base


def _used(run: Run) -> set[int]:
    """Tensors that are read otherwise than to be assigned to elements of another one."""
    found = set()
    for event in run.trace.events:
        assigned = event.operation is not None and isinstance(event.arguments.get("src"), View) and _assigns(event)
        for access in event.accesses:
            if access.role != "write" and not (assigned and access.operand == "src"):
                found.add(id(access.view.base))
    return found


def _assigns(event: Event) -> bool:
    """Whether this is `tensor[...] = value` or `tensor[...] += value`."""
    return event.arguments.keys() == {"dst", "src"} and event.operation is not None and event.operation.name.startswith(
        "language."
    )  # fmt: skip


# --- tensors that operations make for themselves ---


def _implicit(kernel: _Kernel) -> Iterator[Obligation]:
    target = kernel.run.trace.target
    assert target is not None
    for event in kernel.run.trace.events:
        operation = event.operation
        if event.kind != "operation" or operation is None or _assigns(event):
            continue
        if operation.implicit is None:
            continue
        try:
            made = operation.implicit(Call(operation, BETA1, target, event.arguments))
        except IsUnknown as unknown:
            yield Obligation(ImplicitTensor, Unknown(unknown.reason), event.site)
            continue
        goal = True if made is None else negation(kernel.direct)
        message = ImplicitTensor.message(operation=operation.leaf, what=made, other=kernel.other)
        yield Obligation(message, goal, event.site, ((FIRST, kernel.first.site.at),))


# --- HBM ---


def _internal(kernel: _Kernel) -> Iterator[Obligation]:
    run = kernel.run
    returned = {id(base) for event in run.trace.events if event.kind == "return" for base in _bases(event)}
    certain = not run.trace.stopped and not isinstance(run.returned, Unknown)
    for event in run.trace.events:
        if event.kind != "allocation":
            continue
        base = event.arguments["tensor"].base
        if base.memory != HBM or event.operation is None or event.operation.constant:
            continue
        shared = base.region == "shared_hbm"
        internal = is_internal(base.memory, shared, id(base) in returned)
        goal = negation(kernel.direct) if internal else True
        if internal and shared and not certain:
            goal = Unknown("what the kernel returns is not known")
        message = InternalHbm.message(tensor=named(base), other=kernel.other)
        yield Obligation(message, goal, event.site, ((FIRST, kernel.first.site.at),))


def _bases(event: Event) -> Iterator[Declaration]:
    stack = [access.view.base for access in event.accesses]
    while stack:
        base = stack.pop()
        yield base
        stack += [s.base for s in base.sources if isinstance(s, View)]
