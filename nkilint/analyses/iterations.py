"""Iterations of an `affine_range` loop that touch one element while one of them writes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nkilint.evaluator.state.trace import AtWitness, Loop
from nkilint.evaluator.values.axes import replace_in
from nkilint.prover import Verdict
from nkilint.prover.elimination import Existence
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, key_of, sym
from nkilint_rules.parallel.loop_carried_dependency import LoopCarriedDependency
from nkilint_rules.parallel.output_dependency import OutputDependency
from nkilint_rules.rule import Wording
from nkilint_rules.words.conditions import Unknown

from .findings import Analysis
from .questions.accesses import WRITES, Occurrence, Touch, is_inside, occurrence, same_element
from .questions.pairs import Pair, check_all, pairs_of, role
from .questions.sums import sum_of
from .registry import decides


@decides(LoopCarriedDependency, OutputDependency)
def check_loops(analysis: Analysis) -> None:
    """NKI601 and NKI602 for each `affine_range` loop that was evaluated at a symbolic iteration."""
    for loop in _affine_loops(analysis):
        check_loop(analysis, loop)


def _affine_loops(analysis: Analysis) -> list[Loop]:
    loops: dict[int, Loop] = {}
    for event in analysis.run.trace.events:
        for loop in event.site.loops:
            if loop.kind == "affine_range":
                loops.setdefault(id(loop), loop)
    return list(loops.values())


def check_loop(analysis: Analysis, loop: Loop) -> None:
    touches, sums = analysis.coverage.touches, analysis.coverage.sums
    for base in touches.bases.values():
        if any(around is loop for around in base.loops):
            continue
        writes = [t for t in touches.writes_of(base) if is_inside(t, loop) and not _reduces(analysis, t, loop)]
        if not writes:
            continue
        reads = [t for t in touches.reads_of(base) if is_inside(t, loop) and t.role == "read"]
        reads = [t for t in reads if t.event.kind != "return" and sum_of(sums, t) is None]
        carried = [r for r in reads if not _written_in_iteration(analysis, r, loop)]
        check_all(pairs_of(writes, carried, sums), lambda pair: _check_pair(analysis, pair, loop), reads_too=True)


def _reduces(analysis: Analysis, write: Touch, loop: Loop) -> bool:
    """Whether it stores what `loop_reduce` accumulates over the loop."""
    for access in write.event.accesses:
        if access.role == "read":
            for made in analysis.coverage.touches.writes_of(access.view.base):
                operation = made.event.operation
                if operation is not None and operation.name == "language.loop_reduce":
                    over = made.event.arguments.get("loop_indices")
                    indices = over if isinstance(over, (tuple, list)) else (over,)
                    return any(key_of(i) == key_of(loop.index) for i in indices if not isinstance(i, Unknown))
    return False


def _written_in_iteration(analysis: Analysis, read: Touch, loop: Loop) -> bool:
    """Whether the read gets what its own iteration wrote, not what it only added to."""
    depth = next(n for n, around in enumerate(read.loops) if around is loop)
    plain = [w for w in analysis.coverage.touches.writes_of(read.base) if sum_of(analysis.coverage.sums, w) is None]
    found = analysis.coverage.written_before(read, within=depth + 1, only=plain)
    if isinstance(found.condition, bool):
        return found.condition
    facts = [*read.event.site.conditions(), *([read.mask] if isinstance(read.mask, Cond) else [])]
    return analysis.prover.shows(found.condition, facts, deep=True)


def _check_pair(analysis: Analysis, pair: Pair, loop: Loop) -> list[Verdict]:
    """Whether iterations `i` and `j > i` touch the same element, either of the two coming first."""
    orders = [(pair.first, pair.second)]
    if pair.first is not pair.second:
        orders.append((pair.second, pair.first))
    return [_check_order(analysis, pair, earlier, later, loop) for earlier, later in orders]


def _check_order(analysis: Analysis, pair: Pair, earlier: Touch, later: Touch, loop: Loop) -> Verdict:
    outer = _loops_above(earlier, loop)
    first = occurrence(earlier, "", shared=earlier.loops)
    second = occurrence(later, "'", shared=outer)
    again = _iteration_of(second, loop)
    step = sym(f"{loop.name}''", "loop", 1, loop.trips - 1)
    quick = same_element(first, _moved(second, again, loop.index + step))
    message = carried(pair, earlier)(
        loop=loop.name, tensor=earlier.base.told, first=AtWitness(loop.index), second=AtWitness(again),
        element=AtWitness(first.element),
    )  # fmt: skip
    at = pair.second.event.site.at if pair.second.position >= pair.first.position else pair.first.event.site.at
    other = pair.first if at is pair.second.event.site.at else pair.second
    loops = (*earlier.loops, Loop(f"{loop.name}'", loop.kind, again, loop.trips, loop.at))
    site = replace(earlier.event.site, at=at, loops=loops)
    related = [(role(other, pair), other.event.site.at)] if other.event is not earlier.event or pair.reads else []
    related.append((f"the loop over `{loop.name}`", loop.at))
    if quick is False:
        return analysis.require(message, Existence(True), site, related)
    return analysis.never_meet(message, first, second, [loop.index < again], site, related)


def carried(pair: Pair, earlier: Touch) -> Wording[...]:
    """What to say of two iterations that touch the same element, the first by `earlier`."""
    if not pair.reads:
        return OutputDependency.message
    return LoopCarriedDependency.message if earlier.role in WRITES else LoopCarriedDependency.written_later


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
