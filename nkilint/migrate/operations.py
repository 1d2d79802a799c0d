"""Calls of operations in the form that `nki` has for them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nkilint.base.source import indentation
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.integers import key_of
from nkilint_rules.operations import lookup
from nkilint_rules.operations.form import Operation
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.dtypes import FLOAT32, DType
from nkilint_rules.words.memory import PSUM
from nkilint_rules.words.operators import is_bitvec
from nkilint_rules.words.promotion import BITS

from .clips import Clip, clip
from .destinations import Pending
from .regions import both, region, unmasked
from .rewriting import Rewriter, Undecided, bound
from .spelling import dtype, shape

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_DROPPED = frozenset({"mask", "dtype"})
_OPERATORS = frozenset({"op", "op0", "op1", "reduce_op", "comp_op0", "comp_op1"})
_FROM_SBUF = frozenset({"stationary", "moving"})
_SCALARS = frozenset({"operand0", "operand1"})
_NUMPY = {
    "max": "maximum", "amax": "maximum", "min": "minimum", "amin": "minimum", "sum": "add", "prod": "multiply",
    "bitwise_not": "invert", "absolute": "abs", "bitwise_left_shift": "left_shift", "pow": "power",
    "bitwise_right_shift": "right_shift", "true_divide": "divide",
}  # fmt: skip

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power",
    ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or", ast.BitXor: "bitwise_xor", ast.LShift: "left_shift",
    ast.RShift: "right_shift", ast.Eq: "equal", ast.NotEq: "not_equal", ast.Lt: "less", ast.LtE: "less_equal",
    ast.Gt: "greater", ast.GtE: "greater_equal",
}  # fmt: skip
"""What Python's operators on tiles are called."""


def arguments_of(node: ast.Call, operation: Operation) -> dict[str, ast.expr]:
    """The arguments by Beta 1's parameters."""
    assert operation.beta1 is not None
    return bound(node, operation.beta1.positional)


def argument(r: Rewriter, name: str, value: ast.expr, within: Clip) -> str:
    """One argument: operators by the language's names, tensors as far as the mask lets them."""
    if name in _OPERATORS:
        return operator(r, value)
    if not r.is_tensor(value):
        return r.render(value)
    text = region(r, value, within)
    if name in _FROM_SBUF and r.memory(value) == PSUM:
        return f"{r.module('language')}.copy({text})"
    return as_float32(r, text, r.views(value)) if name in _SCALARS else text


def as_float32(r: Rewriter, text: str, views: Sequence[View], operator: str = "") -> str:
    """A column that stands for a scalar, which `nki` takes in float32 only; integers are for operations on bits, and
    stay where `operator` is not known."""
    on_bits = not operator or is_bitvec(operator)
    if all(isinstance(v.dtype, DType) and (v.dtype is FLOAT32 or (on_bits and v.dtype.is_integer)) for v in views):
        return text
    return f"{r.module('language')}.copy({text}, dtype={r.module('language')}.float32)"


def inverse(r: Rewriter, text: str, views: Sequence[View]) -> str:
    """The reciprocal of what something is divided by, in float32 as divisions are computed."""
    nl = r.module("language")
    wide = all(v.dtype is FLOAT32 for v in views)
    return f"{nl}.reciprocal({text})" if wide else f"{nl}.reciprocal({text}, dtype={nl}.float32)"


def hangs_on_several(views: Sequence[View]) -> bool:
    """Whether a dtype hangs on those of several operands, which are taken to have one then."""
    return any(
        not isinstance(v.dtype, DType) and getattr(v.dtype, "parts", True) and not _has_bits(v.dtype) for v in views
    )


def _has_bits(kind: Any) -> bool:
    """Whether integers or truth values are among what a dtype hangs on, beside which floats keep theirs."""
    if isinstance(kind, DType):
        return kind in BITS
    return any(map(_has_bits, getattr(kind, "parts", ())))


def operator(r: Rewriter, value: ast.expr) -> str:
    """NumPy's functions are operators of the language."""
    dotted = r.dotted(value)
    if dotted is None or not dotted.startswith("numpy."):
        return r.render(value)
    leaf = dotted.rpartition(".")[2]
    return f"{r.module('language')}.{_NUMPY.get(leaf, leaf)}"


def with_destination(r: Rewriter, node: ast.Call, name: str) -> Pending | str:
    """An operation of `nki.isa` that gave a tile, and now writes to `dst`."""
    operation = lookup(NKI, name)
    old = lookup(BETA1, name)
    if operation is None or operation.nki is None or old is None:
        raise Undecided(f"`{name.rpartition('.')[2]}` is not there any more")
    given = arguments_of(node, old)
    within = clip(r, given.get("mask"))
    left = both(within, product_clip(r, given["stationary"], given["moving"])) if name == "isa.nc_matmul" else within
    texts = []
    rendered: list[tuple[ast.expr, str]] = []
    starts = {id(k.value): k.lineno for k in node.keywords}
    row = node.func.end_lineno
    for key, value in given.items():
        first, before, row = starts.get(id(value), value.lineno), row, value.end_lineno
        if key in _DROPPED and key not in operation.nki.names:
            continue
        if key not in operation.nki.names:
            raise Undecided(f"`{key}` is not there any more")
        text = argument(r, key, value, within)
        rendered.append((value, text))
        line = r.source.lines[first - 1]
        indent = f"\n{indentation(line)}" if first != before else ""
        texts.append(f"{indent}{key}={text}")
    function = r.render(node.func)
    if "dst" in given:
        joined = "".join(f",{t}" if t.startswith("\n") else f", {t}" for t in texts)
        return f"{function}({joined.lstrip(', ')})"
    views = r.views(node)
    around = next((n for n in r.source.around(node) if isinstance(n, COMPREHENSIONS)), None)
    if not views and around is not None:
        raise Undecided(in_later(around, f"`{operation.leaf}`"))
    if not views:  # where it goes may be known all the same
        kind = numpy_dtype(r, given["dtype"], r.render(given["dtype"])) if "dtype" in given else ""
        return Pending(function, tuple(texts), (), kind, operation.leaf, "", left or None, r.because(node))
    operands = [v for v in given.values() if r.is_tensor(v)]
    found = Pending(function, tuple(texts), tuple(views), "", operation.leaf, "", left or None)
    try:
        kind = r.render(given["dtype"]) if "dtype" in given else dtype(r, views, operands, node)
        if kind == "None":
            kind = dtype(r, views, operands, node)
        kind = numpy_dtype(r, given.get("dtype"), kind)
        return replace(found, dtype=kind, shape=shape_or_like(r, views, rendered, node))
    except Undecided as undecided:  # what it is assigned to may be there already
        return replace(found, unnamed=str(undecided))


def in_later(node: ast.AST, what: str) -> str:
    """Why a part of a comprehension or of a lambda stays as it is."""
    kind, instead = ("lambda", "function") if isinstance(node, ast.Lambda) else ("comprehension", "loop")
    return f"{what} stands in a {kind}, where no tile can be made for it: write a {instead}"


def product_clip(r: Rewriter, stationary: ast.expr, moving: ast.expr) -> Clip:
    """What masks for subscripts of two operands leave of their product, whose rows are the columns of the first one."""
    rows, columns = (unmasked(r, operand)[1] for operand in (stationary, moving))
    if not rows and not columns:
        return {}
    ranks = {len(v.shape) for v in r.views(moving)}
    if len(ranks) != 1:
        raise Undecided("a mask on what has another rank in some calls")
    found = {position: cut for position, cut in columns.items() if position < min(ranks) - 1}
    if 0 in rows:
        found[min(ranks) - 1] = replace(rows[0], by_engine=True)
    return found


def shape_or_like(r: Rewriter, views: Sequence[View], rendered: Sequence[tuple[ast.expr, str]], at: ast.expr) -> str:
    """The shape of a new tile, or else that of a part of a tensor among the operands which has the same."""
    try:
        return shape(r, views, [node for node, _ in rendered if r.is_tensor(node)], at)
    except Undecided:
        wanted = [tuple(map(key_of, v.shape)) for v in views]
        for node, text in rendered:
            part = isinstance(node, ast.Subscript) and not text.endswith(")")  # no copy, and no pattern
            if part and [tuple(map(key_of, v.shape)) for v in r.views(node)] == wanted:
                return f"{text}.shape"
        raise


def numpy_dtype(r: Rewriter, given: ast.expr | None, text: str) -> str:
    """NumPy's dtypes are the language's."""
    dotted = r.dotted(given) if given is not None else None
    if dotted is None or not dotted.startswith("numpy."):
        return text
    return f"{r.module('language')}.{dotted.rpartition('.')[2]}"


def in_names(r: Rewriter, node: ast.Call, given: Mapping[str, str], names: Sequence[str] = ()) -> str:
    """A call with other texts for some keyword arguments, and with names for those that stand by position."""
    texts: dict[ast.AST, str] = {}
    for keyword in node.keywords:
        if keyword.arg is not None and keyword.arg in given:
            texts[keyword.value] = given[keyword.arg]
    for name, value in zip(names, node.args, strict=False):
        if not isinstance(value, ast.Starred):
            texts[value] = f"{name}={r.render(value)}"
    return r.plain_with(node, texts)
