"""Parameters that are objects which compute fields of their own."""

from dataclasses import dataclass, field

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Tiling:
    rows: int
    count: int = 4
    size: int = field(init=False)

    def __post_init__(self):
        assert 1 <= self.rows <= 128
        self.size = self.rows * self.count
        self.half = self.rows // 2


@nki.jit
def good(x, tiling: Tiling):
    assert x.shape == (tiling.size, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(tiling.count):
        t = nl.ndarray((tiling.rows, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i * tiling.rows : (i + 1) * tiling.rows])
        nisa.dma_copy(dst=out[i * tiling.rows : (i + 1) * tiling.rows], src=t)
    return out


@nki.jit
def bad(x, tiling: Tiling):
    out = nl.ndarray((tiling.size, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((tiling.half + 100, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)  # expect-warning: NKI204 tiling.rows*tiling.count == tiling.rows // 2 + 100
    return out
