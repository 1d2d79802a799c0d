"""What a tile may measure (NKI101-109), in `nki`. Each marked line is reported; the comment says the repair."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def whole_matrix(x):
    """As many partitions as rows: fine up to 128 rows. The finding states that as the kernel's contract."""
    rows, columns = x.shape
    assert columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    # Loop over tiles of 128 rows.
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=tile, op=nl.exp, data=tile)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def wide_statistics(x):
    """Mean and variance of rows of 1024 elements in one instruction, which takes 512."""
    assert x.shape == (128, 1024)
    output = nl.ndarray((128, 6), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 1024), dtype=x.dtype, buffer=nl.sbuf)
    stats = nl.ndarray((128, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.bn_stats(dst=stats, data=tile)  # expect: NKI102
    # One `bn_stats` for each 512 columns, then one `bn_aggr` over all of them.
    nisa.dma_copy(dst=output, src=stats)
    return output


@nki.jit
def large_accumulator(weights, x):
    """PSUM has 16 KiB in each partition, which 4096 float32 fill."""
    assert weights.shape == (128, 128) and x.shape == (128, 4608)
    output = nl.ndarray((128, 4608), dtype=nl.float32, buffer=nl.shared_hbm)
    stationary = nl.ndarray((128, 128), dtype=weights.dtype, buffer=nl.sbuf)
    moving = nl.ndarray((128, 4608), dtype=x.dtype, buffer=nl.sbuf)
    product = nl.ndarray((128, 4608), dtype=nl.float32, buffer=nl.psum)  # expect: NKI104
    # A tile of 512 columns, copied to SBUF after each product.
    result = nl.ndarray((128, 4608), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=stationary, src=weights)
    nisa.dma_copy(dst=moving, src=x)
    for n in range(9):
        columns = nl.ds(n * 512, 512)
        nisa.nc_matmul(dst=product[:, columns], stationary=stationary, moving=moving[:, columns])
    nisa.tensor_copy(dst=result, src=product)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def middle_rows(x):
    """An engine reaches 32 partitions from partition 0, 32, 64 or 96 on, not from 16."""
    assert x.shape == (128, 512)
    output = nl.ndarray((32, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    result = nl.ndarray((32, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=result, op=nl.exp, data=tile[16:48, :])  # expect: NKI106
    # Copy the rows that are needed, `x[16:48, :]`, into a tile of their own.
    nisa.dma_copy(dst=output, src=result)
    return output
