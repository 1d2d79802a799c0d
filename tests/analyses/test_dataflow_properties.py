"""Random loop nests of stores and loads: what the analysis says about them against enumeration on small sizes, and what
both say against runs in the simulator.

`NKILINT_NESTS` sets the number of nests.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import reference_sim
from nkilint.analyses.findings import Analysis
from nkilint.analyses.questions.coverage import Coverage
from nkilint.analyses.whole_trace import analyse
from nkilint.evaluator.kernels.requests import Run
from nkilint.prover import Decision, Prover, Verdict
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import holds, variables

from ..support.kernels import evaluated

COUNT = int(os.environ.get("NKILINT_NESTS", "75"))
SIZES = range(1, 28)
RUNS = 2  # in the simulator, of one nest
NAMES = "ijk"


@dataclass(frozen=True)
class Move:
    """A store to, or a load from, rows `offset + sum of steps * iterations` onwards of the tensor under test."""

    kind: str  # store, load
    steps: tuple[int, ...]
    offset: int
    width: int
    mask: int | None  # rows from here on are left out; -1 stands for the size

    def row(self, iterations: tuple[int, ...]) -> int:
        return self.offset + sum(s * i for s, i in zip(self.steps, iterations, strict=False))


@dataclass(frozen=True)
class Loop:
    """`trips` is a number, or a divisor and a rounding of the size."""

    kind: str
    trips: int | tuple[int, bool]
    body: tuple[Loop | Move, ...]

    def count(self, size: int) -> int:
        if isinstance(self.trips, int):
            return self.trips
        divisor, up = self.trips
        return (size + divisor - 1) // divisor if up else size // divisor


Body = tuple["Loop | Move", ...]


# --- as source ---


def source_of(body: Body) -> str:
    lines = [
        "import neuronxcc.nki as nki",
        "import neuronxcc.nki.language as nl",
        "@nki.jit",
        "def kernel(source):",
        "    N, columns = source.shape",
        "    output = nl.ndarray((N, 2), dtype=nl.float32, buffer=nl.shared_hbm)",
        "    tile = nl.zeros((128, 2), dtype=nl.float32, buffer=nl.sbuf)",
    ]
    lines += [f"    p{w}, f{w} = nl.mgrid[0:{w}, 0:2]" for w in range(1, 6)]
    lines += _lines(body, 1)
    return "\n".join([*lines, "    return output", ""])


def _lines(body: Body, depth: int) -> Iterator[str]:
    indent = "    " * depth
    for item in body:
        if isinstance(item, Loop):
            if isinstance(item.trips, int):
                trips = str(item.trips)
            else:
                divisor, up = item.trips
                trips = f"(N + {divisor - 1}) // {divisor}" if up else f"N // {divisor}"
            yield f"{indent}for {NAMES[depth - 1]} in nl.{item.kind}({trips}):"
            yield from _lines(item.body, depth + 1)
        else:
            terms = zip(item.steps, NAMES[: depth - 1], strict=False)
            row = " + ".join([str(item.offset), *(f"{s}*{n}" for s, n in terms)])
            place = f"output[{row} + p{item.width}, f{item.width}]"
            mask = ""
            if item.mask is not None:
                mask = f", mask={row} + p{item.width} < {'N' if item.mask < 0 else item.mask}"
            if item.kind == "store":
                yield f"{indent}nl.store({place}, value=tile[p{item.width}, f{item.width}]{mask})"
            else:
                yield f"{indent}got = nl.load({place}{mask})"
    if not body:
        yield f"{indent}pass"


# --- as an enumeration ---


def steps_of(body: Body, size: int) -> Iterator[tuple[Move, tuple[int, ...], list[int]]]:
    """Each execution in order: the move, its iterations, and the rows it touches."""

    def walk(items: Body, iterations: tuple[int, ...]) -> Iterator[tuple[Move, tuple[int, ...], list[int]]]:
        for item in items:
            if isinstance(item, Loop):
                for i in range(item.count(size)):
                    yield from walk(item.body, (*iterations, i))
            else:
                first = item.row(iterations)
                limit = size if item.mask == -1 else item.mask
                rows = [r for r in range(first, first + item.width) if limit is None or r < limit]
                yield item, iterations, rows

    return walk(body, ())


def covered(body: Body, size: int) -> bool:
    written = {r for move, _, rows in steps_of(body, size) for r in rows if move.kind == "store"}
    return set(range(size)) <= written


def loads_covered(body: Body, size: int) -> dict[int, bool]:
    """By load: whether each of its executions reads rows that were written before."""
    written: set[int] = set()
    found: dict[int, bool] = {}
    for move, _, rows in steps_of(body, size):
        if move.kind == "store":
            written.update(rows)
        elif rows:
            found[id(move)] = found.get(id(move), True) and written >= set(rows)
    return found


def conflicting(body: Body, size: int) -> bool:
    """Whether two iterations of an `affine_range` store to one row."""
    writers: dict[tuple[int, int, tuple[int, ...]], set[int]] = {}
    kinds = _kinds(body)
    for move, iterations, rows in steps_of(body, size):
        if move.kind != "store":
            continue
        for depth, loop in enumerate(kinds[id(move)]):
            if loop.kind == "affine_range":
                for row in rows:
                    seen = writers.setdefault((id(loop), row, iterations[:depth]), set())
                    seen.add(iterations[depth])
                    if len(seen) > 1:
                        return True
    return False


def carried(body: Body, size: int) -> bool:
    """Whether an iteration of an `affine_range` loads what another one stores, and has not stored itself before."""
    kinds = _kinds(body)
    writers: dict[tuple[int, int, tuple[int, ...]], set[int]] = {}
    readers: dict[tuple[int, int, tuple[int, ...]], set[int]] = {}
    for move, iterations, rows in steps_of(body, size):
        for depth, loop in enumerate(kinds[id(move)]):
            for row in rows if loop.kind == "affine_range" else ():
                place = id(loop), row, iterations[:depth]
                wrote = writers.setdefault(place, set())
                if move.kind == "store":
                    wrote.add(iterations[depth])
                elif iterations[depth] not in wrote:
                    readers.setdefault(place, set()).add(iterations[depth])
    return any(writers[place] - {i} for place, found in readers.items() for i in found)


def _kinds(body: Body, loops: tuple[Loop, ...] = ()) -> dict[int, tuple[Loop, ...]]:
    found: dict[int, tuple[Loop, ...]] = {}
    for item in body:
        if isinstance(item, Loop):
            found.update(_kinds(item.body, (*loops, item)))
        else:
            found[id(item)] = loops
    return found


# --- the analysis ---


def agrees(decision: Decision, truth: dict[int, bool]) -> None:
    """A decision about a property that holds for just those sizes which `truth` maps to True."""
    if decision.verdict is Verdict.PROVED:
        assert all(truth.values())
    elif decision.verdict is Verdict.VIOLATED:
        assert not any(truth.values())
    elif decision.verdict is Verdict.CONDITIONAL and decision.precondition is not None:
        (size,) = variables(decision.precondition)
        said = {n: holds(decision.precondition, {size: n}) for n in truth}
        if decision.exact:
            assert said == truth
        else:
            assert all(truth[n] for n in truth if said[n])


moves = st.builds(
    Move,
    st.sampled_from(["store", "store", "load"]),
    st.tuples(*[st.sampled_from([0, 1, 2, 3, 4, 5, -1])] * 3),
    st.integers(0, 5),
    st.integers(1, 5),
    st.sampled_from([None, None, None, -1, 3, 9]),
)
trip_counts = st.one_of(st.integers(0, 6), st.tuples(st.integers(1, 5), st.booleans()))
kinds = st.sampled_from(["affine_range", "sequential_range"])


def bodies(depth: int) -> st.SearchStrategy[Body]:
    if depth == 0:
        return st.lists(moves, min_size=1, max_size=2).map(tuple)
    loops = st.builds(Loop, kinds, trip_counts, bodies(depth - 1))
    return st.lists(st.one_of(loops, moves), min_size=1, max_size=3).map(tuple)


quick = settings(max_examples=COUNT, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
few = settings(quick, max_examples=COUNT // 5)
TILES = Loop("affine_range", (4, False), (Move("store", (4, 0, 0), 0, 4, None),))
MASKED = Loop("affine_range", (4, True), (Move("store", (4, 0, 0), 0, 4, -1),))
OVERLAPPING = Loop("affine_range", (3, True), (Move("store", (3, 0, 0), 0, 5, None),))


@quick
@given(bodies(2))
@example((TILES,))
@example((MASKED,))
@example((OVERLAPPING,))
def test_outputs_are_covered_as_enumeration_says(body: Body) -> None:
    run, prover = evaluated(source_of(body))
    truth = {n: covered(body, n) for n in SIZES}
    for settled in analyse(run, prover, lambda code: code in ("NKI702", "NKI703")):
        goal = settled.obligation.goal
        if settled.decision.verdict is Verdict.PROVED or len(_verdicts(run, prover)) > 1:
            continue
        assert goal is not True
        agrees(settled.decision, truth)
    if all(v is Verdict.PROVED for v in _verdicts(run, prover)):
        assert all(truth.values())


def _verdicts(run: Run, prover: Prover) -> list[Verdict]:
    return [s.decision.verdict for s in analyse(run, prover, lambda code: code in ("NKI702", "NKI703"))]


@quick
@given(bodies(2))
@example((TILES, Loop("sequential_range", (4, False), (Move("load", (4, 0, 0), 0, 4, None),))))
def test_loads_read_what_was_written_as_enumeration_says(body: Body) -> None:
    run, prover = evaluated(source_of(body))
    coverage = Coverage(run.trace, prover)
    analysis = Analysis(run, prover, coverage, "", "", lambda code: True)
    base = next((b for b in coverage.touches.bases.values() if b.name == "output"), None)
    if base is None:
        return
    reads = [t for t in coverage.touches.reads_of(base) if t.event.kind == "operation"]
    truths = {n: loads_covered(body, n) for n in SIZES}
    loads = [m for m in _kinds(body) if any(m in t for t in truths.values())]
    known = [id(m) for m in _moves(body) if m.kind == "load" and id(m) in loads]
    if len(reads) != len([m for m in _moves(body) if m.kind == "load"]) or len(known) != len(reads):
        return  # a loop that never runs has no events, one that was unrolled has several
    for touch, load in zip(reads, known, strict=True):
        found = coverage.written_before(touch)
        facts = [*touch.event.site.conditions(), *([touch.mask] if isinstance(touch.mask, Cond) else [])]
        decision = analysis.decide(found.condition, facts)
        if not found.exact and decision.verdict is not Verdict.PROVED:
            continue
        agrees(decision, {n: t[load] for n, t in truths.items() if load in t})


def _moves(body: Body) -> Iterator[Move]:
    for item in body:
        if isinstance(item, Loop):
            yield from _moves(item.body)
        else:
            yield item


@quick
@given(bodies(2))
@example((OVERLAPPING,))
@example((TILES,))
def test_iterations_conflict_as_enumeration_says(body: Body) -> None:
    run, prover = evaluated(source_of(body))
    found = analyse(run, prover, lambda code: code == "NKI602")
    truth = {n: conflicting(body, n) for n in SIZES}
    verdicts = {s.decision.verdict for s in found}
    if verdicts <= {Verdict.PROVED}:
        assert not any(truth.values())
    if Verdict.VIOLATED in verdicts or Verdict.CONDITIONAL in verdicts:
        assert any(truth.values())
    if len(found) == 1 and Verdict.CONDITIONAL in verdicts and found[0].decision.precondition is not None:
        agrees(found[0].decision, {n: not t for n, t in truth.items()})


# --- the simulator ---


def inside(body: Body, size: int) -> bool:
    """Whether no access leaves the tensor; a mask may leave nothing of it."""
    return all(r in range(size) for _, _, rows in steps_of(body, size) for r in rows)


def simulated(body: Body, sizes: list[int]) -> dict[int, set[str]]:
    """By size: the codes that a run reports."""
    reference_sim.install()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "generated_nest.py"
        path.write_text(source_of(body), encoding="utf-8")
        return {n: _observed(path, n) for n in sizes}


def _observed(path: Path, size: int) -> set[str]:
    spec = importlib.util.spec_from_file_location("generated_nest", path)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    seen = reference_sim.observe(module.kernel, [np.ones((size, 2), np.float32)], target="trn2")
    assert seen.stopped is None
    return {f.code for f in seen.findings}


@few
@given(bodies(2))
@example((TILES,))
@example((MASKED,))
@example((OVERLAPPING,))
def test_runs_report_what_analysis_and_enumeration_say(body: Body) -> None:
    sizes = [n for n in (13, 8, 7, 4, 3, 1, 16) if inside(body, n)][:RUNS]
    told = source_of(body)
    run, prover = evaluated(source_of(body))
    decisions: dict[str, list[Decision]] = {"NKI602": [], "NKI703": []}
    for settled in analyse(run, prover, lambda code: code in ("NKI602", "NKI702", "NKI703")):
        code = settled.obligation.rule.code.replace("NKI702", "NKI703")
        decisions[code].append(settled.decision)
    for n, codes in simulated(body, sizes).items():
        seen = {"NKI602": "NKI602" in codes, "NKI703": bool({"NKI702", "NKI703"} & codes)}
        if "NKI601" in codes and conflicting(body, n):
            seen["NKI602"] = True  # it keeps silent where NKI601 speaks about the same store
        assert seen == {"NKI602": conflicting(body, n), "NKI703": not covered(body, n)}, f"{n}: {codes}\n{told}"
        assert ("NKI601" in codes) == carried(body, n), f"{n}: {codes}\n{told}"
        assert not codes & {"NKI301", "NKI302"}, f"{n}: {codes}\n{told}"
        for code, found in decisions.items():
            if all(d.verdict is Verdict.PROVED for d in found):
                assert not seen[code], told
            for d in found:
                if d.verdict is Verdict.VIOLATED and len(found) == 1:
                    # of iterations it speaks where two of them store something, which this size may not allow
                    assert seen[code] or code == "NKI602", told
                elif d.verdict is Verdict.CONDITIONAL and d.precondition is not None and d.exact:
                    (size,) = variables(d.precondition)
                    assert holds(d.precondition, {size: n}) or seen[code], told
