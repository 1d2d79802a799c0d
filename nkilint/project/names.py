"""Which names a module binds, scope by scope: imports, definitions and plain assignments, in the order of the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, fields
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import parts
from nkilint_rules.words.records import dataclass

_UNVISITED = frozenset({"at", "whole", "id", "op", "name", "kind", "what", "assigned", "locals", "docstring"})
_CHILDREN: dict[type, tuple[str, ...]] = {
    kind: tuple(f.name for f in fields(kind) if f.name not in _UNVISITED)
    for kind in (*ir.Expr.__subclasses__(), ir.FunctionDef, ir.Return)
    if kind is not ir.Const
} | {ir.Param: ("default",)}


@dataclass(frozen=True, slots=True)
class Binding:
    """`from <level dots>module import name`; `name` is None where the module itself is bound."""

    module: str
    level: int
    name: str | None


@dataclass(slots=True, eq=False)
class Scope:
    """A module, a class or a function, with what it binds and what it calls. Lambdas count as part of their scope.

    `names` are the dotted names it reads, each as long as it goes: `nl.load` and not `nl`.
    """

    module: ir.Module
    node: ir.Module | ir.ClassDef | ir.FunctionDef
    parent: Scope | None
    imports: dict[str, list[Binding]] = field(default_factory=dict)
    stars: list[Binding] = field(default_factory=list)
    definitions: dict[str, list[Scope]] = field(default_factory=dict)
    values: dict[str, list[ir.Expr]] = field(default_factory=dict)
    calls: list[ir.Call] = field(default_factory=list)
    names: list[ir.Expr] = field(default_factory=list)
    returns: list[ir.Expr] = field(default_factory=list)
    children: list[Scope] = field(default_factory=list)

    @property
    def function(self) -> ir.FunctionDef | None:
        return self.node if isinstance(self.node, ir.FunctionDef) else None

    @property
    def is_method(self) -> bool:
        return self.parent is not None and isinstance(self.parent.node, ir.ClassDef)

    @property
    def outer(self) -> tuple[ir.FunctionDef | ir.ClassDef, ...]:
        """The functions and classes around it, outermost first."""
        result: list[ir.FunctionDef | ir.ClassDef] = []
        scope = self.parent
        while scope is not None:
            if not isinstance(scope.node, ir.Module):
                result.insert(0, scope.node)
            scope = scope.parent
        return tuple(result)

    def everything(self) -> Iterable[Scope]:
        """It and all scopes inside it, in the order of the text."""
        yield self
        for child in self.children:
            yield from child.everything()


def scope_of(module: ir.Module) -> Scope:
    """The tree of scopes of a module."""
    scope = Scope(module, module, None)
    _block(scope, module.body)
    return scope


def _block(scope: Scope, statements: Iterable[ir.Stmt]) -> None:
    for statement in statements:
        _STATEMENTS.get(type(statement), _plain)(scope, statement)


def _plain(scope: Scope, node: ir.Node) -> None:
    """What statements and patterns hold is read, or bound; an item of a display stands for the display."""
    values = {id(target): value for target, value in node.assigns}
    annotation = getattr(node, "annotation", None)
    for part in parts(node):
        value = values.get(id(part))
        if value is not None:
            _bind(scope, part, value)
        elif isinstance(part, ir.Stmt):
            _block(scope, (part,))
        elif isinstance(part, ir.Pattern):
            _plain(scope, part)
        elif part is not annotation:
            _read(scope, part)
    for name in node.binds:
        scope.values.setdefault(name, [])


def _read(scope: Scope, *roots: Any) -> None:
    """Note the calls and names in expressions."""
    stack: list[Any] = [root for root in reversed(roots) if root is not None]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is tuple:
            stack.extend(reversed(item))
        elif kind is ir.Name:
            scope.names.append(item)
        elif kind is ir.Attr:
            base = item.value
            while type(base) is ir.Attr:
                base = base.value
            if type(base) is ir.Name:
                scope.names.append(item)
            else:
                stack.append(base)
        else:
            if kind is ir.Call:
                scope.calls.append(item)
            names = _CHILDREN.get(kind)
            if names is not None:
                stack.extend(getattr(item, name) for name in reversed(names))


def _bind(scope: Scope, target: ir.Expr, value: ir.Expr) -> None:
    if isinstance(target, ir.Name):
        scope.values.setdefault(target.id, []).append(value)
    elif isinstance(target, ir.Sequence):
        parts = value.items if isinstance(value, ir.Sequence) and len(value.items) == len(target.items) else None
        for index, item in enumerate(target.items):
            _bind(scope, item, value if parts is None else parts[index])
    else:
        _read(scope, target)


def _unsupported(scope: Scope, node: ir.UnsupportedStmt) -> None:
    """A function that is not modelled is none that a call leads to."""
    for part in node.held:
        if isinstance(part, ir.FunctionDef):
            _read(scope, part.decorators, part.params)
            scope.values.setdefault(part.name, [])
        else:
            _block(scope, (part,))


def _annotated(scope: Scope, node: ir.AnnAssign) -> None:
    if node.value is not None:
        _plain(scope, node)


def _return(scope: Scope, node: ir.Return) -> None:
    if node.value is not None:
        _read(scope, node.value)
        scope.returns.append(node.value)


def _import(scope: Scope, node: ir.Import) -> None:
    for name, alias in node.names:
        top = name.partition(".")[0]
        scope.imports.setdefault(alias or top, []).append(Binding(name if alias else top, 0, None))


def _import_from(scope: Scope, node: ir.ImportFrom) -> None:
    for name, alias in node.names:
        binding = Binding(node.module, node.level, name)
        if name == "*":
            scope.stars.append(binding)
        else:
            scope.imports.setdefault(alias, []).append(binding)


def _function(scope: Scope, node: ir.FunctionDef) -> None:
    _read(scope, node.decorators, node.params)
    _inside(scope, node)


def _class(scope: Scope, node: ir.ClassDef) -> None:
    _read(scope, node.decorators, node.bases)
    _inside(scope, node)


def _inside(scope: Scope, node: ir.FunctionDef | ir.ClassDef) -> None:
    inner = Scope(scope.module, node, scope)
    scope.children.append(inner)
    scope.definitions.setdefault(node.name, []).append(inner)
    _block(inner, node.body)


_STATEMENTS: dict[type[ir.Stmt], Any] = {
    ir.AnnAssign: _annotated,
    ir.UnsupportedStmt: _unsupported,
    ir.Return: _return,
    ir.Import: _import,
    ir.ImportFrom: _import_from,
    ir.FunctionDef: _function,
    ir.ClassDef: _class,
}
