"""What engines do beside computing: transposes by DMA, sums beside an activation."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

CASES = {
    "turned_by_dma": [((128, 64),)],
    "weights_of_rows": [((128, 256),), ((128, 40),)],
}


@nki.jit
def turned_by_dma(x):
    """A matrix turned over on its way."""
    assert x.shape == (128, 64)
    output = nl.ndarray((64, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.dma_transpose(x))
    return output


@nki.jit
def weights_of_rows(x):
    """Powers, divided by their sums, which the same instruction makes."""
    rows, columns = x.shape
    assert rows == 128 and columns <= 1024
    output = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    powers = nisa.activation_reduce(
        op=nl.exp, data=nl.load(x[0:128, 0:columns]), reduce_op=nl.add, reduce_res=total[0:128, 0:1], dtype=nl.float32
    )
    nl.store(output[0:128, 0:columns], value=nl.divide(powers, total))
    return output
