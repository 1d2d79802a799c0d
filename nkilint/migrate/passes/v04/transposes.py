"""`dma_transpose` writes to the rank of its source.

A `dst` of a lower rank was filled up with dimensions of one element; it is reshaped to them.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.spelling import size
from nkilint.migrate.steps import Example, Step
from nkilint.symbolic.integers import key_of
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.operations.isa_results import TRANSPOSES

_TILES = "a = nl.ndarray((256, 128), dtype=x.dtype, buffer=nl.shared_hbm)\nfrom_four = x.reshape((128, 1, 1, 256))\n"
_REST = "\nnisa.dma_copy(dst=out, src=x)"
STEP = Step(
    "transposes",
    "0.4",
    "E",
    __doc__,
    (
        Example(
            f"{_TILES}nisa.dma_transpose(dst=a, src=from_four, axes=(3, 1, 2, 0)){_REST}",
            f"{_TILES}nisa.dma_transpose(dst=a.reshape((256, 1, 1, 128)), src=from_four, axes=(3, 1, 2, 0)){_REST}",
        ),
    ),
    (ShapeMismatch.code,),
)


@STEP.calls("isa.dma_transpose")
def transpose(r: Rewriter, node: ast.Call) -> str | None:
    """`dma_transpose(dst, src, axes)`."""
    given = dict(zip(("dst", "src", "axes"), node.args, strict=False))
    given.update({k.arg: k.value for k in node.keywords if k.arg is not None})
    if not {"dst", "src"} <= given.keys():
        return None
    sources, results = r.views(given["src"]), r.views(given["dst"])
    ranks, others = {len(v.shape) for v in sources}, {len(v.shape) for v in results}
    if not sources or len(sources) != len(results) or ranks == others:
        return None
    why = "`dst` has to have the rank of `src`: reshape it"
    if len(ranks) != 1:
        raise Undecided(why)
    rank = ranks.pop()
    axes = _axes(given.get("axes"), rank)
    if axes is None or any(len(w.shape) > rank for w in results):
        raise Undecided(why)
    for v, w in zip(sources, results, strict=True):
        moved = [key_of(v.shape[a]) for a in axes if key_of(v.shape[a]) != key_of(1)]
        if moved != [key_of(n) for n in w.shape if key_of(n) != key_of(1)]:
            raise Undecided(why)
    sizes = ", ".join(size(r, [v.shape[a] for v in sources], node) for a in axes)
    return r.plain_with(node, {given["dst"]: f"{r.render(given['dst'])}.reshape(({sizes}))"})


def _axes(node: ast.expr | None, rank: int) -> tuple[int, ...] | None:
    """The order of the dimensions, if it is written out."""
    if node is None:
        return TRANSPOSES.get(rank)
    if not isinstance(node, (ast.Tuple, ast.List)) or len(node.elts) != rank:
        return None
    found = tuple(e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, int))
    return found if sorted(found) == list(range(rank)) else None
