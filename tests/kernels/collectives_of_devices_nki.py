"""Collectives that take several devices, and one tensor each."""

import nki
import nki.collectives as ncc
import nki.language as nl


@nki.jit
def two_tensors_passed_on(x, y):
    """x: [R, C], y: [R, C]"""
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    other = nl.ndarray(y.shape, dtype=y.dtype, buffer=nl.shared_hbm)
    pairs = [(0, 1), (1, 0)]
    ncc.collective_permute(
        srcs=[x, y],  # expect: NKI205
        dsts=[output, other],  # expect: NKI205
        source_target_pairs=pairs,
    )
    return output, other


@nki.jit
def one_tensor_passed_on(x):
    """x: [R, C]"""
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    ncc.collective_permute(srcs=[x], dsts=[output], source_target_pairs=[(0, 1), (1, 0)])
    return output
