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
