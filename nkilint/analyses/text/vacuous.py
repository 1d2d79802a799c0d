"""Checks that compare something with itself, and statements that nothing leads to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeGuard

from nkilint.base.trees import FUNCTIONS, walk

from .code import Code, nodes_in

_SAME = (ast.Eq, ast.Is, ast.LtE, ast.GtE)
_MODULES = ("nl", "language")
_MAKING = frozenset({"ndarray", "zeros", "ones", "full", "empty_like", "zeros_like"})
_LEAVING = {ast.Return: "return", ast.Raise: "raise", ast.Break: "break", ast.Continue: "continue", ast.If: "if"}


def compared_with_itself(code: Code) -> Iterator[tuple[ast.expr, str, str]]:
    """Tests whose two sides are the same text and have the same value, what they are part of, and how they come out.

    `x == x` is how NaN is told apart, so it is reported only as the whole test of an assertion or of a check by name,
    where whether it holds for all elements is kept, and in an `if` that compares shapes or dtypes.
    """
    for statement in code.statements:
        if code.answer(statement, _compares):
            yield from _compared(nodes_in(statement))


def _compares(nodes: Sequence[ast.AST]) -> bool:
    return any(True for _ in _compared(nodes))


def _compared(nodes: Sequence[ast.AST]) -> Iterator[tuple[ast.expr, str, str]]:
    for node in nodes:
        if isinstance(node, ast.Assert):
            yield from ((test, "assertion", _TRUE) for test in _conjuncts(node.test) if _is_same(test))
        elif isinstance(node, ast.Call) and _checks(node) and len(node.args) >= 2 and _alike(*node.args[:2]):
            yield node, "check", _TRUE
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _asks_for_all(node.value):
            yield node.value, "check", _TRUE
        elif isinstance(node, (ast.If, ast.IfExp)):
            for part in _parts(node.test):
                if _is_of_a_tensor(part) and _alike(part.left, part.comparators[0]):
                    yield part, "guard", _TRUE if isinstance(part.ops[0], _SAME) else "never true"


_TRUE = "always true"


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    """The tests that `and` and `or` join."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _parts(value)
    else:
        yield test


def _is_of_a_tensor(test: ast.expr) -> TypeGuard[ast.Compare]:
    """Whether a test compares what a tensor says of itself, which is never NaN."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (*_SAME, ast.NotEq, ast.Lt, ast.Gt, ast.IsNot)):
        return False
    side = test.left
    while isinstance(side, ast.Subscript):
        side = side.value
    return isinstance(side, ast.Attribute) and side.attr in ("shape", "dtype", "ndim")


def _conjuncts(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _conjuncts(value)
    else:
        yield test


def _is_same(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], _SAME) and _alike(test.left, test.comparators[0])


def _asks_for_all(call: ast.Call) -> bool:
    """`(a == a).all()` and `all(a == a)`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "all" and not call.args:
        return _is_equal(call.func.value)
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name == "all" and len(call.args) == 1 and _is_equal(call.args[0])


def _is_equal(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) and _is_same(test)


def _checks(call: ast.Call) -> bool:
    """Whether a function says by its name that its first two arguments are to be equal."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in _CHECKS


_CHECKS = frozenset(
    {"assert_allclose", "assert_array_equal", "assert_equal", "assert_almost_equal", "assert_array_almost_equal",
     "assert_close", "assertEqual", "assertAlmostEqual", "allclose", "array_equal"}
)  # fmt: skip


def _alike(left: ast.expr, right: ast.expr) -> bool:
    """The same text, which has the same value each time: it is no literal, and calls only what always says the same."""
    if any(isinstance(n, (ast.Await, ast.Yield)) or (isinstance(n, ast.Call) and not _steady(n)) for n in walk(left)):
        return False
    named = any(isinstance(n, ast.Name) for n in walk(left))
    return named and ast.dump(left) == ast.dump(right)


def _steady(call: ast.Call) -> bool:
    """Whether a call gives the same each time: a length, a size of the launch grid, a place in it."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in _OF_GRIDS and ast.unparse(call.func.value).endswith(_MODULES)
    return isinstance(call.func, ast.Name) and call.func.id == "len"


_OF_GRIDS = frozenset({"num_programs", "program_id", "program_ndim"})


def rebound_allocations(code: Code) -> Iterator[tuple[str, ast.stmt, ast.stmt]]:
    """Names bound to a new tensor that the same block binds anew before anything reads them, with where it does."""
    for body in code.blocks:
        for number, statement in enumerate(body):
            name = code.answer(statement, _made) if isinstance(statement, ast.Assign) else None
            again = _bound_again(name, body[number + 1 :], code) if name else None
            if name and again is not None:
                yield name, statement, again


def _made(nodes: Sequence[ast.AST]) -> str | None:
    """The name that a statement binds to a new tensor."""
    match nodes[0]:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr=attr) as function)):
            return name if attr in _MAKING and ast.unparse(function.value).endswith(_MODULES) else None
    return None


def _bound_again(name: str, rest: Sequence[ast.stmt], code: Code) -> ast.stmt | None:
    """The first of the statements that mentions a name, if it only binds the name."""
    for statement in rest:
        if name in code.names_below(statement):
            return _binding(statement, name, code)
        if isinstance(statement, _UNSURE):
            return None
    return None


def _binding(statement: ast.stmt, name: str, code: Code) -> ast.stmt | None:
    """The assignment that binds a name anew before a statement reads it, on each way through the statement."""
    if isinstance(statement, ast.Assign):
        mentions = [n for n in walk(statement) if isinstance(n, ast.Name) and n.id == name]
        return statement if mentions == statement.targets else None
    if isinstance(statement, ast.With):
        known = any(_mentions(item.context_expr, name) for item in statement.items)
        return None if known else _bound_again(name, statement.body, code)
    if isinstance(statement, ast.If) and not _mentions(statement.test, name):
        first, other = _bound_again(name, statement.body, code), _bound_again(name, statement.orelse, code)
        return None if other is None else first
    return None


def _mentions(node: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(node))


_UNSURE = (ast.Return, ast.Raise, ast.Global, ast.Nonlocal, *FUNCTIONS, ast.ClassDef)
"""Statements that leave the block, or behind which a name may be read that they do not show."""


def unreachable(code: Code) -> Iterator[tuple[ast.stmt, ast.stmt, str]]:
    """The first statement of a block that stands behind one that leaves it, with that one and its word."""
    for body in code.blocks:
        for before, after in pairwise(body):
            if _leaves(before) and not _means_something(after):
                yield after, before, _LEAVING[type(before)]
                break


def _leaves(statement: ast.stmt) -> bool:
    """Whether nothing comes to what follows a statement: an `if` leaves the block where both of its sides do."""
    if isinstance(statement, ast.If):
        return all(bool(side) and _leaves(side[-1]) for side in (statement.body, statement.orelse))
    return type(statement) in _LEAVING


def dead_rows(code: Code) -> list[range]:
    """The rows of statements that `unreachable` says nothing leads to, to the ends of their blocks."""
    first = {id(after) for after, _, _ in unreachable(code)}
    ends = ((s, body[-1]) for body in code.blocks for s in body if id(s) in first)
    return [range(s.lineno, (last.end_lineno or last.lineno) + 1) for s, last in ends]


def _means_something(statement: ast.stmt) -> bool:
    """A `yield` makes a function a generator even there; `pass`, a text, `assert False` say that nothing gets there."""
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(statement)):
        return True
    if isinstance(statement, ast.Assert):
        return isinstance(statement.test, ast.Constant)
    return isinstance(statement, (ast.Pass, ast.Raise)) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )
