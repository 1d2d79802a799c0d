"""Messages and witnesses name what the iterations of a loop are given, as its variable has it in the source."""

from __future__ import annotations

import pytest

from ..support.checking import report_on

KERNEL = '''\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    """x: float32[N, 64]"""
    N = x.shape[0]
    assert N > {least}
    out = nl.ndarray((N, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for start in {over}:
        size = min(128, N - ({begin}))
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[{begin} : {begin} + size, :])
        nisa.dma_copy(dst=out[{begin} : {begin} + size, :], src=tile[0:size, :])
    return out
'''
"""A kernel that takes each tile for a whole one."""


@pytest.mark.parametrize(
    ("over", "begin", "size", "least", "last"),
    [
        ("range(0, N, 128)", "start", "min(N - start, 128)", 300, 256),
        ("range((N + 127) // 128)", "start * 128", "min(N - 128*start, 128)", 300, 2),
        ("range(1, (N + 127) // 128 + 1)", "(start - 1) * 128", "min(N - 128*(start - 1), 128)", 300, 3),
        ("range(128, N + 128, 128)", "start - 128", "min(N - (start - 128), 128)", 300, 384),
        ("range(0, 2 * N, 256)", "start // 2", "min(N - 128*(start // 256), 128)", 300, 512),
    ],
)
def test_names_of_loops_stand_for_their_values(over: str, begin: str, size: str, least: int, last: int) -> None:
    text = KERNEL.format(over=over, begin=begin, least=least)
    (found,) = [d for d in report_on(text).findings if d.code == "NKI204"]
    assert size in found.message
    assert found.witness is not None
    assert found.witness.loops == {"start": last}
