"""What a docstring says about shapes: equal names are equal sizes, and a size of 1 is one."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rows_of_a_table(table, rows):
    """
    table: [num_blocks, width]
    rows: [used, 1] int32
    """
    used, width = rows.shape[0], table.shape[1]
    output = nl.ndarray((used, width), dtype=table.dtype, buffer=nl.shared_hbm)
    for start in range(0, used, 128):
        n = min(128, used - start)
        index = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=index[0:n, :], src=rows[start : start + n, :])
        tile = nl.ndarray((128, width), dtype=table.dtype, buffer=nl.sbuf)
        nisa.dma_copy(
            dst=tile[0:n, :],
            src=table.ap(pattern=[[width, n], [1, width]], offset=0, vector_offset=index[0:n, :], indirect_dim=0),
        )
        nisa.dma_copy(dst=output[start : start + n, :], src=tile[0:n, :])
    return output


@nki.jit
def numbers_may_be_examples(x):
    """
    x: [256, 512] floats
    """
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 x.shape[0] <= 128
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output


def scaled_rows(rows, weights, out):
    """
    Args:
        rows (nl.ndarray): [T, H], what is scaled.
        weights (nl.ndarray): [E, H, I] for bf16 or [E, 128, 2, I] for packed ones, in HBM.
    """
    experts = weights.shape[0]
    for expert in range(experts):
        tile = nl.ndarray((128, weights.shape[2]), dtype=rows.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=weights[expert, 0:128, :])  # expect-warning: NKI301 weights.shape[1] >= 128
        nisa.dma_copy(dst=out[expert], src=tile)


@nki.jit
def handed_to_a_function_that_says(x, weights):
    out = nl.ndarray((weights.shape[0], 128, weights.shape[2]), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled_rows(x, weights, out)
    return out


@nki.jit
def written_for_these_numbers(x, scale):
    """
    x: float32[128, 512]
    scale: tensor of shape (128, 1)
    """
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    column = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=column, src=scale)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=column)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def beyond_these_numbers(x, n):
    """
    x: [128, 512], of which n columns are taken from the second one on
    """
    assert n <= 512
    output = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, 1 : n + 1])  # expect-warning: NKI301 n <= 511
    nisa.dma_copy(dst=output, src=tile)
    return output


def rows_of(x):
    return x.shape[0]


@nki.jit
def goes_by_the_shape_in_a_helper(x):
    """
    x: [128, 512]
    """
    output = nl.ndarray((rows_of(x), 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows_of(x), 512), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 x.shape[0] <= 128
    nisa.dma_copy(dst=tile, src=x[:, 0:512])  # expect-warning: NKI301 x.shape[1] >= 512
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def in_parts(x, parts):
    """
    x: [R, C]
    parts: tuple (count, width), the factors of C
    """
    R, C = x.shape
    count, width = parts[0], parts[1]
    assert R <= 128 and width >= 1 and C == count * width
    output = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(count):
        tile = nl.ndarray((R, width), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(i * width, width)])
        nisa.dma_copy(dst=output[:, nl.ds(i * width, width)], src=tile)
    return output


@nki.jit
def past_its_parts(x, parts):
    """
    x: [R, C]
    parts: tuple (count, width), the factors of C
    """
    R, C = x.shape
    count, width = parts[0], parts[1]
    assert R <= 128 and width >= 1 and count >= 1 and C == count * width
    output = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(count):
        tile = nl.ndarray((R, width), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(i * width + 1, width)])  # expect: NKI301
        nisa.dma_copy(dst=output[:, nl.ds(i * width, width)], src=tile)
    return output


@nki.jit
def words_behind_sizes(x, weights, scale):
    """
    Args:
        x: [T, H] activations in HBM
        weights: [H] one for each column
        scale: (T,) one for each row
    """
    T, H = x.shape
    assert T <= 128
    output = nl.ndarray((T, H), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((T, H), dtype=x.dtype, buffer=nl.sbuf)
    factors = nl.ndarray((T, H), dtype=x.dtype, buffer=nl.sbuf)
    column = nl.ndarray((T, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=factors, src=weights.reshape((1, H)).broadcast(0, T))
    nisa.dma_copy(dst=column, src=scale.reshape((T, 1)))
    nisa.scalar_tensor_tensor(dst=tile, data=tile, op0=nl.multiply, operand0=column, op1=nl.multiply, operand1=factors)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def words_that_leave_it_open(x, weights):
    """
    x: [T, H] activations in HBM
    weights: [H, T] transposed, as the layout says
    """
    T, H = x.shape
    assert T <= 128
    output = nl.ndarray((T, H), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((T, H), dtype=x.dtype, buffer=nl.sbuf)
    factors = nl.ndarray((T, H), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=factors, src=weights)  # expect-warning: NKI204 T*H == weights.shape[0]*weights.shape[1]
    nisa.tensor_tensor(dst=tile, data1=tile, data2=factors, op=nl.multiply)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def unpacked(x, pad):
    """
    x: [R, C]
    pad: (top, bottom)
    """
    R, C = x.shape
    top, bottom = pad
    assert R + top + bottom <= 128 and bottom >= 0
    output = nl.ndarray((R + top + bottom, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=tile[top : top + R], src=x)
    nisa.dma_copy(dst=output, src=tile[0 : R + top + bottom])
    return output
