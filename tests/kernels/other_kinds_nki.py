"""Arguments of another kind than their parameters take: dtypes, memories, operators and tiles that changed places."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def dtype_and_buffer_swapped(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=nl.shared_hbm, buffer=nl.float32)  # expect: NKI205  # expect: NKI205
    nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def dtype_of_an_input_for_a_buffer(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), nl.sbuf, x.dtype)  # expect: NKI205  # expect: NKI205
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def operator_and_operand_swapped(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=2.0, operand0=nl.multiply)  # expect: NKI205  # expect: NKI205
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def tile_for_an_operator(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_tensor(dst=tile, data1=tile, data2=tile, op=tile)  # expect: NKI205
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def function_for_a_bias(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=tile, op=nl.exp, data=tile, bias=nl.exp)  # expect: NKI205
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def each_in_its_place(x, op=nl.add, dtype=nl.bfloat16, where=nl.sbuf):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype, where)
    column = nl.ndarray((128, 1), dtype=nl.float32, buffer=where)
    nisa.memset(dst=column, value=1.0)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=op, operand0=column, op1=nl.multiply, operand1=2.0)
    nisa.activation(dst=tile, op=nl.exp, data=tile, bias=column, scale=2.0)
    nisa.dma_copy(dst=out, src=tile)
    return out
