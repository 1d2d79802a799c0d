"""Index grids become slices.

`nl.arange` and `nl.mgrid` are gone. A grid that runs over one axis with a fixed step selects what a slice selects.
"""

from __future__ import annotations

import ast

from nkilint.migrate.regions import region
from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import Example, Step

STEP = Step(
    "index-grids",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "i = nl.arange(128)[:, None]\nj = nl.arange(256)[None, :]\na = nl.load(x[i, j])\nnl.store(out[i, j], a)",
            "a = nl.load(x[0:128, 0:256])\nnl.store(out[0:128, 0:256], a)",
        ),
        Example(
            "i = nl.arange(128)[:, None, None]\nj = nl.arange(16)[None, :, None]\nk = nl.arange(16)[None, None, :]\n"
            "a = nl.load(x)\nb = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\n"
            "b[i, 16 * k + j] = nl.copy(a[i, 16 * j + k])\nnl.store(out, b)",
            "a = nl.load(x)\nb = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\n"
            "nisa.tensor_copy(\n    dst=b.ap(pattern=[[b.shape[1], 128], [1, 16], [16, 16]], offset=0),\n"
            "    src=a.ap(pattern=[[a.shape[1], 128], [16, 16], [1, 16]], offset=0),\n)\nnl.store(out, b)",
        ),
        Example(
            "i = nl.arange(128)[:, None]\nj = nl.arange(256)[None, :]\nrows = nisa.iota(127 - i, dtype=nl.uint32)\n"
            "a = nl.load(x[rows, j])\nnl.store(out, a)",
            "rows = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)\n"
            "nisa.iota(dst=rows, pattern=[[0, 1]], offset=127, channel_multiplier=-1)\n"
            "a = nl.load(x.ap(pattern=[[x.shape[1], 128], [1, 256]], offset=0, vector_offset=rows, indirect_dim=0))\n"
            "nl.store(out, a)",
        ),
    ),
)


@STEP.rewrites(ast.Subscript)
def subscript(r: Rewriter, node: ast.Subscript) -> str | None:
    """A tensor indexed with grids, or one tile of several."""
    if not r.is_tensor(node):
        return None
    new = region(r, node)
    return new if new != r.source.text_of(node) else None


@STEP.rewrites(ast.Assign)
def definition(r: Rewriter, node: ast.Assign) -> str | None:
    """Grids that nothing names any more go."""
    return None
