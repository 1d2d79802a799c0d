"""Random loop nests that copy between tiles: what is said about reads of what nothing wrote, against enumeration and
the simulator's shadow memory.

`NKILINT_UNINITIALISED` sets the number of nests.
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
from nkilint.analyses.whole_trace import analyse
from nkilint.prover import Verdict
from nkilint.symbolic.evaluation import holds, variables

from ..support.kernels import evaluated

COUNT = int(os.environ.get("NKILINT_UNINITIALISED", "15"))
SIZES = range(1, 20)
RUN = (7,)  # sizes that the simulator is given
NAMES = "ijk"
COLUMNS = 128


@dataclass(frozen=True)
class Move:
    """`target[place] = source[place]`, where the mask lets it through; `fill` writes numbers, `store` goes to the
    output."""

    kind: str  # fill, copy, store
    source: str
    target: str
    steps: tuple[int, ...]
    offset: int
    shift: int  # from the place in the source to that in the target
    width: int
    mask: int | None  # columns of the target from here on are left out; -1 stands for the size

    def place(self, iterations: tuple[int, ...]) -> int:
        return self.offset + sum(s * i for s, i in zip(self.steps, iterations, strict=False))


@dataclass(frozen=True)
class Loop:
    """`trips` is a number, or a divisor of the size."""

    trips: int | tuple[int]
    body: Body

    def count(self, size: int) -> int:
        return self.trips if isinstance(self.trips, int) else size // self.trips[0]


Body = tuple["Loop | Move", ...]


# --- as source ---


def source_of(body: Body) -> str:
    lines = [
        "import neuronxcc.nki as nki",
        "import neuronxcc.nki.language as nl",
        "@nki.jit",
        "def kernel(source):",
        "    N = source.shape[1]",
        f"    output = nl.ndarray((2, {COLUMNS}), dtype=nl.float32, buffer=nl.shared_hbm)",
        f"    ones = nl.ones((2, {COLUMNS}), dtype=nl.float32, buffer=nl.sbuf)",
        "    nl.store(output, value=ones)",
        *(f"    {t} = nl.ndarray((2, {COLUMNS}), dtype=nl.float32, buffer=nl.sbuf)" for t in "ab"),
        *(f"    p{w}, f{w} = nl.mgrid[0:2, 0:{w}]" for w in range(1, 6)),
    ]
    return "\n".join([*lines, *_lines(body, 1), "    return output", ""])


def _lines(body: Body, depth: int) -> Iterator[str]:
    indent = "    " * depth
    for item in body:
        if isinstance(item, Loop):
            trips = item.trips if isinstance(item.trips, int) else f"N // {item.trips[0]}"
            yield f"{indent}for {NAMES[depth - 1]} in nl.sequential_range({trips}):"
            yield from _lines(item.body, depth + 1)
            continue
        terms = "".join(f" + {s}*{n}" for s, n in zip(item.steps, NAMES[: depth - 1], strict=False))
        p, place = f"p{item.width}", f"{item.offset}{terms} + f{item.width}"
        mask = "" if item.mask is None else f", mask={place} < {'N' if item.mask < 0 else item.mask}"
        taken = f"{'ones' if item.kind == 'fill' else item.source}[{p}, {item.shift} + {place}]"
        if item.kind == "store":
            yield f"{indent}nl.store(output[{p}, {place}], value={taken}{mask})"
        else:
            yield f"{indent}{item.target}[{p}, {place}] = nl.copy({taken}{mask})"


# --- as an enumeration ---


def is_clean(body: Body, size: int) -> bool:
    """Whether no column is stored that nothing wrote, or that was made of one."""
    written: set[tuple[str, int]] = {("ones", c) for c in range(COLUMNS)}

    def run(items: Body, iterations: tuple[int, ...]) -> bool:
        for item in items:
            if isinstance(item, Loop):
                if not all(run(item.body, (*iterations, i)) for i in range(item.count(size))):
                    return False
                continue
            first = item.place(iterations)
            limit = size if item.mask == -1 else item.mask
            columns = [c for c in range(first, first + item.width) if limit is None or c < limit]
            source = "ones" if item.kind == "fill" else item.source
            good = {c: (source, c + item.shift) in written for c in columns}
            if item.kind == "store":
                if not all(good.values()):
                    return False
                continue
            written.difference_update((item.target, c) for c, fine in good.items() if not fine)
            written.update((item.target, c) for c, fine in good.items() if fine)
        return True

    return run(body, ())


# --- the two readers ---


def simulated(body: Body, sizes: tuple[int, ...]) -> dict[int, bool]:
    """By size: whether the simulator sees nothing."""
    reference_sim.install()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "generated_kernel.py"
        path.write_text(source_of(body), encoding="utf-8")
        return {n: _observed(path, n) for n in sizes}


def _observed(path: Path, size: int) -> bool:
    spec = importlib.util.spec_from_file_location("generated_kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    seen = reference_sim.observe(module.kernel, [np.ones((2, size), np.float32)], target="trn2")
    assert seen.stopped is None
    return all(f.code != "NKI701" for f in seen.findings)


MOVES = st.builds(
    Move,
    st.sampled_from(["fill", "fill", "copy", "store"]),
    st.sampled_from("ab"),
    st.sampled_from("ab"),
    st.tuples(*[st.sampled_from([0, 1, 2, 3, 4])] * 3),
    st.integers(0, 4),
    st.integers(0, 3),
    st.integers(1, 5),
    st.sampled_from([None, None, None, -1, 3, 9]),
)
TRIPS = st.one_of(st.integers(0, 4), st.tuples(st.integers(1, 4)))


def bodies(depth: int) -> st.SearchStrategy[Body]:
    if depth == 0:
        return st.lists(MOVES, min_size=1, max_size=3).map(tuple)
    loops = st.builds(Loop, TRIPS, bodies(depth - 1))
    return st.lists(st.one_of(loops, MOVES), min_size=2, max_size=4).map(tuple)


FILLED = Loop((4,), (Move("fill", "a", "a", (4, 0, 0), 0, 0, 4, None),))
STORED = Loop((2,), (Move("store", "a", "a", (2, 0, 0), 0, 0, 2, None),))
NOTHING = Move("fill", "a", "a", (0, 0, 0), 3, 0, 1, 3)
PASSED_ON = Loop((2,), (Move("copy", "a", "b", (2, 0, 0), 0, 0, 2, None),))


@settings(max_examples=COUNT, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(bodies(2))
@example((FILLED, STORED))
@example((FILLED, PASSED_ON, Loop((2,), (Move("store", "b", "a", (2, 0, 0), 0, 0, 2, None),))))
@example((NOTHING, Move("store", "a", "a", (0, 0, 0), 0, 0, 1, None)))
@example((Move("fill", "a", "a", (0, 0, 0), 0, 0, 5, -1), Move("store", "a", "a", (0, 0, 0), 0, 0, 5, None)))
@example((Move("fill", "a", "a", (0, 0, 0), 0, 0, 1, None), Move("store", "a", "a", (0, 0, 0), 3, 0, 1, 3)))
def test_reads_are_judged_as_enumeration_and_simulator_say(body: Body) -> None:
    run, prover = evaluated(source_of(body))
    truth = {n: is_clean(body, n) for n in SIZES}
    told = source_of(body)
    assert simulated(body, RUN) == {n: truth[n] for n in RUN}, told
    decisions = [s.decision for s in analyse(run, prover, lambda code: code == "NKI701")]
    verdicts = {d.verdict for d in decisions}
    if verdicts <= {Verdict.PROVED}:
        assert all(truth.values()), told
    if Verdict.VIOLATED in verdicts or Verdict.CONDITIONAL in verdicts:
        assert not all(truth.values()), told
    if len(decisions) == 1 and decisions[0].precondition is not None:
        (size,) = variables(decisions[0].precondition)
        said = {n: holds(decisions[0].precondition, {size: n}) for n in SIZES}
        assert all(truth[n] for n in SIZES if said[n]), told
        if decisions[0].exact:
            assert said == truth, told
