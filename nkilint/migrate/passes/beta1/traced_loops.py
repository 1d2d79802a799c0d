"""Numbers that a loop counts on are told of, and lists that it makes longer.

Beta 1 traced the body of a loop once, so they changed once; `nki` runs it in each iteration.
"""

from __future__ import annotations

import ast

from nkilint.base.trees import BLOCKS
from nkilint.evaluator.values.containers import ListValue
from nkilint.migrate.naming import parameters
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step
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
_TRACED = frozenset({"language.affine_range", "language.sequential_range"})


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
        if isinstance(loop, ast.For) and not _is_bound_before(r, loop, name):
            continue
        if isinstance(loop, ast.For) and _is_traced(r, loop) and _is_handed_on(r, loop, name):
            raise Undecided(_WHY.format(name))


def _is_bound_before(r: Rewriter, loop: ast.For, name: str) -> bool:
    """Whether there is something that the first iteration begins with."""
    function = r.source.function(loop)
    if function is None or name in parameters(function):
        return True
    stored = (
        n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
    )
    return any(n.lineno < loop.lineno for n in stored)


def _is_handed_on(r: Rewriter, loop: ast.For, name: str) -> bool:
    """Whether an iteration reads a name before it sets it."""
    return any(
        not _is_set_before(r, loop, node, name)
        for statement in loop.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and node.id == name
        if isinstance(node.ctx, ast.Load) or isinstance(r.source.parents[node], ast.AugAssign)
    )


def _is_set_before(r: Rewriter, loop: ast.For, node: ast.AST, name: str) -> bool:
    """Whether the iteration has set a name where a node stands: earlier in the block of that, or of what is around."""
    while node is not loop:
        around = r.source.parents[node]
        for part in BLOCKS:
            block = getattr(around, part, None)
            if isinstance(block, list) and node in block and any(_sets(s, name) for s in block[: block.index(node)]):
                return True
        node = around
    return False


def _is_traced(r: Rewriter, loop: ast.For) -> bool:
    return isinstance(loop.iter, ast.Call) and r.operation(loop.iter) in _TRACED


def _sets(statement: ast.stmt, name: str) -> bool:
    """Whether a statement sets a name on each of its paths."""
    if isinstance(statement, ast.If):
        return all(any(_sets(s, name) for s in block) for block in (statement.body, statement.orelse))
    if isinstance(statement, (ast.For, ast.With)):
        return any(_sets(s, name) for s in statement.body)
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return any(isinstance(n, ast.Name) and n.id == name for t in targets for n in ast.walk(t))
