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


@nki.jit
def counted_steps(w):
    K, N = w.shape
    assert K % 128 == 0 and N % 512 == 0
    output = nl.ndarray((K, N), dtype=w.dtype, buffer=nl.shared_hbm)
    ring = [nl.ndarray((128, 512), dtype=w.dtype, buffer=nl.sbuf) for _ in range(2)]
    step = 0
    for n in range(N // 512):
        for k in range(K // 128):
            tile = ring[step % 2]
            step += 1
            nisa.dma_copy(dst=tile, src=w[k * 128 : (k + 1) * 128, n * 512 : (n + 1) * 512])
            nisa.dma_copy(dst=output[k * 128 : (k + 1) * 128, n * 512 : (n + 1) * 512], src=tile)
    return output
