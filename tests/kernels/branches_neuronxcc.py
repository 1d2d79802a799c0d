"""What a condition in one branch asks of the inputs: to meet it, or to take another branch."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def only_large_inputs_need_it(x):
    rows, columns = x.shape
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if rows % 128 == 0:
        for i in nl.affine_range(rows // 128):
            nl.store(output[i * 128 : (i + 1) * 128, :], value=nl.load(x[i * 128 : (i + 1) * 128, :]))
    else:
        nl.store(output, value=nl.load(x))  # expect-warning: NKI101 rows <= 128 or rows % 128 == 0
    return output


@nki.jit
def early_return(x):
    rows, columns = x.shape
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if rows <= 128:
        nl.store(output, value=nl.load(x))
        return output
    assert columns == 64
    for i in nl.affine_range(rows // 128):
        nl.store(output[i * 128 : (i + 1) * 128, :], value=nl.load(x[i * 128 : (i + 1) * 128, :]))
    return output  # expect-warning: NKI703 rows % 128 == 0 or rows <= 128


@nki.jit
def asserted_in_one_branch(x, y):
    rows, columns = x.shape
    output = nl.ndarray((256, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    if columns > 512:
        assert rows == 256
    for i in nl.affine_range(2):
        nl.store(output[i * 128 : (i + 1) * 128, :], value=nl.load(x[i * 128 : (i + 1) * 128, :]))  # expect-warning: NKI301 rows >= 256
    return output
