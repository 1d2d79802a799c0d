"""Grids of one axis less than those beside them, which come from a helper that leaves out the last axis.

`singles` looks at such a helper as if it never did. A grid that is made elsewhere then has another rank than its
neighbours. Where it selects the partitions of a tile along an axis that another dimension runs along, too, no engine
takes that diagonal: the kernel is one for sizes of which the helper leaves out the axis, or of which one of the two
runs over one element. For all of these, the grid selects the same as one with a last axis more.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from nkilint.base import ir
from nkilint.base.names import own_names
from nkilint.base.walk import parts, statements, walk
from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.memory import HBM
from nkilint_rules.words.records import dataclass

from .axes import steps_of
from .destinations import lists
from .nodes import Undecided

if TYPE_CHECKING:
    from .facts import Facts, Place

Places = Mapping[str, frozenset["Place"]]
"""Of expressions, by absolute path."""

_SIMPLE = (ir.Assign, ir.AugAssign, ir.AnnAssign, ir.ExprStmt, ir.Return)


def lacking(modules: Iterable[ir.Module], facts: Facts, helpers: Collection[str]) -> Places:
    """The subscripts that are such grids; `helpers` are the functions that leave out an axis."""
    found: dict[str, set[Place]] = {}
    functions = (n for m in modules for n in walk(m.body) if helpers and isinstance(n, ir.FunctionDef))
    for function in functions:
        names = _given(function, helpers)
        for statement in statements(function.body) if names else ():
            asked = isinstance(statement, ir.ExprStmt) and isinstance(_plain(statement.value), ir.Index)  # no statement
            if isinstance(statement, _SIMPLE) and not asked:
                for item in _Statement(statement, facts, names).lacking():
                    found.setdefault(os.path.abspath(item.at.file), set()).add(_place(item))
    return {file: frozenset(places) for file, places in found.items()}


def with_last_axis(module: ir.Module, places: Collection[Place]) -> ir.Module:
    """A module in which the subscripts at some places get an axis at the end."""
    body: Any = _rebuilt(module.body, places) if places else module.body
    return replace(module, body=body)


def _rebuilt(node: Any, places: Collection[Place]) -> Any:
    if isinstance(node, tuple):
        items = tuple(_rebuilt(item, places) for item in node)
        return items if any(a is not b for a, b in zip(items, node, strict=True)) else node
    if not isinstance(node, ir.Node):
        return node
    if isinstance(node, ir.Expr) and _place(node) in places:
        inner: Any = replace(node, at=replace(node.at, end_row=node.at.row, end_column=node.at.column))
        key = ir.Sequence(node.at, "tuple", (ir.Const(node.at, ...), ir.Const(node.at, None)))
        return ir.Index(node.at, inner, key)
    new = {f.name: _rebuilt(getattr(node, f.name), places) for f in fields(node)}
    changed = any(value is not getattr(node, name) for name, value in new.items())
    return replace(node, **new) if changed else node


def _given(function: ir.FunctionDef, helpers: Collection[str]) -> set[str]:
    """The names that stand for nothing but what helpers give."""
    given, other = set[str](), set[str]()
    for statement in statements(function.body):
        call = _plain(statement.value) if isinstance(statement, ir.Assign) else None
        own = isinstance(call, ir.Call) and isinstance(call.func, ir.Name) and call.func.id in helpers
        (given if own else other).update(own_names(statement))
    return given - other


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement, with what is known of its expressions and the `names` that a helper gave."""

    statement: ir.Stmt
    facts: Facts
    names: Collection[str]

    def lacking(self) -> Iterator[ir.Expr]:
        """The subscripts in it that are such grids."""
        for node in walk(self.statement):
            if isinstance(node, ir.Index) and isinstance(node.key, ir.Sequence) and (found := self._crosses(node)):
                item, rank = found
                if self._is_alone(self.statement, rank):
                    yield item

    def _crosses(self, node: ir.Index) -> tuple[ir.Expr, int] | None:
        """The subscript of partitions that runs along an axis of another one, and the rank of this one."""
        assert isinstance(node.key, ir.Sequence)
        tiles, items = self._seen(node.value), [_plain(item) for item in node.key.items]
        if not tiles or not all(isinstance(t, View) and str(t.memory) != HBM for t in tiles):
            return None
        counts = {lists(t) for t in tiles}
        first, *others = items[min(counts) :] or (None,)
        if len(counts) != 1 or first is None or any(self._grids(item) for item in items[: min(counts)]):
            return None
        beside = [item for item in others if self._grids(item)]
        ranks = {len(g.shape) for item in beside for g in self._grids(item)}
        own, along = self._grids(first), self._positions(first)
        if len(ranks) != 1 or {len(g.shape) + 1 for g in own} != ranks or len(along) != 1:
            return None
        if not all(self._is_given(item) for item in beside) or not all(map(self._is_known, (first, *others))):
            return None
        return (first, ranks.pop()) if any(along <= self._positions(item) for item in beside) else None

    def _is_alone(self, node: Any, rank: int) -> bool:
        """Whether nothing in a part of the statement has another rank than what is beside the grid, but subscripts of
        one rank each, and the masks of what these select."""
        if isinstance(node, ir.Index) and (tiles := [t for t in self._seen(node.value) if isinstance(t, View)]):
            masks = {len(g.shape) for g in self._grids(node.key) if g.is_mask}
            items = node.key.items if isinstance(node.key, ir.Sequence) else ()
            ranks = {len(g.shape) for item in items for g in self._grids(item)}
            plain = len(ranks) <= 1 or self._crosses(node) is not None
            return plain and masks <= {len(t.shape) for t in tiles} and self._is_alone(node.value, rank)
        own = self._grids(node) if isinstance(node, ir.Expr) else []
        return all(len(g.shape) == rank for g in own) and all(self._is_alone(part, rank) for part in parts(node))

    def _seen(self, node: ir.Expr) -> list[Any]:
        node = _plain(node)
        return [s.value for s in self.facts.everywhere(os.path.abspath(node.at.file), _place(node))]

    def _grids(self, node: ir.Expr) -> list[Grid]:
        return [value for value in self._seen(node) if isinstance(value, Grid)]

    def _positions(self, node: ir.Expr) -> set[int]:
        """The axes, from the right, that a grid runs along."""
        try:
            return {position for grid in self._grids(node) for position in steps_of(grid)[0]}
        except Undecided:
            return set()

    def _is_given(self, node: ir.Expr) -> bool:
        """Whether all grids in an expression come from a helper."""
        grids = [n for n in walk(node) if isinstance(n, ir.Name) and self._grids(n)]
        return bool(grids) and all(n.id in self.names for n in grids)

    def _is_known(self, node: ir.Expr) -> bool:
        """Whether a subscript is a number or a grid wherever it is evaluated."""
        seen = self._seen(node)
        number = isinstance(node, ir.Const) and isinstance(node.value, int)
        return number or (bool(seen) and all(isinstance(v, (int, Sym, Grid)) for v in seen))


def _plain(node: Any) -> Any:
    """An expression without the question about it."""
    asked = isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "reveal"
    return node.args[0][1] if asked else node


def _place(node: ir.Node) -> Place:
    return node.at.row, node.at.column, node.at.end_row, node.at.end_column
