"""Powers of two and shifts by numbers that may be negative, of which CPython makes a fraction or an error."""

import pytest

from ..support.checking import report_on

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, depth):
    M, N = x.shape
    assert N <= 307 and M <= 128
    {before}
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nl.store(output, tile)
    nl.store(output[0:128, 0:{width}], tile[0:128, 0:{width}])
    return output
"""


@pytest.mark.parametrize("width", ["2 ** (N - 300)", "1 << (N - 300)", "128 >> (M - N)", "2 ** (depth - N)"])
def test_sizes_are_not_taken_for_such_that_there_is_a_power(width: str) -> None:
    (kernel,) = report_on(KERNEL.format(before="pass", width=width)).kernels
    assert kernel.verdict == "incomplete"


@pytest.mark.parametrize(
    ("width", "before"),
    [
        ("2 ** (N - 300)", "assert N >= 300"),
        ("1 << max(N - 300, 0)", "pass"),
        ("128 >> (M - N)", "assert N <= M"),
        ("2 ** depth", "assert depth <= 7"),  # nobody gives a negative depth
        ("2 ** (depth - 1)", "assert depth <= 8"),
    ],
)
def test_powers_of_what_is_not_negative_are_followed(width: str, before: str) -> None:
    (kernel,) = report_on(KERNEL.format(before=before, width=width)).kernels
    assert kernel.verdict == "verified"
