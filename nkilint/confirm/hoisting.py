"""Kernels that are made inside of functions and classes, brought to the top level of their modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nkilint.base.trees import FUNCTIONS

from .slices import Slices, loads

MADE = "made__"


class CannotHoist(Exception):
    """A kernel that cannot be had without running what is around it; the text says why."""


def hoist(tree: ast.Module, path: str, outer: Sequence[str], function: str) -> list[str]:
    """Add a function to the module that makes the kernel `function` of the scopes `outer`, and nothing else.

    It executes what the kernel needs of the statements before it in those scopes. Its parameters, whose names are
    returned, are those that the kernel needs of the functions around it, as far as they have no default.
    """
    body: list[ast.stmt] = tree.body
    before: list[ast.stmt] = []
    required: list[str] = []
    for name, inner in zip(outer, (*outer[1:], function), strict=True):
        scope = _definition(body, name)
        if isinstance(scope, FUNCTIONS):
            names, defaults = _parameters(scope)
            required += names
            before += defaults
        body = scope.body
        stop = body.index(_around(body, _definition(body, inner)))
        before += body[:stop]
    kernel = _definition(body, function)
    slices = Slices(ast.Module(before, []), path)
    wanted, used = slices.needed(loads(kernel))
    statements = [slices.statements[number] for number in sorted(wanted)]
    if any(isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom)) for s in statements for n in _own(s)):
        raise CannotHoist(f"`{outer[-1]}` may end before it makes the kernel")
    needed = [name for name in dict.fromkeys(required) if name in used and name not in slices.binding]
    tree.body.append(_maker(needed, statements, kernel))
    return needed


def _definition(body: list[ast.stmt], name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef:
    """The last definition of a name in a body."""
    found = None
    for statement in body:
        for node in (statement, *_own(statement)):
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.name == name:
                found = node
    if found is None:
        raise CannotHoist(f"`{name}` is not to be found")
    return found


def _around(body: list[ast.stmt], node: ast.AST) -> ast.stmt:
    """The statement of the body that holds a node."""
    return next(s for s in body if s is node or any(n is node for n in _own(s)))


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """What a statement holds, definitions included and what stands in them left out."""
    pending: list[ast.AST] = [] if isinstance(statement, (*FUNCTIONS, ast.ClassDef)) else [statement]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            pending += list(ast.iter_child_nodes(node))


def _parameters(scope: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[list[str], list[ast.stmt]]:
    """The parameters without a default, and assignments for the others."""
    given = scope.args
    named = [*given.posonlyargs, *given.args]
    pairs = list(zip(reversed(named), reversed(given.defaults), strict=False))
    pairs += [(a, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None]
    known = {argument.arg for argument, _ in pairs}
    required = [a.arg for a in (*named, *given.kwonlyargs) if a.arg not in known]
    return required, [_assigned(argument.arg, default) for argument, default in pairs]


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), value))


def _maker(
    names: list[str], statements: list[ast.stmt], kernel: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
) -> ast.stmt:
    """The function that makes the kernel, in the place of the kernel."""
    (made,) = ast.parse(f"def {MADE}({', '.join(names)}):\n    return {kernel.name}").body
    assert isinstance(made, ast.FunctionDef)
    ast.increment_lineno(made, kernel.lineno - 1)
    made.body[:0] = [*statements, kernel]
    return made
