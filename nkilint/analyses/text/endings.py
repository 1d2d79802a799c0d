"""How statements go on: what certainly leads to what follows, what does not come back, and which loops run."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from nkilint.base.trees import walk

from .bindings import bound_by

_SAYING = frozenset({"print", "print_exc", "warn", "warning", "info", "debug", "exception"})  # and come back
_DESCRIBING = frozenset({"str", "repr", "format", "len", "type", "list", "tuple", "dict", "set", "sorted"})
_ENDING = frozenset({"exit", "quit", "skip", "fail", "xfail", "abort", "_exit"})  # calls that do not come back


def _called(call: ast.expr) -> str:
    if not isinstance(call, ast.Call):
        return ""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def goes_on(handler: ast.ExceptHandler) -> bool:
    """Whether a handler surely lets the program go on behind its `try`."""
    return comes_to_its_end(handler.body)


def comes_to_its_end(body: Sequence[ast.stmt]) -> bool:
    """Whether statements surely lead to what follows: they only say something, or bind names to what takes no call of
    the program's own."""
    return all(
        isinstance(s, ast.Pass)
        or (isinstance(s, ast.Expr) and (_called(s.value) in _SAYING or isinstance(s.value, ast.Constant)))
        or (isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and _is_plain(s.value))
        for s in body
    )


def passes_by(body: Sequence[ast.stmt], binding: ast.AST) -> bool:
    """Whether a branch that is written out surely comes to its end without a binding of the same names."""
    if not body or not comes_to_its_end(body):
        return False
    inside = (name for statement in body for node in walk(statement) for name in bound_by(node))
    return frozenset(bound_by(binding)).isdisjoint(inside)


def ways_of(node: ast.If, parents: Mapping[ast.AST, ast.AST]) -> tuple[ast.If, list[list[ast.stmt]]]:
    """The first `if` of the chain that one belongs to, and what stands under each of its tests and `else`."""
    while isinstance(outer := parents[node], ast.If) and outer.orelse == [node]:
        node = outer
    bodies, last = [node.body], node
    while len(last.orelse) == 1 and isinstance(last.orelse[0], ast.If):
        last = last.orelse[0]
        bodies.append(last.body)
    return node, [*bodies, last.orelse]


def _is_plain(value: ast.expr) -> bool:
    return all(_called(node) in _DESCRIBING for node in walk(value) if isinstance(node, ast.Call))


def ends(call: ast.Call) -> bool:
    """Whether a call does not come back: an exit, or a check of something that is written false."""
    first = call.args[0] if call.args else None
    return _called(call) in _ENDING or (isinstance(first, ast.Constant) and first.value is False)


def runs(iterable: ast.expr) -> bool:
    """Whether a loop certainly has an iteration."""
    if isinstance(iterable, (ast.List, ast.Tuple, ast.Set)):
        return any(not isinstance(item, ast.Starred) for item in iterable.elts)
    if not isinstance(iterable, ast.Call) or not _called(iterable).endswith("range"):
        return False
    values = [a.value for a in iterable.args if isinstance(a, ast.Constant) and type(a.value) is int]
    known = 0 < len(values) == len(iterable.args) <= 3 and 0 not in values[2:]
    return known and len(range(*values)) > 0


_OF_UNBOUND = frozenset({"UnboundLocalError", "NameError", "Exception", "BaseException"})


def takes_unbound(kind: ast.expr | None) -> bool:
    """Whether a handler takes what reading an unbound name raises."""
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(each is None or (isinstance(each, ast.Name) and each.id in _OF_UNBOUND) for each in kinds)


_SWALLOWING = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex", "warns"})


def swallows(node: ast.With | ast.AsyncWith) -> bool:
    """Whether a `with` goes on behind its body where that raises."""
    return any(_called(item.context_expr) in _SWALLOWING for item in node.items)


def suppresses(node: ast.With | ast.AsyncWith) -> bool:
    """Whether it does so to pass over what fails: a test that expects an exception reads nothing of what failed."""
    return any(_called(item.context_expr) == "suppress" for item in node.items)
