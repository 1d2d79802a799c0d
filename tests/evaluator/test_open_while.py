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
    assert _open(loop.format(limit=128), size) == {"NKI003"}
    assert "NKI101" in _open(loop.format(limit=256), size)


def _open(loop: str, size: str) -> set[str]:
    """The codes of what is open of a kernel."""
    report = report_on(KERNEL.format(loop=loop, size=size))
    assert {d.code for d in report.diagnostics} <= {"NKI003", "NKI700", "NKI704"}
    return {unknown.code for unknown in report.kernels[0].unknown}
