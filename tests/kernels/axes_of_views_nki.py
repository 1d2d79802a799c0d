"""Views by dimensions that a tensor does not have, or twice (NKI213), and operands of `nl` whose sizes do not fit (NKI204,
NKI205)."""

import nki
import nki.isa as nisa
import nki.language as nl

LAYOUTS = {"heads": (0, 2, 1, 3), "tokens": (0, 1, 3), "twice": (0, 1, 1, 2)}


def on_chip(source, shape):
    tile = nl.ndarray(shape, dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def stored(tile, shape):
    out = nl.ndarray(shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


def chunks(tile, dim, count):
    """The parts of a tile along a dimension."""
    size = 64 // count
    return [tile.slice(dim, i * size, (i + 1) * size) for i in range(count)]  # expect: NKI213


class Layout(nl.NKIObject):
    def __init__(self, name):
        self.dims = LAYOUTS[name]

    def apply(self, tensor):
        return tensor.permute(self.dims)  # expect: NKI213


class Fitting(nl.NKIObject):
    def __init__(self, name):
        self.dims = LAYOUTS[name]

    def apply(self, tensor):
        return tensor.permute(self.dims)


# --- found ---


# nkilint: x: float32[128, 4, 2, 8]
@nki.jit
def fewer_dimensions_than_there_are(x):  # expect: NKI003
    return stored(Layout("tokens").apply(on_chip(x, x.shape)), (128, 4, 8, 2))


# nkilint: x: float32[64, 128]
@nki.jit
def columns_counted_from_one(x):  # expect: NKI003
    tile = on_chip(x, (64, 128))
    out = nl.ndarray((64, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, part in enumerate(chunks(tile, 2, 2)):
        nisa.dma_copy(dst=out[:, 64 * i : 64 * i + 64], src=part)
    return out


# nkilint: x: float32[4, 128, 64]
@nki.jit
def dimension_before_the_first(x):  # expect: NKI003
    out = nl.ndarray((4, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        nisa.dma_copy(dst=out[i], src=on_chip(x.select(-4, i), (128, 64)))  # expect: NKI213
    return out


# nkilint: x: float32[128, 4, 16]
@nki.jit
def flattened_up_to_the_rank(x):  # expect: NKI003
    tile = on_chip(x, (128, 4, 16))
    return stored(tile.flatten_dims(1, len(x.shape)), (128, 64))  # expect: NKI213


# nkilint: x: float32[128, 64]
@nki.jit
def split_behind_the_last(x, split=True):  # expect: NKI003
    tile = on_chip(x, (128, 64))
    if split:
        tile = tile.reshape_dim(2, (8, 8))  # expect: NKI213
    return stored(tile.reshape((128, 64)), (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def new_dimension_too_far_behind(x):  # expect: NKI003
    tile = on_chip(x, (128, 64))
    wide = tile.expand_dim(3).broadcast(2, 4)  # expect: NKI213
    return stored(wide, (128, 64, 4))


# nkilint: x: float32[128, 64], w: float32[128, 32]
@nki.jit
def weights_of_half_the_columns(x, w):
    return stored(nl.rms_norm(on_chip(x, (128, 64)), on_chip(w, (128, 32)), axis=1, n=64), (128, 64))  # expect: NKI204


# nkilint: x: float32[128, C], w: float32[128, 512]
@nki.jit
def weights_of_512_columns(x, w):
    columns = x.shape[1]
    normed = nl.rms_norm(on_chip(x, (128, columns)), on_chip(w, (128, 512)), axis=1, n=columns)  # expect-warning: NKI204 C == 512
    return stored(normed, (128, columns))


# nkilint: x: float32[128, 64], rates: float32[128, 64]
@nki.jit
def rate_for_each_element(x, rates):
    return stored(nl.dropout(on_chip(x, (128, 64)), on_chip(rates, (128, 64))), (128, 64))  # expect: NKI205


# nkilint: x: float32[128, 64]
@nki.jit
def dimensions_in_disorder(x):  # expect: NKI003
    tile = on_chip(x, (128, 64)).reshape((128, 4, 4, 4))
    parts = {"whole": tile, "flat": tile.flatten_dims(3, 2)}  # expect: NKI213
    return stored(parts["whole"].reshape((128, 64)), (128, 64))


# --- silent ---


# nkilint: x: float32[128, 4, 2, 8]
@nki.jit
def each_dimension_once(x):
    return stored(Fitting("heads").apply(on_chip(x, x.shape)), (128, 2, 4, 8))


# nkilint: x: float32[64, 128]
@nki.jit
def columns_counted_from_zero(x):
    tile = on_chip(x, (64, 128))
    out = nl.ndarray((64, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(2):
        nisa.dma_copy(dst=out[:, 64 * i : 64 * i + 64], src=tile.slice(1, 64 * i, 64 * i + 64))
    return out


# nkilint: x: float32[4, 128, 64]
@nki.jit
def first_dimension_from_the_end(x):
    out = nl.ndarray((4, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        nisa.dma_copy(dst=out[i], src=on_chip(x.select(-3, i), (128, 64)))
    return out


# nkilint: x: float32[128, 4, 16]
@nki.jit
def flattened_up_to_the_last(x):
    tile = on_chip(x, (128, 4, 16))
    return stored(tile.flatten_dims(1, len(x.shape) - 1), (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def split_where_it_is(x, split=True):
    tile = on_chip(x, (128, 64))
    if split:
        tile = tile.reshape_dim(1, (8, 8))
    return stored(tile.reshape((128, 64)), (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def new_dimension_at_the_end(x):
    tile = on_chip(x, (128, 64))
    wide = tile.expand_dim(2).broadcast(2, 4)
    return stored(wide, (128, 64, 4))


# nkilint: x: float32[128, 64], w: float32[128, 64]
@nki.jit
def weights_of_all_columns(x, w):
    return stored(nl.rms_norm(on_chip(x, (128, 64)), on_chip(w, (128, 64)), axis=1, n=64), (128, 64))


# nkilint: x: float32[128, C], w: float32[128, C]
@nki.jit
def weights_of_as_many_columns(x, w):
    columns = x.shape[1]
    normed = nl.rms_norm(on_chip(x, (128, columns)), on_chip(w, (128, columns)), axis=1, n=columns)
    return stored(normed, (128, columns))


# nkilint: x: float32[128, 64], rates: float32[128, 64]
@nki.jit
def rate_for_each_partition(x, rates):
    dropped = nl.dropout(on_chip(x, (128, 64)), on_chip(rates, (128, 64))[:, 0:1])
    return stored(nl.dropout(dropped, 0.1), (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def dimensions_in_order(x):
    tile = on_chip(x, (128, 64)).reshape((128, 4, 4, 4))
    parts = {"whole": tile, "flat": tile.flatten_dims(2, 3)}
    return stored(parts["flat"].reshape((128, 64)), (128, 64))


@nki.jit
def reduced_along_partitions(x):
    """What shape an operation would give along an axis that it does not take is nobody's question."""
    assert x.shape[0] == 128 and x.shape[1] <= 1024
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    largest = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=largest, op=nl.maximum, data=tile, axis=0)  # expect: NKI213
    nisa.dma_copy(dst=out, src=largest)
    return out
