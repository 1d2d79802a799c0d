"""Numbers that a loop counts on are told of, and lists that it makes longer.

Beta 1 traced the body of a loop once, so they changed once; `nki` runs it in each iteration.
"""

from __future__ import annotations

import ast

from nkilint.evaluator.values.containers import ListValue
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step
from nkilint.migrate.traced import carries, only_places
from nkilint.symbolic.conditions import Cond
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

_GROWING = frozenset({"append", "extend", "insert", "pop"})


@STEP.rewrites(ast.AugAssign)
def counted(r: Rewriter, node: ast.AugAssign) -> str | None:
    """`number += 1` in a loop that is run in each iteration now."""
    check(r, node, node.target)
    return None


@STEP.rewrites(ast.Expr)
def grown(r: Rewriter, node: ast.Expr) -> str | None:
    """`tiles.append(tile)` to a list that was made before the loop."""
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in _GROWING:
        return None
    name = call.func.value
    values = r.values(name)
    if isinstance(name, ast.Name) and values and all(isinstance(v, ListValue) for v in values):
        _tell(r, node, name.id)
    return None


def check(r: Rewriter, node: ast.AugAssign | ast.Assign, target: ast.expr) -> None:
    """Tells of a number that an iteration leaves to the next one."""
    values = r.values(target)
    if (
        not isinstance(target, ast.Name)
        or not values
        or not all(isinstance(v, (int, float, Sym, Cond)) for v in values)
    ):
        return
    _tell(r, node, target.id)


def _tell(r: Rewriter, node: ast.stmt, name: str) -> None:
    for loop in r.source.around(node):
        if isinstance(loop, (ast.FunctionDef, ast.AsyncFunctionDef)):
            break
        if isinstance(loop, ast.For) and carries(r, loop, name) and not only_places(r, loop, name):
            raise Undecided(_WHY.format(name))
