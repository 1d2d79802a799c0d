"""Numbers that go round: the head of a ring, and whose turn it is."""

import nki
import nki.isa as nisa
import nki.language as nl


class Ring:
    def __init__(self, count, width, dtype):
        self.tiles = [nl.ndarray((128, width), dtype=dtype, buffer=nl.sbuf) for _ in range(count)]
        self.head = 0

    def next(self):
        tile = self.tiles[self.head]
        self.head = (self.head + 1) % len(self.tiles)
        return tile


@nki.jit
def of_an_object(x):
    rows, width = x.shape
    assert rows % 128 == 0 and width == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    ring = Ring(3, 512, x.dtype)
    for i in range(rows // 128):
        tile = ring.next()
        nisa.dma_copy(dst=tile, src=x[i * 128 : i * 128 + 128, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=tile)
    return out


@nki.jit
def reset_at_the_end(x):
    rows, width = x.shape
    assert rows % 128 == 0 and width == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    both = nl.ndarray((128, 2 * 512), dtype=x.dtype, buffer=nl.sbuf)
    slot = 0
    for i in range(rows // 128):
        here = both[:, slot * 512 : slot * 512 + 512]
        nisa.dma_copy(dst=here, src=x[i * 128 : i * 128 + 128, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=here)
        slot += 1
        if slot == 2:
            slot = 0
    return out


@nki.jit
def turns(x):
    rows, width = x.shape
    assert rows % 128 == 0 and width == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    both = nl.ndarray((128, 2 * 512), dtype=x.dtype, buffer=nl.sbuf)
    turn = 0
    for i in range(rows // 128):
        here = both[:, turn * 512 : turn * 512 + 512]
        nisa.dma_copy(dst=here, src=x[i * 128 : i * 128 + 128, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=here)
        turn = 1 - turn
    return out


@nki.jit
def one_slot_too_many(x):
    rows, width = x.shape
    assert rows % 128 == 0 and rows >= 512 and width == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    both = nl.ndarray((128, 2 * 512), dtype=x.dtype, buffer=nl.sbuf)
    slot = 0
    for i in range(rows // 128):
        here = both[:, slot * 512 : slot * 512 + 512]  # expect-warning: NKI301
        nisa.dma_copy(dst=here, src=x[i * 128 : i * 128 + 128, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=here)
        slot = (slot + 1) % 3
    return out


@nki.jit
def turned_by_bits(x):
    rows, width = x.shape
    assert rows % 128 == 0 and width == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = [nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
    turn = 0
    for i in range(rows // 128):
        nisa.dma_copy(dst=tiles[turn], src=x[i * 128 : i * 128 + 128, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=tiles[turn])
        turn ^= 1
    return out


@nki.jit
def exchanged(x):
    rows, width = x.shape
    assert rows % 128 == 0 and width == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = [nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
    now, following = 0, 1
    nisa.dma_copy(dst=tiles[now], src=x[0:128, :])
    for i in range(rows // 128):
        if i + 1 < rows // 128:
            nisa.dma_copy(dst=tiles[following], src=x[i * 128 + 128 : i * 128 + 256, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=tiles[now])
        now, following = following, now
    return out


@nki.jit
def turned_to_one_that_is_not_there(x):
    rows, width = x.shape
    assert rows % 128 == 0 and rows >= 512 and width == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = [nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
    turn = 0
    for i in range(rows // 128):
        here = tiles[turn]  # expect: NKI301
        nisa.dma_copy(dst=here, src=x[i * 128 : i * 128 + 128, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=here)
        turn ^= 2
    return out


@nki.jit
def read_from_the_other(x):
    rows, width = x.shape
    assert rows % 128 == 0 and width == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = [nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
    turn = 0
    for i in range(rows // 128):
        nisa.dma_copy(dst=tiles[turn], src=x[i * 128 : i * 128 + 128, :])
        turn = 1 if turn == 0 else 0
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=tiles[turn])  # expect: NKI701
    return out
