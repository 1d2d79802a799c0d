"""Random numbers that are drawn from one seed again and again (NKI712), and what is none of that."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def as_many_rows_as_there_are(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns == 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    seed = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=seed, value=7)
    for i in range(rows // 128):
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128), 0:512])
        nisa.set_rng_seed(seed)  # expect: NKI712 rows == 128
        nisa.dropout(dst=tile, data=tile, prob=0.5)
        nisa.dma_copy(dst=output[nl.ds(i * 128, 128), 0:512], src=tile)
    return output


@nki.jit
def alike_in_the_outer_loop(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((4, 8, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    seed = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(4):
        for j in range(8):
            nisa.dma_copy(dst=tile, src=x)
            nisa.memset(dst=seed, value=j)
            nl.random_seed(seed)  # expect: NKI712
            nisa.dropout(dst=tile, data=tile, prob=0.5)
            nisa.dma_copy(dst=output[i, j], src=tile)
    return output


@nki.jit
def seeds_that_are_others(x, seeds):
    """From the host, by counting, and from random numbers."""
    assert x.shape == (128, 512)
    assert seeds.shape == (8, 1)
    output = nl.ndarray((3, 8, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=count, value=7)
    for i in range(8):
        seed = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=seed, src=seeds[nl.ds(i, 1), 0:1])
        nisa.set_rng_seed(seed)
        nisa.dma_copy(dst=tile, src=x)
        nisa.dropout(dst=tile, data=tile, prob=0.5)
        nisa.dma_copy(dst=output[0, i], src=tile)
    for i in range(8):
        nisa.tensor_scalar(dst=count, data=count, op0=nl.add, operand0=1)
        nisa.set_rng_seed(count)
        nisa.dma_copy(dst=tile, src=x)
        nisa.dropout(dst=tile, data=tile, prob=0.5)
        nisa.dma_copy(dst=output[1, i], src=tile)
    for i in range(8):
        drawn = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.rng(dst=drawn)
        nisa.set_rng_seed(drawn)
        nisa.dma_copy(dst=tile, src=x)
        nisa.dropout(dst=tile, data=tile, prob=0.5)
        nisa.dma_copy(dst=output[2, i], src=tile)
    return output


@nki.jit
def drawn_from_another_seed(x):
    """Nothing is drawn from what is the same, or in the first iteration alone."""
    assert x.shape == (128, 512)
    output = nl.ndarray((2, 4, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    first, second = (nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf) for _ in range(2))
    nisa.memset(dst=first, value=7)
    for i in range(4):
        nisa.set_rng_seed(first)
        nisa.memset(dst=second, value=i)
        nisa.set_rng_seed(second)
        nisa.dma_copy(dst=tile, src=x)
        nisa.dropout(dst=tile, data=tile, prob=0.5)
        nisa.dma_copy(dst=output[0, i], src=tile)
    for i in range(4):
        nisa.dma_copy(dst=tile, src=x)
        if i == 0:
            nisa.set_rng_seed(first)
        nisa.dropout(dst=tile, data=tile, prob=0.5)
        nisa.dma_copy(dst=output[1, i], src=tile)
    return output


@nki.jit
def drawn_on_another_engine():
    output = nl.ndarray((3, 4, 128, 512), dtype=nl.uint32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.uint32, buffer=nl.sbuf)
    seed = nl.ndarray((1, 1), dtype=nl.uint32, buffer=nl.sbuf)
    state = nl.ndarray((128, 6), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.memset(dst=seed, value=7)
    nisa.memset(dst=state, value=7)
    for i in range(4):
        nisa.set_rng_seed(seed)
        nisa.rng(dst=tile, engine=nisa.engine.gpsimd)
        nisa.dma_copy(dst=output[0, i], src=tile)
    for i in range(4):
        nisa.rand_set_state(state)
        nisa.rng(dst=tile)
        nisa.dma_copy(dst=output[1, i], src=tile)
    for i in range(4):
        nisa.rand_set_state(state)  # expect: NKI712
        nisa.rng(dst=tile, engine=nisa.engine.gpsimd)
        nisa.dma_copy(dst=output[2, i], src=tile)
    return output
