"""Defects in the forms that hide them best: functions of `nl` (NKI203), indices of the device (NKI306), operations of the
host (NKI805), results that other statements overwrite (NKI708); and tiles that keep what was written last."""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


def on_chip(source, shape, dtype=nl.float32):
    tile = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def stored(tile, shape):
    out = nl.ndarray(shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


class Block(nl.NKIObject):
    """A tile with what is added to it."""

    def __init__(self, tile, skip):
        self.tile = tile
        self.skip = skip

    def sum(self):
        return nl.add(self.tile, self.skip)  # expect: NKI203

    def in_place(self, rows):
        part = self.tile[0:rows, :]
        nisa.tensor_tensor(dst=part, data1=part, data2=self.skip, op=nl.add)  # expect: NKI203


def normalised(values):
    """The host calls it with arrays."""
    total = nl.sum(values, axis=1, keepdims=True)  # expect: NKI805
    return nl.divide(values, total)  # expect: NKI805


def check_normalised():
    given = np.random.rand(64, 32).astype(np.float32)
    assert np.allclose(normalised(given).sum(axis=1), 1.0)


if __name__ == "__main__":
    check_normalised()


# --- partitions that do not fit ---


# nkilint: x: float32[128, 256], skip: float32[96, 256]
@nki.jit
def skip_of_fewer_rows(x, skip):
    block = Block(on_chip(x, (128, 256)), on_chip(skip, (96, 256)))
    return stored(block.sum(), (128, 256))


# nkilint: x: float32[128, 256], skip: float32[96, 256]
@nki.jit
def skip_of_more_rows(x, skip):
    block = Block(on_chip(x, (128, 256)), on_chip(skip, (96, 256)))
    block.in_place(64)
    return stored(block.tile, (128, 256))


# nkilint: x: float32[R, 64], bias: float32[128, 1]
@nki.jit
def bias_of_whole_tiles(x, bias):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    column = on_chip(bias, (128, 1))
    for start in range(0, rows, 128):
        here = min(128, rows - start)
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:here, :], src=x[start : start + here, :])
        part = tile[0:here, :]
        nisa.tensor_scalar(dst=part, data=part, op0=nl.add, operand0=column)  # expect-warning: NKI203 R % 128 == 0
        nisa.dma_copy(dst=out[start : start + here, :], src=part)
    return out


# nkilint: x: float32[R, 64], bias: float32[128, 1]
@nki.jit
def bias_of_the_rows_that_are_there(x, bias):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    column = on_chip(bias, (128, 1))
    for start in range(0, rows, 128):
        here = min(128, rows - start)
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:here, :], src=x[start : start + here, :])
        part = tile[0:here, :]
        nisa.tensor_scalar(dst=part, data=part, op0=nl.add, operand0=column[0:here, :])
        nisa.dma_copy(dst=out[start : start + here, :], src=part)
    return out


# --- indices of the device ---


# nkilint: x: float32[128, 512], at: int32[1, 1]
@nki.jit
def partition_that_a_tile_holds(x, at):  # expect: NKI003
    tile = on_chip(x, (128, 512))
    row = nl.ndarray((1, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=row, src=tile.select(0, on_chip(at, (1, 1), nl.int32)))  # expect: NKI306
    return stored(row, (1, 512))


# nkilint: x: float32[128, 512], at: int32[64, 1]
@nki.jit
def columns_by_a_vector(x, at):
    places = on_chip(at, (64, 1), nl.int32)
    views = {"turned": x.vector_select(1, places)}  # expect: NKI306
    return stored(on_chip(views["turned"], (64, 512)), (64, 512))


# nkilint: x: float32[128, 512], at: int32[64, 1]
@nki.jit
def rows_on_chip_by_a_vector(x, at):
    tile = on_chip(x, (128, 512))
    places = on_chip(at, (64, 1), nl.int32)
    part = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=part, src=tile.vector_select(0, places))  # expect: NKI201
    return stored(part, (64, 512))


# nkilint: x: float32[256, 512], at: int32[128, 1]
@nki.jit
def pattern_by_a_vector_of_columns(x, at):
    places = on_chip(at, (128, 1), nl.int32)
    tile = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    pattern = [[512, 128], [1, 1]]
    nisa.dma_copy(dst=tile, src=x.ap(pattern, 0, vector_offset=places, indirect_dim=1))  # expect: NKI306
    return stored(tile, (128, 1))


# nkilint: x: float32[4, 8, 128, 64], at: int32[1, 1]
@nki.jit
def head_of_a_batch(x, at):
    """What one tile chose, another one does not choose from."""
    place = on_chip(at, (1, 1), nl.int32)
    batch = x.select(0, place)
    return stored(on_chip(batch.select(0, place), (128, 64)), (128, 64))  # expect: NKI306


# nkilint: x: float32[4, 128, 64], at: int32[1, 1], rows: int32[32, 1]
@nki.jit
def rows_of_a_batch(x, at, rows):
    batch = {"rows": x.select(0, on_chip(at, (1, 1), nl.int32))}
    part = batch["rows"].vector_select(0, on_chip(rows, (32, 1), nl.int32))  # expect: NKI306
    return stored(on_chip(part, (32, 64)), (32, 64))


# nkilint: x: float32[4, 8, 128, 64], at: int32[1, 1]
@nki.jit
def head_of_the_second_batch(x, at):
    place = on_chip(at, (1, 1), nl.int32)
    return stored(on_chip(x.select(0, 1).select(0, place), (128, 64)), (128, 64))


# nkilint: x: float32[4, 8, 128, 64], at: int32[1, 1]
@nki.jit
def second_head_of_a_batch(x, at):
    place = on_chip(at, (1, 1), nl.int32)
    return stored(on_chip(x.select(0, place)[1], (128, 64)), (128, 64))


# nkilint: x: float32[128, 512], at: int32[1, 1]
@nki.jit
def column_that_a_tile_holds(x, at):
    tile = on_chip(x, (128, 512))
    column = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    place = on_chip(at, (1, 1), nl.int32)
    nisa.tensor_copy(dst=column, src=tile.ap(pattern=[[512, 128], [1, 1]], scalar_offset=place, indirect_dim=1))
    return stored(column, (128, 1))


# nkilint: x: float32[256, 512], at: int32[128, 1]
@nki.jit
def rows_by_a_vector(x, at):
    places = on_chip(at, (128, 1), nl.int32)
    views = {"rows": x.vector_select(0, places)}
    return stored(on_chip(views["rows"], (128, 512)), (128, 512))


# --- what is overwritten, and what is kept ---


# nkilint: x: float32[512, 64]
@nki.jit
def greatest_of_the_last_tile_only(x):
    best = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(4):
        tile = on_chip(x[128 * i : 128 * i + 128, :], (128, 64))
        nisa.tensor_reduce(dst=best, op=nl.maximum, data=tile, axis=1)  # expect: NKI708
    return stored(best, (128, 1))


# nkilint: x: float32[512, 64]
@nki.jit
def flag_of_the_last_tile_alone(x, normalise=True):
    best = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(4):
        tile = on_chip(x[128 * i : 128 * i + 128, :], (128, 64))
        if normalise:
            nisa.activation(dst=best, op=nl.exp, data=tile)  # expect: NKI708
        else:
            nisa.tensor_copy(dst=best, src=tile)  # expect-warning: NKI708 normalise
    return stored(best, (128, 64))


# nkilint: x: float32[512, 64]
@nki.jit
def tile_that_keeps_the_last_value(x):
    """A state that each iteration reads before it takes its place."""
    out = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    last = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=last, value=0.0)
    for i in range(4):
        tile = on_chip(x[128 * i : 128 * i + 128, :], (128, 64))
        nisa.tensor_tensor(dst=tile, data1=tile, data2=last, op=nl.add)
        nisa.tensor_copy(dst=last, src=tile)
        nisa.dma_copy(dst=out[128 * i : 128 * i + 128, :], src=tile)
    return out, stored(last, (128, 64))


# nkilint: x: float32[512, 64]
@nki.jit
def column_for_each_tile(x):
    best = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(4):
        tile = on_chip(x[128 * i : 128 * i + 128, :], (128, 64))
        nisa.tensor_reduce(dst=best[:, i : i + 1], op=nl.maximum, data=tile, axis=1)
    return stored(best, (128, 4))


# nkilint: x: float32[128, 64]
@nki.jit
def sum_of_a_block(x):
    block = Block(on_chip(x, (128, 64)), on_chip(x, (128, 64)))
    return stored(block.sum(), (128, 64))


# nkilint: x: float32[64, 32]
@nki.jit
def kernel_of_normalised(x):
    tile = on_chip(x, (64, 32))
    total = nl.reciprocal(nl.sum(tile, axis=1, keepdims=True))
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=total)
    return stored(tile, (64, 32))
