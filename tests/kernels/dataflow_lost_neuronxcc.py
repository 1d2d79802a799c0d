"""Writes that the next iteration overwrites unread (NKI708), and repeated writes that are in order."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def assignment_for_accumulation(left, right):
    assert left.shape == (512, 128) and right.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.sequential_range(4):
        product = nisa.nc_matmul(nl.load(left[nl.ds(k * 128, 128), 0:128]), nl.load(right[nl.ds(k * 128, 128), 0:512]))
        total[...] = nl.copy(product)  # expect: NKI708 @ total[...]
    nl.store(output, value=nl.copy(total))
    return output


@nki.jit
def store_of_the_last(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 512
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.sequential_range(rows // 128):
        tile = nl.exp(nl.load(x[nl.ds(i * 128, 128), 0:512]))
        nl.store(output, value=tile)  # expect-warning: NKI708 rows == 128
    return output


@nki.jit
def sum_that_starts_anew(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.sequential_range(2):
        total = nl.zeros((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        for j in nl.sequential_range(2):
            total += nl.load(x[nl.ds((2 * i + j) * 128, 128), 0:512])
        nl.store(output, value=total)  # expect: NKI708
    return output


@nki.jit
def sum_that_is_cleared(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.sequential_range(2):
        total[...] = nl.zeros((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        for j in nl.sequential_range(2):
            total += nl.load(x[nl.ds((2 * i + j) * 128, 128), 0:512])
        nl.store(output, value=total)  # expect: NKI708
    return output


@nki.jit
def sum_that_goes_on(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.sequential_range(2):
        for j in nl.sequential_range(2):
            total += nl.load(x[nl.ds((2 * i + j) * 128, 128), 0:512])
        nl.store(output, value=total)
    return output


@nki.jit
def sum_of_what_came_before(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    before = nl.zeros((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.sequential_range(2):
        total = nl.zeros((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        for j in nl.sequential_range(2):
            total += nl.load(x[nl.ds((2 * i + j) * 128, 128), 0:512])
            total += before
        before[...] = nl.copy(total)
        nl.store(output, value=total)
    return output


@nki.jit
def running_sum(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        total[...] = nl.add(total, nl.load(x[nl.ds(i * 128, 128), 0:512]))
        nl.store(output, value=total)
    return output


@nki.jit
def carried_from_one_to_the_next(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    last = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(8):
        row = nl.load(x[0:128, nl.ds(i, 1)])
        next_state = nl.add(nl.multiply(state, 0.5), row)
        state[...] = next_state
        last[...] = nl.copy(next_state)
    nl.store(output, value=last)
    return output


@nki.jit
def the_same_each_time(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for _ in nl.sequential_range(8):
        tile[...] = nl.load(x)
    nl.store(output, value=tile)
    return output


@nki.jit
def read_in_the_same_iteration(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        tile[...] = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
    return output


@nki.jit
def only_the_last_iteration(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(4):
        if i == 3:
            tile[...] = nl.load(x[nl.ds(i * 128, 128), 0:512])
    nl.store(output, value=tile)
    return output


@nki.jit
def sums_over_blocks_not_added_up(x, w):
    """What is computed in place within one iteration is computed anew in each."""
    K, M = x.shape
    assert M == 128 and K % 512 == 0 and w.shape == (K, 512)
    output = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in nl.sequential_range(K // 512):
        block = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
        for t in nl.affine_range(4):
            rows = nl.ds(k * 512 + t * 128, 128)
            block[...] += nisa.nc_matmul(nl.load(x[rows, :]), nl.load(w[rows, :]))
        total[...] = nl.copy(block)  # expect-warning: NKI708 K == 512
    nl.store(output, value=total)
    return output


@nki.jit
def sums_over_blocks_added_up(x, w):
    K, M = x.shape
    assert M == 128 and K % 512 == 0 and w.shape == (K, 512)
    output = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in nl.sequential_range(K // 512):
        block = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
        for t in nl.affine_range(4):
            rows = nl.ds(k * 512 + t * 128, 128)
            block[...] += nisa.nc_matmul(nl.load(x[rows, :]), nl.load(w[rows, :]))
        total[...] = total + block
    nl.store(output, value=total)
    return output


@nki.jit
def last_of_tiles_that_are_stored_too(x):
    M = x.shape[0]
    assert M % 128 == 0 and x.shape[1] == 512
    every = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    last = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in nl.sequential_range(M // 128):
        tile = nl.exp(nl.load(x[nl.ds(k * 128, 128), :]))
        last[...] = nl.copy(tile)
        nl.store(every[nl.ds(k * 128, 128), :], value=tile)
    nl.store(output, value=last)
    return output, every
