"""Python's operators on tiles become operations.

Tensors of `nki` have no operators, and its binary operations do not broadcast: a column goes through
`nisa.tensor_scalar`, and a row is broadcast first.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from nkilint.evaluator.values.tensors import View
from nkilint.migrate.clips import clip_if_known
from nkilint.migrate.destinations import Pending
from nkilint.migrate.left_out import with_left_out
from nkilint.migrate.operations import (
    OPERATORS,
    arguments_of,
    as_float32,
    hangs_on_several,
    inverse,
    numpy_dtype,
    shape_or_like,
    with_destination,
)
from nkilint.migrate.regions import region
from nkilint.migrate.rewriting import Note, Rewriter, Undecided
from nkilint.migrate.spelling import dtype, shape
from nkilint.migrate.steps import Example, Step
from nkilint.migrate.stretching import (
    BINARY,
    chosen,
    fits,
    in_launches,
    is_choice,
    is_column,
    may_be_larger,
    named,
    named_shape,
    on_all_rows,
    sizes_of,
    stretched,
    whole_first,
    written_shape,
)
from nkilint.migrate.strides import scalar
from nkilint.migrate.texts import enclosed
from nkilint.migrate.unseen import check_known
from nkilint.symbolic.integers import is_one, key_of
from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import DType

STEP = Step(
    "operators",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "a = nl.load(x)\nb = a + a\nnl.store(out, b)",
            "a = nl.load(x)\nb = nl.add(a, a)\nnl.store(out, b)",
        ),
        Example("a = nl.load(x)\nnl.store(out, abs(-a))", "a = nl.load(x)\nnl.store(out, nl.abs(nl.negative(a)))"),
        Example(
            "a = nl.load(x)\nb = nisa.tensor_tensor(a, a[:, 0:1], nl.subtract)\nnl.store(out, b)",
            "a = nl.load(x)\nb = nl.ndarray(a.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
            "nisa.tensor_scalar(dst=b, data=a, operand0=nl.copy(a[:, 0:1], dtype=nl.float32), op0=nl.subtract)\n"
            "nl.store(out, b)",
        ),
    ),
    rounds=True,
)

_SYMMETRIC = frozenset({"add", "multiply", "maximum", "minimum"})
_UNARY: dict[type[ast.AST], str] = {ast.USub: "negative", ast.Invert: "invert"}


@STEP.rewrites(ast.BinOp)
def operator(r: Rewriter, node: ast.BinOp) -> Pending | str | None:
    """`a + b`."""
    if not r.is_tensor(node) and not r.is_tensor(node.left) and not r.is_tensor(node.right):
        check_known(r, node, node.left, node.right)
        return None
    if type(node.op) not in OPERATORS:
        raise Undecided(f"no operation does what `{r.source.text_of(node)}` does to tiles")
    return binary(r, node, OPERATORS[type(node.op)], node.left, node.right)


@STEP.rewrites(ast.Compare)
def comparison(r: Rewriter, node: ast.Compare) -> Pending | str | None:
    """`a < b`."""
    if not r.is_tensor(node):
        check_known(r, node, node.left, *node.comparators)
        return None
    if len(node.ops) != 1 or type(node.ops[0]) not in OPERATORS:
        return None
    return binary(r, node, OPERATORS[type(node.ops[0])], node.left, node.comparators[0])


@STEP.rewrites(ast.UnaryOp)
def unary(r: Rewriter, node: ast.UnaryOp) -> str | None:
    """`-a`."""
    if not r.is_tensor(node):
        check_known(r, node, node.operand)
        return None
    if type(node.op) not in _UNARY:
        return None
    return f"{r.module('language')}.{_UNARY[type(node.op)]}({operand(r, node.operand)})"


@STEP.rewrites(ast.Call)
def absolute(r: Rewriter, node: ast.Call) -> str | None:
    """`abs(a)`."""
    if not isinstance(node.func, ast.Name) or node.func.id != "abs" or not r.is_tensor(node):
        return None
    return f"{r.module('language')}.abs({operand(r, node.args[0])})"


@STEP.calls(*(f"language.{name}" for name in BINARY))
def function(r: Rewriter, node: ast.Call) -> Pending | str | None:
    """`nl.add(a, b)`."""
    name = r.operation(node) or ""
    given = arguments_of(node, lookup(BETA1, name))  # type: ignore[arg-type]
    r.cut.update(clip_if_known(r, given.get("mask")))  # what it leaves out is undefined, so it may be computed
    return binary(r, node, name.rpartition(".")[2], given["x"], given["y"], given.get("dtype"), r.render(node.func))


def operand(r: Rewriter, node: ast.expr) -> str:
    return region(r, node) if r.is_tensor(node) else r.render(node)


def binary(
    r: Rewriter,
    node: ast.expr,
    name: str,
    left: ast.expr,
    right: ast.expr,
    given: ast.expr | None = None,
    function: str = "",
) -> Pending | str:
    """An operation on two tiles, or on a tile and a number."""
    views = r.views(node)
    if not views:
        raise Undecided(f"what `{r.source.text_of(node)}` gives is not known{r.because(node)}")
    if not r.is_tensor(left) and not r.is_tensor(right):
        raise Undecided("neither of its operands is known to be a tile")
    nl = r.module("language")
    texts = [_broadcast(r, x, views) for x in (left, right)]
    column = [is_column(sizes_of(r, x), views) and not in_launches(r, x) for x in (left, right)]
    texts = _as_large(r, node, (left, right), texts, column)
    if function and any(column) and r.is_tensor(left) and r.is_tensor(right):
        order = (1, 0) if column[0] else (0, 1)
        ordered = [((left, right)[n], texts[n]) for n in order]
        stretched_texts = on_all_rows(r, node, *ordered)
        texts = [stretched_texts[n] for n in order]
    kind = numpy_dtype(r, given, r.render(given)) if given is not None else ""
    tensors = [x for x in (left, right) if r.is_tensor(x)]
    equal = all(d == _dtypes(views) for d in (_dtypes(r.views(x)) for x in tensors))
    alone = len(tensors) == 1 and not all(isinstance(v.dtype, DType) for v in views)  # it keeps its dtype, as in `nki`
    if not kind and not equal and not alone and not hangs_on_several(views) and not _is_condition(r, node):
        kind = dtype(r, views, [x for x in tensors if isinstance(x, ast.Name)], node)
    if name == "divide":
        return _quotient(r, node, texts, [left, right], kind, column)
    open_ = hangs_on_several(views)  # then the kernel is taken to get one dtype
    if open_ and not kind:
        _note_one_dtype(r, node, views)
    mixed = len(tensors) == 2 and _dtypes(r.views(left)) != _dtypes(r.views(right)) and not open_
    number = [not r.is_tensor(x) and not is_choice(r, x) for x in (left, right)]
    if (name == "power" and number[1]) or (any(number) and not r.reaches("0.3")):  # both take tiles only
        column = number
    if r.reaches("0.3") and not any(column) and not mixed:
        called = function or f"{nl}.{name}"
        return f"{called}({', '.join(texts)}{f', dtype={kind}' if kind else ''})"
    return _instruction(r, node, name, texts, column, kind, [left, right])


def _as_large(
    r: Rewriter, node: ast.expr, nodes: tuple[ast.expr, ast.expr], texts: Sequence[str], column: Sequence[bool]
) -> list[str]:
    """The texts of two operands, unless one is a column: the second one as large as the first, or the first one as the
    second where it is a column in launches alone."""
    left, right = nodes
    first, second = named_shape(r, left), named_shape(r, right)
    texts = [chosen(r, x, t, o) for x, t, o in zip(nodes, texts, nodes[::-1], strict=True)]
    if any(column) or (first == second and first):
        return texts
    if is_column(sizes_of(r, left), r.views(node)) or whole_first(r, node, nodes)[0] is right:
        return [stretched(r, node, right, left, (f"{second}.shape" if second else "", texts[0])), texts[1]]
    wide = f"{first}.shape" if first else written_shape(r, left)
    if not wide and may_be_larger(r, node, left, right):
        texts[0] = named(r, left, "tile", texts[0])
        wide = f"{texts[0]}.shape"
    return [texts[0], stretched(r, node, left, right, (wide, texts[1]))]


def _is_condition(r: Rewriter, node: ast.expr) -> bool:
    """Whether it is what `nl.where` chooses by, which is 1.0 or 0.0 in `nki`."""
    around = r.source.parents[node]
    if not isinstance(around, ast.Call) or r.operation(around) != "language.where":
        return False
    return arguments_of(around, lookup(BETA1, "language.where")).get("condition") is node  # type: ignore[arg-type]


def _instruction(
    r: Rewriter,
    node: ast.expr,
    name: str,
    texts: Sequence[str],
    column: Sequence[bool],
    kind: str,
    nodes: Sequence[ast.expr],
    divided: bool = False,
) -> Pending:
    """The same by an instruction, which converts and takes a column; `divided` says that the second text is that of a
    reciprocal."""
    nl, nisa, views = r.module("language"), r.module("isa"), r.views(node)
    operands = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    kind = kind or dtype(r, _known(r, views, nodes), operands, node)
    wide = whole_first(r, node, [x for x, c in zip(nodes, column, strict=True) if not c and r.is_tensor(x)])
    size = _size(r, views, operands, wide, list(zip(nodes, texts, strict=True)), node)
    if any(column):
        data, scalar = (texts[1], texts[0]) if column[0] else (texts[0], texts[1])
        if column[0] or not divided:
            scalar = as_float32(r, scalar, r.views(nodes[0 if column[0] else 1]), name)
        reverse = ("reverse0=True",) if column[0] and name not in _SYMMETRIC else ()
        parts = (f"data={data}", f"op0={nl}.{name}", f"operand0={scalar}", *reverse)
        return Pending(f"{nisa}.tensor_scalar", parts, tuple(views), kind, name, size)
    parts = (f"data1={texts[0]}", f"data2={texts[1]}", f"op={nl}.{name}")
    return Pending(f"{nisa}.tensor_tensor", parts, tuple(views), kind, name, size)


@STEP.calls("isa.tensor_tensor")
def tensors(r: Rewriter, node: ast.Call) -> Pending | str:
    """`nisa.tensor_tensor(a, column, op)`, which is `nisa.tensor_scalar` where one operand is a column."""
    found = with_destination(r, node, "isa.tensor_tensor")
    given = arguments_of(node, lookup(BETA1, "isa.tensor_tensor"))  # type: ignore[arg-type]
    views, nodes = r.views(node), [given["data1"], given["data2"]]
    column = [bool(views) and is_column(sizes_of(r, x), views) for x in nodes]
    if not isinstance(found, Pending):
        return found
    if not any(column):
        return replace(found, arguments=_stretched_last(r, node, nodes, found))
    names = (
        {"op": "op0", "data1": "operand0", "data2": "data"}
        if column[0]
        else {"op": "op0", "data1": "data", "data2": "operand0"}
    )
    parts = []
    operator = next(a for a in found.arguments if a.lstrip().startswith("op=")).rpartition(".")[2]
    for argument in found.arguments:
        name, _, text = argument.lstrip().partition("=")
        if names.get(name) == "operand0":
            text = as_float32(r, text, r.views(nodes[0 if column[0] else 1]), operator)
        indent = argument[: len(argument) - len(argument.lstrip())]
        parts.append(f"{indent}{names.get(name, name)}={text}")
    parts += ["reverse0=True"] if column[0] and operator not in _SYMMETRIC else []
    return replace(found, call=f"{r.module('isa')}.tensor_scalar", arguments=tuple(parts), leaf="tensor_scalar")


def _stretched_last(r: Rewriter, node: ast.Call, nodes: Sequence[ast.expr], found: Pending) -> tuple[str, ...]:
    """The arguments of `nisa.tensor_tensor`, with `data2` as large as `data1`."""
    same = [tuple(map(key_of, s)) for s in sizes_of(r, nodes[0])] == [tuple(map(key_of, v.shape)) for v in found.views]
    parts = []
    for argument in found.arguments:
        name, _, text = argument.partition("=")
        if name.strip() == "data2":
            text = chosen(r, nodes[1], text, nodes[0])
            argument = f"{name}={text}"
        if name.strip() == "data2" and same:
            argument = f"{name}={stretched(r, node, nodes[0], nodes[1], (found.shape, text))}"
        parts.append(argument)
    return tuple(parts)


def _known(r: Rewriter, views: Sequence[View], nodes: Sequence[ast.expr]) -> Sequence[View]:
    """The results, or what has their dtype if the operands have one."""
    if not hangs_on_several(views):
        return views
    return next((found for node in nodes if (found := r.views(node))), views)


def _size(
    r: Rewriter,
    views: Sequence[View],
    operands: Sequence[ast.expr],
    wide: Sequence[ast.expr],
    rendered: Sequence[tuple[ast.expr, str]],
    node: ast.expr,
) -> str:
    """The shape of the result: that of an operand which has as many elements, if the operation asks for that."""
    with suppress(Undecided):
        found = shape(r, views, operands, node)
        if "max(" not in found:
            return found
    for operand in wide:
        rank, name = {len(v.shape) for v in r.views(operand)}, named_shape(r, operand)
        if name and rank == {len(v.shape) for v in views}:
            return f"{name}.shape"
    return shape_or_like(r, views, rendered, node)


def _quotient(
    r: Rewriter, node: ast.expr, texts: Sequence[str], nodes: Sequence[ast.expr], kind: str, column: Sequence[bool]
) -> Pending | str:
    """There is no division: the reciprocal is multiplied with."""
    nl = r.module("language")
    last = f", dtype={kind}" if kind else ""
    number = [not r.is_tensor(x) and not is_choice(r, x) for x in nodes]
    if number[1] and not r.reaches("0.3"):
        factor = f"1 / {enclosed(texts[1])}"
        return _instruction(r, node, "multiply", [texts[0], factor], [False, True], kind, nodes, divided=True)
    if number[1]:
        return f"{nl}.multiply({texts[0]}, 1 / {enclosed(texts[1])}{last})"
    if number[0] and texts[0] in ("1", "1.0"):
        return f"{nl}.reciprocal({texts[1]}{last})"
    other, last = _rounded_once(r, node, texts[1], nodes, last)
    if number[0]:
        return f"{nl}.multiply({other}, {texts[0]}{last})"
    if any(column):
        return _instruction(r, node, "multiply", [texts[0], other], column, kind, nodes, divided=True)
    return f"{nl}.multiply({texts[0]}, {other}{last})"


def _rounded_once(r: Rewriter, node: ast.expr, text: str, nodes: Sequence[ast.expr], last: str) -> tuple[str, str]:
    """The reciprocal, and as an argument the dtype of what it is multiplied to: a division rounds its result alone."""
    found = inverse(r, text, r.views(nodes[1]))
    if last or "dtype=" not in found:
        return found, last
    named = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    try:
        return found, f", dtype={dtype(r, _known(r, r.views(node), nodes), named, node)}"
    except Undecided:  # the operands have the dtype of the result
        return f"{r.module('language')}.reciprocal({text})", ""


def _dtypes(views: Sequence[View]) -> list[str]:
    return [str(v.dtype) for v in views]


def _broadcast(r: Rewriter, node: ast.expr, views: Sequence[View]) -> str:
    """An operand; one with other sizes than the result is broadcast, unless it is a column."""
    text = operand(r, node)
    sizes = sizes_of(r, node)
    if not sizes or all(_same(s, v.shape) for s, v in zip(sizes, views, strict=False)):
        return text
    if is_column(sizes, views) and all(key_of(s[0]) == key_of(v.shape[0]) for s, v in zip(sizes, views, strict=False)):
        return text
    if all(all(map(is_one, (*s, *v.shape))) for s, v in zip(sizes, views, strict=False)):
        return scalar(r, node)[0]
    if any(len(s) != len(v.shape) for s, v in zip(sizes, views, strict=False)):
        raise Undecided("operands of different ranks")
    open_ = [s for s, v in zip(sizes, views, strict=False) if not fits(s, v.shape)]
    if open_:
        return text  # equal, as the operation asks for it
    return f"{r.module('language')}.broadcast_to({with_left_out(r, node, text)}, {shape(r, views, [], node)})"


def _note_one_dtype(r: Rewriter, node: ast.expr, views: Sequence[View]) -> None:
    """Tells, once in a function, which inputs are taken to have one dtype."""
    found = frozenset(source for view in views for source in _sources(view.dtype))
    function = r.source.function(node)
    owner = function.name if function is not None else ""
    told = {key: note for key, note in r.alike.items() if key[0] == owner and key[1] & found}
    if len(found) < 2 or any(found <= key[1] and note in r.notes for key, note in told.items()):
        return
    row = min([node.lineno, *(note.row for note in told.values())])
    found = found.union(*(key[1] for key in told))
    r.notes = [note for note in r.notes if note not in told.values()]
    r.alike = {key: note for key, note in r.alike.items() if key not in told}
    *first, last = sorted(found)
    names = ", ".join(f"`{source}`" for source in first) + f" and `{last}`"
    text = f"{names} are taken to be the same; with others the result is of another dtype"
    r.alike[owner, found] = Note(row, "E", STEP.name, text)
    r.notes.append(r.alike[owner, found])


def _sources(kind: Any) -> list[str]:
    """The inputs that a dtype hangs on."""
    parts = getattr(kind, "parts", ())
    return [source for part in parts for source in _sources(part)] if parts else [str(kind)]


def _same(sizes: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    return tuple(map(key_of, sizes)) == tuple(map(key_of, wanted))
