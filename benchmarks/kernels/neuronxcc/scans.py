"""Kernels whose iterations depend on those before: states that are carried along columns and along rows."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

CASES = {
    "running_columns": [((128, 20),), ((64, 1),)],
    "decayed": [((128, 12), (128, 6))],
    "largest_so_far": [((64, 10),)],
    "there_and_back": [((128, 9),)],
    "carried_tiles": [((4, 128, 64),)],
}


@nki.jit
def running_columns(x):
    """The sums of all columns up to each one, column by column."""
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512
    output = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    for j in nl.sequential_range(columns):
        total[0:rows, 0:1] = nl.add(total[0:rows, 0:1], nl.load(x[0:rows, nl.ds(j, 1)]))
        nl.store(output[0:rows, nl.ds(j, 1)], value=total)
    return output


@nki.jit
def decayed(left, right):
    """A state that is halved in each step, over the columns of two matrices."""
    rows, first = left.shape
    other_rows, second = right.shape
    assert rows == other_rows and rows <= 128 and first <= 512 and second <= 512
    output = nl.ndarray((rows, first), dtype=nl.float32, buffer=nl.shared_hbm)
    other = nl.ndarray((rows, second), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.zeros((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    for j in nl.sequential_range(first):
        state[0:rows, 0:1] = nl.add(nl.multiply(state[0:rows, 0:1], 0.5), nl.load(left[0:rows, nl.ds(j, 1)]))
        nl.store(output[0:rows, nl.ds(j, 1)], value=state)
    for k in nl.sequential_range(second):
        state[0:rows, 0:1] = nl.add(nl.multiply(state[0:rows, 0:1], 0.5), nl.load(right[0:rows, nl.ds(k, 1)]))
        nl.store(other[0:rows, nl.ds(k, 1)], value=state)
    return output, other


@nki.jit
def largest_so_far(x):
    """The largest of all columns up to each one."""
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512
    output = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    best = nl.zeros((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    for j in nl.sequential_range(columns):
        best[0:rows, 0:1] = nl.maximum(best[0:rows, 0:1], nl.load(x[0:rows, nl.ds(j, 1)]))
        nl.store(output[0:rows, nl.ds(j, 1)], value=best)
    return output


@nki.jit
def there_and_back(x):
    """Products from the first column on, and sums from the last one back."""
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512
    output = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    other = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    product = nl.ones((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.zeros((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    for j in nl.sequential_range(columns):
        product[0:rows, 0:1] = nl.multiply(product[0:rows, 0:1], nl.load(x[0:rows, nl.ds(j, 1)]))
        nl.store(output[0:rows, nl.ds(j, 1)], value=product)
    for k in nl.sequential_range(columns):
        total[0:rows, 0:1] = nl.add(total[0:rows, 0:1], nl.load(x[0:rows, nl.ds(columns - 1 - k, 1)]))
        nl.store(other[0:rows, nl.ds(columns - 1 - k, 1)], value=total)
    return output, other


@nki.jit
def carried_tiles(x):
    """A tile that goes from plane to plane, and is written for each of them; then once more, from there on."""
    planes, rows, columns = x.shape
    assert rows == 128 and columns <= 512
    output = nl.ndarray((planes, 128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    last = nl.ndarray((planes, 128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.zeros((nl.par_dim(128), columns), dtype=nl.float32, buffer=nl.sbuf)
    for b in nl.sequential_range(planes):
        state[...] = nl.add(nl.multiply(state, 0.9), nl.load(x[b]))
        nl.store(output[b], value=state)
    for b in nl.sequential_range(planes):
        state[...] = nl.tanh(nl.add(state, nl.load(x[b])))
        nl.store(last[b], value=state)
    return output, last
