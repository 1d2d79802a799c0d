"""Paths that leave a block early, by `return`, `break`, `continue` or an exception, and meet the others where it ends.

A *frame* is a block that such a path can leave for: a function, a loop, an iteration, or a block whose exceptions are
handled. When one side of an undecided
branch leaves, what it changed since the frame's start is kept with the condition of that path; the evaluation goes on
with the other side. At the end of the frame all paths are joined.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Opaque
from nkilint_rules.rule import Message
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, negation

from ..values.cells import MISSING, Cell
from ..values.choices import Either, among
from ..values.containers import DictValue, ListValue
from . import joining
from .idle_facts import UNRAISED, is_idle
from .machine import Explained, Fault
from .sides import Changes, Sides
from .trace import Facts, links

if TYPE_CHECKING:
    from .machine import Machine


class Flow(Enum):
    """How a statement ends."""

    NEXT = "next"
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"
    RAISE = "raise"  # for a block that handles exceptions
    DEAD = "dead"  # raised, and nothing handles it: what follows is not reached


MAX_LEARNT = 4  # facts of one side of a branch that are kept after it
LEAVING = frozenset((Flow.BREAK, Flow.CONTINUE, Flow.RETURN, Flow.RAISE))


@dataclass(slots=True)
class Exit:
    """A path that left: `condition`, seen from the frame's start, what it changed since, the facts before it, and what
    it raises; how many events and obligations had been `recorded` by then."""

    condition: Any
    changes: Changes
    facts: Facts | None
    raised: Any = None
    recorded: int = -1


@dataclass(slots=True, eq=False)
class Frame:
    """A block that paths of the kind `catches` leave for; `handles` says of an exception whether it may end there."""

    catches: Flow
    mark: int
    born: int  # what was made later was made inside
    handles: Callable[[Any], bool]
    exits: list[Exit] = field(default_factory=list)


@contextmanager
def frame(machine: Machine, catches: Flow, handles: Callable[[Any], bool] = lambda raised: False) -> Iterator[Frame]:
    """A block that a path may leave early; `end_frame` joins the paths at its end."""
    with machine.recorded() as mark:
        opened = Frame(catches, mark, Cell.made, handles)
        machine.frames.append(opened)
        try:
            yield opened
        finally:
            machine.frames.pop()


def branch(machine: Machine, condition: Any, then: Callable[[], Flow], otherwise: Callable[[], Flow]) -> Flow:
    """Run both sides, each under its condition, and join what they leave; a side that goes elsewhere is put by."""
    facts, born = machine.facts, Cell.made
    with machine.recorded() as mark:
        with _under(machine, condition):
            then_flow = _end(machine, then)
        then_facts, raised = machine.facts, machine.raising
        then_changes = machine.changes(mark, born)
        put_by = _snapshot(machine, then_flow)
        machine.undo(mark, born)
        machine.facts = facts
        with _under(machine, negation(condition)):
            else_flow = _end(machine, otherwise)
        if else_flow is Flow.DEAD:
            machine.undo(mark, born)
            redo(machine, then_changes)
            machine.facts = then_facts
            return then_flow
        if then_flow is Flow.DEAD:
            return else_flow
        if then_flow is else_flow and then_flow is not Flow.RAISE:
            else_changes = machine.changes(mark, born)
            machine.undo(mark, born)
            joining.join_states(machine, condition, Sides(then_changes, else_changes, born))
            else_facts, machine.facts = machine.facts, facts
            _learn(machine, condition, then_facts, facts)
            _learn(machine, negation(condition), else_facts, facts)
            return then_flow
        if then_flow is not Flow.NEXT:
            _leave(machine, then_flow, Exit(condition, put_by, facts, raised))
            return else_flow
        _leave(machine, else_flow, Exit(negation(condition), _snapshot(machine, else_flow), facts, machine.raising))
        machine.undo(mark, born)
        redo(machine, then_changes)
        machine.facts = then_facts
        return then_flow


def _end(machine: Machine, side: Callable[[], Flow]) -> Flow:
    """How one side of a branch ends; one that raises on every input sends control elsewhere."""
    loops = machine.loops
    try:
        return side()
    except Fault as fault:
        machine.loops = loops
        return raises(machine, fault.raised)


def one_of_two(
    machine: Machine, condition: Any, then: Callable[[], Any], otherwise: Callable[[], Any], name: str = "the result"
) -> Any:
    """The value of one of two computations; what each of them changes is changed under its condition only."""
    decided = machine.truth(condition)
    if decided is not None:
        return then() if decided else otherwise()
    result = Cell()

    def side(compute: Callable[[], Any]) -> Flow:
        facts, loops = machine.facts, machine.loops
        try:
            machine.set(result, name, compute())
        except IsUnknown as unknown:
            machine.facts, machine.loops = facts, loops
            machine.set(result, name, Unknown(unknown.reason))
        return Flow.NEXT

    if branch(machine, condition, lambda: side(then), lambda: side(otherwise)) is not Flow.NEXT:
        raise Fault(machine.raising)
    return result[name]


def in_both(machine: Machine, either: Either, use: Callable[[Any], Any]) -> Any:
    """What `use` makes of one of two values, each of which may be one of two itself: it is tried on each, under its
    condition."""

    def of(value: Any, condition: Any) -> Any:
        with machine.choosing(condition):
            return of_either(machine, value, use)

    first, other = either.condition, negation(either.condition)
    return one_of_two(machine, first, lambda: of(either.then, first), lambda: of(either.otherwise, other))


def of_either(machine: Machine, value: Any, use: Callable[[Any], Any]) -> Any:
    """What `use` makes of a value, which may be one of two."""
    return in_both(machine, value, use) if isinstance(value, Either) else use(value)


def with_content(machine: Machine, value: Any, use: Callable[[], Any]) -> Any:
    """What `use` makes of a value; of a container that holds one of two contents, with each under its condition."""
    content = content_of(value)
    if not isinstance(content, Either):
        return use()

    def given(one: Any) -> Any:
        machine.set(value.cell, "items", one)
        try:
            return with_content(machine, value, use)
        except IsUnknown as unknown:  # what is not followed may have changed it
            machine.set(value.cell, "items", among(unknown.reason, one))
            raise

    return in_both(machine, content, given)


def content_of(value: Any) -> Any:
    """What a list, dict or set holds, which may be one of two."""
    return value.cell["items"] if type(value) in (ListValue, DictValue) else None


def where(machine: Machine, condition: Any, compute: Callable[[], Any]) -> Any:
    """What a computation gives that only takes place where `condition` holds."""
    found: list[Any] = []

    def side() -> None:
        try:
            found.append(compute())
        except IsUnknown as unknown:
            found.append(Unknown(unknown.reason))
            raise

    one_of_two(machine, condition, side, lambda: None)
    return found[0] if found else Unknown("a value that raising an exception left out")


def for_each(
    machine: Machine, args: list[Any], kwargs: dict[str, Any], call: Callable[[list[Any], dict[str, Any]], Any]
) -> Any:
    """The result of a call, which is made for each of the values that an argument may be."""
    every = (*args, *kwargs.values())
    either = next((value for value in every if isinstance(value, Either)), None)
    if either is None:
        holder = next((value for value in every if isinstance(content_of(value), Either)), None)
        if holder is None:
            return call(args, kwargs)
        return with_content(machine, holder, lambda: for_each(machine, args, kwargs, call))

    def use(chosen: Any) -> Any:
        given = [chosen if value is either else value for value in args]
        named = {key: chosen if value is either else value for key, value in kwargs.items()}
        return for_each(machine, given, named, call)

    return in_both(machine, either, use)


def _learn(machine: Machine, condition: Any, facts: Facts | None, before: Facts | None) -> None:
    """What one side of a branch taught holds on where its condition does."""
    found = itertools.takewhile(lambda link: link is not before, links(facts))
    learnt = [link for link in found if not joining.same(link.condition, condition) and not is_idle(link)]
    if 0 < len(learnt) <= MAX_LEARNT:
        _assume_unless(machine, negation(condition), learnt)


def _assume_unless(machine: Machine, gone: Any, learnt: Sequence[Facts]) -> None:
    """Facts hold where a path has not left; what is known of stand-ins stays that."""
    for origin, facts in itertools.groupby(learnt, lambda link: "known" if link.origin == "known" else "path"):
        machine.assume(any_of((gone, all_of(link.condition for link in facts))), origin)


@contextmanager
def _under(machine: Machine, condition: Any) -> Iterator[None]:
    """Paths that leave in here do so under `condition`."""
    before = [len(f.exits) for f in machine.frames]
    machine.assume(condition)
    yield
    for opened, count in zip(machine.frames, before, strict=False):
        for left in opened.exits[count:]:
            left.condition = all_of((condition, left.condition))


def _catcher(machine: Machine, flow: Flow) -> Frame | None:
    return next((f for f in reversed(machine.frames) if f.catches is flow), None)


def _snapshot(machine: Machine, flow: Flow) -> Changes:
    """What the current path changed since the start of the frame that it leaves for."""
    opened = _catcher(machine, flow) if flow in LEAVING else None
    return {} if opened is None else machine.changes(opened.mark)


def _leave(machine: Machine, flow: Flow, left: Exit) -> None:
    """Put a path by for the frame that it leaves for: none of those that left before for frames inside of that."""
    opened = _catcher(machine, flow)
    if opened is not None:
        inner = machine.frames[machine.frames.index(opened) + 1 :]
        gone = [negation(entry.condition) for each in inner for entry in each.exits]
        left.condition = all_of((*gone, left.condition))
        left.recorded = len(machine.trace.events) + len(machine.trace.obligations)
        opened.exits.append(left)


def leave_where(machine: Machine, flow: Flow, condition: Any, raised: Any = None) -> None:
    """Where `condition` holds, the path leaves here; the evaluation goes on with the others."""
    _leave(machine, flow, Exit(condition, _snapshot(machine, flow), machine.facts, raised))
    machine.assume(negation(condition))


# --- exceptions ---


def raises(machine: Machine, raised: Any) -> Flow:
    """How control goes on where `raised` is raised; that an operation raises which is no `raise` is told where nothing
    may handle it."""
    catcher = _catcher(machine, Flow.RAISE)
    if catcher is None and isinstance(raised, str) and not isinstance(raised, Explained):
        machine.unknown(IncompleteAnalysis, f"`{raised}` is raised", None, False, False)
        raised = Explained(raised)
    machine.raising = raised
    return Flow.DEAD if catcher is None else Flow.RAISE


def raises_where(machine: Machine, condition: Any, raised: str) -> None:
    """An operation raises `raised` where `condition` holds; the evaluation goes on with the other paths."""
    holds = machine.truth(condition)
    if holds:
        raise Fault(raised)
    if holds is None:
        if _catcher(machine, Flow.RAISE) is None:
            machine.unknown(IncompleteAnalysis, f"`{raised}` is raised", None, False, False)
        leave_where(machine, Flow.RAISE, condition, raised)


def is_handled(machine: Machine, raised: Any) -> bool:
    """Whether a block around may handle an exception."""
    return any(opened.catches is Flow.RAISE and opened.handles(raised) for opened in machine.frames)


def may_have_raised(machine: Machine, doubts: int) -> bool:
    """Whether something may have raised, since there were so many doubts, what a block around handles."""
    return machine.doubts != doubts and is_handled(machine, None)


def if_unraised(machine: Machine, doubts: int) -> None:
    """What follows is reached only if nothing has raised since there were so many doubts."""
    if may_have_raised(machine, doubts):
        machine.assume(Opaque(f"line {machine.at.row}: {UNRAISED}", "unknown"))


def demand(machine: Machine, raised: str, message: Message, goal: Any, at: Span | None = None, **more: Any) -> None:
    """`goal` holds, or the program raises the built-in exception `raised`: a finding, unless something handles that."""
    if not is_handled(machine, raised):
        machine.need(message, goal, at, **more)
        if goal is False and (_catcher(machine, Flow.RAISE) is not None or not machine.in_kernel):
            raise Fault(Explained(raised) if machine.in_kernel else raised)  # blocks around do now what they do at last
        return
    if isinstance(goal, Unknown):
        machine.doubts += 1
        return
    holds = machine.truth(goal)
    if holds is False:
        raise Fault(raised)
    if holds is None:
        leave_where(machine, Flow.RAISE, negation(goal), raised)


def redo(machine: Machine, changes: Changes) -> None:
    """Make changes that were undone again."""
    for cell, key, _, now in changes.values():
        if now is MISSING:
            machine.forget(cell, key)
        else:
            machine.set(cell, key, now)


def end_frame(machine: Machine, opened: Frame, flow: Flow, ended: Cell | None = None) -> Flow:
    """Join the paths that left for this frame with the one that reached its end, if any did; it may end a scope."""
    entries, opened.exits = opened.exits, []
    own = flow in (Flow.NEXT, opened.catches)
    if not entries:
        return Flow.NEXT if own else flow
    gone = any_of(entry.condition for entry in entries)
    facts = [entry.facts for entry in entries]
    state: Changes | None = None
    if own:
        state = machine.changes(opened.mark)
        facts.append(machine.facts)
    elif flow is not Flow.DEAD:
        left = Exit(negation(gone), {}, common(facts))
        outer = next((f for f in reversed(machine.frames) if f.catches is flow and f is not opened), None)
        if outer is not None:
            left.changes, left.raised = machine.changes(outer.mark), machine.raising
            outer.exits.append(left)
    machine.undo(opened.mark)
    for entry in reversed(entries):
        if state is None:
            state = entry.changes
            continue
        joining.join_states(machine, entry.condition, Sides(entry.changes, state, opened.born, ended))
        state = machine.changes(opened.mark)
        machine.undo(opened.mark)
    redo(machine, state or {})
    learnt = _learnt(machine.facts, common(facts), entries)
    machine.facts = common(facts)
    if not own:
        machine.assume(gone)
    else:
        _assume_unless(machine, gone, learnt)
    return Flow.NEXT


def _learnt(facts: Facts | None, shared: Facts | None, entries: Sequence[Exit]) -> list[Facts]:
    """What holds on the path that reached the end besides that the others had left."""
    implied = [negation(entry.condition) for entry in entries]
    found = itertools.takewhile(lambda link: link is not shared, links(facts))
    return [link for link in found if not any(joining.same(link.condition, known) for known in implied)]


def common(chains: Sequence[Facts | None]) -> Facts | None:
    """The facts that stand on every one of these paths."""
    shared: Iterable[Facts] = list(links(chains[0]))
    for chain in chains[1:]:
        known = {id(link) for link in links(chain)}
        shared = [link for link in shared if id(link) in known]
    return next(iter(shared), None)
