"""Iterations of `affine_range`, or programs of a launch grid, that touch one element while one of them writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nkilint_rules.operation import BETA1

from ..evaluator.tensors import replace_in
from ..evaluator.trace import Loop
from ..prover import Verdict
from ..symbolic.conditions import Cond
from ..symbolic.evaluation import variables
from ..symbolic.integers import Sym, Var, key_of, sym
from .elimination import Existence
from .findings import Analysis, AtWitness
from .regions import WRITES, Occurrence, Touch, occurrence, same_element

ASSOCIATIVE = frozenset(
    {
        "language.add",
        "language.bitwise_and",
        "language.bitwise_or",
        "language.bitwise_xor",
        "language.logical_and",
        "language.logical_or",
        "language.logical_xor",
        "language.maximum",
        "language.minimum",
        "language.multiply",
    }
)
FOUND = (Verdict.VIOLATED, Verdict.CONDITIONAL)
BARRIERS = frozenset({"isa.core_barrier", "isa.sendrecv", "nki.sync_thread", "sync_thread"})


def check_races(analysis: Analysis) -> None:
    """NKI601 and NKI602 for each `affine_range` loop, NKI603 for the launch grid."""
    request = analysis.run.request
    if request is not None and request.dialect == BETA1:
        for loop in _affine_loops(analysis):
            _check_loop(analysis, loop)
    _check_programs(analysis)


def _affine_loops(analysis: Analysis) -> list[Loop]:
    loops: dict[int, Loop] = {}
    for event in analysis.run.trace.events:
        for loop in event.site.loops:
            if loop.kind == "affine_range":
                loops.setdefault(id(loop), loop)
    return list(loops.values())


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two touches of one tensor in a loop; the first writes. `reads` says that the second does not write."""

    first: Touch
    second: Touch
    reads: bool


def _pairs(writes: Sequence[Touch], reads: Sequence[Touch]) -> Iterable[_Pair]:
    for number, write in enumerate(writes):
        for other in writes[number:]:
            if not (_accumulates(write) and _accumulates(other)):
                yield _Pair(write, other, False)
        for read in reads:
            if read.role == "read" or not (_accumulates(read) and _accumulates(write)):
                yield _Pair(write, read, True)


def _check_all(pairs: Iterable[_Pair], check: Callable[[_Pair], bool], reads_too: bool) -> None:
    """Check each write with itself first; one that is at fault alone is not compared with the others again."""
    left: list[_Pair] = []
    faulty: set[int] = set()
    for pair in pairs:
        if pair.first is not pair.second:
            left.append(pair)
        elif check(pair):
            faulty.add(id(pair.first))
    for pair in left:
        if (pair.reads and reads_too) or not faulty & {id(pair.first), id(pair.second)}:
            check(pair)


def _accumulates(touch: Touch) -> bool:
    """Whether it adds to what is there, so that the order does not matter."""
    if touch.role == "accumulate":
        return True
    operation = touch.event.operation
    return touch.role == "update" and operation is not None and operation.name in ASSOCIATIVE


# --- iterations ---


def _check_loop(analysis: Analysis, loop: Loop) -> None:
    touches = analysis.coverage.touches
    for base in touches.bases.values():
        if any(around is loop for around in base.loops):
            continue
        writes = [t for t in touches.writes_of(base) if _inside(t, loop) and not _reduces(analysis, t, loop)]
        if not writes:
            continue
        reads = [t for t in touches.reads_of(base) if _inside(t, loop) and t.role == "read"]
        reads = [t for t in reads if t.event.kind != "return"]
        carried = [r for r in reads if not _written_in_iteration(analysis, r, loop)]
        _check_all(_pairs(writes, carried), lambda pair: _check_pair(analysis, pair, loop), reads_too=True)


def _inside(touch: Touch, loop: Loop) -> bool:
    return any(around is loop for around in touch.loops)


def _reduces(analysis: Analysis, write: Touch, loop: Loop) -> bool:
    """Whether it stores what `loop_reduce` accumulates over the loop."""
    for access in write.event.accesses:
        if access.role == "read":
            for made in analysis.coverage.touches.writes_of(access.view.base):
                operation = made.event.operation
                if operation is not None and operation.name == "language.loop_reduce":
                    over = made.event.arguments.get("loop_indices")
                    indices = over if isinstance(over, (tuple, list)) else (over,)
                    return any(key_of(i) == key_of(loop.index) for i in indices)
    return False


def _written_in_iteration(analysis: Analysis, read: Touch, loop: Loop) -> bool:
    """Whether the read gets what its own iteration wrote."""
    depth = next(n for n, around in enumerate(read.loops) if around is loop)
    found = analysis.coverage.written_before(read, within=depth + 1)
    if isinstance(found.condition, bool):
        return found.condition
    facts = [*read.event.site.conditions(), *([read.mask] if isinstance(read.mask, Cond) else [])]
    return analysis.prover.implied(found.condition, facts, deep=True) is True


def _check_pair(analysis: Analysis, pair: _Pair, loop: Loop) -> bool:
    """Whether iterations `i` and `j > i` are found to touch the same element, either of the two coming first."""
    orders = [(pair.first, pair.second)]
    if pair.first is not pair.second:
        orders.append((pair.second, pair.first))
    verdicts = [_check_order(analysis, pair, earlier, later, loop) for earlier, later in orders]
    return any(verdict in FOUND for verdict in verdicts)


def _check_order(analysis: Analysis, pair: _Pair, earlier: Touch, later: Touch, loop: Loop) -> Verdict:
    outer = _loops_above(earlier, loop)
    first = occurrence(earlier, "", shared=earlier.loops)
    second = occurrence(later, "'", shared=outer)
    code = "NKI601" if pair.reads else "NKI602"
    again = _iteration_of(second, loop)
    step = sym(f"{loop.name}''", "loop", 1, loop.trips - 1)
    quick = same_element(first, _moved(second, again, loop.index + step))
    values = {
        "loop": loop.name,
        "tensor": earlier.base.name or "the tile",
        "first": AtWitness(loop.index),
        "second": AtWitness(again),
        "element": AtWitness(first.element),
    }
    at = pair.second.event.site.at if pair.second.position >= pair.first.position else pair.first.event.site.at
    other = pair.first if at is pair.second.event.site.at else pair.second
    loops = (*earlier.loops, Loop(f"{loop.name}'", loop.kind, again, loop.trips, loop.at))
    site = replace(earlier.event.site, at=at, loops=loops)
    related = [(_role(other, pair), other.event.site.at)] if other.event is not earlier.event or pair.reads else []
    related.append((f"the loop over `{loop.name}`", loop.at))
    template = None if earlier.role in WRITES or not pair.reads else "before"
    if quick is False:
        return analysis.settle(code, Existence(True), site, values, template, related)
    return analysis.never_meet(code, first, second, [loop.index < again], site, values, template, related)


def _role(touch: Touch, pair: _Pair) -> str:
    return "the read" if pair.reads and touch is pair.second else "the other write"


def _loops_above(touch: Touch, loop: Loop) -> tuple[Loop, ...]:
    depth = next(n for n, around in enumerate(touch.loops) if around is loop)
    return touch.loops[:depth]


def _iteration_of(found: Occurrence, loop: Loop) -> Sym:
    """The iteration of `loop` in which it happens."""
    depth = next(n for n, around in enumerate(found.touch.loops) if around is loop)
    iteration: Sym = found.iterations[depth]
    return iteration


def _moved(found: Occurrence, variable: Sym, value: Any) -> Occurrence:
    """The occurrence with `variable` replaced."""
    mapping = {variable.variable: value}
    return replace(
        found,
        element=tuple(replace_in(e, mapping) for e in found.element),
        instance=tuple(replace_in(e, mapping) for e in found.instance),
    )


# --- programs ---


def _check_programs(analysis: Analysis) -> None:
    axes = _grid(analysis)
    if not axes:
        return
    touches = analysis.coverage.touches
    for base in touches.bases.values():
        if base.kind != "input" and base.region != "shared_hbm":
            continue
        writes = [t for t in touches.writes_of(base) if t.event.kind != "allocation"]
        reads = [t for t in touches.reads_of(base) if t.role == "read" and t.event.kind != "return"]
        pairs = [p for p in _pairs(writes, reads) if not _ordered_by_barrier(analysis, p)]
        _check_all(pairs, lambda pair: _check_program_pair(analysis, pair, axes), reads_too=False)


def _grid(analysis: Analysis) -> list[tuple[Any, Any]]:
    """The axes of the launch grid that have several programs: the position along each and its size."""
    found: dict[str, Var] = {}
    for event in analysis.run.trace.events:
        values = [e for a in event.accesses for e in (*a.view.index, a.mask)]
        for variable in variables(*event.site.conditions(), *(v for v in values if isinstance(v, (Sym, Cond)))):
            if variable.kind == "program" and variable.bounds[1] >= 1:
                found.setdefault(variable.name, variable)
    axes = []
    known = {name: Sym({(variable,): 1}, 0) for name, variable in found.items()}
    for number, size in enumerate(analysis.run.grid):
        if isinstance(size, Sym) or (isinstance(size, int) and size > 1):
            name = f"program_id({number})"
            axes.append((known.pop(name, sym(name, "program", 0, size - 1)), size))
    return axes + [(position, None) for position in known.values()]


def _ordered_by_barrier(analysis: Analysis, pair: _Pair) -> bool:
    low, high = sorted((pair.first.position, pair.second.position))
    events = analysis.run.trace.events[low : high + 1]
    return any(e.operation is not None and e.operation.name in BARRIERS for e in events)


def _check_program_pair(analysis: Analysis, pair: _Pair, axes: list[tuple[Any, Any]]) -> bool:
    """Whether two programs are found to touch the same element; the first axis in which they differ tells which comes
    first."""
    orders = [(pair.first, pair.second)]
    if pair.first is not pair.second:
        orders.append((pair.second, pair.first))
    verdicts: list[Verdict] = []
    for one, two in orders:
        first = occurrence(one, "")
        second = occurrence(two, "'", programs=True)
        others = [_other(position) for position, _ in axes]
        for number, (position, _) in enumerate(axes):
            apart = [p == o for (p, _), o in zip(axes[:number], others, strict=False)]
            apart.append(position < others[number])
            verdicts.append(_state(analysis, pair, (first, second), apart, ([p for p, _ in axes], others)))
    return any(verdict in FOUND for verdict in verdicts)


def _other(position: Sym) -> Sym:
    """The position of the other program along the same axis."""
    variable = position.variable
    assert isinstance(variable, Var)
    return sym(variable.name + "'", variable.kind, variable.low, variable.high, variable.source)


def _state(
    analysis: Analysis,
    pair: _Pair,
    found: tuple[Occurrence, Occurrence],
    apart: list[Any],
    programs: tuple[list[Any], list[Any]],
) -> Verdict:
    first, second = found
    write = pair.first
    values = {
        "tensor": write.base.name,
        "element": AtWitness(first.element),
        "first": AtWitness(_position(programs[0])),
        "second": AtWitness(_position(programs[1])),
    }
    related = [(_role(pair.second, pair), pair.second.event.site.at)] if pair.second is not pair.first else []
    site = replace(first.touch.event.site, at=write.event.site.at)
    return analysis.never_meet("NKI603", first, second, apart, site, values, "read" if pair.reads else None, related)


def _position(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else tuple(parts)
