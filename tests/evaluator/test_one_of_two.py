"""Arguments and ranges that are one of two things by a condition: each is judged where it is the one."""

from __future__ import annotations

import pytest

from ..support.checking import report_on

SUM = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def product(x, y):
    K, N = x.shape
    _, M = y.shape
    assert K % 128 == 0 and N <= 128 and M <= 512 and y.shape == (K, M)
    out = nl.ndarray((N, M), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.ndarray((N, M), dtype=nl.float32, buffer=nl.psum)
    for i in range(K // 128):
        a = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        b = nl.ndarray((128, M), dtype=y.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=x[128 * i : 128 * (i + 1), :])
        nisa.dma_copy(dst=b, src=y[128 * i : 128 * (i + 1), :])
        nisa.nc_matmul(dst=acc, stationary=a, moving=b, accumulate=FLAG)
    c = nl.ndarray((N, M), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=c, src=acc, engine=nisa.vector_engine if M > 100 else nisa.scalar_engine)
    nisa.dma_copy(dst=out, src=c)
    return out
"""


@pytest.mark.parametrize(
    ("flag", "found"),
    [
        ("None if i == 0 else True", []),
        ("True if i > 0 else None", []),
        ("None", []),
        ("None if i != 0 else True", [("NKI701", 18)]),
        ("True if i == 0 else None", [("NKI701", 18)]),
        ("None if i == 1 else True", [("NKI701", 18)]),
    ],
)
def test_whether_a_sum_is_begun_may_be_left_to_the_compiler_at_first(flag: str, found: list[tuple[str, int]]) -> None:
    report = report_on(SUM.replace("FLAG", flag))
    assert [(d.code, d.at.row) for d in report.diagnostics] == found
    assert not report.kernels[0].unknown


BRANCHES = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, y):
    N, M = x.shape
    assert N % 128 == 0 and y.shape == (N, M)
    out = nl.ndarray((N, M), dtype=x.dtype, buffer=nl.shared_hbm)
    rest = None
    if M > 64:
        rest = nl.load(y[0:128, :])
    for i in nl.static_range(N // 128) if M < 512 else nl.affine_range(N // 128):
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        tile = nisa.tensor_tensor(tile, tile, op=nl.add if M < 256 else OTHER)
        if rest is not None:
            tile = nl.add(tile, rest)
        nl.store(out[nl.ds(128 * i, 128), :], tile)
    return out
"""


@pytest.mark.parametrize(("other", "found"), [("nl.subtract", []), ("nl.exp", ["NKI205"])])
def test_both_ranges_and_both_operators_are_judged(other: str, found: list[str]) -> None:
    report = report_on(BRANCHES.replace("OTHER", other))
    assert [d.code for d in report.diagnostics] == found
    assert not report.kernels[0].unknown


def test_a_precondition_needed_on_both_sides_does_not_name_the_case() -> None:
    report = report_on(BRANCHES.replace("OTHER", "nl.subtract").replace("N % 128 == 0 and ", ""))
    assert report.kernels[0].contract == ("N % 128 == 0",)
