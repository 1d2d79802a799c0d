"""`tile_size.total_available_sbuf_size` is called `sbuf_fmax_bytes`.

It is the size of one partition, not of all of SBUF.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import Example, Step

_REST = (
    "a = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\nnisa.dma_copy(dst=a, src=x)\n"
    "nisa.dma_copy(dst=out, src=a)"
)
STEP = Step(
    "tile-sizes",
    "0.4",
    "A",
    __doc__,
    (
        Example(
            f"assert nl.tile_size.total_available_sbuf_size > 1024\n{_REST}",
            f"assert nl.tile_size.sbuf_fmax_bytes > 1024\n{_REST}",
        ),
    ),
)


@STEP.rewrites(ast.Attribute)
def constant(r: Rewriter, node: ast.Attribute) -> str | None:
    """`nl.tile_size.total_available_sbuf_size`."""
    if r.api(node) != ("nki", "language.tile_size.total_available_sbuf_size"):
        return None
    return f"{r.render(node.value)}.sbuf_fmax_bytes"
