"""Generated kernels whose stores are put off leave what they leave, and report what they report, when nothing is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reference_sim import Strictness
from reference_sim.operations.numerics import movement
from reference_sim.running.observation import observe
from reference_sim.tensors import deferred, deferred_sums
from reference_sim.tensors.deferred import multiply

ROWS, COLUMNS, DEPTH = 4, 8, 8  # of a tile of the result, and of what is summed up in one product
COUNT = 3  # tiles along each axis
RNG = np.random.default_rng(0)
# Small integers, so that sums are exact in whatever order they are computed.
A = RNG.integers(-4, 5, (DEPTH * COUNT, ROWS * COUNT)).astype(np.float32)
B = RNG.integers(-4, 5, (DEPTH * COUNT, COLUMNS * COUNT)).astype(np.float32)

Step = tuple[Any, ...]


class Kernel:
    """Runs steps; `tiles` are what the steps before left on chip, `log` takes what they read back."""

    def __init__(self, a: Any, b: Any, outs: list[Any], log: Any) -> None:
        self.a, self.b, self.outs, self.log, self.logged = a, b, outs, log, 0
        self.flat = [out.reshape((2 * ROWS * COUNT, COLUMNS * COUNT // 2)) for out in outs]
        self.tiles: list[Any] = [nl.load(b[0:ROWS, 0:COLUMNS])]

    def seen(self, tile: Any) -> None:
        """What a result held when it was read back."""
        nl.store(self.log[self.logged * ROWS : (self.logged + 1) * ROWS, :], tile)
        self.logged += 1
        self.tiles.append(tile)

    def sum(self, i: int, j: int, ks: list[int], start: Any) -> Any:
        """The sum of some products, in PSUM."""
        total = nl.full((ROWS, COLUMNS), start, nl.float32, buffer=nl.psum) if start else None
        total = nl.zeros((ROWS, COLUMNS), nl.float32, buffer=nl.psum) if total is None else total
        self.more(total, i, j, ks)
        self.tiles.append(total)
        return total

    def more(self, total: Any, i: int, j: int, ks: list[int]) -> None:
        for k in ks:
            rows = slice(k * DEPTH, (k + 1) * DEPTH)
            left = nl.load(self.a[rows, i * ROWS : (i + 1) * ROWS])
            right = nl.load(self.b[rows, j * COLUMNS : (j + 1) * COLUMNS])
            total += nisa.nc_matmul(left, right)

    def smaller(self, tile: int) -> None:
        """A product that does not fit the sum it is added to."""
        self.more(self.tile(tile), 0, 0, [0])
        try:
            total = self.tile(tile)
            total += nisa.nc_matmul(nl.load(self.a[0:DEPTH, 0:2]), nl.load(self.b[0:DEPTH, 0:COLUMNS]))
        except ValueError:
            self.more(self.tile(tile), 0, 0, [1])

    def mixed(self) -> None:
        """A sum whose second product takes the next rows of another tensor."""
        total = nl.zeros((ROWS, COLUMNS), nl.float32, buffer=nl.psum)
        for source, k in ((self.a, 0), (self.b, DEPTH)):
            right = nl.load(self.b[k : k + DEPTH, 0:COLUMNS])
            total += nisa.nc_matmul(nl.load(source[k : k + DEPTH, 0:ROWS]), right)
        self.tiles.append(total)

    def row(self, out: int, i: int, columns: list[int], ks: list[int]) -> None:
        """Tiles of the product, each where it belongs."""
        for j in columns:
            self.put(out, i * ROWS, j * COLUMNS, nl.copy(self.sum(i, j, ks, 0)))

    def column(self, out: int, j: int, rows: list[int], ks: list[int]) -> None:
        for i in rows:
            self.put(out, i * ROWS, j * COLUMNS, self.sum(i, j, ks, 0))

    def put(self, out: int, row: int, column: int, tile: Any) -> None:
        nl.store(self.outs[out][row : row + ROWS, column : column + COLUMNS], tile)

    def turned(self, tile: int, out: int) -> None:
        """A tile in a box of another shape."""
        nl.store(self.outs[out][0:COLUMNS, 0:ROWS], self.tile(tile))

    def by_grid(self, out: int, i: int, columns: list[int], ks: list[int]) -> None:
        """Tiles of the product, all accesses by index grids."""
        for j in columns:
            total = nl.zeros((ROWS, COLUMNS), nl.float32, buffer=nl.psum)
            for k in ks:
                p, f = nl.mgrid[0:DEPTH, 0:ROWS]
                left = nl.load(self.a[k * DEPTH + p, i * ROWS + f])
                right = nl.load(
                    self.b[k * DEPTH + nl.arange(DEPTH)[:, None], j * COLUMNS + nl.arange(COLUMNS)[None, :]]
                )
                total += nisa.nc_matmul(left, right)
            p, f = nl.mgrid[0:ROWS, 0:COLUMNS]
            nl.store(self.outs[out][i * ROWS + p, j * COLUMNS + f], nl.copy(total))

    def batched(self, out: int, i: int, columns: list[int], ks: list[int]) -> None:
        """Tiles of the product, stored to a tensor of three dimensions and back."""
        cube = nl.ndarray((2, ROWS, COLUMNS * COUNT), dtype=nl.float32, buffer=nl.hbm)
        for j in columns:
            nl.store(cube[1, :, j * COLUMNS : (j + 1) * COLUMNS], self.sum(i, j, ks, 0))
            self.put(out, i * ROWS, j * COLUMNS, nl.load(cube[1, :, j * COLUMNS : (j + 1) * COLUMNS]))

    def again(self, tile: int, out: int, row: int, column: int) -> None:
        """A tile that is there already, perhaps over others."""
        self.put(out, row, column, self.tile(tile))

    def grow(self, tile: int, i: int, j: int, ks: list[int]) -> None:
        self.more(self.tile(tile), i, j, ks)

    def copy(self, tile: int) -> None:
        self.tiles.append(nl.copy(self.tile(tile)))

    def double(self, tile: int) -> None:
        self.tiles.append(nl.add(self.tile(tile), self.tile(tile)))

    def back(self, out: int, row: int, column: int) -> None:
        """What is in a result by now."""
        self.seen(nl.load(self.outs[out][row : row + ROWS, column : column + COLUMNS]))

    def back_flat(self, out: int, row: int) -> None:
        """The same by a view from before."""
        self.seen(nl.load(self.flat[out][row : row + ROWS, 0:COLUMNS]))

    def back_as_bits(self, out: int, row: int) -> None:
        bits = self.outs[out].view(nl.int32)
        self.seen(nl.copy(nl.load(bits[row : row + ROWS, 0:COLUMNS])).view(nl.float32))

    def back_indirectly(self, out: int, row: int, column: int) -> None:
        index = nisa.iota(nl.arange(ROWS)[:, None], dtype=nl.int32)
        _, f = nl.mgrid[0:ROWS, 0:COLUMNS]
        self.seen(nl.load(self.outs[out][index + row, column + f]))

    def back_by_grid(self, out: int, row: int, column: int) -> None:
        p, f = nl.mgrid[0:ROWS, 0:COLUMNS]
        self.seen(nl.load(self.outs[out][row + p, column + f], mask=(p < 3)))

    def back_where_inside(self, out: int) -> None:
        tile = nl.full((ROWS, COLUMNS), 0.0, nl.float32)
        index = nisa.iota(nl.arange(ROWS)[:, None] * ROWS, dtype=nl.int32)
        _, f = nl.mgrid[0:ROWS, 0:COLUMNS]
        nisa.dma_copy(dst=tile, src=self.outs[out][index, f], oob_mode=nisa.oob_mode.skip)
        self.seen(tile)

    def in_place(self, out: int, row: int, column: int) -> None:
        part = self.outs[out][row : row + ROWS, column : column + COLUMNS]
        part += 1.0

    def assigned(self, tile: int, out: int, row: int, column: int) -> None:
        self.tile(tile)[...] = self.outs[out][row : row + ROWS, column : column + COLUMNS]

    def masked(self, tile: int, out: int, row: int, column: int) -> None:
        p, f = nl.mgrid[0:ROWS, 0:COLUMNS]
        nl.store(self.outs[out][row + p, column + f], self.tile(tile), mask=(p < 2))

    def input(self, which: int, row: int, column: int, tile: int) -> None:
        """An input changes under the loads that were put off."""
        target = (self.a, self.b)[which]
        nl.store(target[row : row + ROWS, column : column + COLUMNS], self.tile(tile))

    def outside(self, out: int) -> None:
        """An access that is an error, which the kernel survives."""
        try:
            nl.load(self.outs[out][COUNT * ROWS - 1 : COUNT * ROWS + 1, 0:COLUMNS])
        except Exception:
            self.seen(nl.load(self.outs[out][0:ROWS, 0:COLUMNS]))

    def tile(self, number: int) -> Any:
        return self.tiles[number % len(self.tiles)]


def kernel_of(steps: list[Step], programs: int) -> Callable[..., Any]:
    def kernel(a: Any, b: Any) -> Any:
        shape = (ROWS * COUNT, COLUMNS * COUNT)
        outs = [nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm) for _ in range(2)]
        log = nl.ndarray((ROWS * len(steps), COLUMNS), dtype=nl.float32, buffer=nl.hbm)
        run = Kernel(a, b, outs, log)
        for position, (name, *arguments) in enumerate(steps):
            if programs == 1 or position % programs == int(nl.program_id(0)):
                getattr(run, name)(*arguments)
        return [*outs, log]

    return kernel


ONE = st.integers(0, COUNT - 1)
OUT, TILE = st.integers(0, 1), st.integers(0, 9)
SOME = st.lists(ONE, min_size=1, max_size=COUNT)
ALL = st.just([0, 1, 2])
ROW, COLUMN = st.integers(0, ROWS * (COUNT - 1)), st.integers(0, COLUMNS * (COUNT - 1))
STEP = st.one_of(
    st.tuples(st.just("row"), OUT, ONE, ALL | SOME, ALL | SOME),
    st.tuples(st.just("row"), OUT, ONE, ALL, ALL),
    st.tuples(st.just("column"), OUT, ONE, ALL | SOME, ALL | SOME),
    st.tuples(st.just("by_grid"), OUT, ONE, ALL | SOME, ALL | SOME),
    st.tuples(st.just("batched"), OUT, ONE, ALL | SOME, ALL | SOME),
    st.tuples(st.just("sum"), ONE, ONE, SOME, st.sampled_from([0, 0, 2.0])),
    st.tuples(st.just("grow"), TILE, ONE, ONE, SOME),
    st.tuples(st.just("again"), TILE, OUT, ROW, COLUMN),
    st.tuples(st.just("turned"), TILE, OUT),
    st.tuples(st.just("copy"), TILE),
    st.tuples(st.just("double"), TILE),
    st.tuples(st.just("back"), OUT, ROW, COLUMN),
    st.tuples(st.just("back_by_grid"), OUT, ROW, COLUMN),
    st.tuples(st.just("masked"), TILE, OUT, ROW, COLUMN),
    st.tuples(st.just("input"), OUT, ROW, COLUMN, TILE),
    st.tuples(st.just("back_flat"), OUT, ROW),
    st.tuples(st.just("back_as_bits"), OUT, ROW),
    st.tuples(st.just("back_indirectly"), OUT, ROW, COLUMN),
    st.tuples(st.just("in_place"), OUT, ROW, COLUMN),
    st.tuples(st.just("assigned"), TILE, OUT, ROW, COLUMN),
    st.tuples(st.just("outside"), OUT),
)


def outcome(steps: list[Step], checks: bool, programs: int) -> tuple[list[Any], list[Any], Any]:
    """What a kernel leaves in its results and its inputs, what is found, and what stopped it."""
    inputs = [A.copy(), B.copy()]
    grid = () if programs == 1 else (programs,)
    seen = observe(kernel_of(steps, programs), inputs, grid=grid, strictness=Strictness(checks=checks, collect=True))
    findings = [(f.code, f.message, f.at.row) for f in seen.findings]
    stopped = None if seen.stopped is None else str(seen.stopped.error)
    return [*(seen.results or []), *inputs], findings, stopped


def same(steps: list[Step], checks: bool, programs: int = 1) -> None:
    arrays, findings, stopped = outcome(steps, checks, programs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(movement, "_may_wait", lambda operands, array: False)
        plain, expected, reason = outcome(steps, checks, programs)
    assert findings == expected
    assert stopped == reason
    for found, wanted in zip(arrays, plain, strict=True):
        np.testing.assert_array_equal(found, wanted)


EVERY = [0, 1, 2]
FULL: list[Step] = [("row", 0, i, EVERY, EVERY) for i in EVERY]
CASES: list[list[Step]] = [
    FULL,
    [("column", 0, j, EVERY, EVERY) for j in EVERY],
    [*FULL, ("back", 0, 2, 3)],
    [*FULL, ("back_flat", 0, 4)],
    [*FULL, ("back_as_bits", 0, 2)],
    [*FULL, ("back_by_grid", 0, 2, 3)],
    [*FULL, ("back_indirectly", 0, 2, 3)],
    [*FULL, ("in_place", 0, 2, 3)],
    [*FULL, ("assigned", 0, 0, 2, 3), ("again", 0, 1, 0, 0)],
    [*FULL, ("masked", 0, 0, 2, 3)],
    [*FULL, ("again", 0, 0, 2, 3)],
    [*FULL, ("again", 1, 0, 2, 3), ("again", 4, 0, 3, 4), ("back", 0, 1, 1)],
    [*FULL, ("input", 0, 0, 0, 0), ("input", 1, 0, 0, 0), ("row", 1, 0, EVERY, EVERY)],
    [("row", 0, 0, [0], EVERY), ("row", 1, 0, [1], EVERY), ("row", 0, 1, [1], EVERY)],
    [("row", 0, 0, [0, 2, 1], [0, 2, 1])],
    [("sum", 0, 0, [0], 0), ("grow", 1, 1, 0, [1]), ("grow", 1, 1, 1, [2]), ("again", 1, 0, 0, 0)],
    [("sum", 0, 0, [0], 0), ("copy", 1), ("grow", 1, 0, 0, [1]), ("again", 1, 0, 0, 0), ("again", 2, 0, 4, 0)],
    [("sum", 0, 0, [0], 2.0), ("copy", 1), ("again", 1, 0, 0, 0), ("again", 2, 1, 0, 0)],
    [("sum", 0, 0, EVERY, 0), ("input", 1, 0, 0, 1), ("row", 0, 0, EVERY, EVERY)],
    [("sum", 0, 0, EVERY, 0), ("input", 1, 0, 0, 1)],
    [("sum", 0, 0, EVERY, 0), ("turned", 1, 0)],
    [("sum", 0, 0, [0], 0), ("smaller", 1), ("again", 1, 0, 0, 0)],
    [("mixed",), ("again", 1, 0, 0, 0)],
    [*FULL, ("back_where_inside", 0)],
    [*FULL, ("outside", 0)],
    [("by_grid", 0, i, EVERY, EVERY) for i in EVERY],
    [("batched", 0, i, EVERY, EVERY) for i in EVERY],
]


@pytest.mark.parametrize("checks", [False, True])
@pytest.mark.parametrize("steps", CASES, ids=range(len(CASES)))
def test_what_was_put_off_is_there_when_something_looks(steps: list[Step], checks: bool) -> None:
    same(steps, checks)


@pytest.mark.parametrize("checks", [False, True])
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(STEP, min_size=1, max_size=9), st.sampled_from([1, 1, 2]))
def test_nothing_tells_a_store_that_was_put_off(checks: bool, steps: list[Step], programs: int) -> None:
    same(steps, checks, programs)


def products(steps: list[Step]) -> int:
    """How many products a kernel takes."""
    counted = []
    with pytest.MonkeyPatch.context() as patch:
        for module in (deferred_sums, deferred):
            patch.setattr(module, "multiply", lambda *operands: counted.append(multiply(*operands)))
        outcome(steps, False, 1)
    return len(counted)


def test_neighbours_are_computed_as_one() -> None:
    assert products(FULL) == 1
    assert products([("column", 1, j, EVERY, EVERY) for j in EVERY]) == 1
    assert products([("by_grid", 0, i, EVERY, EVERY) for i in EVERY]) == 1
    assert products([*FULL, ("back", 0, 0, 0), *FULL]) == 2
    assert products([("row", 0, 0, EVERY, EVERY), ("row", 0, 2, EVERY, EVERY)]) == 2


def test_a_sum_is_computed_for_two_at_most() -> None:
    assert products([("sum", 0, 0, EVERY, 0), *[("copy", 1)] * 4, *[("double", n) for n in range(1, 6)]]) == 2


def test_what_was_taken_before_a_store_sees_it() -> None:
    def kernel(a: Any, b: Any) -> Any:
        out = nl.ndarray((ROWS, COLUMNS), nl.float32, buffer=nl.shared_hbm)
        index = nisa.iota(nl.arange(ROWS)[:, None], dtype=nl.int32)
        _, f = nl.mgrid[0:ROWS, 0:COLUMNS]
        rows = out[index, f]
        total = nl.zeros((ROWS, COLUMNS), nl.float32, buffer=nl.psum)
        total += nisa.nc_matmul(nl.load(a[0:DEPTH, 0:ROWS]), nl.load(b[0:DEPTH, 0:COLUMNS]))
        nl.store(out[0:ROWS, 0:COLUMNS], total)
        tile = nl.full((ROWS, COLUMNS), 0.0, nl.float32)
        nisa.dma_copy(dst=tile, src=rows, oob_mode=nisa.oob_mode.skip)
        again = nl.ndarray((ROWS, COLUMNS), nl.float32, buffer=nl.shared_hbm)
        nl.store(again, tile)
        return again

    found = observe(kernel, [A, B], dialect="neuronxcc").results
    np.testing.assert_array_equal(found, A[:DEPTH, :ROWS].T @ B[:DEPTH, :COLUMNS])
