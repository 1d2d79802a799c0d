"""Rings of buffers: tensors kept in a list, each used in every second or third iteration."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def prefetched(x):
    M, N = x.shape
    assert M % 128 == 0 and N <= 512
    output = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    ring = [nl.ndarray((128, N), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    nisa.dma_copy(dst=ring[0], src=x[0:128, :])
    for i in range(M // 128):
        if i + 1 < M // 128:
            nisa.dma_copy(dst=ring[(i + 1) % 2], src=x[(i + 1) * 128 : (i + 2) * 128, :])
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=ring[i % 2])
    return output


@nki.jit
def not_started(x):
    M, N = x.shape
    assert M % 128 == 0 and N <= 512
    output = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    ring = [nl.ndarray((128, N), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    for i in range(M // 128):
        if i + 1 < M // 128:
            nisa.dma_copy(dst=ring[(i + 1) % 2], src=x[(i + 1) * 128 : (i + 2) * 128, :])
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=ring[i % 2])  # expect: NKI701
    return output


@nki.jit
def one_ahead(x):
    M, N = x.shape
    assert M % 128 == 0 and N <= 512
    output = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    ring = [nl.ndarray((128, N), dtype=nl.float32, buffer=nl.sbuf) for _ in range(3)]
    for i in range(M // 128):
        nisa.dma_copy(dst=ring[i % 3], src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=ring[(i + 1) % 3])  # expect: NKI701
    return output
