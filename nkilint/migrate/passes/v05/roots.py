"""`nl.rsqrt` does not read PSUM: `nisa.activation` does.

The Scalar Engine computes it, as `nl.rsqrt` of 0.4 had it done.
"""

from __future__ import annotations

import ast

from nkilint.migrate.destinations import Pending
from nkilint.migrate.operations import numpy_dtype
from nkilint.migrate.passes.beta1.results import assigned
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.spelling import dtype, shape
from nkilint.migrate.steps import SUM, Example, Step
from nkilint_rules.operands.wrong_memory import WrongMemory
from nkilint_rules.words.memory import PSUM

_REST = "nisa.dma_copy(dst=out[:, 0:128], src=b)\nnisa.dma_copy(dst=out[:, 128:256], src=x[:, 0:128])"
STEP = Step(
    "roots",
    "0.5",
    "E",
    __doc__,
    (
        Example(
            f"{SUM}b = nl.rsqrt(p)\n{_REST}",
            f"{SUM}b = nl.ndarray(p.shape, dtype=nl.float32, buffer=nl.sbuf)\n"
            f"nisa.activation(dst=b, op=nl.rsqrt, data=p)\n{_REST}",
        ),
    ),
    (WrongMemory.code,),
    rounds=True,
)


@STEP.rewrites(ast.Assign)
def assign(r: Rewriter, node: ast.Assign) -> str | None:
    """`root = nl.rsqrt(psum)`."""
    if len(node.targets) != 1 or not isinstance(node.value, ast.Call) or r.operation(node.value) != "language.rsqrt":
        return None
    found = r.translate(node.value)
    return assigned(r, node.targets[0], found, node.value) if isinstance(found, Pending) else None


@STEP.calls("language.rsqrt")
def root(r: Rewriter, node: ast.Call) -> Pending | None:
    """`nl.rsqrt(psum)`."""
    given = dict(zip(("x", "dtype"), node.args, strict=False))
    given.update({k.arg: k.value for k in node.keywords if k.arg is not None})
    source, kind = given.get("x"), given.get("dtype")
    if source is None or r.memory(source) != PSUM:
        return None
    views = r.views(node)
    if not views:
        raise Undecided(f"what `rsqrt` gives is not known{r.because(node)}")
    text = numpy_dtype(r, kind, r.render(kind)) if kind is not None else dtype(r, views, [source], node)
    parts = (f"op={r.render(node.func)}", f"data={r.render(source)}")
    return Pending(f"{r.module('isa')}.activation", parts, tuple(views), text, "rsqrt", shape(r, views, [source], node))
