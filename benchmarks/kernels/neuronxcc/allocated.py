"""Kernels that place their tiles themselves."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

CASES = {
    "placed_sum": [((4, 128, 512), (4, 128, 512)), ((3, 128, 512), (3, 128, 512))],
    "placed_product": [((256, 128), (256, 512))],
    "placed_chain": [((4, 128, 256),)],
}


@nki.jit
def placed_sum(left, right):
    """Sums of planes; two physical tiles for each tensor serve all iterations."""
    planes, rows, columns = left.shape
    assert left.shape == right.shape
    assert rows == 128 and columns == 512
    output = nl.ndarray((planes, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    block = (planes, nl.par_dim(128), 512)
    x = nl.ndarray(block, dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
    y = nl.ndarray(block, dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4096, num_free_tiles=(2,)))
    z = nl.ndarray(block, dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=8192, num_free_tiles=(2,)))
    for i in nl.affine_range(planes):
        x[i] = nl.load(left[i])
        y[i] = nl.load(right[i])
        z[i] = nl.add(x[i], y[i])
        nl.store(output[i], value=z[i])
    return output


@nki.jit
def placed_product(left_transposed, right):
    """A product whose operands are all loaded before the first of them is used."""
    assert left_transposed.shape == (256, 128) and right.shape == (256, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    x = nl.ndarray(
        (2, nl.par_dim(128), 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    )
    y = nl.ndarray(
        (2, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1024, num_free_tiles=(2,))
    )
    total = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0))
    result = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=5120))
    for k in nl.affine_range(2):
        x[k] = nl.load(left_transposed[nl.ds(k * 128, 128), 0:128])
        y[k] = nl.load(right[nl.ds(k * 128, 128), 0:512])
    for k in nl.affine_range(2):
        total += nisa.nc_matmul(x[k], y[k])
    result[0:128, 0:512] = nl.copy(total)
    nl.store(output[0:128, 0:512], value=result)
    return output


@nki.jit
def placed_chain(x):
    """Two steps for each plane; the second overwrites what the first no longer needs."""
    assert x.shape == (4, 128, 256)
    output = nl.ndarray((4, 128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.sequential_range(4):
        tile = nl.ndarray((nl.par_dim(128), 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        squares = nl.ndarray((nl.par_dim(128), 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1024))
        tile[0:128, 0:256] = nl.load(x[i, 0:128, 0:256])
        squares[0:128, 0:256] = nl.multiply(tile[0:128, 0:256], tile[0:128, 0:256])
        nl.store(output[i, 0:128, 0:256], value=squares)
    return output
