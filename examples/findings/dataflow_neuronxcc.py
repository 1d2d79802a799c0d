"""What is written and what is not (NKI702, NKI703), in `neuronxcc.nki`. Each marked line is reported."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def forgotten_store(x):
    """The result is computed and never stored."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    result = nl.exp(nl.load(x))
    scaled = nl.multiply(result, 0.5)
    nl.device_print("scaled", scaled)
    return output  # expect: NKI702
    # `nl.store(output, value=scaled)`


@nki.jit
def dropped_tail(x):
    """`//` leaves out the rows after the last whole tile; the contract says `% 128 == 0`."""
    rows, columns = x.shape
    assert columns == 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.exp(tile))
    return output  # expect: NKI703
    # `math.ceil(rows / 128)` iterations and `mask=i * 128 + p < rows`, or `assert rows % 128 == 0`
