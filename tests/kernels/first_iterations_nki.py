"""States that loops carry on from one iteration to the next: what the first iteration takes from nowhere is in all."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, shape):
    tile = nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


@nki.jit
def scan_from_nowhere(a, b):
    C, L = a.shape
    assert b.shape == (C, L) and C <= 128 and L % 512 == 0
    output = nl.ndarray((C, L), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.ndarray((C, 1), dtype=nl.float32, buffer=nl.sbuf)
    for j in range(L // 512):
        x = loaded(a[:, j * 512 : (j + 1) * 512], (C, 512))
        y = loaded(b[:, j * 512 : (j + 1) * 512], (C, 512))
        h = nl.ndarray((C, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor_scan(dst=h, data0=x, data1=y, initial=state, op0=nl.multiply, op1=nl.add)  # expect: NKI701
        nisa.tensor_copy(dst=state, src=h[:, 511:512])
        nisa.dma_copy(dst=output[:, j * 512 : (j + 1) * 512], src=h)
    return output


@nki.jit
def scan_from_zero(a, b):
    C, L = a.shape
    assert b.shape == (C, L) and C <= 128 and L % 512 == 0
    output = nl.ndarray((C, L), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.ndarray((C, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=state, value=0.0)
    for j in range(L // 512):
        x = loaded(a[:, j * 512 : (j + 1) * 512], (C, 512))
        y = loaded(b[:, j * 512 : (j + 1) * 512], (C, 512))
        h = nl.ndarray((C, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor_scan(dst=h, data0=x, data1=y, initial=state, op0=nl.multiply, op1=nl.add)
        nisa.tensor_copy(dst=state, src=h[:, 511:512])
        nisa.dma_copy(dst=output[:, j * 512 : (j + 1) * 512], src=h)
    return output


@nki.jit
def sum_from_nowhere(a):
    C, L = a.shape
    assert C <= 128 and L % 512 == 0
    output = nl.ndarray((C, L), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.ndarray((C, 512), dtype=nl.float32, buffer=nl.sbuf)
    for j in range(L // 512):
        x = loaded(a[:, j * 512 : (j + 1) * 512], (C, 512))
        h = nl.ndarray((C, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=h, data1=x, data2=state, op=nl.add)  # expect: NKI701
        nisa.tensor_copy(dst=state, src=h)
        nisa.dma_copy(dst=output[:, j * 512 : (j + 1) * 512], src=h)
    return output


@nki.jit
def sum_from_the_second_on(a):
    C, L = a.shape
    assert C <= 128 and L % 512 == 0
    output = nl.ndarray((C, L), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.ndarray((C, 512), dtype=nl.float32, buffer=nl.sbuf)
    for j in range(L // 512):
        x = loaded(a[:, j * 512 : (j + 1) * 512], (C, 512))
        h = nl.ndarray((C, 512), dtype=nl.float32, buffer=nl.sbuf)
        if j == 0:
            nisa.tensor_copy(dst=h, src=x)
        else:
            nisa.tensor_tensor(dst=h, data1=x, data2=state, op=nl.add)
        nisa.tensor_copy(dst=state, src=h)
        nisa.dma_copy(dst=output[:, j * 512 : (j + 1) * 512], src=h)
    return output


@nki.jit
def overwritten_in_time(a):
    """What the first iteration leaves in the state is garbage, which nothing takes to an output."""
    C, L = a.shape
    assert C <= 128 and L % 512 == 0
    output = nl.ndarray((C, L), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.ndarray((C, 512), dtype=nl.float32, buffer=nl.sbuf)
    for j in range(L // 512):
        nisa.tensor_scalar(dst=state, data=state, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=state, src=a[:, j * 512 : (j + 1) * 512])
        nisa.dma_copy(dst=output[:, j * 512 : (j + 1) * 512], src=state)
    return output


@nki.jit
def ring_with_a_gap(x):
    """Two tiles are ahead, and one is loaded before the loop."""
    M, N = x.shape
    assert M % 128 == 0 and M >= 256 and N <= 512
    output = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    ring = [nl.ndarray((128, N), dtype=nl.float32, buffer=nl.sbuf) for _ in range(3)]
    nisa.dma_copy(dst=ring[0], src=x[0:128, :])
    for i in range(M // 128):
        if i + 2 < M // 128:
            nisa.dma_copy(dst=ring[(i + 2) % 3], src=x[(i + 2) * 128 : (i + 3) * 128, :])
        tile = ring[i % 3]
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)  # expect: NKI701
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output
