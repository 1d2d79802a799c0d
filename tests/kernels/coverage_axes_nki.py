"""Coverage axis by axis: each forgotten tail by itself (NKI703, NKI709), whatever becomes of the other axes."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(part, rows, columns):
    tile = nl.ndarray((rows, columns), dtype=part.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=part)  # expect-warning: NKI709 x.shape[1] % 256 == 0
    return tile


def zeros(rows, columns):
    tile = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    return tile


@nki.jit
def both_axes_of_an_output(x):
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(x.shape[0] // 64):
        for c in range(x.shape[1] // 256):
            part = (slice(64 * r, 64 * r + 64), slice(256 * c, 256 * c + 256))
            nisa.dma_copy(dst=output[part], src=x[part])
    return output  # expect-warning: NKI703 x.shape[1] % 256 == 0  # expect-warning: NKI703 x.shape[0] % 64 == 0


@nki.jit
def rows_stored_and_columns_summed(x):
    output = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for r in range(x.shape[0] // 64):
        total, part = zeros(64, 1), zeros(64, 1)
        for c in range(x.shape[1] // 256):
            tile = loaded(x[64 * r : 64 * r + 64, 256 * c : 256 * c + 256], 64, 256)
            nisa.tensor_reduce(dst=part, op=nl.add, data=tile, axis=1)
            nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add)
        nisa.dma_copy(dst=output[64 * r : 64 * r + 64, :], src=total)
    return output  # expect-warning: NKI703 x.shape[0] % 64 == 0


@nki.jit
def first_axis_in_a_while_loop_over_halves(x):
    rows, columns = x.shape
    assert columns % 2 == 0
    half = columns // 2
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for side in range(2):
        for r in range(rows // 32):
            nisa.dma_copy(
                dst=output[nl.ds(32 * r, 32), nl.ds(side * half, half)],
                src=x[nl.ds(32 * r, 32), nl.ds(side * half, half)],
            )
    return output  # expect-warning: NKI703 rows % 32 == 0


@nki.jit
def middle_axis_of_three(x):
    planes, rows, columns = x.shape
    output = nl.ndarray((planes, rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for p in range(planes):
        for r in range(rows // 128):
            nisa.dma_copy(dst=output[p, nl.ds(128 * r, 128), :], src=x[p, nl.ds(128 * r, 128), :])
    return output  # expect-warning: NKI703 rows % 128 == 0


@nki.jit
def two_stores_of_whole_tiles(x, y):
    rows, columns = x.shape
    assert y.shape == x.shape
    output = nl.ndarray((2, rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(rows // 128):
        nisa.dma_copy(dst=output[0, nl.ds(128 * r, 128), :], src=x[nl.ds(128 * r, 128), :])
        nisa.dma_copy(dst=output[1, nl.ds(128 * r, 128), :], src=y[nl.ds(128 * r, 128), :])
    return output  # expect-warning: NKI703 rows % 128 == 0


# --- silent ---


@nki.jit
def shorter_last_tiles(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(0, rows, 128):
        for c in range(0, columns, 512):
            height, width = min(128, rows - r), min(512, columns - c)
            nisa.dma_copy(dst=output[nl.ds(r, height), nl.ds(c, width)], src=x[nl.ds(r, height), nl.ds(c, width)])
    return output


@nki.jit
def multiples_by_assertion(x):
    rows, columns = x.shape
    assert rows % 64 == 0
    assert columns % 256 == 0
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(rows // 64):
        for c in range(columns // 256):
            part = (slice(64 * r, 64 * r + 64), slice(256 * c, 256 * c + 256))
            nisa.dma_copy(dst=output[part], src=x[part])
    return output


@nki.jit
def a_window_of_the_input(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 256
    output = nl.ndarray((rows, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(rows // 128):
        nisa.dma_copy(dst=output[nl.ds(128 * r, 128), :], src=x[nl.ds(128 * r, 128), 64:192])
    return output


@nki.jit
def halves_by_core(x):
    rows, columns = x.shape
    assert rows % 256 == 0 and nl.num_programs(0) == 2
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.program_id(0) * (rows // 2)
    for r in range(rows // 256):
        nisa.dma_copy(dst=output[nl.ds(first + 128 * r, 128), :], src=x[nl.ds(first + 128 * r, 128), :])
    return output


@nki.jit
def tail_in_a_branch(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    whole = rows // 128
    for r in range(whole):
        nisa.dma_copy(dst=output[nl.ds(128 * r, 128), :], src=x[nl.ds(128 * r, 128), :])
    if rows % 128 != 0:
        nisa.dma_copy(dst=output[128 * whole : rows, :], src=x[128 * whole : rows, :])
    return output
