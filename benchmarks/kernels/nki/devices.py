"""What engines do beside computing: transposes by DMA, sums beside an activation, loops whose iterations they count."""

import nki
import nki.isa as nisa
import nki.language as nl

CASES = {
    "turned_by_hardware": [((16, 128),)],
    "turned_rows_of_a_table": [((256, 128), ("uint32", 128, 1))],
    "weights_of_rows": [((128, 256),), ((128, 40),)],
    "added_again_and_again": [((128, 64),)],
    "halved_by_a_body": [((128, 64),)],
}


@nki.jit
def turned_by_hardware(x):
    """A few rows as columns, by descriptors of hardware."""
    assert x.shape == (16, 128)
    output = nl.ndarray((128, 16), dtype=nl.float32, buffer=nl.shared_hbm)
    rows = nl.ndarray((16, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=x)
    columns = nl.ndarray((128, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=columns, src=rows, dge_mode=nisa.dge_mode.hwdge)
    nisa.dma_copy(dst=output, src=columns)
    return output


@nki.jit
def turned_rows_of_a_table(x, chosen):
    """Rows of a table at numbers that are loaded, as columns."""
    assert x.shape == (256, 128) and chosen.shape == (128, 1)
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    table = nl.ndarray((256, 128), dtype=nl.bfloat16, buffer=nl.hbm)
    nisa.dma_copy(dst=table, src=x)
    places = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst=places, src=chosen)
    columns = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=columns, src=table.ap(pattern=[[128, 128], [1, 128]], vector_offset=places))
    nisa.dma_copy(dst=output, src=columns)
    return output


@nki.jit
def weights_of_rows(x):
    """Powers, divided by their sums, which the same instruction makes."""
    rows, columns = x.shape
    assert rows == 128 and columns <= 1024
    output = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    powers = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation_reduce(dst=powers, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=total)
    nisa.reciprocal(dst=total, data=total)
    nisa.tensor_scalar(dst=powers, data=powers, op0=nl.multiply, operand0=total)
    nisa.dma_copy(dst=output, src=powers)
    return output


@nki.jit
def added_again_and_again(x):
    """A number added as often as a tile says."""
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=count, value=3)
    times = nisa.register_alloc()
    nisa.register_load(times, count)
    for _ in nl.dynamic_range(times):  # nkilint: ignore[NKI904]
        with nl.no_reorder():
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def halved_by_a_body(x):
    """Halved as often as a tile says, by a function."""
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=count, value=2)
    times = nisa.register_alloc()
    nisa.register_load(times, count)

    def halve(i):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=0.5)

    nl.fori_loop(0, times, halve)
    nisa.dma_copy(dst=output, src=tile)
    return output
