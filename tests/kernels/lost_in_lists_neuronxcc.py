"""Results that iterations over lists, pairs and counters of Python overwrite before anything reads them (NKI708)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

# --- found ---


@nki.jit
def over_a_list(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for row in [0, 128, 256, 384]:
        scaled[...] = nl.multiply(nl.load(x[row : row + 128, :]), 0.25)  # expect: NKI708
    nl.store(output, value=scaled)
    return output


@nki.jit
def over_pairs_of_a_tuple(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for _, row in enumerate((0, 128, 256, 384)):
        scaled[...] = nl.multiply(nl.load(x[row : row + 128, :]), 0.25)  # expect: NKI708
    nl.store(output, value=scaled)
    return output


@nki.jit
def over_two_tensors(x, y):
    assert x.shape == (128, 64)
    assert y.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for each in (x, y):
        scaled[...] = nl.multiply(nl.load(each), 0.25)  # expect: NKI708
    nl.store(output, value=scaled)
    return output


@nki.jit
def over_factors(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    tile = nl.load(x)
    for factor in [0.5, 0.25, 0.125]:
        scaled[...] = nl.multiply(tile, factor)  # expect: NKI708
    nl.store(output, value=scaled)
    return output


@nki.jit
def while_it_counts(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    row = 0
    while row < 512:
        scaled[...] = nl.multiply(nl.load(x[row : row + 128, :]), 0.25)  # expect: NKI708
        row += 128
    nl.store(output, value=scaled)
    return output


@nki.jit
def products_over_pairs(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((64, 64), dtype=nl.float32, buffer=nl.psum)
    for row, _ in ((0, "first"), (128, "second"), (256, "third")):
        tile = nl.load(x[row : row + 128, :])
        total[...] = nisa.nc_matmul(tile, tile)  # expect: NKI708
    nl.store(output, value=nl.copy(total, dtype=x.dtype))
    return output


@nki.jit
def in_each_iteration_of_another_loop(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        for factor in (0.5, 0.25):
            scaled[...] = nl.multiply(nl.load(x[i * 128 : i * 128 + 128, :]), factor)  # expect: NKI708
        nl.store(output[i * 128 : i * 128 + 128, :], value=scaled)
    return output


# --- nothing to find ---


@nki.jit
def sum_over_a_list(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for row in [0, 128, 256, 384]:
        total[...] = nl.add(total, nl.load(x[row : row + 128, :]))
    nl.store(output, value=total)
    return output


@nki.jit
def stored_in_each(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for _, row in enumerate((0, 128, 256, 384)):
        scaled[...] = nl.multiply(nl.load(x[row : row + 128, :]), 0.25)
        nl.store(output[row : row + 128, :], value=scaled)
    return output


@nki.jit
def the_same_each_time(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for _ in ("once", "again"):
        scaled[...] = nl.multiply(nl.load(x), 0.25)
    nl.store(output, value=scaled)
    return output


@nki.jit
def other_rows_each_time(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((4, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for place, row in enumerate((0, 128, 256, 384)):
        nl.store(output[place : place + 1, :], value=nl.load(x[row : row + 1, :]))
    return output


@nki.jit
def one_item(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for row in [128]:
        scaled[...] = nl.multiply(nl.load(x[row : row + 128, :]), 0.25)
    nl.store(output, value=scaled)
    return output


@nki.jit
def multiplied_again_and_again(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    scaled[...] = nl.load(x)
    for factor in [0.5, 0.25, 0.125]:
        scaled[...] = nl.multiply(scaled, factor)
    nl.store(output, value=scaled)
    return output


@nki.jit
def read_by_the_next(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    before = nl.zeros((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for row in (0, 128, 256, 384):
        tile = nl.load(x[row : row + 128, :])
        nl.store(output[row : row + 128, :], value=nl.add(tile, before))
        before[...] = tile
    return output


@nki.jit
def sum_whose_terms_come_from_a_list(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.affine_range(4):
        for factor in [0.5]:
            more = nl.add(total, nl.multiply(nl.load(x[i * 128 : i * 128 + 128, :]), factor))
        total[...] = more
    nl.store(output, value=total)
    return output


@nki.jit
def filled_anew_and_stored(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    scaled = nl.ndarray((4, nl.par_dim(128), 64), dtype=x.dtype, buffer=nl.sbuf)
    for factor in [0.5, 0.25]:
        for i in nl.affine_range(4):
            scaled[i] = nl.multiply(nl.load(x[i * 128 : i * 128 + 128, :]), factor)
        for i in nl.affine_range(4):
            nl.store(output[i * 128 : i * 128 + 128, :], value=scaled[i])
    return output
