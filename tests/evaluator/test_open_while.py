"""Of numbers that a `while` changes nobody knows how often it is known how they change, and when the loop ends."""

import pytest

from ..support.checking import report_on

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    M, N = x.shape
    n = M
    {loop}
    output = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    spare = nl.zeros(({size}, 4), dtype=nl.float32, buffer=nl.sbuf)
    nl.store(output, tile)
    return output
"""
SEARCH = "while M % n or n * N > {limit}:\n        n -= 1\n    assert n > 0"
HALVED = "while n > {limit}:\n        n = n // 2"
CUT = "while n > {limit}:\n        n -= min(n, 5)"


@pytest.mark.parametrize(("loop", "size"), [(SEARCH, "n * N"), (HALVED, "n"), (CUT, "n")])
def test_how_a_loop_ends_tells_what_its_numbers_are(loop: str, size: str) -> None:
    assert _open(loop.format(limit=128), size) <= {"NKI003"}
    assert "NKI101" in _open(loop.format(limit=256), size)


DIVISOR = "assert N <= 128\n    n = M\n    while M % n or n * N > 128:\n        n -= 1"


@pytest.mark.parametrize(
    ("loop", "size"),
    [
        (DIVISOR, "n * N"),
        (DIVISOR, "min(n, 128)"),
        ("while n > 128:\n        n = n // 2", "n"),
        ("while n > 128:\n        n -= min(n, 5)", "n"),
        ("n = 1\n    while n < M:\n        n *= 2", "min(n, 128)"),
        ("n = 1\n    while 2 * n <= M and n < 64:\n        n *= 2", "min(n, 128)"),
        ("n = 200\n    while n > M and n > 128:\n        n -= 3", "min(n, 128)"),
    ],
)
def test_a_loop_that_only_counts_and_comes_to_an_end_leaves_nothing_open(loop: str, size: str) -> None:
    assert not _open(loop, size)


@pytest.mark.parametrize(
    "loop",
    [
        "n = M\n    while n != 1:\n        n -= 2",  # it may jump over its end
        "n = 0\n    while n < M:\n        n *= M",  # 0 stays 0
        "n = M\n    m = 2 * M\n    while n < m:\n        n += 1\n        m += 1",  # the end moves on
        "n = M\n    while M % n or n * N > 128:\n        n -= 1",  # nothing says that N fits: it comes to 0
        "n = M\n    while n > 128:\n        n = n // N",  # N may be 1
        "n = 1\n    while n < M:\n        n *= 2\n        more = nl.zeros((4, 4), dtype=nl.float32, buffer=nl.sbuf)",
    ],
)
def test_a_loop_that_may_not_end_or_does_more_is_open(loop: str) -> None:
    assert "NKI003" in _open(loop, "4")


QUOTIENT = """\
import nki
import nki.language as nl
import nki.isa as nisa


@nki.jit
def kernel(x, width: int):
    M, N = x.shape
    assert width <= 128
    n = M
    while M % n or n * width > 128:
        n -= 1
    y = x.reshape(({sizes}, N))
    output = nl.ndarray(y.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(M // n):
        nisa.dma_copy(dst=output[i * n : (i + 1) * n], src=y[i * n : (i + 1) * n])
    return output
"""


def test_a_quotient_without_rest_times_its_divisor_is_whole() -> None:
    (kernel,) = report_on(QUOTIENT.format(sizes="M // n * n"), confirm=False).kernels
    assert kernel.verdict == "verified", [(u.code, u.row, u.reason) for u in kernel.unknown]
    (other,) = report_on(QUOTIENT.format(sizes="M // n * n + 1"), confirm=False).kernels
    assert other.verdict == "violated"


def _open(loop: str, size: str) -> set[str]:
    """The codes of what is open of a kernel."""
    report = report_on(KERNEL.format(loop=loop, size=size))
    assert {d.code for d in report.diagnostics} <= {"NKI003", "NKI700", "NKI704"}
    return {unknown.code for unknown in report.kernels[0].unknown}
