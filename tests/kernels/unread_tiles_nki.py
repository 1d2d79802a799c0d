"""Tiles that are computed, and that nothing reads."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def stored_what_was_loaded(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    raised = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=raised, op=nl.exp, data=tile)  # expect: NKI708
    nisa.tensor_scalar(dst=raised, data=raised, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[R, 64], R % 128 == 0, R > 0
@nki.jit
def loaded_in_each_iteration(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(x.shape[0] // 128):
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(r * 128, 128), :])
        nisa.tensor_scalar(dst=scaled, data=tile, op0=nl.multiply, operand0=2.0)  # expect: NKI708
        nisa.dma_copy(dst=out[nl.ds(r * 128, 128), :], src=tile)
    return out


@nki.jit
def read_if_asked(x, wide=False):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    raised = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=raised, op=nl.exp, data=tile)
    nisa.dma_copy(dst=out, src=raised if wide else tile)
    return out


@nki.jit
def written_besides(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    raised = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation_reduce(dst=raised, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=total)
    nisa.dma_copy(dst=out, src=total)
    return out


@nki.jit
def an_index(x, rows):
    assert x.shape == (1000, 64)
    assert rows.shape == (128, 1)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    index = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst=index, src=rows)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x.ap(pattern=[[64, 128], [1, 64]], offset=0, vector_offset=index, indirect_dim=0))
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def handed_to_a_helper(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    spare = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    raise_into(spare, tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


def raise_into(dst, src):
    nisa.activation(dst=dst, op=nl.exp, data=src)


@nki.jit
def discarded_on_purpose(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    _raised = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=_raised, op=nl.exp, data=tile)
    nisa.dma_copy(dst=out, src=tile)
    return out
