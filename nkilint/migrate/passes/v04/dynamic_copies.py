"""`tensor_copy_dynamic_src` and `tensor_copy_dynamic_dst` are `tensor_copy`.

What they copied from or to is an access pattern with `scalar_offset`, which `tensor_copy` takes.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import Example, Step

_TILES = (
    "a = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\nnisa.dma_copy(dst=a, src=x)\n"
    "b = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)\n"
    "n = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)\nnisa.memset(dst=n, value=2)\n"
)
_FROM = "(dst=b, src=a.ap(pattern=[[256, 128], [1, 64]], offset=0, scalar_offset=n, indirect_dim=1))\n"
_REST = "nisa.dma_copy(dst=out[:, 0:64], src=b)\nnisa.dma_copy(dst=out[:, 64:256], src=x[:, 64:256])"
STEP = Step(
    "dynamic-copies",
    "0.4",
    "A",
    __doc__,
    (
        Example(
            f"{_TILES}nisa.tensor_copy_dynamic_src{_FROM}{_REST}",
            f"{_TILES}nisa.tensor_copy{_FROM}{_REST}",
        ),
    ),
)


@STEP.calls("isa.tensor_copy_dynamic_src", "isa.tensor_copy_dynamic_dst")
def copy(r: Rewriter, node: ast.Call) -> str | None:
    """`nisa.tensor_copy_dynamic_src(dst, src)`."""
    if not isinstance(node.func, ast.Attribute):
        return None
    return r.plain_with(node, {node.func: f"{r.render(node.func.value)}.tensor_copy"})
