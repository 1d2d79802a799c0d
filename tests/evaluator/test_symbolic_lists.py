"""Lists whose length depends on the input, of objects and of tensors, and tensors that an iteration chooses."""

from __future__ import annotations

import pytest

from ..support.checking import report_on, shown

PRELUDE = """
from dataclasses import dataclass
import nki
import nki.language as nl
import nki.isa as nisa


@dataclass(frozen=True)
class Tile:
    index: int
    start: int
    size: int

    @property
    def end(self):
        return self.start + self.size


class Tiles:
    def __init__(self, size, step):
        self.size, self.step = size, step
        self.count = (size + step - 1) // step

    def get(self, i):
        return Tile(i, i * self.step, min(self.step, self.size - i * self.step))

    def all(self):
        return [self.get(i) for i in range(self.count)]
"""

COPY = """
@nki.jit
def copy(x):
    T, F = x.shape
    assert F <= 512
    out = nl.ndarray((T, F), dtype=x.dtype, buffer=nl.shared_hbm)
    for LOOP:
        tile = nl.ndarray((128, F), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[: t.size, :], src=x[t.start : t.end, :])
        nisa.dma_copy(dst=out[t.start : t.end, :], src=tile[: t.size, :])
    return out
"""

ROTATED = """
# nkilint: w: float32[128, 128]
@nki.jit
def rotated(x, w):
    K, N = x.shape
    assert K == 128 and N % 512 == 0
    out = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.shared_hbm)
    buffers = [nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
    for n in range(N // 512):
        here, there = buffers[n % 2], buffers[(n + 1) % 2]
        nisa.dma_copy(dst=FILLED, src=x[:, nl.ds(n * 512, 512)])
        nisa.dma_copy(dst=out[:, nl.ds(n * 512, 512)], src=here)
    return out
"""

SEVERAL_EACH = """
@nki.jit
def several_each(x):
    T, F = x.shape
    assert T % 1024 == 0 and F <= 512
    out = nl.ndarray((T, F), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = []
    for m in nl.affine_range(T // 1024):
        for t in nl.affine_range(8):
            tile = nl.ndarray((128, F), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds((m * 8 + t) * 128, 128), :])
            tiles.append(tile)
    for m in nl.affine_range(T // 1024):
        for t in nl.affine_range(8):
            which = m * 8 + t
            tile = tiles[which]
            nisa.dma_copy(dst=out[nl.ds(which * 128, 128), :], src=tile)
    return out
"""


def verdict(source: str) -> tuple[str, list[str]]:
    report = report_on(PRELUDE + source, confirm=False)
    assert not [shown(d) for d in report.findings if d.severity.value != "info"]
    (kernel,) = report.kernels
    return kernel.verdict, [u.code for u in kernel.unknown]


@pytest.mark.parametrize(
    "loop",
    [
        "t in Tiles(T, 128).all()",
        "_, t in enumerate(Tiles(T, 128).all())",
        "t, _ in zip(Tiles(T, 128).all(), Tiles(T, 128).all())",
        "t in reversed(Tiles(T, 128).all())",
        "t in list(Tiles(T, 128).all())",
        "t in tuple(Tiles(T, 128).all())",
        "_, t in enumerate(tuple(tile for tile in Tiles(T, 128).all()))",
        "t in [tile for tile in Tiles(T, 128).all()]",
    ],
)
def test_each_tile_of_a_list_is_its_own(loop: str) -> None:
    assert verdict(COPY.replace("LOOP", loop)) == ("verified", [])


def test_a_list_without_its_last_tile_leaves_the_tail_out() -> None:
    short = COPY.replace("LOOP", "t in Tiles(T - T % 128, 128).all()")
    report = report_on(PRELUDE + short, confirm=False)
    assert [d.code for d in report.findings] == ["NKI703"]
    assert report.findings[0].precondition == "T % 128 == 0"


def test_what_is_written_and_read_through_one_choice_was_written() -> None:
    assert verdict(ROTATED.replace("FILLED", "here")) == ("verified", [])


@pytest.mark.parametrize("filled", ["there", "buffers[0]", "here[:, 0:512] if n > 2 else there"])
def test_what_is_written_through_another_choice_is_not_taken_for_written(filled: str) -> None:
    report = report_on(PRELUDE + ROTATED.replace("FILLED", filled), confirm=False)
    assert [d.code for d in report.findings] == ["NKI701"]
    assert report.kernels[0].verdict in ("violated", "conditional")


def test_the_choice_of_the_iteration_before_is_another_one() -> None:
    before = ROTATED.replace("FILLED", "here")
    before = before.replace("        nisa.dma_copy(dst=out", "        nisa.dma_copy(dst=out", 1)
    before = before.replace("src=here)\n    return", "src=kept)\n        kept = there\n    return")
    before = before.replace("    for n in", "    kept = buffers[1]\n    for n in")
    found, codes = verdict(before)
    assert (found, set(codes)) == ("incomplete", {"NKI701"})


def test_a_while_loop_that_counts_is_followed_for_any_size() -> None:
    counting = """
@nki.jit
def copy(x):
    M, N = x.shape
    assert M <= 128 and N % 512 == 0
    out = nl.ndarray((M, N), dtype=x.dtype, buffer=nl.shared_hbm)
    i = 0
    while i < N:
        tile = nl.ndarray((M, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, i : i + 512])
        nisa.dma_copy(dst=out[:, i : i + 512], src=tile)
        i += 512
    return out
"""
    assert verdict(counting) == ("verified", [])
    report = report_on(PRELUDE + counting.replace(" and N % 512 == 0", ""), confirm=False)
    assert [(d.code, d.precondition) for d in report.findings] == [("NKI301", "N % 512 == 0")]


def test_what_a_choice_is_made_of_is_blamed() -> None:
    summed = """
# nkilint: w: float32[128, 128]
@nki.jit
def summed(x, w):
    K, N = x.shape
    assert K == 128 and N % 512 == 0
    out = nl.ndarray((128, N), dtype=nl.float32, buffer=nl.shared_hbm)
    banks = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum) for _ in range(2)]
    weights = nl.ndarray((128, 128), dtype=w.dtype, buffer=nl.sbuf)
    for n in range(N // 512):
        sums = banks[n % 2]
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(n * 512, 512)])
        nisa.nc_matmul(dst=sums, stationary=weights, moving=tile, accumulate=False)
        done = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=done, src=sums)
        nisa.dma_copy(dst=out[:, nl.ds(n * 512, 512)], src=done)
    return out
"""
    loaded = summed.replace("    for n in", "    nisa.dma_copy(dst=weights, src=w)\n    for n in")
    assert verdict(loaded) == ("verified", [])
    report = report_on(PRELUDE + summed, confirm=False)
    assert [d.code for d in report.findings] == ["NKI701"]
    assert "`weights`" in report.findings[0].message


@pytest.mark.parametrize(("accumulate", "codes"), [("k > 0", []), ("False", ["NKI708"])])
def test_products_of_the_tiles_of_a_list_are_summed_or_lost(accumulate: str, codes: list[str]) -> None:
    product = f"""
@nki.jit
def product(x, w):
    K, M = x.shape
    assert K % 128 == 0 and M == 128 and w.shape == (K, 512)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = []
    for k in range(K // 128):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(k * 128, 128), :])
        tiles.append(tile)
    right = nl.ndarray((128, 512), dtype=w.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=right, src=w[0:128, :])
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k, tile in enumerate(tiles):
        nisa.nc_matmul(dst=sums, stationary=tile, moving=right, accumulate={accumulate})
    done = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=done, src=sums)
    nisa.dma_copy(dst=out, src=done)
    return out
"""
    report = report_on(PRELUDE + product, confirm=False)
    assert [d.code for d in report.findings if d.code != "NKI709"] == codes


def test_a_loop_that_picks_one_of_several_appended_tensors_is_unrolled() -> None:
    assert verdict(SEVERAL_EACH) == ("verified", [])


MEMBERS = """
def members(rank):
    return {0: [1, 2, 3], 1: [4]}[rank]


@nki.jit
def kernel(x, rank: int):
    assert x.shape == (128, 512)
    out = nl.ndarray((SIZE, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for i in range(COUNT):
        nisa.dma_copy(dst=out[i], src=tile)
    return out
"""


@pytest.mark.parametrize(
    ("size", "count", "found"),
    [
        ("len(members(rank))", "len(members(rank)) + 1", []),  # each of the two is a number of its own
        ("n", "n", []),
        ("n", "n + 1", ["NKI301"]),
        ("n + 1", "n", ["NKI703"]),
        ("3", "n", []),  # which is true, but not known
    ],
)
def test_a_length_that_is_not_known_is_one_number(size: str, count: str, found: list[str]) -> None:
    body = (
        MEMBERS.replace("SIZE", size)
        .replace("COUNT", count)
        .replace("    out =", "    n = len(members(rank))\n    out =")
    )
    assert [f.code for f in report_on(PRELUDE + body).findings if f.code != "NKI003"] == found
