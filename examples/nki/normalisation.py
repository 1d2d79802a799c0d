"""Softmax of each row, from single instructions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def softmax(scores):
    """Softmax of each row: subtract the largest value, raise, and divide by the sum."""
    rows, columns = scores.shape
    assert rows % 128 == 0
    assert columns <= 2048
    output = nl.ndarray((rows, columns), dtype=scores.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=scores[i * 128 : (i + 1) * 128, :])
        lowest = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=lowest, op=nl.maximum, data=tile, axis=1, negate=True)
        powers = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=powers, op=nl.exp, data=tile, bias=lowest)
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=total, op=nl.add, data=powers, axis=1)
        nisa.reciprocal(dst=total, data=total)
        result = nl.ndarray((128, columns), dtype=scores.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=result, data=powers, op0=nl.multiply, operand0=total)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=result)
    return output
