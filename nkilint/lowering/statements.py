"""Simple statements: libcst nodes to `ir` nodes, and the names they bind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from nkilint.base import ir
from nkilint.base.registering import entered

from .cursor import Cursor
from .expressions import expression

Handler = Callable[[Cursor, Any], ir.Stmt]
HANDLERS: dict[type[cst.CSTNode], Handler] = {}


def lowers(*kinds: type[cst.CSTNode]) -> Callable[[Handler], Handler]:
    """Make the decorated function the one that lowers these statements."""
    return entered(HANDLERS, kinds)


def bind(c: Cursor, target: ir.Expr) -> None:
    """Note the names that an assignment to `target` binds."""
    if isinstance(target, ir.Name):
        c.bound.add(target.id)
    elif isinstance(target, ir.Sequence):
        for item in target.items:
            bind(c, item)
    elif isinstance(target, ir.Starred):
        bind(c, target.value)


@lowers(cst.Expr)
def _expression(c: Cursor, node: cst.Expr) -> ir.Stmt:
    start = c.pos
    value = expression(c, node.value)
    return ir.ExprStmt(c.span(start), value)


@lowers(cst.Assign)
def _assign(c: Cursor, node: cst.Assign) -> ir.Stmt:
    start = c.pos
    targets: list[ir.Expr] = []
    for item in node.targets:
        target = expression(c, item.target)
        bind(c, target)
        targets.append(target)
        c.take("=")
    value = expression(c, node.value)
    return ir.Assign(c.span(start), tuple(targets), value)


@lowers(cst.AnnAssign)
def _annotated(c: Cursor, node: cst.AnnAssign) -> ir.Stmt:
    start = c.pos
    target = expression(c, node.target)
    bind(c, target)
    c.take(":")
    annotation = expression(c, node.annotation.annotation)
    value = None
    if node.value is not None:
        c.take("=")
        value = expression(c, node.value)
    return ir.AnnAssign(c.span(start), target, annotation, value)


_AUGMENTED = {
    cst.AddAssign: "+",
    cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*",
    cst.MatrixMultiplyAssign: "@",
    cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//",
    cst.ModuloAssign: "%",
    cst.PowerAssign: "**",
    cst.LeftShiftAssign: "<<",
    cst.RightShiftAssign: ">>",
    cst.BitAndAssign: "&",
    cst.BitOrAssign: "|",
    cst.BitXorAssign: "^",
}


@lowers(cst.AugAssign)
def _augmented(c: Cursor, node: cst.AugAssign) -> ir.Stmt:
    start = c.pos
    target = expression(c, node.target)
    bind(c, target)
    op = _AUGMENTED[type(node.operator)]
    c.take(op + "=")
    value = expression(c, node.value)
    return ir.AugAssign(c.span(start), target, op, value)


@lowers(cst.Return)
def _return(c: Cursor, node: cst.Return) -> ir.Stmt:
    start = c.pos
    c.take("return")
    value = None if node.value is None else expression(c, node.value)
    return ir.Return(c.span(start), value)


@lowers(cst.Assert)
def _assert(c: Cursor, node: cst.Assert) -> ir.Stmt:
    start = c.pos
    c.take("assert")
    test = expression(c, node.test)
    message = None
    if node.msg is not None:
        c.take(",")
        message = expression(c, node.msg)
    return ir.Assert(c.span(start), test, message)


@lowers(cst.Raise)
def _raise(c: Cursor, node: cst.Raise) -> ir.Stmt:
    start = c.pos
    c.take("raise")
    exception = None if node.exc is None else expression(c, node.exc)
    if node.cause is not None:
        c.take("from")
        expression(c, node.cause.item)
    return ir.Raise(c.span(start), exception)


@lowers(cst.Del)
def _delete(c: Cursor, node: cst.Del) -> ir.Stmt:
    start = c.pos
    c.take("del")
    target = expression(c, node.target)
    bind(c, target)
    targets = target.items if isinstance(target, ir.Sequence) else (target,)
    return ir.Delete(c.span(start), targets)


_JUMPS: dict[type[cst.CSTNode], str] = {cst.Pass: "pass", cst.Break: "break", cst.Continue: "continue"}


@lowers(*_JUMPS)
def _jump(c: Cursor, node: Any) -> ir.Stmt:
    start, kind = c.pos, _JUMPS[type(node)]
    c.take(kind)
    return ir.Jump(c.span(start), kind)


@lowers(cst.Global, cst.Nonlocal)
def _scope(c: Cursor, node: cst.Global | cst.Nonlocal) -> ir.Stmt:
    start, kind = c.pos, "global" if isinstance(node, cst.Global) else "nonlocal"
    c.take(kind)
    for item in node.names:
        c.take(item.name.value)
        c.take_if(",")
    names = tuple(c.private(item.name.value) for item in node.names)
    c.pos -= c.text[c.pos - 1] == ","
    c.scoped.update(names)
    return ir.Scope(c.span(start), kind, names)


def _known(*names: str) -> tuple[type[cst.CSTNode], ...]:
    """The kinds of these names that the parser's version has."""
    return tuple(getattr(cst, name) for name in names if hasattr(cst, name))


@lowers(*_known("Import", "LazyImport"))
def _import(c: Cursor, node: cst.Import) -> ir.Stmt:
    """`lazy import`, of Python 3.15, binds the same, though the module runs only when the name is used."""
    start = c.pos
    c.take_if("lazy")
    c.take("import")
    names: list[tuple[str, str | None]] = []
    for index, alias in enumerate(node.names):
        if index:
            c.take(",")
        names.append(_alias(c, alias))
    for name, bound in names:
        c.bound.add(bound or name.partition(".")[0])
    return ir.Import(c.span(start), tuple(names))


def _dotted(c: Cursor, node: cst.Attribute | cst.Name) -> str:
    """A dotted name, passed by the cursor."""
    parts: list[str] = []
    current: Any = node
    while isinstance(current, cst.Attribute):
        parts.append(current.attr.value)
        current = current.value
    parts.append(current.value)
    parts.reverse()
    for index, part in enumerate(parts):
        if index:
            c.take(".")
        c.take(part)
    return ".".join(parts)


def _alias(c: Cursor, node: cst.ImportAlias) -> tuple[str, str | None]:
    name, bound = _dotted(c, node.name), None
    if node.asname is not None:
        c.take("as")
        bound = node.asname.name.value  # type: ignore[union-attr]
        c.take(bound)
    own = c.private(bound or name)
    return name, bound if own == (bound or name) else own


@lowers(*_known("ImportFrom", "LazyImportFrom"))
def _import_from(c: Cursor, node: cst.ImportFrom) -> ir.Stmt:
    start = c.pos
    c.take_if("lazy")
    c.take("from")
    for _ in node.relative:
        c.take(".")
    module = "" if node.module is None else _dotted(c, node.module)
    c.take("import")
    names: list[tuple[str, str]] = []
    if isinstance(node.names, cst.ImportStar):
        c.take("*")
        names.append(("*", "*"))
    else:
        parenthesised = c.take_if("(")
        for alias in node.names:
            name, bound = _alias(c, alias)
            names.append((name, bound or name))
            c.bound.add(bound or name)
            if alias is not node.names[-1] or parenthesised:
                c.take_if(",")
        if parenthesised:
            c.take(")")
    return ir.ImportFrom(c.span(start), module, len(node.relative), tuple(names))


@lowers(cst.TypeAlias)
def _type_alias(c: Cursor, node: cst.TypeAlias) -> ir.Stmt:
    start = c.pos
    c.take("type")
    name = expression(c, node.name)
    bind(c, name)
    parameters: tuple[str, ...] = ()
    if node.type_parameters is not None:
        parameters = tuple(parameter.param.name.value for parameter in node.type_parameters.params)
        c.pass_over(node.type_parameters)
    c.take("=")
    value = expression(c, node.value)
    at = c.span(start)
    return ir.Assign(at, (name,), ir.TypeAlias(at, node.name.value, value, parameters))
