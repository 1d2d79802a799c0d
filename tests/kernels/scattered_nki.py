"""Indices that tensors hold, in tensors that several cores write."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def columns_of_each_core(x, rows, count):
    """
    Args:
        x: [128, H]
        rows: [128, 1], in HBM
    """
    assert x.shape[0] == 128 and rows.shape == (128, 1) and x.shape[1] % 2 == 0 and nl.num_programs(0) == 2
    wide, half = x.shape[1], x.shape[1] // 2
    start = nl.program_id(0) * half
    output = nl.ndarray((count, wide), dtype=x.dtype, buffer=nl.shared_hbm)
    zeros = nl.ndarray((1, half), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=zeros, value=0.0)
    for row in range(count):
        nisa.dma_copy(dst=output[row : row + 1, start : start + half], src=zeros)
    tile = nl.ndarray((128, half), dtype=x.dtype, buffer=nl.sbuf)
    where = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, start : start + half])
    nisa.dma_copy(dst=where, src=rows)
    pattern = [[wide, 128], [1, half]]
    nisa.dma_copy(dst=output.ap(pattern=pattern, offset=start, vector_offset=where, indirect_dim=0), src=tile)
    return output


@nki.jit
def part_of_each_core(x, row):
    """
    Args:
        x: [2, 128, H]
        row: [1, 1], in HBM
    """
    assert x.shape[:2] == (2, 128) and row.shape == (1, 1) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape[1:], dtype=x.dtype, buffer=nl.sbuf)
    where = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[core])
    nisa.dma_copy(dst=output[core], src=tile)
    nisa.dma_copy(dst=where, src=row)
    size = x.shape[2]
    reached = output.ap(
        pattern=[[size, 1], [1, size]], offset=core * 128 * size, scalar_offset=where, indirect_dim=1
    )
    nisa.dma_copy(dst=reached, src=tile[0:1])
    return output


@nki.jit
def rows_of_any_core(x, row):  # expect: NKI003
    """
    Args:
        x: [128, 512]
        row: [1, 1], in HBM
    """
    assert x.shape == (128, 512) and row.shape == (1, 1) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    output = nl.ndarray((128, 1024), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    where = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output[:, core * 512 : core * 512 + 512], src=tile)
    nisa.dma_copy(dst=where, src=row)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
    reached = output.ap(pattern=[[1024, 1], [1, 512]], offset=0, scalar_offset=where, indirect_dim=0)
    nisa.dma_copy(dst=reached, src=tile[0:1])  # both cores write there
    return output
