"""Running states of tiles whose last rows hold nothing: garbage goes round in loops, and stays in its rows."""

import nki
import nki.isa as nisa
import nki.language as nl

SIZE, CHUNK = 32, 512


@nki.jit
def rows_that_are_there(x):
    rows, columns = x.shape
    output = nl.ndarray((rows,), dtype=nl.float32, buffer=nl.shared_hbm)
    largest = nl.ndarray((SIZE, 1), dtype=nl.float32, buffer=nl.sbuf)
    chunk = nl.ndarray((SIZE, CHUNK), dtype=nl.float32, buffer=nl.sbuf)
    of_chunk = nl.ndarray((SIZE, 1), dtype=nl.float32, buffer=nl.sbuf)
    new = nl.ndarray((SIZE, 1), dtype=nl.float32, buffer=nl.sbuf)
    assert columns % CHUNK == 0
    for batch in range((rows + SIZE - 1) // SIZE):
        here = min(SIZE, rows - batch * SIZE)
        nisa.memset(largest, -1.0e9)
        for c in range(columns // CHUNK):
            source = x[batch * SIZE : batch * SIZE + here, c * CHUNK : (c + 1) * CHUNK]
            nisa.dma_copy(dst=chunk[0:here, :], src=source)
            nisa.tensor_reduce(dst=of_chunk, op=nl.maximum, data=chunk, axis=1)
            nisa.tensor_tensor(dst=new, data1=largest, data2=of_chunk, op=nl.maximum)
            nisa.tensor_copy(dst=largest, src=new)
        nisa.dma_copy(dst=output[batch * SIZE : batch * SIZE + here], src=largest[0:here, 0])
    return output


@nki.jit
def all_rows(x):
    rows, columns = x.shape
    output = nl.ndarray((SIZE, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    largest = nl.ndarray((SIZE, 1), dtype=nl.float32, buffer=nl.sbuf)
    chunk = nl.ndarray((SIZE, CHUNK), dtype=nl.float32, buffer=nl.sbuf)
    of_chunk = nl.ndarray((SIZE, 1), dtype=nl.float32, buffer=nl.sbuf)
    new = nl.ndarray((SIZE, 1), dtype=nl.float32, buffer=nl.sbuf)
    assert rows == 30 and columns == 4 * CHUNK
    nisa.memset(largest, -1.0e9)
    for c in range(columns // CHUNK):
        nisa.dma_copy(dst=chunk[0:rows, :], src=x[:, c * CHUNK : (c + 1) * CHUNK])
        nisa.tensor_reduce(dst=of_chunk, op=nl.maximum, data=chunk, axis=1)  # expect: NKI701
        nisa.tensor_tensor(dst=new, data1=largest, data2=of_chunk, op=nl.maximum)
        nisa.tensor_copy(dst=largest, src=new)
    nisa.dma_copy(dst=output, src=largest)
    return output
