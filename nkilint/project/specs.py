"""What a kernel's author or its user says about its inputs: comments, configuration and annotations.

`# nkilint: a: bf16[M, K], b: [K, 512], n: 4, M % 128 == 0` above a kernel gives tensors their dtype and sizes, other
parameters their value, and states conditions on the sizes. Names of sizes stand for positive integers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import NoReturn

from nkilint.base import ir
from nkilint.base.source import SourceError
from nkilint_rules.tool.invalid_specification import InvalidSpecification
from nkilint_rules.words.dtypes import DTYPES
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.suggestions import suggestion

from .discovery import Kernel
from .imports import split_api

_DIRECTIVE = re.compile(r"#\s*nkilint:(?P<text>.*)", re.DOTALL)
_NO_SPECIFICATION = re.compile(r"\s*(ignore\b|skip-file\b|migrate:)")
_SHORT = {"bf": "bfloat", "fp": "float", "f": "float", "i": "int", "u": "uint"}
_ARITHMETIC = frozenset({"+", "-", "*", "//", "%"})


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor parameter: its dtype where given, and its sizes: numbers, names, or expressions of names."""

    dtype: str | None
    dims: tuple[int | str | ir.Expr, ...]
    at: ir.Span
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class ScalarSpec:
    """A parameter that isn't a tensor. `value` is its constant value (numbers, strings, None, tuples of such)."""

    value: object
    at: ir.Span


@dataclass(frozen=True, slots=True)
class Specification:
    """All that is specified about one kernel; the names in `constraints` are names of sizes and parameters."""

    params: Mapping[str, TensorSpec | ScalarSpec] = field(default_factory=dict)
    constraints: tuple[ir.Expr, ...] = ()
    at: ir.Span | None = None

    @property
    def sizes(self) -> frozenset[str]:
        """The names of sizes."""
        tensors = [spec for spec in self.params.values() if isinstance(spec, TensorSpec)]
        return frozenset(name for spec in tensors for dim in spec.dims for name in _names(dim))


@dataclass(eq=False)
class SpecificationError(Exception):
    """A specification that makes no sense; `at` is the comment or the annotation it stands in."""

    message: str
    at: ir.Span

    def __str__(self) -> str:
        return f"{self.at.file}:{self.at.row}:{self.at.column}: {InvalidSpecification.code} {self.message}"


@dataclass(frozen=True, slots=True)
class _Text:
    """One specification as written: `padded` is a Python subscript that keeps its rows and columns."""

    padded: str
    lines: Mapping[int, ir.Span]  # the comment on each row
    default: ir.Span

    def at(self, node: ir.Span) -> ir.Span:
        return self.lines.get(node.row, self.default)


def specification(
    kernel: Kernel, configured: Iterable[str] = (), qualified: Callable[[ir.Expr], str | None] | None = None
) -> tuple[Specification, tuple[SpecificationError, ...]]:
    """What is specified for `kernel`, and what is wrong with it.

    `configured` are the entries of the configuration. `qualified` gives the dotted name of an annotation's names;
    annotations are left out without it. A comment or entry with an error in it counts as not there.
    """
    texts = [*_comments_above(kernel.module, kernel.function), *_configured(configured, kernel.function.at)]
    merged = Specification()
    errors: list[SpecificationError] = []
    for text in texts:
        try:
            merged = _merged(merged, _parsed(text, kernel), text)
        except SpecificationError as error:
            errors.append(error)
    try:
        _check_names(merged, kernel)
    except SpecificationError as error:
        errors.append(error)
        merged = replace(merged, constraints=())
    if qualified is not None:
        merged = _with_annotations(merged, kernel.function, qualified, errors)
    return merged, tuple(errors)


def misplaced(module: ir.Module, functions: Iterable[ir.FunctionDef]) -> Iterator[SpecificationError]:
    """Specifications in comments that stand above none of the kernels `functions`."""
    used = {row for function in functions for text in _comments_above(module, function) for row in text.lines}
    for comment in module.comments:
        if comment.row not in used and _specifies(comment):
            message = "a specification of inputs stands directly above a kernel or its decorators"
            yield SpecificationError(message, _span(module, comment.row))


# --- where specifications stand ---


def _specifies(comment: ir.Comment) -> bool:
    found = _DIRECTIVE.match(comment.text)
    return found is not None and not _NO_SPECIFICATION.match(found["text"])


def _span(module: ir.Module, row: int) -> ir.Span:
    """The comment on a row."""
    line = module.lines[row - 1]
    return ir.Span(module.path, row, line.index("#") + 1, row, len(line.rstrip()) + 1)


def _comments_above(module: ir.Module, function: ir.FunctionDef) -> Iterator[_Text]:
    """The specifications in the comments directly above a function, or between its decorators."""
    first = function.whole.row
    while first > 1 and module.lines[first - 2].lstrip().startswith("#"):
        first -= 1
    rows: dict[int, ir.Span] = {}
    starts = {c.row for c in module.comments if first <= c.row < function.at.row and _specifies(c)}
    for row in range(first, function.at.row):
        if row not in starts and not (rows and _goes_on(module, rows, row)):
            continue
        if row in starts and rows:
            yield _text(module, rows)
            rows = {}
        rows[row] = _span(module, row)
    if rows:
        yield _text(module, rows)


def _goes_on(module: ir.Module, rows: Mapping[int, ir.Span], row: int) -> bool:
    """Whether the comment on `row` continues the specification above it: that ends in a comma or inside brackets."""
    if row - 1 not in rows or not module.lines[row - 1].lstrip().startswith("#"):
        return False
    text = "".join(_contents(module, r) for r in rows).rstrip()
    opened = sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")
    return text.endswith(",") or opened > 0


def _contents(module: ir.Module, row: int) -> str:
    """The line of a comment with blanks in place of what isn't specification."""
    line = module.lines[row - 1]
    start = line.index("#")
    found = _DIRECTIVE.match(line, start)
    start = found.start("text") if found else start + 1
    return " " * start + line[start:]


def _text(module: ir.Module, rows: Mapping[int, ir.Span]) -> _Text:
    first = min(rows)
    lines = [_contents(module, row) for row in rows]
    lines[0] = "_[" + lines[0][2:]  # as wide as the shortest beginning of a comment
    return _Text("\n" * (first - 1) + "\n".join(lines) + "\n]\n", rows, rows[first])


def _configured(entries: Iterable[str], at: ir.Span) -> Iterator[_Text]:
    for entry in entries:
        yield _Text(f"_[{entry}\n]\n", {}, at)


# --- what they say ---


def _parsed(text: _Text, kernel: Kernel) -> Specification:
    from nkilint.lowering import lower  # the kernel's own file has been lowered by now

    try:
        body = lower(text.padded, text.default.file, "", "").body
    except SourceError as error:
        place = ir.Span(text.default.file, error.row, error.column, error.row, error.column)
        raise SpecificationError(f"a specification that cannot be read: {error.message}", text.at(place)) from None
    only = body[0] if len(body) == 1 else None
    value = only.value if isinstance(only, ir.ExprStmt) else None
    if not isinstance(value, ir.Index):
        raise SpecificationError("a specification that cannot be read", text.default)
    items = value.key.items if isinstance(value.key, ir.Sequence) and value.key.kind == "tuple" else (value.key,)
    params: dict[str, TensorSpec | ScalarSpec] = {}
    constraints: list[ir.Expr] = []
    for item in items:
        if isinstance(item, ir.SliceExpr):
            name, spec = _entry(item, text, kernel)
            if name in params:
                raise SpecificationError(f"`{name}` is specified twice", text.at(item.at))
            params[name] = spec
        else:
            _check_condition(item, text)
            constraints.append(item)
    return Specification(params, tuple(constraints), text.default)


def _entry(item: ir.SliceExpr, text: _Text, kernel: Kernel) -> tuple[str, TensorSpec | ScalarSpec]:
    """`name: something`, which reads as a slice."""
    at = text.at(item.at)
    if not isinstance(item.start, ir.Name) or item.stop is None or item.step is not None:
        raise SpecificationError("an entry that is not `name: dtype[size, ...]`, `name: value` or a condition", at)
    name = item.start.id
    names = [p.name for p in kernel.function.params]
    if name not in names:
        message = f"`{kernel.function.name}` has no parameter `{name}`{suggestion(name, names)}"
        raise SpecificationError(message, at)
    return name, _meaning(name, item.stop, at)


def _meaning(name: str, node: ir.Expr, at: ir.Span) -> TensorSpec | ScalarSpec:
    if isinstance(node, ir.Index):
        items = node.key.items if isinstance(node.key, ir.Sequence) and node.key.kind == "tuple" else (node.key,)
        return TensorSpec(_dtype(node.value, at), tuple(_dim(i, at) for i in items), at)
    if isinstance(node, ir.Sequence) and node.kind == "list":
        return TensorSpec(None, tuple(_dim(i, at) for i in node.items), at)
    try:
        return ScalarSpec(_constant(node), at)
    except ValueError:
        raise SpecificationError(f"`{name}` is given neither `dtype[size, ...]` nor a constant value", at) from None


def _dtype(node: ir.Expr, at: ir.Span) -> str:
    if not isinstance(node, (ir.Name, ir.Attr)):
        raise SpecificationError("a dtype is a name such as `bfloat16`", at)
    given = node.id if isinstance(node, ir.Name) else node.name
    prefix, digits, rest = re.fullmatch(r"([a-z]*)(\d*)(.*)", given, re.DOTALL).groups()  # type: ignore[union-attr]
    name = f"{_SHORT.get(prefix, prefix)}{digits}{rest}"
    if name not in DTYPES:
        raise SpecificationError(f"`{given}` is not a dtype{suggestion(given, list(DTYPES))}", at)
    return name


def _dim(node: ir.Expr, at: ir.Span) -> int | str | ir.Expr:
    if isinstance(node, ir.Name):
        return node.id
    if isinstance(node, ir.Const):
        if type(node.value) is not int or node.value < 1:
            raise SpecificationError(f"a size is a positive integer, not `{node.value}`", at)
        return node.value
    _check_arithmetic(node, at)
    return node


def _check_arithmetic(node: ir.Expr, at: ir.Span) -> None:
    if isinstance(node, ir.Name) or (isinstance(node, ir.Const) and type(node.value) is int):
        return
    if isinstance(node, ir.Binary) and node.op in _ARITHMETIC:
        _check_arithmetic(node.left, at)
        _check_arithmetic(node.right, at)
    elif isinstance(node, ir.Unary) and node.op == "-":
        _check_arithmetic(node.operand, at)
    else:
        raise SpecificationError("sizes are integers, names, and sums, products and quotients (`//`, `%`) of them", at)


def _constant(node: ir.Expr) -> object:
    """The value of a literal; ValueError for anything else."""
    if isinstance(node, ir.Const) and node.value is not ...:
        return node.value
    if isinstance(node, ir.Unary) and node.op == "-":
        value = _constant(node.operand)
        if isinstance(value, (int, float)):
            return -value
    if isinstance(node, ir.Sequence) and node.kind == "tuple":
        return tuple(_constant(item) for item in node.items)
    raise ValueError


def _check_condition(node: ir.Expr, text: _Text) -> None:
    """A condition is made of comparisons of sizes."""
    at = text.at(node.at)
    if isinstance(node, ir.BoolOp):
        _check_condition(node.left, text)
        _check_condition(node.right, text)
    elif isinstance(node, ir.Unary) and node.op == "not":
        _check_condition(node.operand, text)
    elif isinstance(node, ir.Compare) and all(op in ("==", "!=", "<", "<=", ">", ">=") for op, _ in node.rest):
        for part in (node.left, *(right for _, right in node.rest)):
            _check_arithmetic(part, at)
    else:
        raise SpecificationError("an entry that is neither `name: dtype[size, ...]` nor a comparison of sizes", at)


def _merged(known: Specification, more: Specification, text: _Text) -> Specification:
    twice = next((name for name in more.params if name in known.params), None)
    if twice is not None:
        raise SpecificationError(f"`{twice}` is specified twice", text.at(more.params[twice].at))
    return Specification({**known.params, **more.params}, known.constraints + more.constraints, known.at or more.at)


def _check_names(merged: Specification, kernel: Kernel) -> None:
    """Conditions speak of sizes that some tensor has, and of parameters that are numbers."""
    known = merged.sizes | {p.name for p in kernel.function.params}
    for condition in merged.constraints:
        for name in _names(condition):
            if isinstance(merged.params.get(name), TensorSpec):
                _refuse(f"`{name}` in a condition is a tensor, not a size", condition, merged, kernel)
            if name not in known:
                _refuse(
                    f"no size is called `{name}`{suggestion(name, sorted(merged.sizes))}", condition, merged, kernel
                )


def _refuse(message: str, condition: ir.Expr, merged: Specification, kernel: Kernel) -> NoReturn:
    row, line = condition.at.row, kernel.module.lines
    is_comment = row <= len(line) and row < kernel.function.at.row and line[row - 1].lstrip().startswith("#")
    raise SpecificationError(message, _span(kernel.module, row) if is_comment else merged.at or kernel.function.at)


def _names(node: int | str | ir.Expr) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, ir.Name):
        yield node.id
    elif isinstance(node, (ir.Binary, ir.BoolOp)):
        yield from _names(node.left)
        yield from _names(node.right)
    elif isinstance(node, ir.Unary):
        yield from _names(node.operand)
    elif isinstance(node, ir.Compare):
        yield from _names(node.left)
        for _, right in node.rest:
            yield from _names(right)


# --- annotations ---


def _with_annotations(
    merged: Specification,
    function: ir.FunctionDef,
    qualified: Callable[[ir.Expr], str | None],
    errors: list[SpecificationError],
) -> Specification:
    """What annotations such as `nt.tensor[128, 512]` add where nothing else is specified."""
    found: dict[str, TensorSpec | ScalarSpec] = {}
    for parameter in function.params:
        node = parameter.annotation
        if parameter.name in merged.params or not isinstance(node, ir.Index):
            continue
        name = qualified(node.value)
        api = None if name is None else split_api(name)
        if api is None or api[1] not in ("typing.tensor", "typing.mutable_tensor"):
            continue
        items = node.key.items if isinstance(node.key, ir.Sequence) and node.key.kind == "tuple" else (node.key,)
        try:
            dims = tuple(_annotated_dim(item) for item in items)
        except SpecificationError as error:
            errors.append(error)
            continue
        found[parameter.name] = TensorSpec(None, dims, node.at, api[1] == "typing.mutable_tensor")
    return replace(merged, params={**found, **merged.params}) if found else merged


def _annotated_dim(node: ir.Expr) -> int | ir.Expr:
    """A number, or an expression of the module's own names."""
    if isinstance(node, ir.Const):
        value = _dim(node, node.at)
        assert isinstance(value, int)
        return value
    return node
