"""Every expression in the functions of a project handed to `reveal`, so that its evaluation tells what it was."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import root_of, walk
from nkilint.project.files import OUTSIDE, Project

from .aligned import Places, with_last_axis
from .singles import as_grids, leaves_out_axis

_ASKED = (ir.Name, ir.Attr, ir.Index, ir.Call, ir.Binary, ir.Unary, ir.Compare)


class Asking(Project):
    """A project in which the evaluator is asked about every expression in a function; the subscripts at the places of
    `lacking` get an axis. `helpers` are the functions that leave out an axis, as far as files were read."""

    def __init__(
        self, paths: Iterable[str], overlay: Mapping[str, bytes], search: Iterable[Path], lacking: Places
    ) -> None:
        super().__init__(paths, overlay, search)
        self.lacking, self.helpers = lacking, set[str]()

    def _lower(self, path: str) -> ir.Module:
        module = super()._lower(path)
        self.helpers |= {n.name for n in walk(module.body) if isinstance(n, ir.FunctionDef) and leaves_out_axis(n)}
        places = self.lacking.get(os.path.abspath(module.path), frozenset())
        return _Questions().module(with_last_axis(module, places))


class _Questions:
    """Hands the expressions in functions to `reveal`, innermost first."""

    def __init__(self) -> None:
        self._modules: frozenset[str] = frozenset()  # and what is imported from outside
        self._kept: frozenset[str] = frozenset()  # these, and the parameters of the function
        self._outside: frozenset[str] = frozenset()  # what is imported from outside
        self._imported: frozenset[str] = frozenset()

    def module(self, module: ir.Module) -> ir.Module:
        imported = [(name, s) for s in walk(module.body) for name in _imported(s)]
        self._imported = frozenset(name for name, _ in imported)
        self._outside = frozenset(name for name, s in imported if _is_outside(s))
        self._modules = self._kept = self._outside | {name for name, s in imported if isinstance(s, ir.Import)}
        return replace(module, body=tuple(self._statement(s) for s in module.body))

    def _statement(self, statement: ir.Stmt) -> Any:
        if isinstance(statement, ir.FunctionDef):
            return self._function(statement)
        if isinstance(statement, (ir.ClassDef, ir.If, ir.With, ir.Try)):
            return self._blocks(statement, self._statement)
        return statement

    def _function(self, function: ir.FunctionDef) -> ir.FunctionDef:
        before, function = self._kept, as_grids(function)
        self._kept = self._modules | {p.name for p in function.params}
        body: list[ir.Stmt] = [_asked(p.at, ir.Name(named(p), p.name)) for p in function.params]
        for statement in function.body:
            body += self._in_function(statement)
        self._kept = before
        return replace(function, body=tuple(body))

    def _in_function(self, statement: ir.Stmt) -> list[ir.Stmt]:
        """A statement with its expressions asked about, then what it binds."""
        if isinstance(statement, ir.FunctionDef):
            return [self._function(statement)]
        if isinstance(statement, (ir.Assert, ir.ClassDef)):
            return [statement]
        if isinstance(statement, ir.For):
            target = tuple(_asked(t.at, self._inside(t)) for t in _bound(statement.target))
            loop = replace(
                statement,
                iterable=self._inside(statement.iterable),
                body=(*target, *self._block(statement.body)),
                otherwise=self._block(statement.otherwise),
            )
            return [loop]
        if isinstance(statement, (ir.Assign, ir.AugAssign)):
            targets = statement.targets if isinstance(statement, ir.Assign) else (statement.target,)
            after = [_asked(t.at, self._inside(t)) for target in targets for t in _bound(target)]
            return [replace(statement, value=self._asked(statement.value)), *after]
        if isinstance(statement, ir.AnnAssign):
            changed = statement if statement.value is None else replace(statement, value=self._asked(statement.value))
            return [changed, *(_asked(t.at, self._inside(t)) for t in _bound(statement.target))]
        return [self._blocks(statement, None)]

    def _block(self, block: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
        return tuple(new for statement in block for new in self._in_function(statement))

    def _blocks(self, statement: ir.Stmt, each: Any) -> Any:
        """A statement with what is in its fields changed: blocks, and expressions where they are asked about."""
        new: dict[str, Any] = {}
        for f in fields(statement):
            value = getattr(statement, f.name)
            if isinstance(statement, ir.If) and f.name == "then" and _denies(value[0], statement.test):
                value = value[1:]  # nothing runs behind it, and it is migrated all the same
            if f.name in ("body", "then", "otherwise", "final") and isinstance(value, tuple):
                new[f.name] = tuple(each(s) for s in value) if each is not None else self._block(value)
            elif each is None and isinstance(value, ir.Expr) and f.name in ("value",):
                new[f.name] = self._asked(value)
        return replace(statement, **new)

    def _asked(self, node: ir.Expr) -> ir.Expr:
        """The expression and those in it, handed to `reveal`."""
        inside: ir.Expr = self._inside(node)
        if not isinstance(node, _ASKED) or (isinstance(node, ir.Name) and node.id in self._kept):
            return inside
        if isinstance(node, ir.Attr) and (node.name == "shape" or root_of(node) in self._outside):
            return inside  # a shape is asked for element by element
        return ir.Call(node.at, ir.Name(node.at, "reveal"), ((None, inside),))

    def _inside(self, node: Any) -> Any:
        """The expression, with those in it asked about."""
        if isinstance(node, ir.Call):
            func = node.func
            if isinstance(func, ir.Attr):
                func = replace(func, value=self._owner(func.value))
            return replace(node, func=func, args=tuple((key, self._asked(value)) for key, value in node.args))
        if isinstance(node, ir.Index):
            return replace(node, value=self._asked(node.value), key=self._inside_key(node.key))
        if isinstance(node, ir.Attr) and isinstance(node.value, (ir.Name, ir.Attr)):
            return replace(node, value=self._owner(node.value))
        if isinstance(node, ir.Comprehension):
            clauses = tuple((target, self._asked(iterable), tests) for target, iterable, tests in node.clauses)
            key = self._asked(node.key) if node.key is not None else None
            return replace(node, key=key, element=self._asked(node.element), clauses=clauses)
        if isinstance(node, (ir.Lambda, ir.Name, ir.Attr, ir.Const)):
            return node
        if not isinstance(node, ir.Expr):
            return node
        if isinstance(node, ir.DictExpr):
            return replace(node, items=tuple((key, self._asked(value)) for key, value in node.items))
        new: dict[str, Any] = {}
        for f in fields(node):
            value = getattr(node, f.name)
            if isinstance(value, ir.Expr):
                new[f.name] = self._asked(value)
            elif isinstance(value, tuple) and f.name in ("items", "parts"):
                new[f.name] = tuple(self._asked(v) if isinstance(v, ir.Expr) else v for v in value)
            elif f.name == "rest":
                new[f.name] = tuple((operator, self._asked(v)) for operator, v in value)
        return replace(node, **new)

    def _owner(self, node: ir.Expr) -> ir.Expr:
        """What an attribute is of: nothing is asked of what may be a module."""
        return node if isinstance(node, ir.Name) and node.id in self._imported else self._asked(node)

    def _inside_key(self, key: ir.Expr) -> ir.Expr:
        if isinstance(key, ir.Sequence):
            return replace(key, items=tuple(self._inside_key(item) for item in key.items))
        return self._asked(key)


def _asked(at: ir.Span, node: ir.Expr) -> ir.Stmt:
    return ir.ExprStmt(at, ir.Call(node.at, ir.Name(at, "reveal"), ((None, node),)))


def _denies(statement: ir.Stmt, test: ir.Expr) -> bool:
    """Whether a statement asserts that the condition under which it stands does not hold."""
    denied = statement.test if isinstance(statement, ir.Assert) else None
    return (
        isinstance(denied, ir.Unary)
        and denied.op == "not"
        and isinstance(denied.operand, ir.Name)
        and isinstance(test, ir.Name)
        and denied.operand.id == test.id
    )


def _bound(target: ir.Expr) -> Iterable[ir.Expr]:
    """What an assignment binds, one by one."""
    if isinstance(target, ir.Sequence):
        for item in target.items:
            yield from _bound(item)
    elif isinstance(target, (ir.Name, ir.Index)):
        yield target


def named(parameter: ir.Param) -> ir.Span:
    at = parameter.at
    return replace(at, end_row=at.row, end_column=at.column + len(parameter.name))


def _is_outside(statement: ir.Node) -> bool:
    """Whether an import is of a module that no file of the project is."""
    if isinstance(statement, ir.Import):
        return all(name.partition(".")[0] in OUTSIDE for name, _ in statement.names)
    return isinstance(statement, ir.ImportFrom) and not statement.level and _root(statement) in OUTSIDE


def _root(statement: ir.ImportFrom) -> str:
    return (statement.module or "").partition(".")[0]


def _imported(statement: ir.Node) -> Iterable[str]:
    """The names that an import binds."""
    if isinstance(statement, ir.Import):
        yield from ((alias or name).partition(".")[0] for name, alias in statement.names)
    elif isinstance(statement, ir.ImportFrom):
        yield from (alias for _, alias in statement.names)
