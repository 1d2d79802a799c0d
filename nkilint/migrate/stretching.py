"""Operands as large as one another: Beta 1 stretched sizes of 1, which operations of `nki` do not."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.atoms import Max
from nkilint.symbolic.integers import Sym, is_one, itself, key_of
from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import PSUM, SBUF

from .destinations import Pending
from .facts import LAUNCHED, Seen
from .grids import assigned, same_integer
from .guards import check_order
from .naming import names_at
from .operations import OPERATORS, arguments_of
from .rewriting import Rewriter, Undecided

BINARY = (*sorted({*OPERATORS.values()} - {"divide"}), "divide", "maximum", "minimum", "logical_and", "logical_or")
_BY_ELEMENT = frozenset(f"language.{name}" for name in (*BINARY, "exp", "negative", "sqrt", "rsqrt", "tanh", "copy"))


def stretched(r: Rewriter, node: ast.expr, whole: ast.expr, part: ast.expr, texts: Sequence[str]) -> str:
    """The second operand, as large as the first (of which `texts` gives the shape) where nothing says that they are
    equal: Beta 1 stretched sizes of 1, which is told only when the kernel runs."""
    wide, text = texts
    if not wide or not may_be_larger(r, node, whole, part):
        return text
    if not text.isidentifier():
        text = named(r, part, f"{named_shape(r, part) or 'tile'}_part", text)
    return f"{text} if {text}.shape == {wide} else {r.module('language')}.broadcast_to({text}, {wide})"


def may_be_larger(r: Rewriter, node: ast.expr, whole: ast.expr, part: ast.expr) -> bool:
    """Whether nothing says that two operands are equally large, or which of them is stretched."""
    pairs = list(zip(r.facts.of(r.source.path, r.source.place(node)), r.views(whole), r.views(part), strict=False))
    open_ = [p for p in pairs if len(p[1].shape) == len(p[2].shape) and not shown_equal(r, *p)]
    known = not (in_launches(r, whole) or in_launches(r, part))
    return bool(open_) and not any(known and (fits(a.shape, b.shape) or fits(b.shape, a.shape)) for _, a, b in open_)


def whole_first(r: Rewriter, node: ast.expr, operands: Sequence[ast.expr]) -> list[ast.expr]:
    """Operands, that first which is as large as the result: the first one, unless only the second has the sizes of what
    the function makes in HBM, where nothing says that they are equal."""
    tiles = [x for x in operands if r.is_tensor(x)]
    if len(tiles) != 2 or len(operands) != 2 or not named_shape(r, tiles[1]) or not may_be_larger(r, node, *tiles):
        return list(operands)
    made = {
        key_of(n)
        for name in names_at(r, node)
        for v in r.views(name.node)
        if str(v.memory) not in (SBUF, PSUM) and v.base.kind != "input"
        for n in v.shape
    }
    first, second = (all(_is_among(n, made) for v in r.views(x) for n in v.shape[1:]) for x in tiles)
    return tiles[::-1] if second and not first else tiles


def _is_among(size: Any, sizes: Set[Any]) -> bool:
    """Whether a size is one of these, given by their keys, or the larger of one and another, once it is stretched."""
    atoms = [a for mono in size.terms for a in mono] if isinstance(size, Sym) else []
    larger = len(atoms) == 1 and isinstance(atoms[0], Max) and key_of(size) == key_of(itself(atoms[0]))
    return key_of(size) in sizes or (larger and any(_is_among(n, sizes) for n in atoms[0].operands))


def as_wide(r: Rewriter, target: ast.expr, text: str, value: ast.expr, product: Pending) -> Pending | None:
    """A product that is added to a tile, of which `text` is the destination, with as many columns: where nothing says
    that it has them, a single one is stretched in what is multiplied. None where the product has to be stretched."""
    seen = r.facts.of(r.source.path, r.source.place(value))
    views = list(zip(seen, r.views(target), r.views(value), strict=False))
    if all(len(a.shape) == len(b.shape) and shown_equal(r, s, a, b) for s, a, b in views):
        return product
    last = product.arguments[-1]
    rows = all(same_integer(r, a.shape[0], b.shape[0], s) for s, a, b in views)
    if not rows or not last.lstrip().startswith("moving=") or any(len(v.shape) != 2 for s, *x in views for v in x):
        return None
    if not may_be_larger(r, value, target, value):
        return None
    text = text.removesuffix("[:, :]")
    before, _, moving = last.partition("=")
    if not moving.isidentifier():
        moving = named(r, value, "moving", moving)
    wide = f"{r.module('language')}.broadcast_to({moving}, ({moving}.shape[0], {text}.shape[1]))"
    last = f"{before}={moving} if {moving}.shape[1] == {text}.shape[1] else {wide}"
    return replace(product, arguments=(*product.arguments[:-1], last))


def in_launches(r: Rewriter, node: ast.expr) -> bool:
    """Whether an operand is a whole input of which launches alone tell the shape: another one may give another."""
    made = assigned(r, node) if isinstance(node, ast.Name) else (node, node)
    load = made[1] if made is not None else None
    if not isinstance(load, ast.Call) or r.operation(load) != "language.load":
        return False
    source = arguments_of(load, lookup(BETA1, "language.load")).get("src")  # type: ignore[arg-type]
    ranks = {s.rank for s in r.facts.of(r.source.path, r.source.place(node))}
    return isinstance(source, ast.Name) and ranks == {LAUNCHED}


def on_all_rows(r: Rewriter, node: ast.expr, wide: tuple[ast.expr, str], column: tuple[ast.expr, str]) -> list[str]:
    """An operand and a column beside it, nodes with their texts: a column of one partition, which functions of Beta 1
    stretch, is broadcast where nothing says that it has as many as the operand."""
    seen = zip(r.facts.of(r.source.path, r.source.place(node)), r.views(wide[0]), r.views(column[0]), strict=False)
    pairs = [(s, a.shape, b.shape) for s, a, b in seen if len(a.shape) == len(b.shape)]
    if not pairs or all(is_one(a[0]) or same_integer(r, a[0], b[0], s) for s, a, b in pairs):
        return [wide[1], column[1]]
    data = wide[1] if wide[1].isidentifier() else named(r, wide[0], "tile", wide[1])
    text = column[1] if column[1].isidentifier() else named(r, column[0], "column", column[1])
    ones = ", ".join("1" for _ in pairs[0][1][1:])
    broadcast = f"{r.module('language')}.broadcast_to({text}, ({data}.shape[0], {ones}))"
    return [data, f"{text} if {text}.shape[0] == {data}.shape[0] else {broadcast}"]


def named(r: Rewriter, node: ast.expr, stem: str, text: str) -> str:
    """A name for an operand, which is computed before the statement."""
    check_order(r, node)
    name = r.fresh(stem)
    r.pending.append(f"{name} = {text}")
    return name


def is_choice(r: Rewriter, node: ast.expr) -> bool:
    """Whether an operand is one of two tiles, of which no evaluation says both shapes."""
    if not isinstance(node, ast.IfExp) or r.is_tensor(node):
        return False
    return all(r.is_tensor(x) or is_choice(r, x) for x in (node.body, node.orelse))


def _sides(node: ast.expr) -> list[ast.expr]:
    """What an expression chooses from."""
    return [*_sides(node.body), *_sides(node.orelse)] if isinstance(node, ast.IfExp) else [node]


def chosen(r: Rewriter, node: ast.expr, text: str, other: ast.expr) -> str:
    """An operand that is one of two tiles, as large as the other operand."""
    if not is_choice(r, node) or not r.reaches("0.3"):
        return text
    if len({tuple(map(key_of, v.shape)) for x in (other, *_sides(node)) for v in r.views(x)}) == 1 and r.is_tensor(
        other
    ):
        return text
    wide = named_shape(r, other)
    if not wide:
        raise Undecided("what it is chosen from may be of other sizes, and the other operand has no name: give it one")
    name = named(r, node, "chosen", text)
    return f"{name} if {name}.shape == {wide}.shape else {r.module('language')}.broadcast_to({name}, {wide}.shape)"


def named_shape(r: Rewriter, node: ast.expr) -> str:
    """The name of a tile that has the shape of an operand, once second operands are stretched; empty for none."""
    if not r.is_tensor(node):
        return ""
    if isinstance(node, ast.Name):
        return node.id if r.render(node) == node.id else ""
    if isinstance(node, ast.UnaryOp):
        return named_shape(r, node.operand)
    given: list[ast.expr] = []
    if isinstance(node, ast.BinOp):
        given = [node.left, node.right]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        given = [node.left, *node.comparators]
    elif isinstance(node, ast.Call) and r.operation(node) in _BY_ELEMENT:
        given = list(arguments_of(node, lookup(BETA1, r.operation(node) or "")).values())  # type: ignore[arg-type]
    ranks = {len(v.shape) for v in r.views(node)}
    given = whole_first(r, node, given)
    tiles = [x for x in given if r.is_tensor(x) and {len(v.shape) for v in r.views(x)} == ranks]
    narrow = [is_column(sizes_of(r, x), r.views(node)) for x in tiles]
    return next((named_shape(r, x) for x, column in zip(tiles, narrow, strict=True) if not column), "")


def written_shape(r: Rewriter, node: ast.expr) -> str:
    """The shape of a tile that nothing names, where it is the same numbers in every evaluation."""
    shapes = {v.shape if all(isinstance(n, int) for n in v.shape) else () for v in r.views(node)}
    return str(shapes.pop() or "") if len(shapes) == 1 else ""


def shown_equal(r: Rewriter, seen: Seen, left: View, right: View) -> bool:
    """Whether two tensors are proved to have one shape wherever an expression is evaluated."""
    return all(same_integer(r, a, b, seen) for a, b in zip(left.shape, right.shape, strict=True))


def fills(r: Rewriter, node: ast.expr, operand: ast.expr, stretched: bool = False) -> bool:
    """Whether an operand is proved to be as large as the result, or to be so once its sizes of 1 are `stretched`."""
    seen = zip(r.facts.of(r.source.path, r.source.place(node)), r.views(node), r.views(operand), strict=False)
    sizes = [(s, a.shape, b.shape) for s, a, b in seen]
    if not sizes or any(len(a) != len(b) for _, a, b in sizes):
        return False
    pairs = [(s, a, b) for s, wide, own in sizes for a, b in zip(wide, own, strict=True)]
    return all((stretched and is_one(b)) or same_integer(r, a, b, s) for s, a, b in pairs)


def fits(sizes: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    return all(is_one(a) or key_of(a) == key_of(b) for a, b in zip(sizes, wanted, strict=True))


def sizes_of(r: Rewriter, node: ast.expr) -> list[tuple[Any, ...]]:
    return [v.shape for v in r.views(node)]


def is_column(sizes: Sequence[tuple[Any, ...]], views: Sequence[View]) -> bool:
    """Whether an operand has one element in each partition of the result, where that has more."""
    return bool(sizes) and all(_is_narrow(s, v.shape) for s, v in zip(sizes, views, strict=False))


def _is_narrow(sizes: tuple[Any, ...], wide: tuple[Any, ...]) -> bool:
    fits = len(sizes) == len(wide) and (key_of(sizes[0]) == key_of(wide[0]) or not is_one(sizes[0]))
    return fits and all(map(is_one, sizes[1:])) and not all(map(is_one, wide[1:]))
