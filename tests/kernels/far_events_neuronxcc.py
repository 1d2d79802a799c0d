"""Faults that only certain inputs come to: late iterations, inner loops, dtypes, ranks of programs, nested branches."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


def zeros(rows, columns):
    return nl.zeros((rows, columns), dtype=nl.float32, buffer=nl.sbuf)


class Ring:
    """Tiles that are filled one after the other."""

    def __init__(self, count):
        self.tiles = [zeros(128, 64) for _ in range(count)]
        self.next = 0

    def put(self, tile):
        self.tiles[self.next % len(self.tiles)][...] = tile
        self.next += 1


# --- found ---


@nki.jit
def third_of_three_loops(x):
    a, b, c = x.shape[0], x.shape[1], x.shape[2]
    assert x.shape[3] == 64 and c % 128 == 0
    out = nl.ndarray((a, b, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(a):
        for j in nl.affine_range(b):
            acc = zeros(128, 64)
            for k in nl.sequential_range(c // 128):
                acc[...] = nl.load(x[i, j, nl.ds(k * 128, 128), :])  # expect-warning: NKI708 x.shape[2] == 128
            nl.store(out[i, j], value=acc)
    return out


@nki.jit
def second_to_last_program(x):
    assert x.shape == (512, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert nl.num_programs(0) == 4
    p = nl.program_id(0)
    shift = 129 if p == 2 else 0
    nl.store(out[nl.ds(p * 128, 128), :], value=nl.load(x[nl.ds(p * 128 + shift, 128), :]))  # expect: NKI301
    return out


@nki.jit
def float8_only(x):
    assert x.shape == (128, 256)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    width = 256
    if x.dtype == nl.float8_e4m3:
        width = 512
    nl.store(out, value=nl.load(x[:, 0:width])[:, 0:256])  # expect-warning: NKI301 not x.dtype == float8_e4m3
    return out


@nki.jit
def from_the_fifth_on(x):
    rows = x.shape[0]
    assert x.shape[1] == 64 and rows % 128 == 0 and rows >= 1024
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), :])
        if i >= 4:
            nl.store(out[nl.ds(i * 128 + 1, 128), :], value=tile)  # expect: NKI301
        else:
            nl.store(out[nl.ds(i * 128, 128), :], value=tile)
    return out  # expect: NKI703


@nki.jit
def where_two_sizes_agree(a, b):
    """Of one size both, one is read beyond its end."""
    m, n = a.shape[0], b.shape[0]
    assert a.shape[1] == 64 and b.shape[1] == 64 and m <= 128 and n <= 128
    out = nl.ndarray((m, 64), dtype=a.dtype, buffer=nl.shared_hbm)
    if m == n and m > 7:
        nl.store(out, value=nl.load(b[nl.ds(1, m), :]))  # expect: NKI301
    else:
        nl.store(out, value=nl.load(a))
    return out


@nki.jit
def tail_of_the_inner_loop(x):
    batch, rows = x.shape[0], x.shape[1]
    assert x.shape[2] == 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for b in nl.affine_range(batch):
        for r in nl.affine_range(rows // 128 + 1):
            nl.store(out[b, nl.ds(r * 128, 128), :], value=nl.load(x[b, nl.ds(r * 128, 128), :]))  # expect: NKI301  # expect: NKI301
    return out


@nki.jit
def long_enough_for_two_halves(x):
    rows, columns = x.shape
    assert rows == 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if columns > 4096:
        half = columns // 2
        nl.store(out[:, 0:half], value=nl.load(x[:, 0:half]))
        nl.store(out[:, half : 2 * half], value=nl.load(x[:, half : 2 * half]))
    else:
        nl.store(out, value=nl.load(x))
    return out  # expect-warning: NKI703 columns <= 4096 or columns % 2 != 1


@nki.jit
def rows_of_one_half_and_its_neighbour(x):
    rows = x.shape[0]
    assert x.shape[1] == 64 and rows % 2 == 0 and rows >= 4
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    half = rows // 2
    for i in nl.affine_range(half + 1):
        nl.store(out[nl.ds(i, 1), :], value=nl.load(x[nl.ds(i, 1), :]))
        nl.store(out[nl.ds(half + i - 1, 1), :], value=nl.load(x[nl.ds(half + i - 1, 1), :]))  # expect: NKI602
    return out


@nki.jit
def last_of_a_ring(x):
    assert x.shape == (512, 64)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    ring = Ring(3)
    for i in range(4):
        ring.put(nl.load(x[nl.ds(i * 128, 128), :]))
    total = nl.add(nl.add(ring.tiles[0], ring.tiles[1]), ring.tiles[3])  # expect: NKI301
    nl.store(out, value=total)
    return out


@nki.jit
def divided_by_what_is_left(x, parts: int):
    rows, columns = x.shape
    assert rows == 128 and parts >= 1
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    width = columns // parts
    for i in nl.affine_range(parts):
        nl.store(out[:, nl.ds(i * width, width)], value=nl.load(x[:, nl.ds(i * width, width)]))
    return out  # expect-warning: NKI703 columns <= columns // parts * parts


@nki.jit
def transposed_where_tall(x):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 256
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if columns > 128:
        nl.store(out, value=nisa.nc_transpose(tile))  # expect: NKI102
    else:
        nl.store(out, value=nisa.nc_transpose(tile))
    return out


# --- silent ---


@nki.jit
def third_of_three_loops_well(x):
    a, b, c = x.shape[0], x.shape[1], x.shape[2]
    assert x.shape[3] == 64 and c % 128 == 0
    out = nl.ndarray((a, b, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(a):
        for j in nl.affine_range(b):
            acc = zeros(128, 64)
            for k in nl.sequential_range(c // 128):
                acc[...] = nl.add(acc, nl.load(x[i, j, nl.ds(k * 128, 128), :]))
            nl.store(out[i, j], value=acc)
    return out


@nki.jit
def each_program_well(x):
    assert x.shape == (512, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert nl.num_programs(0) == 4
    p = nl.program_id(0)
    shift = 128 if p == 2 else 0
    nl.store(out[nl.ds(p * 128, 128), :], value=nl.load(x[nl.ds(p * 128 + shift, 128), :]))
    return out


@nki.jit
def float8_too(x):
    assert x.shape == (128, 256)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    width = 256
    if x.dtype == nl.float8_e4m3:
        width = 128
    for c in range(256 // width):
        nl.store(out[:, nl.ds(c * width, width)], value=nl.load(x[:, nl.ds(c * width, width)]))
    return out


@nki.jit
def from_the_fifth_on_well(x):
    rows = x.shape[0]
    assert x.shape[1] == 64 and rows % 128 == 0 and rows >= 1024
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), :])
        if i >= 4:
            nl.store(out[nl.ds(i * 128, 128), :], value=nl.exp(tile))
        else:
            nl.store(out[nl.ds(i * 128, 128), :], value=tile)
    return out


@nki.jit
def where_two_sizes_agree_well(a, b):
    m, n = a.shape[0], b.shape[0]
    assert a.shape[1] == 64 and b.shape[1] == 64 and m <= 128 and n <= 128
    out = nl.ndarray((m, 64), dtype=a.dtype, buffer=nl.shared_hbm)
    if n > m:
        nl.store(out, value=nl.load(b[nl.ds(1, m), :]))
    else:
        nl.store(out, value=nl.load(a))
    return out


@nki.jit
def tail_of_the_inner_loop_well(x):
    batch, rows = x.shape[0], x.shape[1]
    assert x.shape[2] == 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:64]
    for b in nl.affine_range(batch):
        for r in nl.affine_range(rows // 128 + 1):
            inside = r * 128 + i < rows
            nl.store(out[b, r * 128 + i, j], value=nl.load(x[b, r * 128 + i, j], mask=inside), mask=inside)
    return out


@nki.jit
def long_enough_for_two_halves_well(x):
    rows, columns = x.shape
    assert rows == 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if columns > 4096:
        half = (columns + 1) // 2
        nl.store(out[:, 0:half], value=nl.load(x[:, 0:half]))
        nl.store(out[:, half:columns], value=nl.load(x[:, half:columns]))
    else:
        nl.store(out, value=nl.load(x))
    return out


@nki.jit
def rows_of_both_halves(x):
    rows = x.shape[0]
    assert x.shape[1] == 64 and rows % 2 == 0 and rows >= 4
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    half = rows // 2
    for i in nl.affine_range(half):
        nl.store(out[nl.ds(i, 1), :], value=nl.load(x[nl.ds(i, 1), :]))
        nl.store(out[nl.ds(half + i, 1), :], value=nl.load(x[nl.ds(half + i, 1), :]))
    return out


@nki.jit
def last_of_a_ring_well(x):
    assert x.shape == (384, 64)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    ring = Ring(3)
    for i in range(3):
        ring.put(nl.load(x[nl.ds(i * 128, 128), :]))
    total = nl.add(nl.add(ring.tiles[0], ring.tiles[1]), ring.tiles[-1])
    nl.store(out, value=total)
    return out


@nki.jit
def divided_by_what_is_left_well(x, parts: int):
    rows, columns = x.shape
    assert rows == 128 and parts >= 1 and columns % parts == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    width = columns // parts
    for i in nl.affine_range(parts):
        nl.store(out[:, nl.ds(i * width, width)], value=nl.load(x[:, nl.ds(i * width, width)]))
    return out


@nki.jit
def transposed_in_parts_where_tall(x):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 256
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if columns > 128:
        nl.store(out[0:128, :], value=nisa.nc_transpose(tile[:, 0:128]))
        nl.store(out[128:columns, :], value=nisa.nc_transpose(tile[:, 128:columns]))
    else:
        nl.store(out, value=nisa.nc_transpose(tile))
    return out
