"""Texts lowered, and where their nodes stand as `ast` has it."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from nkilint.base import ir
from nkilint.lowering import lower

KERNEL = '''
"""A module."""
from __future__ import annotations
import neuronxcc.nki as nki, os.path
import neuronxcc.nki.language as nl
from neuronxcc.nki import (isa as nisa, language,)
from ..common import *

P: int = 128; Q = R = -1
table = {"a": [1, 2.5, 1_000], **other, 'b': (1,), }

@nki.jit(mode="trace")
@decorate
def kernel(a, /, b: nl.tensor[128, P], *rest, c=(1, 2), d: "x" = None, **more) -> "y":
    """Docs."""
    # a comment in between
    i_p, i_f = nl.arange(128)[:, None], nl.arange(512)[None, :]
    tile = nl.load(a[i_p, i_f * 2 + 1], mask=(i_p < 3) & ~(i_f >= a.shape[0]))
    for i in nl.affine_range((a.shape[0] + 127) // 128):  # trailing
        for j, (k, *l) in enumerate(range(2)): total = j; total += k
        else:
            x = 1
        if i == 0 or not x is None and 3 <= i < 5 != 7:
            continue
        elif (i) not in (1, 2,):
            break
        else: pass
        nisa.nc_matmul(tile[0:128, j, ::2, ..., i:], moving=(tile)[nl.ds(i, 4)], *rest, **more)
    while (n := 3) > 2:
        n -= 1
    with nl.psum(a) as p, nl.other: y = p
    try:
        assert a.shape == b.shape, f"shapes {a.shape!r:>{10}} differ" "!" ' and'
    except (ValueError, KeyError) as error:
        raise RuntimeError("x") from error
    except Exception: raise
    else: pass
    finally:
        del x, y[0]
    global P
    result = [u * v for u, v in zip(a, b) if u if v for w in u]
    return sum(v for v in result), {u: v for u, v in x}, {*a, 1}, lambda q, *, r=1: q if r else (yield)

class Config(Base, metaclass=Meta):
    size: int
    def area(self): return (
        self.width
        * self.height)  # noqa: E501
'''

KINDS: dict[type[ir.Node], type[ast.AST]] = {
    ir.Name: ast.Name,
    ir.Attr: ast.Attribute,
    ir.Index: ast.Subscript,
    ir.SliceExpr: ast.Slice,
    ir.Call: ast.Call,
    ir.Binary: ast.BinOp,
    ir.Unary: ast.UnaryOp,
    ir.Compare: ast.Compare,
    ir.Conditional: ast.IfExp,
    ir.DictExpr: ast.Dict,
    ir.Lambda: ast.Lambda,
    ir.Walrus: ast.NamedExpr,
    ir.Assign: ast.Assign,
    ir.AnnAssign: ast.AnnAssign,
    ir.AugAssign: ast.AugAssign,
    ir.ExprStmt: ast.Expr,
    ir.If: ast.If,
    ir.For: ast.For,
    ir.While: ast.While,
    ir.With: ast.With,
    ir.Try: ast.Try,
    ir.Assert: ast.Assert,
    ir.Raise: ast.Raise,
    ir.Delete: ast.Delete,
    ir.Import: ast.Import,
    ir.ImportFrom: ast.ImportFrom,
}
DISPLAYS: dict[str, type[ast.AST]] = {"tuple": ast.Tuple, "list": ast.List, "set": ast.Set}
COMPREHENSIONS: dict[str, type[ast.AST]] = {
    "list": ast.ListComp,
    "set": ast.SetComp,
    "dict": ast.DictComp,
    "generator": ast.GeneratorExp,
}


def words(text: str) -> set[str]:
    return set(text.split())


def module(text: str) -> ir.Module:
    return lower(textwrap.dedent(text), "f.py", "f", "")


def value(text: str) -> Any:
    statement = module(text).body[-1]
    assert isinstance(statement, ir.ExprStmt)
    return statement.value


def function(text: str) -> ir.FunctionDef:
    found = [s for s in module(text).body if isinstance(s, ir.FunctionDef)]
    return found[-1]


def columns(node: ir.Node) -> tuple[int, int, int, int]:
    return node.at.row, node.at.column, node.at.end_row, node.at.end_column


def nodes(tree: Any) -> Iterator[ir.Node]:
    if isinstance(tree, tuple):
        for item in tree:
            yield from nodes(item)
    elif hasattr(tree, "__dataclass_fields__"):
        if isinstance(tree, ir.Node):
            yield tree
        for name in tree.__dataclass_fields__:
            yield from nodes(getattr(tree, name))


def ast_kind(node: ir.Node) -> type[ast.AST] | None:
    if isinstance(node, ir.Sequence):
        return DISPLAYS[node.kind]
    if isinstance(node, ir.Comprehension):
        return COMPREHENSIONS[node.kind]
    return KINDS.get(type(node))


def ast_spans(text: str) -> dict[type[ast.AST], set[tuple[int, int, int, int]]]:
    lines = re.split("\r\n?|\n", text)
    tree = ast.parse(text)
    in_strings = {id(n) for s in ast.walk(tree) if isinstance(s, ast.JoinedStr) for n in ast.walk(s)}
    in_strings |= {id(n.cause) for n in ast.walk(tree) if isinstance(n, ast.Raise)}  # not lowered
    spans: dict[type[ast.AST], set[tuple[int, int, int, int]]] = {}

    def column(row: int, offset: int) -> int:
        return len(lines[row - 1].encode()[:offset].decode()) + 1

    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt)) and id(node) not in in_strings:
            end = node.end_lineno or 0
            span = (node.lineno, column(node.lineno, node.col_offset), end, column(end, node.end_col_offset or 0))
            spans.setdefault(type(node), set()).add(span)
    return spans


def lowered_spans(text: str) -> dict[type[ast.AST], set[tuple[int, int, int, int]]]:
    spans: dict[type[ast.AST], set[tuple[int, int, int, int]]] = {}
    stack: list[Any] = [lower(text, "f.py", "f", "").body]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            stack.extend(item)
        elif isinstance(item, ir.Format):
            continue  # older Pythons misplace what stands in an f-string
        elif hasattr(item, "__dataclass_fields__"):
            kind = ast_kind(item) if isinstance(item, ir.Node) else None
            if kind is not None:
                spans.setdefault(kind, set()).add(columns(item))
            stack.extend(getattr(item, name) for name in item.__dataclass_fields__)
    return spans
