"""Iterations of `affine_range` that were evaluated one by one and touch one element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nkilint.evaluator.state.trace import AtWitness
from nkilint.prover.elimination import Existence
from nkilint_rules.parallel.loop_carried_dependency import LoopCarriedDependency
from nkilint_rules.parallel.output_dependency import OutputDependency
from nkilint_rules.words.conditions import Unknown

from .findings import Analysis
from .iterations import carried
from .questions.accesses import Touch, common_loops, occurrence
from .questions.coverage import covers_plainly
from .questions.pairs import FOUND, Pair, pairs_of, role
from .questions.sums import sum_of
from .questions.unrolled import UnrolledRun, loop_name, unrolled_runs
from .registry import decides

MAX_PAIRS = 400  # of accesses to one tensor


@decides(LoopCarriedDependency, OutputDependency)
def check_unrolled_loops(analysis: Analysis) -> None:
    """NKI601 and NKI602 between the iterations of each run of an unrolled `affine_range`."""
    for run in unrolled_runs(analysis.run.trace, {"affine_range"}):
        _check_unrolled(analysis, run)


def _check_unrolled(analysis: Analysis, run: UnrolledRun) -> None:
    touches, sums = analysis.coverage.touches, analysis.coverage.sums
    for base in touches.bases.values():
        writes = list(filter(run.has, touches.writes_of(base)))
        others = [t for t in touches.reads_of(base) if run.has(t) and t.role == "read"]
        others = [t for t in others if sum_of(sums, t) is None]
        numbers = {run.iterations[t.position] for t in (*writes, *others)}
        if not writes or len(numbers) < 2:
            continue
        plain = [w for w in writes if sum_of(sums, w) is None]
        reads = [r for r in others if not _read_back(r, plain, run)]
        pairs = [p for p in pairs_of(writes, reads, sums) if _iterations(p, run)[0] != _iterations(p, run)[1]]
        if len(pairs) > MAX_PAIRS:
            unknown = Existence(Unknown(f"{len(pairs)} pairs of unrolled accesses"))
            analysis.require(OutputDependency, unknown, replace(writes[0].event.site, facts=None))
            continue
        for pair in pairs:
            if _check_unrolled_pair(analysis, pair, run):
                break


def _iterations(pair: Pair, run: UnrolledRun) -> tuple[int, int]:
    return run.iterations[pair.first.position], run.iterations[pair.second.position]


def _read_back(read: Touch, writes: Sequence[Touch], run: UnrolledRun) -> bool:
    """Whether the read gets what its own iteration wrote."""
    number = run.iterations[read.position]
    return any(run.iterations[w.position] == number and covers_plainly(w, read) for w in writes)


def _check_unrolled_pair(analysis: Analysis, pair: Pair, run: UnrolledRun) -> bool:
    """Whether two iterations are found to touch the same element."""
    ordered = sorted((pair.first, pair.second), key=lambda t: t.position)
    first = occurrence(ordered[0], "")
    second = occurrence(ordered[1], "'", shared=common_loops(*ordered))
    message = carried(pair, ordered[0])(
        loop=loop_name(analysis.run, run.at), tensor=pair.first.base.told,
        first=run.iterations[ordered[0].position], second=run.iterations[ordered[1].position],
        element=AtWitness(first.element),
    )  # fmt: skip
    other = (role(ordered[0], pair), ordered[0].event.site.at)
    site = ordered[1].event.site
    verdict = analysis.never_meet(message, first, second, [], site, [other])
    return verdict in FOUND
