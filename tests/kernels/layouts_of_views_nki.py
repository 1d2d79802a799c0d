"""Views that reshape others: dimensions become one where they follow one another in memory, and only there."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def stored(view):
    out = nl.ndarray(view.shape, dtype=view.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=view)
    return out


# nkilint: x: float32[128, 8, 16]
@nki.jit
def rows_of_all_columns(x):
    return stored(loaded(x)[:, 0:4, :].reshape((128, 64)))


# nkilint: x: float32[128, 8, 16]
@nki.jit
def rows_of_some_columns(x):
    return stored(loaded(x)[:, :, 0:8].reshape((128, 64)))  # expect: NKI215


# nkilint: x: float32[128, 8, 16]
@nki.jit
def turned_and_flat(x):
    return stored(loaded(x).permute((0, 2, 1)).flatten_dims(1, 2))  # expect: NKI215


# nkilint: x: float32[128, 8, 16]
@nki.jit
def turned_back_and_flat(x):
    return stored(loaded(x).permute((0, 2, 1)).permute((0, 2, 1)).flatten_dims(1, 2))


# nkilint: x: float32[128, 1, 16]
@nki.jit
def repeated_and_flat(x):
    return stored(loaded(x).broadcast(1, 8).reshape((128, 128)))  # expect: NKI215


# nkilint: x: float32[128, 8, 1]
@nki.jit
def turned_column(x):
    return stored(loaded(x).permute((0, 2, 1)).reshape((128, 8)))


# nkilint: x: float32[128, 128]
@nki.jit
def every_other_element(x):
    apart = loaded(x)[:, ::2].reshape((128, 8, 8))
    return stored(apart.flatten_dims(1, 2).reshape_dim(1, (4, 16)))


# nkilint: x: float32[128, 8, 16]
@nki.jit
def part_of_a_pattern(x):
    tile = loaded(x)
    return stored(tile.ap(pattern=[[128, 128], [32, 4], [1, 16]]).reshape((128, 64)))  # expect: NKI215


# nkilint: x: float32[128, 8, 16]
@nki.jit
def all_of_a_pattern(x):
    tile = loaded(x)
    return stored(tile.ap(pattern=[[128, 128], [16, 4], [1, 16]]).reshape((128, 64)))


# nkilint: x: float32[B, 128, D]
@nki.jit
def rows_of_each_batch(x):
    B, P, D = x.shape
    return stored(x.reshape((B * P, D))[0:128])


# nkilint: x: float32[B, 128, D]
@nki.jit
def turned_rows_of_each_batch(x):
    B, P, D = x.shape
    assert B > 1 and D > 1
    return stored(x.permute((1, 0, 2)).flatten_dims(0, 1))  # expect: NKI215


# nkilint: x: float32[256, N]
@nki.jit
def columns_of_unknown_number(x):
    assert x.shape[1] >= 32
    return stored(x[:, 0:32].flatten_dims(0, 1))  # expect: NKI215 N == 32


# nkilint: x: float32[128, 64]
@nki.jit
def other_type_of_neighbours(x):
    return stored(loaded(x)[:, 0:32].view(nl.bfloat16))


# nkilint: x: float32[128, 64]
@nki.jit
def other_type_of_every_other(x):
    return stored(loaded(x)[:, ::2].view(nl.bfloat16))  # expect: NKI215


# nkilint: x: float32[128, 64]
@nki.jit
def same_size_of_every_other(x):
    return stored(loaded(x)[:, ::2].view(nl.int32))


# nkilint: x: float32[128, 4, 16]
@nki.jit
def other_type_and_flat(x):
    return stored(loaded(x).view(nl.bfloat16).flatten_dims(1, 2))


# nkilint: x: float32[128, 4, 16]
@nki.jit
def part_of_another_type_and_flat(x):
    return stored(loaded(x).view(nl.bfloat16)[:, :, 0:16].flatten_dims(1, 2))  # expect: NKI215


# nkilint: x: bfloat16[128, 4, 16]
@nki.jit
def wider_type_and_flat(x):
    return stored(loaded(x).view(nl.float32).flatten_dims(1, 2))


# nkilint: x: float32[128, 24]
@nki.jit
def named_and_turned(x):
    return stored(loaded(x).rearrange(("p", ("h", "w")), ("p", "w", "h"), {"h": 4}))


# nkilint: x: float32[128, 24]
@nki.jit
def named_and_made_one(x):
    return stored(loaded(x).rearrange(("p", ("h", "w")), ("p", ("w", "h")), {"h": 4}))  # expect: NKI215


# nkilint: x: float32[128, 3, 8]
@nki.jit
def named_and_made_one_in_order(x):
    return stored(loaded(x).rearrange(("p", "a", ("b", "c")), ("p", ("a", "b"), "c"), {"c": 2}))


# nkilint: x: float32[128, 24]
@nki.jit
def named_with_another_size(x):
    tile = loaded(x).rearrange(("p", ("a", "b")), ("p", "a", "b"), {"a": 5})  # expect: NKI204
    return stored(tile)
