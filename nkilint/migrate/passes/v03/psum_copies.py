"""`dma_copy` does not read PSUM: what it copies goes through SBUF.

The Vector Engine copies it there first, into a tile of the same shape and dtype.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.spelling import dtype, shape
from nkilint.migrate.steps import SUM, Example, Step
from nkilint_rules.operands.wrong_memory import WrongMemory
from nkilint_rules.words.memory import PSUM

_REST = "\nnisa.dma_copy(dst=out[:, 128:256], src=x[:, 0:128])"
STEP = Step(
    "psum-copies",
    "0.3",
    "E",
    __doc__,
    (
        Example(
            f"{SUM}nisa.dma_copy(dst=out[:, 0:128], src=p){_REST}",
            f"{SUM}p_sbuf = nl.ndarray(p.shape, dtype=nl.float32, buffer=nl.sbuf)\n"
            f"nisa.tensor_copy(dst=p_sbuf, src=p)\nnisa.dma_copy(dst=out[:, 0:128], src=p_sbuf){_REST}",
        ),
    ),
    (WrongMemory.code,),
)


@STEP.rewrites(ast.Call)
def copy(r: Rewriter, node: ast.Call) -> str | None:
    """`dma_copy(dst, psum)`."""
    if r.operation(node) != "isa.dma_copy":
        return None
    given = dict(zip(("dst", "src"), node.args, strict=False))
    given.update({k.arg: k.value for k in node.keywords if k.arg is not None})
    source = given.get("src")
    if source is None or r.memory(source) != PSUM:
        return None
    views, nl = r.views(source), r.module("language")
    stem = next((n.id for n in ast.walk(source) if isinstance(n, ast.Name)), "psum")
    name = r.fresh(f"{stem}_sbuf")
    size, kind = shape(r, views, [source], node), dtype(r, views, [source], node)
    r.pending.append(f"{name} = {nl}.ndarray({size}, dtype={kind}, buffer={nl}.sbuf)")
    r.pending.append(f"{r.module('isa')}.tensor_copy(dst={name}, src={r.render(source)})")
    return r.plain_with(node, {source: name})
