"""`axis` of `tensor_reduce` counts the dimensions of the tile.

In 0.2, `axis=1` could mean the last dimension of a tile of three or four. Where the shape of `dst` shows that it did,
the axis is named.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step
from nkilint.symbolic.integers import key_of
from nkilint_rules.operands.illegal_axis import IllegalAxis

_TILE = (
    "a = nl.ndarray((128, 4, 64), dtype=x.dtype, buffer=nl.sbuf)\n"
    "nisa.dma_copy(dst=a, src=x.reshape((128, 4, 64)))\n"
    "b = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.sbuf)\n"
)
_REST = "\nnisa.dma_copy(dst=out[:, 0:4], src=b)\nnisa.dma_copy(dst=out[:, 4:256], src=x[:, 4:256])"
STEP = Step(
    "reductions",
    "0.3",
    "E",
    __doc__,
    (
        Example(
            f"{_TILE}nisa.tensor_reduce(dst=b, op=nl.add, data=a, axis=1){_REST}",
            f"{_TILE}nisa.tensor_reduce(dst=b, op=nl.add, data=a, axis=2){_REST}",
        ),
    ),
    (IllegalAxis.code,),
    restates=True,
    rounds=True,
)


@STEP.calls("isa.tensor_reduce")
def reduction(r: Rewriter, node: ast.Call) -> str | None:
    """`tensor_reduce(dst, op, data, axis=1)`."""
    given = dict(zip(("dst", "op", "data", "axis"), node.args, strict=False))
    given.update({k.arg: k.value for k in node.keywords if k.arg is not None})
    axis = given.get("axis")
    number = axis.elts[0] if isinstance(axis, (ast.Tuple, ast.List)) and len(axis.elts) == 1 else axis
    if not isinstance(number, ast.Constant) or number.value != 1 or not {"dst", "data"} <= given.keys():
        return None
    tiles, results = r.views(given["data"]), r.views(given["dst"])
    ranks = {len(v.shape) for v in tiles}
    if not tiles or len(tiles) != len(results) or ranks <= {1, 2}:
        return None
    pairs = [(v.shape, w.shape) for v, w in zip(tiles, results, strict=True)]
    own = all(_is_left(wide, narrow, 1) for wide, narrow in pairs)
    last = all(_is_left(wide, narrow, len(wide) - 1) for wide, narrow in pairs)
    if last and own:
        raise Undecided("`axis=1` was the last dimension in 0.2, and is the second one now: both give this shape")
    if not last:
        return None
    if len(ranks) > 1:
        raise Undecided("`axis=1` means the last dimension of tiles of different ranks: name it")
    return r.plain_with(node, {number: str(ranks.pop() - 1)})


def _is_left(wide: Sequence[Any], narrow: Sequence[Any], axis: int) -> bool:
    """Whether a shape is what a reduction along an axis leaves of another one; sizes of 1 do not count."""
    kept = [key_of(n) for d, n in enumerate(wide) if d != axis and key_of(n) != key_of(1)]
    return kept == [key_of(n) for n in narrow if key_of(n) != key_of(1)]
