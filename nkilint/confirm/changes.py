"""What executing a statement binds and changes, as far as its text and the functions of its module tell."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping

from nkilint.base.trees import Function, root_of

Functions = Mapping[str, Function]

_TAKING = frozenset(
    {*dir(list), *dir(dict), *dir(set), "appendleft", "extendleft"}
)  # methods that leave what they are given as it is


def changes(
    statement: ast.AST, functions: Functions, entered: frozenset[str] = frozenset()
) -> tuple[set[str], set[str]]:
    """Names whose values a statement may change when it is executed, and names of which it calls something for its
    effects alone.

    It may change them in place or through functions of the module that it calls: `table["x"] = 1`, `names.append("x")`,
    `fill(table)`, `configure()`, a decorator that registers.
    """
    changed: set[str] = set()
    alone: set[str] = set()
    for node in _executed(statement):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            changed |= set(root_of(node))
        called = [node.func] if isinstance(node, ast.Call) else list(getattr(node, "decorator_list", ()))
        for function in called:
            if isinstance(function, ast.Call):
                function = function.func
            if isinstance(function, ast.Name) and function.id in functions and function.id not in entered:
                changed |= _outside(functions[function.id], functions, entered | {function.id})
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            changed |= _for_effect(node.value)
            alone |= set(root_of(node.value.func))
    return changed, alone


def _for_effect(call: ast.Call) -> set[str]:
    """What a call may change whose result nobody takes: that whose method it is, and what it is given."""
    method = set(root_of(call.func)) if isinstance(call.func, ast.Attribute) else set()
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in _TAKING or (not method and hasattr(builtins, name)):
        return method
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return method | {argument.id for argument in arguments if isinstance(argument, ast.Name)}


def _outside(
    function: ast.FunctionDef | ast.AsyncFunctionDef, functions: Functions, entered: frozenset[str]
) -> set[str]:
    """Names of the module that a function may change when it is called, or one that it makes."""
    found: set[str] = set()
    for statement in function.body:
        found |= changes(statement, functions, entered)[0]
        for node in ast.walk(statement):
            if isinstance(node, ast.Global):
                found |= set(node.names)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found |= _outside(node, functions, entered)
    return found - locals_of(function)


def _executed(statement: ast.AST) -> Iterator[ast.AST]:
    """What is executed with a statement: bodies of functions are not."""
    pending = [statement]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            pending += [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        elif not isinstance(node, ast.Lambda):
            pending += list(ast.iter_child_nodes(node))


def binds(statement: ast.AST) -> Iterator[str]:
    """Names of the module that a statement binds."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from (a.asname or a.name.partition(".")[0] for a in statement.names if a.name != "*")
    elif isinstance(statement, ast.Name) and isinstance(statement.ctx, ast.Store):
        yield statement.id
    elif isinstance(statement, ast.Lambda):
        return
    for child in ast.iter_child_nodes(statement):
        yield from binds(child)


def locals_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """Names that a function binds for itself."""
    given = function.args
    found = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if a}
    outside: set[str] = set()
    body = function.body if isinstance(function.body, list) else []
    pending: list[tuple[ast.AST, bool]] = [(node, False) for node in body]
    while pending:
        node, looked_into = pending.pop()
        if not looked_into and not isinstance(node, ast.expr):
            found |= set(binds(node))
            looked_into = True
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            outside |= set(node.names)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            looked_into = looked_into and not isinstance(node, ast.Lambda)  # into which `binds` does not look
            pending += [(child, looked_into) for child in ast.iter_child_nodes(node)]
    return found - outside
