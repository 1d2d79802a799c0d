"""The lowered form of Python that the evaluator runs: small frozen nodes, each knowing where it stands in its file."""

# long: a list of small classes, which is read from top to bottom.

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any

from nkilint_rules.words.records import dataclass


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


class _Packed:
    """What processes hand each other: dataclasses look up their fields anew for each object that they pack."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        kind: Any = type(self)
        return kind, tuple([getattr(self, name) for name in _names(kind)])


@dataclass(frozen=True, slots=True)
class Span(_Packed):
    """A piece of a source file; rows and columns from 1, columns in code points, the end exclusive."""

    file: str
    row: int
    column: int
    end_row: int
    end_column: int


@dataclass(frozen=True, slots=True, eq=False)
class Node(_Packed):
    """`at` is the position: `node.at` is a Span (resolved when the file was lowered).

    What a node holds is in its fields, in the order of the text. What it binds it says itself, for those who look for
    names without running anything.
    """

    at: Span

    @property
    def binds(self) -> tuple[str, ...]:
        """The plain names that it binds in the scope that it stands in, besides those of its targets."""
        return ()

    @property
    def assigns(self) -> tuple[tuple[Expr, Expr | None], ...]:
        """Its targets, each with the expression that it, or a part of it, is assigned from, where there is one."""
        return ()


# --- expressions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Expr(Node):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Const(Expr):
    value: Any  # None, bool, int, float, complex, str, bytes, Ellipsis


@dataclass(frozen=True, slots=True, eq=False)
class Name(Expr):
    id: str


@dataclass(frozen=True, slots=True, eq=False)
class Attr(Expr):
    value: Expr
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Index(Expr):
    """`value[key]`; several subscripts make a Sequence of kind "tuple"."""

    value: Expr
    key: Expr


@dataclass(frozen=True, slots=True, eq=False)
class SliceExpr(Expr):
    start: Expr | None
    stop: Expr | None
    step: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expr):
    """Arguments in order: (None, expr) positional, (name, expr) keyword, ("*", expr), ("**", expr)."""

    func: Expr
    args: tuple[tuple[str | None, Expr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Expr):
    """`op` is the Python operator: + - * / // % ** @ << >> & | ^"""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Expr):
    """`op` is - + ~ or "not"."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True, eq=False)
class BoolOp(Expr):
    """`op` is "and" or "or"."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Compare(Expr):
    """A chain `left op1 r1 op2 r2 ...`; ops are == != < <= > >= is "is not" in "not in"."""

    left: Expr
    rest: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Expr):
    test: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Sequence(Expr):
    """A display: kind is "tuple", "list" or "set"; items may be Starred."""

    kind: str
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Starred(Expr):
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class DictExpr(Expr):
    """Pairs; a key of None is `**value`."""

    items: tuple[tuple[Expr | None, Expr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension(Expr):
    """kind is "list", "set", "generator" or "dict". Clauses: (target, iterable, conditions).

    In a dict without `key`, `element` is what `**` unpacks; elsewhere `element` may be Starred.
    """

    kind: str
    key: Expr | None
    element: Expr
    clauses: tuple[tuple[Expr, Expr, tuple[Expr, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(Expr):
    function: FunctionDef


@dataclass(frozen=True, slots=True, eq=False)
class Format(Expr):
    """An f-string: constant pieces are Const, the others any expression."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Formatted(Expr):
    """What an f-string writes in a way of its own: `{value!conversion:spec}`, where either may be empty."""

    value: Expr
    conversion: str
    spec: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Walrus(Expr):
    target: Name
    value: Expr

    @property
    def binds(self) -> tuple[str, ...]:
        return (self.target.id,)


@dataclass(frozen=True, slots=True, eq=False)
class UnsupportedExpr(Expr):
    """`await` and whatever else has no meaning in a kernel; `what` names it, and `held` is what is in it."""

    what: str
    held: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TypeAlias(Expr):
    """What `type name[parameters] = value` binds; `value` is evaluated when somebody asks for it."""

    name: str
    value: Expr
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Yield(Expr):
    """`yield value`, and with `each` `yield from value`."""

    value: Expr | None
    each: bool


# --- patterns of `match` -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Pattern(Node):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class ValuePattern(Pattern):
    """A literal or a dotted name."""

    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class CapturePattern(Pattern):
    """`pattern as name`; without a pattern a name or, without both, `_`."""

    pattern: Pattern | None
    name: str | None

    @property
    def binds(self) -> tuple[str, ...]:
        return () if self.name is None else (self.name,)


@dataclass(frozen=True, slots=True, eq=False)
class StarPattern(Pattern):
    """`*name` or `*_` in a sequence."""

    name: str | None

    @property
    def binds(self) -> tuple[str, ...]:
        return () if self.name is None else (self.name,)


@dataclass(frozen=True, slots=True, eq=False)
class SequencePattern(Pattern):
    items: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MappingPattern(Pattern):
    """Pairs of a key and a pattern; `rest` is the name behind `**`."""

    items: tuple[tuple[Expr, Pattern], ...]
    rest: str | None

    @property
    def binds(self) -> tuple[str, ...]:
        return () if self.rest is None else (self.rest,)


@dataclass(frozen=True, slots=True, eq=False)
class ClassPattern(Pattern):
    """Patterns by position (None) or by attribute."""

    cls: Expr
    items: tuple[tuple[str | None, Pattern], ...]


@dataclass(frozen=True, slots=True, eq=False)
class OrPattern(Pattern):
    alternatives: tuple[Pattern, ...]


# --- statements ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Stmt(Node):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Assign(Stmt):
    """Targets are Name, Attr, Index, Sequence or Starred."""

    targets: tuple[Expr, ...]
    value: Expr

    @property
    def assigns(self) -> tuple[tuple[Expr, Expr | None], ...]:
        return tuple((target, self.value) for target in self.targets)


@dataclass(frozen=True, slots=True, eq=False)
class AnnAssign(Stmt):
    target: Expr
    annotation: Expr
    value: Expr | None

    @property
    def assigns(self) -> tuple[tuple[Expr, Expr | None], ...]:
        return () if self.value is None else ((self.target, self.value),)


@dataclass(frozen=True, slots=True, eq=False)
class AugAssign(Stmt):
    target: Expr
    op: str
    value: Expr

    @property
    def assigns(self) -> tuple[tuple[Expr, Expr | None], ...]:
        return ((self.target, None),)


@dataclass(frozen=True, slots=True, eq=False)
class ExprStmt(Stmt):
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Return(Stmt):
    value: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class If(Stmt):
    test: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True, eq=False)
class For(Stmt):
    """`assigned` holds the plain names that the body (and the target) can assign, nested functions left out."""

    target: Expr
    iterable: Expr
    body: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]
    assigned: frozenset[str]

    @property
    def assigns(self) -> tuple[tuple[Expr, Expr | None], ...]:
        return ((self.target, self.iterable),)


@dataclass(frozen=True, slots=True, eq=False)
class While(Stmt):
    test: Expr
    body: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]
    assigned: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class With(Stmt):
    """Items: (context expression, target or None)."""

    items: tuple[tuple[Expr, Expr | None], ...]
    body: tuple[Stmt, ...]

    @property
    def assigns(self) -> tuple[tuple[Expr, Expr | None], ...]:
        return tuple((target, value) for value, target in self.items if target is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Try(Stmt):
    """Handlers: (exception type or None, name or None, body)."""

    body: tuple[Stmt, ...]
    handlers: tuple[tuple[Expr | None, str | None, tuple[Stmt, ...]], ...]
    otherwise: tuple[Stmt, ...]
    final: tuple[Stmt, ...]

    @property
    def binds(self) -> tuple[str, ...]:
        return tuple(name for _, name, _ in self.handlers if name is not None)


@dataclass(frozen=True, slots=True, eq=False)
class TryStar(Try):
    """The handlers are `except*`."""


@dataclass(frozen=True, slots=True, eq=False)
class Assert(Stmt):
    test: Expr
    message: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Raise(Stmt):
    exception: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Delete(Stmt):
    targets: tuple[Expr, ...]

    @property
    def assigns(self) -> tuple[tuple[Expr, Expr | None], ...]:
        return tuple((target, None) for target in self.targets)


@dataclass(frozen=True, slots=True, eq=False)
class Scope(Stmt):
    """`global` or `nonlocal` (kind) names."""

    kind: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Import(Stmt):
    """`import a.b as c` gives ("a.b", "c"); without `as`, the bound name is the first component and alias is None."""

    names: tuple[tuple[str, str | None], ...]

    @property
    def binds(self) -> tuple[str, ...]:
        return tuple(alias or name.partition(".")[0] for name, alias in self.names)


@dataclass(frozen=True, slots=True, eq=False)
class ImportFrom(Stmt):
    """`from ..m import x as y`: level 2, module "m", names (("x", "y"),); a star is ("*", "*")."""

    module: str
    level: int
    names: tuple[tuple[str, str], ...]

    @property
    def binds(self) -> tuple[str, ...]:
        return tuple(alias for _, alias in self.names if alias != "*")


@dataclass(frozen=True, slots=True, eq=False)
class Param(_Packed):
    """kind is "positional-only", "positional", "*", "keyword" or "**"."""

    name: str
    kind: str
    default: Expr | None
    annotation: Expr | None
    at: Span


@dataclass(frozen=True, slots=True, eq=False)
class FunctionDef(Stmt):
    """`locals` are the names that are local to it (parameters and assigned names, less global/nonlocal ones).

    `at` spans the name; `whole` the definition with its decorators.
    """

    name: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    returns: Expr | None
    locals: frozenset[str]
    docstring: str | None
    is_generator: bool
    whole: Span

    @property
    def binds(self) -> tuple[str, ...]:
        return (self.name,)


@dataclass(frozen=True, slots=True, eq=False)
class ClassDef(Stmt):
    """`at` spans the name."""

    name: str
    bases: tuple[Expr, ...]
    keywords: tuple[tuple[str, Expr], ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]

    @property
    def binds(self) -> tuple[str, ...]:
        return (self.name,)


@dataclass(frozen=True, slots=True, eq=False)
class Jump(Stmt):
    """`kind` is "break", "continue" or "pass"."""

    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Match(Stmt):
    """Cases: (pattern, guard or None, body)."""

    subject: Expr
    cases: tuple[tuple[Pattern, Expr | None, tuple[Stmt, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class UnsupportedStmt(Stmt):
    """`async` and the like; `what` names it, and `held` is what is in it, in the nodes that say most of it."""

    what: str
    held: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class Comment(_Packed):
    """A `# nkilint: ...` or `# noqa...` comment with its row."""

    row: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Module(_Packed):
    """A lowered file. `name` is its dotted name below the import root found for it; `lines` its text by line.

    `prelude` is text whose statements stand at the head of `body`, and not in `lines`.
    """

    path: str
    name: str
    package: str
    body: tuple[Stmt, ...]
    comments: tuple[Comment, ...]
    lines: tuple[str, ...]
    prelude: str = ""
