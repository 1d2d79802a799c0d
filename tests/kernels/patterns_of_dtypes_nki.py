"""Access patterns of another dtype than that of their tensor, which count in elements of the new one."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, dtype):
    tile = nl.ndarray(source.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def stored(tile):
    output = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def stride_of_the_old_dtype(x):
    assert x.shape == (128, 512)
    half = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    narrow = loaded(x, nl.float32).ap(pattern=[[512, 128], [1, 512]], dtype=nl.bfloat16)  # expect: NKI108
    nisa.tensor_copy(dst=half, src=narrow)
    return stored(half)


@nki.jit
def stride_of_the_new_dtype(x):
    assert x.shape == (128, 512)
    half = nl.ndarray((128, 1024), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_copy(dst=half, src=loaded(x, nl.float32).ap(pattern=[[1024, 128], [1, 1024]], dtype=nl.bfloat16))
    return stored(half)


@nki.jit
def stride_of_a_wider_dtype(x):
    assert x.shape == (128, 512)
    words = nl.ndarray((128, 256), dtype=nl.int32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=words, src=loaded(x, nl.bfloat16).ap(pattern=[[256, 128], [1, 256]], dtype=nl.int32))
    return stored(words)


@nki.jit
def stride_of_as_wide_a_dtype(x):
    assert x.shape == (128, 512)
    words = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=words, src=loaded(x, nl.float32).ap(pattern=[[512, 128], [1, 512]], dtype=nl.int32))
    return stored(words)


@nki.jit
def any_rows_in_memory(x):
    """x: float32[128, 512]"""
    assert x.shape == (128, 512)
    half = nl.ndarray((64, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=half, src=x.ap(pattern=[[512, 64], [1, 512]], dtype=nl.bfloat16))
    return stored(half)
