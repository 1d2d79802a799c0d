"""`is` and `is not` become `==` and `!=`.

The compiler of 0.3 has no identity of objects.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import Example, Step
from nkilint.migrate.texts import enclosed

STEP = Step(
    "identities",
    "0.3",
    "A",
    __doc__,
    (
        Example(
            "bias = None\na = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\nnisa.dma_copy(dst=a, src=x)\n"
            "if bias is None:\n    nisa.dma_copy(dst=out, src=a)",
            "bias = None\na = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\nnisa.dma_copy(dst=a, src=x)\n"
            "if bias == None:\n    nisa.dma_copy(dst=out, src=a)",
        ),
    ),
)


@STEP.rewrites(ast.Compare)
def comparison(r: Rewriter, node: ast.Compare) -> str | None:
    """`x is None`, in what kernels run through."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Is, ast.IsNot)) or not r.runs_on_device(node):
        return None
    if not isinstance(node.comparators[0], ast.Constant):
        return None
    operator = "==" if isinstance(node.ops[0], ast.Is) else "!="
    left, right = (enclosed(r.render(x)) for x in (node.left, node.comparators[0]))
    return f"{left} {operator} {right}"
