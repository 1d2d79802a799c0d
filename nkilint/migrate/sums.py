"""What a tile in PSUM holds when a product is written to it, on which it hangs whether the product is added."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import key_of

from .rewriting import Rewriter

_LOOPS = (ast.For, ast.While, ast.comprehension)
_PRODUCTS = frozenset({"isa.nc_matmul", "language.matmul"})
_EMPTY = frozenset({"language.ndarray", "language.empty"})
_ZEROS = frozenset({"language.zeros"})


def holds_products(r: Rewriter, target: ast.expr) -> bool:
    """Whether nothing but zeros and products comes into the tile that is added to: `nki` may let the first product
    replace anything else, as no page says what counts as the first write. Each product is written to the elements of
    one before it, or to none of them."""
    products: list[ast.stmt] = []
    for statement, value, op in _writes(r, target):
        if value is not None and _operation(r, value) in _PRODUCTS and isinstance(op, (type(None), ast.Add)):
            products.append(statement)
        elif value is not None and not _is_zero(r, value):
            return False
    parts = {_ends(view) for s in products for t in _targets(s) for view in r.views(t)}
    return not any(one != other and _meet(one, other) for one in parts for other in parts)


Ends = tuple[tuple[float, float], ...]
"""The first and the last index along each dimension of a tile; empty where an input or a loop decides on them."""


def _ends(view: View) -> Ends:
    numbers = all(v.kind == "axis" for v in variables(*view.index, through_bounds=True))
    return tuple(map(bounds, view.index)) if numbers else ()


def _meet(one: Ends, other: Ends) -> bool:
    """Whether two parts of a tile are known to have elements in common."""
    pairs = list(zip(one, other, strict=False))
    return bool(pairs) and all(a[0] <= b[1] and b[0] <= a[1] for a, b in pairs)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]  # type: ignore[attr-defined]


def is_copied_to(r: Rewriter, target: ast.expr) -> bool:
    """Whether a product of which nothing says that it has the tile's shape is assigned to it, by way of a copy: what a
    product adds to that is undefined."""
    return any(
        isinstance(statement, ast.Assign)
        and value is not None
        and op is None
        and _operation(r, value) in _PRODUCTS
        and isinstance(statement.targets[0], ast.Subscript)
        and _shapes(r, statement.targets[0]) != _shapes(r, value)
        for statement, value, op in _writes(r, target)
    )


def _shapes(r: Rewriter, node: ast.expr) -> list[tuple[object, ...]]:
    return [tuple(map(key_of, view.shape)) for view in r.views(node)]


def may_hold(r: Rewriter, target: ast.expr) -> bool:
    """Whether a product may have been written before to the tile that one is assigned to, so that `nki` would add."""
    statement = r.source.statement(target)
    found = list(_writes(r, target))
    made = [s for s, value, _ in found if value is None or _operation(r, value) in _EMPTY | _ZEROS]
    others = [s for s, value, _ in found if s not in made and s is not statement]
    if others or len(made) != 1 or statement is None:
        return True
    return _loops(r, statement) != _loops(r, made[0])


def _loops(r: Rewriter, node: ast.AST) -> list[ast.AST]:
    return [n for n in r.source.around(node) if isinstance(n, _LOOPS)]


def _writes(r: Rewriter, target: ast.expr) -> Iterator[tuple[ast.stmt, ast.expr | None, ast.operator | None]]:
    """The statements that make or write the tile, what they give it, which is None for one without content, and by
    which operator."""
    for node in ast.walk(r.source.tree):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and node.value is not None:
            targets = [node.target]
        else:
            continue
        if not any(_is_same(r, each, target) for each in targets):
            continue
        value = node.value
        bound = isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in targets)
        if bound and value is not None and _operation(r, value) is None:
            continue  # another name for it
        empty = value is not None and _operation(r, value) in _EMPTY
        yield node, None if empty else value, node.op if isinstance(node, ast.AugAssign) else None


def _is_same(r: Rewriter, one: ast.expr, other: ast.expr) -> bool:
    """Whether two targets are of the same tile: by its name in one function, or in an evaluation."""
    if _root(one) is not None and _root(one) == _root(other) and r.source.function(one) is r.source.function(other):
        return True
    bases = [view.base for view in r.views(other)]
    return any(view.base is base for view in r.views(one) for base in bases)


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _operation(r: Rewriter, value: ast.expr) -> str | None:
    return r.operation(value) if isinstance(value, ast.Call) else None


def _is_zero(r: Rewriter, value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return value.value == 0 and value.value is not False
    if not isinstance(value, ast.Call):
        return False
    operation = r.operation(value)
    if operation in _ZEROS:
        return True
    filled = operation in ("language.full", "isa.memset")
    return filled and any(
        isinstance(a, ast.Constant) and a.value == 0
        for a in (*value.args[1:2], *(k.value for k in value.keywords if k.arg in ("fill_value", "value")))
    )
