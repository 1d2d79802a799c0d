"""What operations take (NKI201-213), in `nki`. Each marked line is reported; the comment says the repair."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def product_in_sbuf(weights, x):
    """The tensor engine writes to PSUM only."""
    assert weights.shape == (128, 128) and x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    stationary = nl.ndarray((128, 128), dtype=weights.dtype, buffer=nl.sbuf)
    moving = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=stationary, src=weights)
    nisa.dma_copy(dst=moving, src=x)
    nisa.nc_matmul(dst=product, stationary=stationary, moving=moving)  # expect: NKI201
    # Make `product` with `buffer=nl.psum`, and copy it to SBUF with `tensor_copy`.
    nisa.dma_copy(dst=output, src=product)
    return output


@nki.jit
def uneven_copy(x):
    """A copy on chip has as many elements in a partition at its end as at its beginning."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    half = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_copy(dst=half, src=tile)  # expect: NKI204
    # `src=tile[:, 0:256]`
    nisa.dma_copy(dst=output, src=half)
    return output


@nki.jit(platform_target="trn2")  # expect: NKI902
def exponential(x):
    """`nisa.exponential` came with trn3."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    powers = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.exponential(dst=powers, src=tile)  # expect: NKI206
    # `nisa.activation(dst=powers, op=nl.exp, data=tile)`
    nisa.dma_copy(dst=output, src=powers)
    return output


@nki.jit
def forgotten_destination(x):
    """Instructions write to their `dst`; without one there is nothing to write to."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(op=nl.exp, data=tile)  # expect: NKI210
    # `nisa.activation(dst=tile, op=nl.exp, data=tile)`
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def gather_across_quarters(x, order):
    """Each GpSimd core gathers within 16 partitions of its own: data and positions start at the same partition."""
    assert x.shape == (128, 512) and order.shape == (128, 4)
    assert order.dtype == nl.uint16
    output = nl.ndarray((32, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    positions = nl.ndarray((128, 4), dtype=nl.uint16, buffer=nl.sbuf)
    picked = nl.ndarray((32, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=positions, src=order)
    nisa.local_gather(dst=picked, src_buffer=tile[64:96, :], index=positions[32:64, :])  # expect: NKI211
    # `index=positions[64:96, :]`
    nisa.dma_copy(dst=output, src=picked)
    return output


@nki.jit
def columns_made_one(x):
    """A view copies nothing: the first columns of every row do not follow one another."""
    assert x.shape == (128, 4, 128)
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 4, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile[:, :, 0:64].reshape((128, 256)))  # expect: NKI215
    # `dst=output.reshape((128, 4, 64)), src=tile[:, :, 0:64]`
    return output
