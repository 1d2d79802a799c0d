"""Numbers that a loop counts on are told of.

Beta 1 traced the body of a loop once, so they changed once; `nki` runs it in each iteration.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step
from nkilint.symbolic.integers import Sym

_WHY = "`{}` changes in each iteration of a loop, which Beta 1 traced once: set it anew in each, or change it outside"
_BODY = (
    "width = 128\nfor i in nl.affine_range(2):\n"
    "    nl.store(out[0:128, nl.ds(128 * i, 128)], nl.load(x[0:128, 0:width]))\n{}    width += 0"
)
STEP = Step(
    "traced-loops",
    "0.2",
    "P",
    __doc__,
    (Example(_BODY.format(""), _BODY.format(f"    # nkilint: migrate: {_WHY.format('width')}\n")),),
)

_TRACED = frozenset({"language.affine_range", "language.sequential_range"})


@STEP.rewrites(ast.AugAssign)
def counted(r: Rewriter, node: ast.AugAssign) -> str | None:
    """`number += 1` in a loop that is run in each iteration now."""
    target = node.target
    values = r.values(target)
    if not isinstance(target, ast.Name) or not values or not all(isinstance(v, (int, float, Sym)) for v in values):
        return None
    for loop in r.source.around(node):
        if isinstance(loop, (ast.FunctionDef, ast.AsyncFunctionDef)):
            break
        if isinstance(loop, ast.For) and _is_traced(r, loop) and not _is_set(loop, target.id, node.lineno):
            raise Undecided(_WHY.format(target.id))
    return None


def _is_traced(r: Rewriter, loop: ast.For) -> bool:
    return isinstance(loop.iter, ast.Call) and r.operation(loop.iter) in _TRACED


def _is_set(loop: ast.For, name: str, row: int) -> bool:
    """Whether each iteration sets a name before a row."""
    return any(
        isinstance(statement, ast.Assign)
        and statement.lineno < row
        and any(isinstance(n, ast.Name) and n.id == name for t in statement.targets for n in ast.walk(t))
        for statement in loop.body
    )
