"""The programs of a launch grid: where each of them is, what they share, and whether they do the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nkilint.evaluator.state.trace import Event
from nkilint.evaluator.values.tensors import Declaration
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, sym
from nkilint_rules.words.conditions import Unknown

from ..findings import Analysis
from .accesses import READS, WRITES, Touch, real_views
from .coverage import is_shared
from .operands import arguments_of, is_open_number, reached

Axis = tuple[Any, Any]
"""The position of a program along an axis of the grid, and the size of the grid there, if it is known."""


def grid_axes(analysis: Analysis) -> list[Axis]:
    """The axes of the launch grid that may have several programs."""
    used = _used_positions(analysis)
    axes: list[Axis] = []
    known = {name: Sym({(variable,): 1}, 0) for name, variable in used.items()}
    for number, size in enumerate(analysis.run.grid):
        if isinstance(size, Sym) or (isinstance(size, int) and size > 1):
            name = f"program_id({number})"
            axes.append((known.pop(name, sym(name, "program", 0, size - 1)), size))
    for name, size in _asserted_sizes(analysis).items():
        if size > 1 and not analysis.run.grid and name not in known:
            known[name] = sym(name, "program", 0, size - 1)
    return axes + [(position, None) for position in known.values()]


def highest_asked(analysis: Analysis) -> Any:
    """The highest that the first position in the grid can be which the kernel asks for, used or not; None if there is
    no such position."""
    positions = (p.as_atom for p in analysis.run.trace.positions.values())
    return next((p.high for p in positions if isinstance(p, Var)), None)


def shared_tensors(analysis: Analysis) -> list[Declaration]:
    """The tensors in HBM that all programs see."""
    return [base for base in analysis.coverage.touches.bases.values() if is_shared(base)]


def does_the_same(analysis: Analysis) -> bool:
    """Whether every program surely does what all others do, with the same values."""
    events = analysis.run.trace.events
    if analysis.incomplete or _used_positions(analysis) or any(e.effects and e.effects.ordered for e in events):
        return False
    touches = analysis.coverage.touches
    updated = [b for b in shared_tensors(analysis) if touches.writes_of(b) and _reads(analysis, b)]
    parts = [part for event in events for part in arguments_of(event)]
    unclear = is_open_number if highest_asked(analysis) is not None else lambda part: isinstance(part, Unknown)
    return not updated and not any(unclear(p) or _has_position(p) for p in parts)


def is_redundant(touch: Touch, common: frozenset[int]) -> bool:
    """Whether it writes what every other program writes there, too; `common` is what `done_by_all` says."""
    return touch.role == "write" and id(touch.event) in common


def done_by_all(analysis: Analysis) -> frozenset[int]:
    """The events that every program goes through with the same values: nothing that is known to decide whether they
    happen, what they read and where they write hangs on the program, and so on for what wrote what they read."""
    touches = analysis.coverage.touches
    updated = {
        id(b) for b in shared_tensors(analysis) if any(w.event.kind != "allocation" for w in touches.writes_of(b))
    }
    events = analysis.run.trace.events
    apart = _flowing(analysis, [e for e in events if _is_of_a_program(e) or _reads_any(e, updated)])
    return frozenset(id(e) for e in events if id(e) not in apart)


def made_together(analysis: Analysis) -> frozenset[int]:
    """The events that stand at one place for all programs, with values that come of what these sent each other, or of
    numbers that may hang on the program: they may be the same."""
    events, asked = analysis.run.trace.events, highest_asked(analysis) is not None
    open_ = [e for e in events if "recv_from_rank" in e.arguments or (asked and _takes_any_number(e))]
    found = _flowing(analysis, open_)
    return frozenset(id(e) for e in events if id(e) in found and not _is_of_a_program(e))


def _takes_any_number(event: Event) -> bool:
    return any(is_open_number(part) for part in arguments_of(event))


def _flowing(analysis: Analysis, sources: Iterable[Event]) -> set[int]:
    """The events that `sources` are, and those that read what such events write."""
    touches = analysis.coverage.touches
    found = {id(event) for event in sources}
    waiting = [event for event in analysis.run.trace.events if id(event) in found]
    while waiting:
        for access in waiting.pop().accesses:
            if access.role not in WRITES:
                continue
            for view, _ in real_views(access.view):
                for read in touches.reads_of(view.base):
                    if id(read.event) not in found:
                        found.add(id(read.event))
                        waiting.append(read.event)
    return found


def _is_of_a_program(event: Event) -> bool:
    """Whether what an event does, or whether it happens, may differ from one program to another by itself."""
    deciding = [*reached(event), *arguments_of(event)]
    conditions = [*event.site.path(), *(loop.trips for loop in event.site.loops)]
    values = [v for v in (*deciding, *conditions) if isinstance(v, (Sym, Cond))]
    unclear = any(isinstance(v, Unknown) for v in deciding)
    ordered = event.effects is not None and event.effects.ordered
    return unclear or ordered or any(v.kind == "program" for v in variables(*values, through_bounds=True))


def _reads_any(event: Event, bases: set[int]) -> bool:
    return any(id(view.base) in bases for a in event.accesses if a.role in READS for view, _ in real_views(a.view))


def _reads(analysis: Analysis, base: Declaration) -> bool:
    """Whether something of what is written to a tensor may be read again."""
    written = any(t.event.kind != "allocation" for t in analysis.coverage.touches.writes_of(base))
    return written and any(t.event.kind != "return" for t in analysis.coverage.touches.reads_of(base))


def _used_positions(analysis: Analysis) -> dict[str, Var]:
    """The positions in the grid that decide what is accessed, or whether."""
    found: dict[str, Var] = {}
    for event in analysis.run.trace.events:
        values = [v for v in reached(event) if isinstance(v, (Sym, Cond))]
        for variable in variables(*event.site.conditions(), *values):
            if variable.kind == "program" and variable.bounds[1] >= 1:
                found.setdefault(variable.name, variable)
    return found


def _has_position(value: Any) -> bool:
    return isinstance(value, (Sym, Cond)) and any(v.kind == "program" for v in variables(value))


def _asserted_sizes(analysis: Analysis) -> dict[str, int]:
    """By the position along an axis of the launch grid: how many programs an assertion says there are."""
    found: dict[str, int] = {}
    for event in analysis.run.trace.events:
        settled = event.site.facts.settled if event.site.facts is not None else {}
        for atom, size in settled.items():
            if isinstance(atom, Var) and atom.name.startswith("num_programs("):
                found[atom.name.replace("num_programs", "program_id")] = size
    return found
