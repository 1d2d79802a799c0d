"""What operations take (NKI201-213), in `neuronxcc.nki`. Each marked line is reported; the comment says the repair."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def exponential_of_input(x):
    """Engines do not read HBM."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    result = nl.exp(x)  # expect: NKI201
    # `nl.exp(nl.load(x))`
    nl.store(output, value=result)
    return output


@nki.jit
def half_precision_scale(x):
    """The scale of an activation is float32."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    scale = nisa.memset((128, 1), 0.5, dtype=nl.float16)
    result = nisa.activation(op=nl.exp, data=nl.load(x), scale=scale)  # expect: NKI202
    # `nisa.memset((128, 1), 0.5, dtype=nl.float32)`, or the number itself: `scale=0.5`
    nl.store(output, value=result)
    return output


@nki.jit
def uneven_sum(left, right):
    """Both operands of `tensor_tensor` span the same partitions."""
    assert left.shape == (128, 512) and right.shape == (64, 512)
    output = nl.ndarray((128, 512), dtype=left.dtype, buffer=nl.shared_hbm)
    total = nisa.tensor_tensor(nl.load(left), nl.load(right), op=nl.add)  # expect: NKI203
    # Load 128 rows of both.
    nl.store(output, value=total)
    return output


@nki.jit
def uneven_contraction(weights, x):
    """The contraction dimension, the partitions of both operands, has one size."""
    assert weights.shape == (64, 128) and x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    product = nisa.nc_matmul(nl.load(weights), nl.load(x))  # expect: NKI204
    # Pass 64 rows of `x`, one for each row of the weights.
    nl.store(output, value=product)
    return output


@nki.jit
def scale_matrix(x, factors):
    """The scale of an activation is one number for all rows, or one for each row."""
    assert x.shape == (128, 512) and factors.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    scale = nl.load(factors, dtype=nl.float32)
    result = nisa.activation(op=nl.exp, data=nl.load(x), scale=scale)  # expect: NKI205
    # Multiply first: `nl.exp(nl.multiply(nl.load(x), scale))`.
    nl.store(output, value=result)
    return output


@nki.jit
def in_place(x):
    """The inputs of a kernel are not written to."""
    assert x.shape == (128, 512)
    tile = nl.load(x)
    nl.store(x, value=nl.exp(tile))  # expect: NKI207
    # Store to a tensor made with `buffer=nl.shared_hbm`, and return that.
    return x


@nki.jit
def misremembered(x):
    """There is no such operation in this namespace."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    result = nl.gelu_tanh(nl.load(x))  # expect: NKI208
    # `nl.gelu_apprx_tanh`
    nl.store(output, value=result)
    return output


@nki.jit
def zeroed_output(x):
    """HBM tensors are made without a value."""
    assert x.shape == (128, 512)
    output = nl.zeros((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)  # expect: NKI209
    # `nl.ndarray`, and a store of zeros where they are needed
    nl.store(output, value=nl.load(x))
    return output


@nki.jit
def forgotten_result(x):
    """Operations give a new tile; they do not change their operand."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.exp(tile)  # expect: NKI210
    # `tile = nl.exp(tile)`
    nl.store(output, value=tile)
    return output


@nki.jit
def level_too_high(x):
    """A tile of bytes cannot hold 256."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.shared_hbm)
    level = nisa.memset((128, 512), 256, dtype=nl.uint8)  # expect: NKI212
    # 255, or `dtype=nl.uint16`
    nl.store(output, value=nl.minimum(nl.load(x), level, dtype=nl.uint8))
    return output


@nki.jit
def sums_of_columns(x):
    """The vector engine reduces along the free dimension only, not over partitions."""
    assert x.shape == (128, 128)
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nisa.tensor_reduce(nl.add, nl.load(x), axis=0)  # expect: NKI213
    # Transpose first, or multiply with a column of ones on the tensor engine.
    nl.store(output, value=total)
    return output
