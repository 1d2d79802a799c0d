"""What an operation certainly gives where no evaluation tells: a tile, whatever comes of it."""

from __future__ import annotations

import ast

from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1

from .rewriting import Rewriter, Undecided

_GIVING = frozenset({"compute", "create", "dma", "matmul"})
_DEPTH = 8


def check_known(r: Rewriter, node: ast.expr | ast.AugAssign, *operands: ast.expr) -> None:
    """Asks a person where an operator works on what an operation gave, and no evaluation came to it."""
    if not any(r.values(x) for x in (node, *operands)) and any(is_made(r, x) for x in operands):
        unknown = next((x for x in (node, *operands) if r.because(x)), operands[0])
        raise Undecided(f"what `{r.source.text_of(node)}` works on is not known{r.because(unknown)}")


def is_made(r: Rewriter, node: ast.expr, depth: int = _DEPTH) -> bool:
    """Whether an expression of which nothing is known comes from an operation of Beta 1 that gives a tile."""
    if not depth or r.values(node):
        return False
    if isinstance(node, ast.Call):
        name = r.operation(node)
        operation = lookup(BETA1, name) if name is not None and r.dialect == BETA1 else None
        return operation is not None and operation.kind in _GIVING
    if isinstance(node, ast.BinOp):
        return is_made(r, node.left, depth - 1) or is_made(r, node.right, depth - 1)
    if isinstance(node, ast.UnaryOp):
        return is_made(r, node.operand, depth - 1)
    if isinstance(node, ast.Subscript):
        return is_made(r, node.value, depth - 1)
    return isinstance(node, ast.Name) and any(is_made(r, value, depth - 1) for value in _given(r, node))


def _given(r: Rewriter, name: ast.Name) -> list[ast.expr]:
    """What the function around a name assigns to it."""
    function = r.source.function(name)
    made = [n for n in ast.walk(function) if isinstance(n, ast.Assign)] if function is not None else []
    return [s.value for s in made if any(isinstance(t, ast.Name) and t.id == name.id for t in s.targets)]
