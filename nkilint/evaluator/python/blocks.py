"""`try` and `with`: blocks that an exception may end anywhere."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nkilint.base import ir
from nkilint.base.names import bound_names
from nkilint.base.walk import walk
from nkilint.symbolic.integers import Sym
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state import protocols
from ..state.idle_facts import ANYWHERE, SUPPRESSED, is_unraised
from ..state.machine import Fault, Machine
from ..state.paths import Exit, Flow, branch, frame, if_unraised, raises, redo
from ..state.sides import Changes
from ..state.trace import Facts, links
from ..values.cells import MISSING
from ..values.choices import among
from ..values.containers import DictValue, ListValue
from ..values.numbers import Real
from ..values.objects import (
    ClassValue,
    Environment,
    External,
    FunctionValue,
    Instance,
    Managed,
    ModuleValue,
    Native,
    Suppressing,
)
from .assignment import assign
from .checkpoints import Checkpoint
from .exceptions import class_of, meets
from .functions import run_managed
from .handlers import as_object, handle, may_handle
from .interpreter import evaluate, run_block, runs, undecided
from .types.objects import is_open

MAX_KEPT = 32  # facts of a block that are kept after it
Run = Callable[[], Flow]
Handle = Callable[[Any], Flow]


@runs(ir.Try, ir.TryStar)
def _try(machine: Machine, node: ir.Try, env: Environment) -> Flow:
    if not node.final:
        return _handled(machine, node, env)

    changed: dict[Any, Any] = {}

    def finally_on(raised: Any) -> Flow:
        with machine.recorded() as mark:
            flow = run_block(machine, node.final, env)
            changed.update(machine.changes(mark))
        return raises(machine, raised) if flow is Flow.NEXT else flow

    before = _left_so_far(machine)
    flow = attempt(machine, node.at, lambda: _handled(machine, node, env), lambda: Flow.NEXT, finally_on, ends=True)
    raised, late = flow in _RAISED, _left_since(machine, before)
    if raised:  # its last block has run where the exception was met
        _change_those_that_left(machine, node, late, {**_bound_in(node.final, env), **changed})
        return flow
    now = _left_so_far(machine)
    with machine.recorded() as mark:
        final = run_block(machine, node.final, env)
        if late and (final is not Flow.NEXT or now != _left_so_far(machine)):
            for each, count in zip(machine.frames, before, strict=True):
                del each.exits[count:]
            raise IsUnknown("a `finally` that leaves in a way of its own")
        _change_those_that_left(machine, node, late, {**_bound_in(node.final, env), **machine.changes(mark)})
    return flow if final is Flow.NEXT else final


_RAISED = (Flow.DEAD, Flow.RAISE)


def _left_so_far(machine: Machine) -> list[int]:
    return [len(each.exits) for each in machine.frames]


def _bound_in(block: Sequence[ir.Stmt], env: Environment) -> Changes:
    """What a block may bind on another path than the one that it was followed on."""
    names = sorted({name for part in block for name in bound_names(part)})
    scopes = [((env.redirected or {}).get(name, env).vars, name) for name in names]
    kept = ((cell, name, cell.get(name, MISSING)) for cell, name in scopes)
    return {(id(cell), name): (cell, name, now, now) for cell, name, now in kept}


def _left_since(machine: Machine, before: Sequence[int]) -> list[Exit]:
    """The paths that left in a way that no block has met: those that exceptions end are met where they are raised."""
    others = [(f, count) for f, count in zip(machine.frames, before, strict=True) if f.catches is not Flow.RAISE]
    return [entry for each, count in others for entry in each.exits[count:]]


def _change_those_that_left(machine: Machine, node: ir.Stmt, late: Sequence[Exit], changed: Changes) -> None:
    """Paths that left a block early ran what ends it on their way: what that changes is not known there."""
    if not late:
        return
    reason = f"a path leaves the block on line {node.at.row}, which does something in the end"
    machine.unknown(IncompleteAnalysis, reason, node.at)
    unknown = {place: (cell, key, old, among(reason, old, now)) for place, (cell, key, old, now) in changed.items()}
    for entry in late:
        entry.changes = {**entry.changes, **unknown}


def _handled(machine: Machine, node: ir.Try, env: Environment) -> Flow:
    """A `try` without its `finally`."""
    if not node.handlers:
        return run_block(machine, node.body, env)

    return attempt(
        machine,
        node.at,
        lambda: run_block(machine, node.body, env),
        lambda: run_block(machine, node.otherwise, env),
        lambda raised: handle(machine, raised, node, env),
        lambda raised: may_handle(machine, raised, node, env),
    )


def attempt(
    machine: Machine,
    at: ir.Span,
    body: Run,
    otherwise: Run,
    handle: Handle,
    handles: Callable[[Any], bool] = lambda raised: False,
    ends: bool = False,
) -> Flow:
    """A block that exceptions end at the places that raise them. Where something came out unknown in it, it may also
    stop anywhere, and what it changes is not known then, if that is handled, or `ends` in what is done last."""
    facts, loops, doubts = machine.facts, machine.loops, _Doubts(machine)
    before = _left_so_far(machine)
    with machine.recorded() as mark:
        with frame(machine, Flow.RAISE, handles) as opened:
            flow = body()
        entries = opened.exits
        if flow is Flow.RAISE:
            entries.append(Exit(True, machine.changes(mark), facts, machine.raising))
        if (handles(None) and doubts.grew(machine)) or (ends and machine.doubts != doubts.unknown):
            entries.insert(0, _stopped_anywhere(machine, at, mark, before, entries))
        if not entries:
            return otherwise() if flow is Flow.NEXT else flow
        changes, learnt = machine.changes(mark), list(_learnt(machine.facts, facts))
        machine.undo(mark)
        machine.facts, machine.loops = facts, loops

        def completed() -> Flow:
            redo(machine, changes)
            for link in learnt:
                machine.assume(link.condition, link.origin)
            return otherwise() if flow is Flow.NEXT else flow

        return _sort_out(machine, entries, completed, handle)


class _Doubts:
    """What grows where something may have raised that is not followed: unknown values, and what is asked of devices."""

    def __init__(self, machine: Machine) -> None:
        self.unknown, self.events = machine.doubts, len(machine.trace.events)

    def grew(self, machine: Machine) -> bool:
        asked = any(event.kind != "reveal" for event in machine.trace.events[self.events :])
        return asked or machine.doubts != self.unknown


def _stopped_anywhere(machine: Machine, at: ir.Span, mark: int, before: Sequence[int], entries: Sequence[Exit]) -> Exit:
    """The path on which a block stopped nobody knows where, for a reason that is not known."""
    away = [entry for each, count in zip(machine.frames, before, strict=True) for entry in each.exits[count:]]
    changes: dict[tuple[int, Any], Any] = {}
    for changed in (machine.changes(mark), *(entry.changes for entry in (*entries, *away))):
        for place, (cell, key, old, now) in changed.items():
            reason = f"the block on line {at.row} may stop anywhere"
            changes[place] = (cell, key, old, among(reason, old, now, changes.get(place, (0, 0, 0, None))[3]))
    return Exit(machine.undecided(f"line {at.row}: {ANYWHERE}"), changes, None)


def _learnt(facts: Facts | None, before: Facts | None) -> Iterator[Facts]:
    """What a block taught, the first thing first."""
    every = itertools.takewhile(lambda link: link is not before, links(facts))
    found = [link for link in every if not is_unraised(link.condition)][::-1]
    return iter(found if len(found) <= MAX_KEPT else ())


def _sort_out(machine: Machine, entries: Sequence[Exit], completed: Run, handle: Handle) -> Flow:
    """Each path that an exception ended goes on in its handler, and the one that came to the end behind the block."""
    if not entries:
        return completed()
    first, *others = entries

    def stopped() -> Flow:
        redo(machine, first.changes)
        return handle(first.raised)

    decided = machine.truth(first.condition)
    if decided is not None:
        return stopped() if decided else _sort_out(machine, others, completed, handle)
    return branch(machine, first.condition, stopped, lambda: _sort_out(machine, others, completed, handle))


# --- with ---


@runs(ir.With)
def _with(machine: Machine, node: ir.With, env: Environment) -> Flow:
    return _within(machine, node, node.items, env)


def _within(machine: Machine, node: ir.With, items: Sequence[Any], env: Environment) -> Flow:
    """The block within the managers that are left, from outside to inside."""
    if not items:
        return run_block(machine, node.body, env)
    (expression, target), *others = items
    manager = evaluate(machine, expression, env)

    def body() -> Flow:
        doubts = machine.doubts
        value = _enter(machine, manager)
        if_unraised(machine, doubts)
        if target is not None:
            assign(machine, target, value, env, expression)
        return _within(machine, node, others, env)

    if isinstance(manager, Managed):
        return _managed(machine, manager, expression, target, lambda: _within(machine, node, others, env), env)
    leave = manager.cls.lookup("__exit__") if isinstance(manager, Instance) else None
    if leave is not None and manager.cls.lookup("__enter__") is not None:
        return _with_exit(machine, node, body, manager, leave)
    plain = manager is None or isinstance(
        manager, (int, float, Sym, Real, str, tuple, ListValue, DictValue, FunctionValue)
    )
    closed = isinstance(manager, Instance) and not is_open(manager.cls)
    if plain or (closed and None in (leave, manager.cls.lookup("__enter__"))):
        raise Fault  # a TypeError or an AttributeError, by version
    kinds, why = _suppressed(manager), _unfollowed(machine, manager)
    if why:
        machine.unknown(IncompleteAnalysis, why, node.at, hides_writes=False)
        kinds = Unknown("exceptions")
    if kinds is None:
        return body()

    def handle(raised: Any) -> Flow:
        met = meets(raised, kinds)
        if met is not None:
            return Flow.NEXT if met else raises(machine, raised)
        which = machine.undecided(f"line {node.at.row}: {SUPPRESSED}")
        return branch(machine, which, lambda: Flow.NEXT, lambda: raises(machine, raised))

    return attempt(machine, node.at, body, lambda: Flow.NEXT, handle, lambda raised: meets(raised, kinds) is not False)


def _managed(
    machine: Machine, manager: Managed, expression: ir.Expr, target: ir.Expr | None, block: Run, env: Environment
) -> Flow:
    """A block that a generator goes around: it runs in place of the `yield`, seen from where the `with` stands."""
    ends: list[Flow] = []
    around = machine.frames, machine.callers, machine.functions, machine.depth, machine.at

    def on_yield(value: Any, each: bool) -> Any:
        if each or ends:
            raise IsUnknown("a manager made of a generator that does not give one value")
        inside = machine.frames, machine.callers, machine.functions, machine.depth, machine.at
        handling = [opened for opened in inside[0][len(around[0]) :] if opened.catches is Flow.RAISE]
        machine.frames = [*around[0], *handling]
        machine.callers, machine.functions, machine.depth, machine.at = around[1:]
        try:
            if target is not None:
                assign(machine, target, value, env, expression)
            ends.append(block())
        finally:
            machine.frames, machine.callers, machine.functions, machine.depth, machine.at = inside
        if ends[-1] in _RAISED:
            raise Fault(machine.raising)
        return None

    try:
        run_managed(machine, manager, on_yield)
    except Fault as fault:
        return raises(machine, fault.raised)
    if not ends:
        raise IsUnknown("a manager made of a generator that gives nothing")
    return Flow.NEXT if ends[0] in _RAISED else ends[0]


def _with_exit(machine: Machine, node: ir.With, body: Run, manager: Instance, leave: Any) -> Flow:
    """A manager of the project, whose `__exit__` is told of the exception and may take it for handled."""

    def handle(raised: Any) -> Flow:
        told = [Unknown("an exception")] * 3
        if raised is not None:
            told[:2] = class_of(raised), as_object(machine, raised)
        result = protocols.call(machine, leave, [manager, *told], {})
        swallowed = protocols.truth_of(machine, result, node.items[0][0])
        if isinstance(swallowed, Unknown):
            swallowed = undecided(machine, node, swallowed)
        decided = machine.truth(swallowed)
        if decided is not None:
            return Flow.NEXT if decided else raises(machine, raised)
        return branch(machine, swallowed, lambda: Flow.NEXT, lambda: raises(machine, raised))

    def followed() -> Flow:
        before = _left_so_far(machine)
        flow = body()
        if late := _left_since(machine, before):
            start, named = Checkpoint(machine), dict(machine.counters)
            with machine.recorded() as mark:
                _leave(machine, manager, leave)
                changes = machine.changes(mark)
                machine.undo(mark)
            start.restore_but_names(machine, named)
            _change_those_that_left(machine, node, late, changes)
        return flow if flow in (Flow.NEXT, *_RAISED) else _leave(machine, manager, leave) and flow

    returns = not isinstance(leave, FunctionValue) or any(
        isinstance(part, ir.Return) and part.value is not None for part in walk(leave.node.body)
    )
    return attempt(machine, node.at, followed, lambda: _leave(machine, manager, leave), handle, lambda raised: returns)


def _leave(machine: Machine, manager: Any, leave: Any) -> Flow:
    protocols.call(machine, leave, [manager, None, None, None], {})
    return Flow.NEXT


def _suppressed(manager: Any) -> Any:
    """The exceptions that a manager may take for handled, unknown where it may be any; None if it takes none."""
    if isinstance(manager, Suppressing):
        return manager.kinds
    if isinstance(manager, External):
        return Unknown("exceptions") if manager.name == "contextlib.ExitStack" else None
    return Unknown("exceptions") if isinstance(manager, Unknown) else None


def _unfollowed(machine: Machine, manager: Any) -> str:
    """Why it is not known what a manager does, if so."""
    if isinstance(manager, External):
        return machine.modules.why(manager.name, "")
    return str(manager.reason) if isinstance(manager, Unknown) else ""


def _enter(machine: Machine, manager: Any) -> Any:
    if isinstance(manager, Instance) and manager.cls.lookup("__enter__") is not None:
        return protocols.call(machine, manager.cls.lookup("__enter__"), [manager], {})
    machine.doubts += _unfollowed(machine, manager) != "" or isinstance(manager, (ClassValue, ModuleValue, Native))
    return manager.value if isinstance(manager, Suppressing) else manager
