"""A network of two layers that classifies rows, in kernels that call each other."""

from __future__ import annotations

from typing import Any

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

from .matmuls import tiled

SIDE = 128


@nki.jit
def transpose(x: Any) -> Any:
    """[M, N] as [N, M], in squares; masks cut those at the edges."""
    rows, columns = x.shape
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:SIDE, 0:SIDE]
    for i in nl.affine_range((rows + SIDE - 1) // SIDE):
        for j in nl.affine_range((columns + SIDE - 1) // SIDE):
            square = nl.load(x[i * SIDE + p, j * SIDE + f], mask=(i * SIDE + p < rows) & (j * SIDE + f < columns))
            turned = nl.copy(nisa.nc_transpose(square), dtype=x.dtype)
            nl.store(
                out[j * SIDE + p, i * SIDE + f], value=turned,
                mask=(j * SIDE + p < columns) & (i * SIDE + f < rows),
            )  # fmt: skip
    return out


@nki.jit
def bias_add_act(x: Any, bias: Any, act: Any = "relu") -> Any:
    """`x` [M, N] plus `bias` [1, N], then relu, sigmoid or, along rows, softmax."""
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    offsets = nl.load(bias).broadcast_to((SIDE, columns))
    p, f = nl.mgrid[0:SIDE, 0:columns]
    for i in nl.affine_range((rows + SIDE - 1) // SIDE):
        inside = i * SIDE + p < rows
        tile = nl.add(nl.load(x[i * SIDE + p, f], mask=inside), offsets, mask=inside)
        if act == "relu":
            result = nl.relu(tile, mask=inside)
        elif act == "sigmoid":
            result = nl.sigmoid(tile, mask=inside)
        elif act == "softmax":
            result = nl.softmax(tile, axis=1, mask=inside)
        else:
            raise ValueError(f"no activation is called {act}")
        nl.store(out[i * SIDE + p, f], value=result, mask=inside)
    return out


@nki.jit
def forward(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    """Probabilities of the classes for each row of `x`."""
    hidden = bias_add_act(tiled(transpose(x), w1), b1, "relu")
    return bias_add_act(tiled(transpose(hidden), w2), b2, "softmax")


@nki.jit
def predict(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    """The class of the highest probability for each row of `x`."""
    probabilities = forward(x, w1, b1, w2, b2)
    rows, classes = probabilities.shape
    out = nl.ndarray((rows, 1), dtype=nl.uint32, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // SIDE):
        tile = nl.load(probabilities[i * SIDE : (i + 1) * SIDE, 0:classes])
        best = nisa.max8(src=tile)
        indices = nisa.nc_find_index8(data=tile, vals=best)
        nl.store(out[i * SIDE : (i + 1) * SIDE, 0:1], value=indices[:, 0:1])
    return out
