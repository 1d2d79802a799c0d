"""Loops with as many iterations as an input has parts, each of which reads the same one (NKI709)."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, begin, count):
    tile = nl.ndarray((128, source.shape[1]), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:count], src=source[begin : begin + count, :])
    return tile


@nki.jit
def scales_of_the_first_rows(x, scale):
    N, D = x.shape
    assert scale.shape == (N, 1)
    output = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(0, N, 128):
        count = min(128, N - i)
        tile = loaded(x, i, count)
        factor = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=factor[0:count], src=scale[0:count, :])  # expect-warning: NKI709 N <= 128
        nisa.tensor_scalar(dst=tile[0:count], data=tile[0:count], op0=nl.multiply, operand0=factor[0:count])
        nisa.dma_copy(dst=output[i : i + count, :], src=tile[0:count])
    return output


@nki.jit
def block_without_its_offset(x):
    K, M = x.shape
    assert K % 512 == 0 and M == 512
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for block in range(K // 512):
        for k in range(4):
            tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[k * 128 : (k + 1) * 128, :])  # expect-warning: NKI709 K == 512
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def mask_of_the_first_sequence(x, mask):
    B, S, D = x.shape
    assert mask.shape == (B, 1, D) and S <= 128
    output = nl.ndarray((B, S, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(B):
        tile = nl.ndarray((S, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[b])
        bias = nl.ndarray((S, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=bias, src=mask[0].broadcast(0, S))  # expect-warning: NKI709 B == 1
        nisa.tensor_tensor(dst=tile, data1=tile, data2=bias, op=nl.add)
        nisa.dma_copy(dst=output[b], src=tile)
    return output


@nki.jit
def state_of_the_first_iteration(x, state):
    """Only the first iteration asks for a state."""
    N, D = x.shape
    assert state.shape == (N, D) and N % 128 == 0
    output = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, D), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(N // 128):
        if i == 0:
            nisa.dma_copy(dst=total, src=state[0:128, :])
        tile = loaded(x, i * 128, 128)
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=total)
    return output


@nki.jit
def row_for_all(x, bias):
    """The rows of `bias` have nothing to do with those of `x`."""
    N, D = x.shape
    assert N % 128 == 0 and bias.shape[0] >= 128 and bias.shape[1] == D
    output = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(N // 128):
        tile, row = loaded(x, i * 128, 128), loaded(bias, 0, 128)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=row, op=nl.add)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def everything_against_everything(x):
    """Another loop goes along the input."""
    N, D = x.shape
    assert N % 128 == 0
    output = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(N // 128):
        total = nl.ndarray((128, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=total, value=0.0)
        for j in range(N // 128):
            tile = loaded(x, j * 128, 128)
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.maximum)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=total)
    return output


@nki.jit
def first_rows_and_the_others(x):
    """The rest is read elsewhere."""
    N, D = x.shape
    assert N % 128 == 0 and N >= 256
    output = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(N // 128):
        tile, first = loaded(x, i * 128, 128), loaded(x, 0, 128)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=first, op=nl.subtract)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def table_of_a_fixed_size(x, table):
    """Four tiles and a table of four are no more than two fours."""
    assert x.shape == (512, 64) and table.shape == (512, 64)
    output = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        tile, row = loaded(x, i * 128, 128), loaded(table, 0, 128)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=row, op=nl.add)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def clipped_at_its_end(x, added):
    rows, columns = x.shape
    assert added.shape == (rows, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((rows + 127) // 128):
        first, last = i * 128, min((i + 1) * 128, rows)
        count = last - first
        tile = nl.ndarray((count, columns), dtype=x.dtype, buffer=nl.sbuf)
        other = nl.ndarray((count, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[first:last, :])
        nisa.dma_copy(dst=other, src=added[0:count, :])  # expect-warning: NKI709 rows <= 128
        nisa.tensor_tensor(dst=tile, data1=tile, data2=other, op=nl.add)
        nisa.dma_copy(dst=output[first:last, :], src=tile)
    return output


@nki.jit
def a_table_of_one_part(x, table):
    rows, columns = x.shape
    assert table.shape == (128, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((rows + 127) // 128):
        first, last = i * 128, min((i + 1) * 128, rows)
        count = last - first
        tile = nl.ndarray((count, columns), dtype=x.dtype, buffer=nl.sbuf)
        other = nl.ndarray((count, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[first:last, :])
        nisa.dma_copy(dst=other, src=table[0:count, :])
        nisa.tensor_tensor(dst=tile, data1=tile, data2=other, op=nl.add)
        nisa.dma_copy(dst=output[first:last, :], src=tile)
    return output
