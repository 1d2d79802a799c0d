"""Access patterns: what no slice selects, as strides and sizes over a whole tensor."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.words.memory import HBM

from .destinations import blocks
from .grids import axis_number, index, summed
from .rewriting import Rewriter, Undecided
from .spelling import enclosed, size


def indirect(
    r: Rewriter, node: ast.Subscript, head: str, elements: Sequence[ast.expr], counts: Mapping[int, str]
) -> str:
    """Rows of a tensor in HBM that a tile names: one for each partition."""
    rows, rank, written = r.views(elements[0]), len(elements), r.source.text_of(elements[0])
    if not is_whole(r, node.value, node) or any(
        str(v.memory) != HBM or len(v.base.shape) != rank for v in r.views(node)
    ):
        raise Undecided(f"`{written}` is held in a tile, and selects from a part of a tensor")
    if not all(len(v.shape) == 2 and isinstance(v.shape[1], int) and v.shape[1] == 1 for v in rows):
        raise Undecided(f"`{written}` is no column of a tile")
    if any(len(v.shape) != rank for v in r.views(node)):
        raise Undecided(f"`{written}` selects rows in another form")
    tile = r.render(elements[0])
    count = counts.get(rank - 1)
    chosen = count or size(r, [v.shape[0] for v in rows], node)
    parts, offset = [f"[{_stride(head, 0, rank)}, {chosen}]"], []
    for dimension, element in enumerate(elements[1:], 1):
        found = index(r, element)
        stride = _stride(head, dimension, rank)
        starts = [t for t in (found.base, *(x.start for x in found.ranges)) if t not in ("", "0")]
        offset += [("+", _times(start, stride)) for start in starts]
        for x in found.ranges:
            if not isinstance(x.coefficient, int) or x.coefficient < 1:
                raise Undecided("an index that runs backwards")
            step = _times(str(x.coefficient), stride)
            parts.append(f"[{step}, {counts.get(x.position, x.size)}]")
    rows_used = f"{tile}[0:{count}]" if count else tile
    first = summed(offset) or "0"
    return f"{head}.ap(pattern=[{', '.join(parts)}], offset={first}, vector_offset={rows_used}, indirect_dim=0)"


def pattern(
    r: Rewriter, node: ast.Subscript, head: str, elements: Sequence[ast.expr], counts: Mapping[int, str]
) -> str:
    """Elements of a whole tensor that several index grids select together."""
    rank, views = len(elements), r.views(node)
    lengths = {len(v.shape) for v in views}
    if len(lengths) != 1 or any(len(v.base.shape) - blocks(v) != rank for v in views):
        raise Undecided("index grids of another rank than the tensor")
    steps: dict[int, tuple[str, str]] = {}
    offset: list[tuple[str, str]] = []
    for dimension, element in enumerate(elements):
        found, stride = index(r, element), _stride(head, dimension, rank)
        offset += [(sign, _times(text, stride)) for sign, text in found.terms if text != "0"]
        for x in found.ranges:
            if str(x.coefficient).startswith("-") or x.position in steps:
                raise Undecided("an index that runs backwards, or along a diagonal")
            step = _times(str(x.coefficient), stride)
            steps[x.position] = step, counts.get(x.position, x.size)
            offset += [("+", _times(x.start, step))] if x.start else []
    parts = [steps.get(position, ("1", "1")) for position in reversed(range(lengths.pop()))]
    if str(views[0].memory) != HBM and not parts[0][0].endswith(_stride(head, 0, rank)) and parts[0][1] != "1":
        raise Undecided("the partitions are not selected by the first index grid")
    written = ", ".join(f"[{step}, {count}]" for step, count in parts)
    return f"{head}.ap(pattern=[{written}], offset={summed(offset) or '0'})"


def is_whole(r: Rewriter, value: ast.expr, subscript: ast.Subscript) -> bool:
    """Whether what is subscripted is all of a tensor; a parameter is, of which nothing is known before it is used."""
    found = r.views(value)
    if not found:
        bases = [v.base for v in r.views(subscript)]
        return isinstance(value, ast.Name) and bool(bases) and all(b.name == value.id for b in bases)
    return all(_is_all(v) for v in found)


def _is_all(view: View) -> bool:
    """Whether a view is all of its tensor in order. Its evaluation is over, so its axes are known by their names."""
    rank = len(view.shape)
    shapes = [tuple(map(key_of, s)) for s in (view.shape, view.layout, view.base.shape)]
    return shapes[0] == shapes[1] == shapes[2] and all(
        i == 0 if isinstance(i, int) else _is_axis(i, rank - 1 - d) for d, i in enumerate(view.index)
    )


def _is_axis(value: Any, position: int) -> bool:
    atom = value.as_atom if isinstance(value, Sym) else None
    return getattr(atom, "kind", "") == "axis" and axis_number(atom) == position


def _stride(head: str, dimension: int, rank: int) -> str:
    """How many elements stand between two neighbours along a dimension."""
    return " * ".join(f"{head}.shape[{d}]" for d in range(dimension + 1, rank)) or "1"


def _times(text: str, stride: str) -> str:
    if stride == "1":
        return enclosed(text) if "+" in text or "-" in text else text
    return stride if text == "1" else f"{enclosed(text)} * {stride}"
