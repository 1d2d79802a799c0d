"""What tiles of integers are known to hold, as indices (NKI301) and in the type of what they are put into (NKI212)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

# --- found ---


# nkilint: a: float32[128, 512]
@nki.jit
def counted_rows(a):
    output = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(64)[:, None], nl.arange(512)[None, :]
    rows = nisa.iota(i_p + 65, dtype=nl.int32)
    nl.store(output[i_p, i_f], nl.load(a[rows[i_p, 0], i_f]))  # expect: NKI301
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def doubled_rows(a):
    output = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(64)[:, None], nl.arange(512)[None, :]
    rows = nl.add(nl.multiply(nisa.iota(i_p, dtype=nl.int32), 2), 2)
    nl.store(output[i_p, i_f], nl.load(a[rows[i_p, 0], i_f]))  # expect: NKI301
    return output


@nki.jit
def rows_of_some_sizes(a):
    assert a.shape[1] == 512
    output = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(64)[:, None], nl.arange(512)[None, :]
    rows = nisa.iota(i_p, dtype=nl.int32)
    nl.store(output[i_p, i_f], nl.load(a[rows[i_p, 0], i_f]))  # expect-warning: NKI301 a.shape[0] >= 64
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def stored_to_counted_rows(a):  # expect: NKI003
    output = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(512)[None, :]
    rows = nisa.iota(i_p + 1, dtype=nl.int32)
    nl.store(output[rows[i_p, 0], i_f], nl.load(a))  # expect: NKI301
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def counted_into_bytes(a):
    output = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.shared_hbm)
    nl.store(output, nisa.iota(nl.arange(512)[None, :] + 0 * nl.arange(128)[:, None], dtype=nl.uint8))  # expect: NKI212
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def doubled_into_bytes(a):
    output = nl.ndarray((128, 1), dtype=nl.int8, buffer=nl.shared_hbm)
    rows = nisa.iota(nl.arange(128)[:, None], dtype=nl.int32)
    nl.store(output, nisa.tensor_scalar(rows, op0=nl.multiply, operand0=2, dtype=nl.int8))  # expect: NKI212
    return output


@nki.jit
def index_beyond_the_tile_of_indices(table, places):
    rows, columns = table.shape
    count = places.shape[0]
    assert count <= 128 and places.shape[1] == 1 and columns <= 2048
    output = nl.ndarray((count, columns), dtype=table.dtype, buffer=nl.shared_hbm)
    chosen = nl.load(places)
    i_p, i_f = nl.arange(count)[:, None], nl.arange(columns)[None, :]
    nl.store(output, nl.load(table[chosen[i_p + 1, 0], i_f]))  # expect: NKI301
    return output


# --- silent ---


# nkilint: a: float32[128, 512]
@nki.jit
def last_rows(a):
    output = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(64)[:, None], nl.arange(512)[None, :]
    rows = nisa.iota(i_p + 64, dtype=nl.int32)
    nl.store(output[i_p, i_f], nl.load(a[rows[i_p, 0], i_f]))
    return output


@nki.jit
def masked_rows(a, where):
    assert a.shape == (128, 512) and where.shape == (64, 1)
    output = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(64)[:, None], nl.arange(512)[None, :]
    rows = nl.bitwise_and(nl.load(where), 127)
    nl.store(output[i_p, i_f], nl.load(a[rows[i_p, 0], i_f]))
    return output


@nki.jit
def masked_and_moved(a, where):
    assert a.shape == (256, 512) and where.shape == (64, 1)
    output = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(64)[:, None], nl.arange(512)[None, :]
    rows = nl.bitwise_and(nl.load(where), 127)
    nl.store(output[i_p, i_f], nl.load(a[rows[i_p, 0] + i_p, i_f]))
    return output


# nkilint: a: float32[100, 512]
@nki.jit
def rows_left_out(a):
    output = nl.zeros((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)  # expect: NKI209
    i_p, i_f = nl.arange(128)[:, None], nl.arange(512)[None, :]
    rows = nisa.iota(i_p, dtype=nl.int32)
    nl.store(output[i_p, i_f], nl.load(a[rows[i_p, 0], i_f], mask=i_p < 100), mask=i_p < 100)
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def up_to_the_greatest(a):
    output = nl.ndarray((128, 1), dtype=nl.int8, buffer=nl.shared_hbm)
    rows = nisa.iota(nl.arange(128)[:, None], dtype=nl.int32)
    nl.store(output, nisa.tensor_scalar(rows, op0=nl.subtract, operand0=1, dtype=nl.int8))
    return output


# nkilint: x: float32[128, 64], at: int32[128, 1], y: float32[128, 64]
@nki.jit
def added_at_rows_that_a_tile_names(x, at, y):
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x))
    rows = nl.load(at)
    nl.atomic_rmw(output[rows, nl.arange(64)[None, :]], value=nl.load(y), op=nl.add)
    return output


# nkilint: x: float32[128, 64], at: int32[128, 32]
@nki.jit
def copied_from_columns_that_a_tile_names(x, at):
    output = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    tile, columns = nl.load(x), nl.load(at)
    nl.store(output, value=nl.copy(tile[nl.arange(128)[:, None], columns]))  # expect: NKI306
    return output


# nkilint: x: float32[512, 2], at: int32[128, K]
@nki.jit
def rows_by_columns_of_some_number(x, at):
    output = nl.ndarray((128, 2), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.load(at)
    nl.store(output, value=nl.load(x[rows, nl.arange(2)[None, :]]))  # expect-warning: NKI306 K == 1
    return output


# nkilint: x: float32[128, N]
@nki.jit
def filled_with_a_size(x):
    out = nl.ndarray((128, 1), dtype=nl.int8, buffer=nl.shared_hbm)
    nl.store(out, value=nl.full((128, 1), x.shape[1], dtype=nl.int8))  # expect: NKI212 N <= 127
    return out


# nkilint: x: float32[128, N]
@nki.jit
def filled_with_a_size_that_fits(x):
    out = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(out, value=nl.full((128, 1), x.shape[1], dtype=nl.int32))
    return out
