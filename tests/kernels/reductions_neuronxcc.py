"""Reductions over loops: the tile on the left of `loop_reduce` goes on, whether named or subscripted."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def named(x):
    P, N = x.shape
    assert P <= 128 and N % 512 == 0
    out = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    for c in nl.affine_range(N // 512):
        part = nl.sum(nl.load(x[:, nl.ds(c * 512, 512)]), axis=1, keepdims=True)
        total = nl.loop_reduce(part, op=np.add, loop_indices=[c], dtype=nl.float32)
    nl.store(out, value=total)
    return out


@nki.jit
def subscripted(x):
    P, N = x.shape
    assert P <= 128 and N % 512 == 0
    out = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    for c in nl.affine_range(N // 512):
        part = nl.sum(nl.load(x[:, nl.ds(c * 512, 512)]), axis=1, keepdims=True)
        total[...] = nl.loop_reduce(part, op=np.add, loop_indices=[c], dtype=nl.float32)
    nl.store(out, value=total)
    return out


@nki.jit
def begun_nowhere(x):
    P, N = x.shape
    assert P <= 128 and N % 512 == 0
    out = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for c in nl.affine_range(N // 512):
        part = nl.sum(nl.load(x[:, nl.ds(c * 512, 512)]), axis=1, keepdims=True)
        total = nl.loop_reduce(part, op=np.add, loop_indices=[c], dtype=nl.float32)
    nl.store(out, value=total)  # expect: NKI704
    return out
