"""Launch grids of sizes that functions of the host unpack, take parts of, or compute of what they made of their input."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def unpacked(q):
    batch, heads, rows, columns = q.shape
    assert rows <= 128
    out = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    b, h = nl.program_id(0), nl.program_id(1)
    nl.store(out[b, h], value=nl.load(q[b, h]))
    return out


def launch_unpacked(q):
    b, h, _, _ = q.shape
    return unpacked[b, h](q)


@nki.jit
def in_pairs(q):
    batch, heads, rows, columns = q.shape
    assert rows <= 128
    out = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    b, h = nl.program_id(0), nl.program_id(1)
    nl.store(out[b, h], value=nl.load(q[b, h]))
    return out


def launch_in_pairs(q, scaled=True):
    b, h = q.shape[0], q.shape[1]
    return in_pairs[b, h](q)


@nki.jit
def parts_of_shapes(q):
    batch, heads, rows, columns = q.shape
    assert rows <= 128
    out = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    b, h = nl.program_id(0), nl.program_id(1)
    nl.store(out[b, h], value=nl.load(q[b, h]))
    return out


def launch_parts_of_shapes(q):
    bs, heads = q.shape[:2]
    grid = (bs, heads)
    return parts_of_shapes[grid](q)


@nki.jit
def flattened(x):
    rows, columns = x.shape
    assert columns <= 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.program_id(0) * 128 + nl.arange(128)[:, None], nl.arange(columns)[None, :]
    nl.store(out[p, f], value=nl.load(x[p, f], mask=p < rows), mask=p < rows)
    return out


def launch_flattened(x):
    flat = x.reshape(-1, x.shape[-1])
    return flattened[(flat.shape[0] + 127) // 128](flat)


@nki.jit
def one_head_too_few(q):
    batch, heads, rows, columns = q.shape
    assert rows <= 128
    out = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    b, h = nl.program_id(0), nl.program_id(1)
    nl.store(out[b, h], value=nl.load(q[b, h]))
    return out  # expect: NKI703


def launch_one_head_too_few(q):
    b, h, s, d = q.shape
    return one_head_too_few[b, h - 1](q)


@nki.jit
def heads_before_batches(q):
    batch, heads, rows, columns = q.shape
    assert rows <= 128
    out = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    b, h = nl.program_id(0), nl.program_id(1)
    nl.store(out[b, h], value=nl.load(q[b, h]))  # expect-warning: NKI301 heads <= batch  # expect-warning: NKI301 batch <= heads
    return out


def launch_heads_before_batches(q):
    b, h = q.shape[:2]
    return heads_before_batches[h, b](q)


@nki.jit
def last_rows_left_out(x):
    rows, columns = x.shape
    assert columns <= 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.program_id(0) * 128 + nl.arange(128)[:, None], nl.arange(columns)[None, :]
    nl.store(out[p, f], value=nl.load(x[p, f]))
    return out  # expect-warning: NKI703 rows % 128 == 0


def launch_last_rows_left_out(x):
    flat = x.reshape(-1, x.shape[-1])
    n, _ = flat.shape
    return last_rows_left_out[n // 128](flat)


@nki.jit
def sizes_bound_twice(q):
    batch, heads, rows, columns = q.shape
    assert rows <= 128
    out = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    b, h = nl.program_id(0), nl.program_id(1)
    nl.store(out[b, h], value=nl.load(q[b, h]))  # expect-warning: NKI301 num_programs(0) <= batch  # expect-warning: NKI301 num_programs(1) <= heads
    return out  # expect-warning: NKI703 heads <= num_programs(1)  # expect-warning: NKI703 batch <= num_programs(0)


def launch_sizes_bound_twice(q, few):
    b, h, _, _ = q.shape
    if few:
        h = 2
    return sizes_bound_twice[b, h](q)
