"""Offsets of patterns that tiles hold: static parts, constants, masks, limits, gathers."""

import nki
import nki.isa as nisa
import nki.language as nl


def held(value=None, source=None, count=1):
    place = nl.ndarray((count, 1), dtype=nl.int32, buffer=nl.sbuf)
    if source != None:
        nisa.dma_copy(dst=place, src=source)
    else:
        nisa.memset(dst=place, value=value)
    return place


def result(rows=128, columns=512):
    return nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)


# nkilint: a: float32[4, 128, 512], w: int32[1, 1]
@nki.jit
def blocks(a, w):
    out = result()
    k = held(source=w)
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=0, scalar_offset=k, indirect_dim=0))
    return out


# nkilint: a: float32[4, 128, 512], w: int32[1, 1]
@nki.jit
def blocks_of_two(a, w):
    """Twice the rows of a block do not fit behind the last one."""
    out = result(128, 1024)
    k = held(source=w)
    last = 3 * 128 * 512
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 1024]], offset=last, scalar_offset=k, indirect_dim=0))  # expect: NKI301
    return out


# nkilint: a: float32[512, 512]
@nki.jit
def fourth_block(a):
    out = result()
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=0, scalar_offset=held(384)))
    return out


# nkilint: a: float32[512, 512]
@nki.jit
def behind_the_fourth_block(a):
    out = result()
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=512, scalar_offset=held(384)))  # expect: NKI301
    return out


# nkilint: a: float32[512, 512], w: int32[1, 1]
@nki.jit
def masked_block(a, w):
    out = result()
    k = held(source=w)
    nisa.tensor_scalar(dst=k, data=k, op0=nl.bitwise_and, operand0=255)
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=0, scalar_offset=k))
    return out


# nkilint: a: float32[512, 512], w: int32[1, 1]
@nki.jit
def mask_too_wide(a, w):
    out = result()
    k = held(source=w)
    nisa.tensor_scalar(dst=k, data=k, op0=nl.bitwise_and, operand0=511)
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=0, scalar_offset=k))  # expect-warning: NKI301 place[...] <= 384
    return out


# nkilint: a: float32[512, 512], w: int32[1, 1]
@nki.jit
def clipped_block(a, w):
    out = result()
    k = held(source=w)
    nisa.tensor_scalar(dst=k, data=k, op0=nl.minimum, operand0=384, op1=nl.maximum, operand1=0)
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=0, scalar_offset=k))
    return out


# nkilint: a: float32[512, 512], w: int32[1, 1]
@nki.jit
def clipped_too_late(a, w):
    out = result()
    k = held(source=w)
    nisa.tensor_scalar(dst=k, data=k, op0=nl.minimum, operand0=385, op1=nl.maximum, operand1=0)
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=0, scalar_offset=k))  # expect-warning: NKI301 place[...] <= 384
    return out


# nkilint: a: float32[M, 512], w: int32[1, 1]
@nki.jit
def rows_of_unknown_count(a, w):
    assert a.shape[0] % 128 == 0
    out = result()
    k = held(source=w)
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=128 * 512, scalar_offset=k))  # expect-warning: NKI301 M >= 256
    return out


# nkilint: a: float32[M, 512], w: int32[1, 1]
@nki.jit
def rows_that_are_there(a, w):
    assert a.shape[0] % 128 == 0
    assert a.shape[0] >= 256
    out = result()
    k = held(source=w)
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=128 * 512, scalar_offset=k))
    return out


# nkilint: a: float32[1024, 64], w: int32[128, 1]
@nki.jit
def gathered_rows(a, w):
    out = result(128, 64)
    k = held(source=w, count=128)
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[64, 128], [1, 64]], offset=0, vector_offset=k, indirect_dim=0))
    return out


# nkilint: a: float32[1024, 64], w: int32[128, 1]
@nki.jit
def gathered_rows_too_long(a, w):
    out = result(128, 65)
    k = held(source=w, count=128)
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[64, 128], [1, 65]], offset=1023 * 64, vector_offset=k, indirect_dim=0))  # expect: NKI301
    return out


# nkilint: a: float32[512, 512], w: int32[1, 1]
@nki.jit
def written_behind_the_end(a, w):
    out = result(512, 512)
    k = held(source=w)
    nisa.dma_copy(dst=out, src=a)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out.ap(pattern=[[512, 128], [1, 512]], offset=400 * 512, scalar_offset=k), src=t)  # expect: NKI301
    return out


# nkilint: a: float32[512, 512], w: int32[1, 1]
@nki.jit
def written_within(a, w):
    out = result(512, 512)
    k = held(source=w)
    nisa.dma_copy(dst=out, src=a)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out.ap(pattern=[[512, 128], [1, 512]], offset=384 * 512, scalar_offset=k), src=t)
    return out


# nkilint: a: float32[512, 512]
@nki.jit
def negative_constant(a):
    out = result()
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=0, scalar_offset=held(-1)))  # expect: NKI301
    return out


# nkilint: a: float32[512, 512]
@nki.jit
def negative_constant_and_an_offset(a):
    out = result()
    nisa.dma_copy(dst=out, src=a.ap(pattern=[[512, 128], [1, 512]], offset=512, scalar_offset=held(-1)))
    return out


# nkilint: a: float32[512, 512]
@nki.jit
def loop_of_constants(a):
    out = result(512, 512)
    for i in range(4):
        nisa.dma_copy(
            dst=out[128 * i : 128 * i + 128, :],
            src=a.ap(pattern=[[512, 128], [1, 512]], offset=0, scalar_offset=held(128 * i)),
        )
    return out


# nkilint: a: float32[512, 512]
@nki.jit
def loop_one_row_too_far(a):
    out = result(512, 512)
    for i in range(4):
        nisa.dma_copy(
            dst=out[128 * i : 128 * i + 128, :],
            src=a.ap(pattern=[[512, 128], [1, 512]], offset=0, scalar_offset=held(128 * i + 1)),  # expect: NKI301
        )
    return out


# nkilint: a: float32[512, 512], w: int32[1, 1]
@nki.jit
def skipped_where_it_is_outside(a, w):
    out = result()
    nisa.dma_copy(dst=out, src=a[0:128])
    rows = a.ap(pattern=[[512, 128], [1, 512]], offset=448 * 512, scalar_offset=held(source=w), indirect_dim=0)
    nisa.dma_copy(dst=out, src=rows, oob_mode=nisa.oob_mode.skip)
    return out


# nkilint: a: float32[512, 512], w: int32[1, 1]
@nki.jit
def outside_and_not_skipped(a, w):
    out = result()
    k = held(source=w)
    nisa.dma_copy(
        dst=out,
        src=a.ap(pattern=[[512, 128], [1, 512]], offset=448 * 512, scalar_offset=k, indirect_dim=0),  # expect: NKI301
    )
    return out
