"""Counterexamples come to what they show: loops around it run, sizes have elements, dtypes take the branch."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def lost_in_an_inner_loop(x):
    rows, columns = x.shape
    assert rows % 64 == 0 and columns % 256 == 0 and columns > 0
    output = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for r in nl.affine_range(rows // 64):
        total = nl.ndarray((64, 1), dtype=nl.float32, buffer=nl.sbuf)
        for c in nl.sequential_range(columns // 256):
            tile = nl.load(x[nl.ds(r * 64, 64), nl.ds(c * 256, 256)])
            total[...] = nl.sum(tile, axis=1, keepdims=True)  # expect-warning: NKI708 columns == 256
        nl.store(output[nl.ds(r * 64, 64), :], value=total)
    return output


@nki.jit
def too_many_partitions_in_a_loop(x):
    rows, columns = x.shape
    assert rows % 64 == 0
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in nl.affine_range(rows // 64):
        spare = nl.ndarray((256, 4), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI101
        nl.store(output[nl.ds(r * 64, 64), :], value=nl.load(x[nl.ds(r * 64, 64), :]))
    return output


@nki.jit
def beyond_the_end_of_another_tensor(x, y):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 64
    output = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in nl.affine_range(rows // 128):
        added = nl.load(y[0:128, 0:64])  # expect-warning: NKI301 y.shape[0] >= 128  # expect-warning: NKI301 y.shape[1] >= 64
        nl.store(output[nl.ds(r * 128, 128), :], value=nl.add(added, nl.load(x[nl.ds(r * 128, 128), :])))
    return output


@nki.jit
def in_the_branch_of_a_dtype(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.bfloat16:
        spare = nl.ndarray((256, 4), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI101
    nl.store(output, value=nl.load(x))
    return output


@nki.jit
def in_the_branch_of_another_dtype(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype != nl.float32:
        spare = nl.ndarray((256, 4), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI101
    nl.store(output, value=nl.load(x))
    return output


@nki.jit
def as_often_as_a_number_says(x, n):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x))
    for i in nl.sequential_range(n):
        spare = nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI101
    return output
