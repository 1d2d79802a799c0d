"""Access patterns: what no slice selects, as strides and sizes over a whole tensor."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.integers import Sym, is_one, key_of
from nkilint_rules.words.conditions import product
from nkilint_rules.words.memory import HBM

from .axes import axis_number
from .destinations import Part, blocks, from_the_first
from .grids import index, summed
from .rewriting import Rewriter, Undecided
from .spelling import size
from .texts import enclosed


def indirect(
    r: Rewriter, node: ast.Subscript, head: str, elements: Sequence[ast.expr], parts: Mapping[int, Part]
) -> str:
    """Rows of a tensor in HBM that a tile names: one for each partition."""
    counts = {position: from_the_first(part) for position, part in parts.items()}
    rows, rank, written = r.views(elements[0]), len(elements), r.source.text_of(elements[0])
    if not is_whole(r, node.value, node) or any(
        str(v.memory) != HBM or len(v.base.shape) != rank for v in r.views(node)
    ):
        raise Undecided(f"`{written}` is held in a tile, and selects from a part of a tensor")
    if not all(len(v.shape) == 2 and (is_one(v.shape[1]) or not isinstance(v.shape[1], int)) for v in rows):
        raise Undecided(f"`{written}` is no column of a tile")
    if any(len(v.shape) != rank for v in r.views(node)):
        raise Undecided(f"`{written}` selects rows in another form")
    tile = r.render(elements[0])
    count = counts.get(rank - 1)
    chosen = count or size(r, [v.shape[0] for v in rows], node)
    steps, offset = [f"[{_stride(head, 0, rank)}, {chosen}]"], []
    for dimension, element in enumerate(elements[1:], 1):
        found = index(r, element)
        stride = _stride(head, dimension, rank)
        starts = [t for t in (found.base, *(x.start for x in found.ranges)) if t not in ("", "0")]
        offset += [("+", _times(start, stride)) for start in starts]
        for x in found.ranges:
            if not isinstance(x.coefficient, int) or x.coefficient < 1:
                raise Undecided("an index that runs backwards")
            step = _times(str(x.coefficient), stride)
            steps.append(f"[{step}, {counts.get(x.position, x.size)}]")
    rows_used = _first_rows(tile, count) if count else tile
    first = summed(offset) or "0"
    return f"{head}.ap(pattern=[{', '.join(steps)}], offset={first}, vector_offset={rows_used}, indirect_dim=0)"


def _first_rows(text: str, count: str) -> str:
    """A tile with fewer rows: by the subscript that it has, where that begins with the first."""
    node = ast.parse(text, mode="eval").body
    chosen = node.slice if isinstance(node, ast.Subscript) else None
    rows = chosen.elts[0] if isinstance(chosen, ast.Tuple) and chosen.elts else chosen
    found = ast.get_source_segment(text, rows) if isinstance(rows, ast.Slice) and rows.step is None else None
    if isinstance(node, ast.Subscript) and found and found.partition(":")[0].strip() in ("", "0"):
        head = ast.get_source_segment(text, node.value) or ""
        return f"{head}[{text[len(head) + 1 :].replace(found, f'0:{count}', 1)}"
    return f"{text}[0:{count}]"


def holds_tile(r: Rewriter, element: ast.expr) -> bool:
    """Whether a subscript takes an integer out of a tile."""
    if r.is_tensor(element):
        return True
    return any(isinstance(g, Grid) and g.dynamic for g in r.values(element)) or (
        isinstance(element, ast.BinOp) and any(holds_tile(r, e) for e in (element.left, element.right))
    )


def at_scalar(
    r: Rewriter,
    node: ast.Subscript,
    head: str,
    elements: Sequence[ast.expr],
    dimension: int,
    parts: Mapping[int, Part],
) -> str:
    """A whole tensor from one place on, along a dimension, that an element of a tile names."""
    counts = {position: from_the_first(part) for position, part in parts.items()}
    rank, written = len(elements), r.source.text_of(elements[dimension])
    if not is_whole(r, node.value, node) or any(len(v.layout) - blocks(v) != rank for v in r.views(node)):
        raise Undecided(f"`{written}` is held in a tile, and selects from a part of a tensor")
    tile, rest = scalar(r, elements[dimension])
    steps: dict[int, tuple[str, str]] = {}
    offset: list[tuple[str, str]] = []
    for number, element in enumerate(elements):
        if number == dimension and rest is None:
            continue
        chosen = rest if number == dimension and rest is not None else element
        if isinstance(chosen, ast.Slice):
            raise Undecided(f"`{written}` is held in a tile, and stands beside slices")
        found, stride = index(r, chosen), _stride(head, number, rank)
        offset += [(sign, _times(text, stride)) for sign, text in found.terms if text != "0"]
        for x in found.ranges:
            if not isinstance(x.coefficient, int) or x.coefficient < 1 or x.position in steps:
                raise Undecided("an index that runs backwards, or along a diagonal")
            step = _times(str(x.coefficient), stride)
            steps[x.position] = step, counts.get(x.position, x.size)
            offset += [("+", _times(x.start, step))] if x.start else []
    lengths = {len(v.shape) for v in r.views(node)}
    if len(lengths) != 1 or not steps:
        raise Undecided(f"`{written}` is held in a tile, and selects in another form")
    kept = sorted(steps, reverse=True) if len(steps) == lengths.pop() else range(max(steps), -1, -1)
    pattern = ", ".join(f"[{step}, {count}]" for step, count in (steps.get(p, ("1", "1")) for p in kept))
    first = summed(offset) or "0"
    return f"{head}.ap(pattern=[{pattern}], offset={first}, scalar_offset={tile}, indirect_dim={dimension})"


def scalar(r: Rewriter, element: ast.expr) -> tuple[str, ast.expr | None]:
    """One element of a tile as a tile of its own, and what is added to it."""
    if isinstance(element, ast.BinOp) and isinstance(element.op, ast.Add):
        for one, other in ((element.left, element.right), (element.right, element.left)):
            if r.is_tensor(one) and not holds_tile(r, other):
                return scalar(r, one)[0], other
    if isinstance(element, ast.Subscript) and isinstance(element.slice, ast.Tuple) and r.is_tensor(element):
        parts = element.slice.elts
        plain = len(parts) == 2 and not any(r.is_grid(p) or isinstance(p, ast.Slice) for p in parts)
        if plain and all(len(v.shape) == 2 and not blocks(v) for v in r.views(element.value)):
            texts = [r.render(p) for p in parts]
            return f"{r.render(element.value)}[{', '.join(f'{t}:{_next(t)}' for t in texts)}]", None
    raise Undecided(f"`{r.source.text_of(element)}` is held in a tile")


def _next(text: str) -> str:
    return str(int(text) + 1) if text.isdigit() else f"{text} + 1"


def pattern(
    r: Rewriter, node: ast.Subscript, head: str, elements: Sequence[ast.expr], parts: Mapping[int, Part]
) -> str:
    """Elements of a whole tensor that several index grids select together."""
    rank, views = len(elements), r.views(node)
    lengths = {len(v.shape) for v in views}
    if len(lengths) != 1 or any(len(v.layout) - blocks(v) != rank for v in views):
        raise Undecided("index grids of another rank than the tensor")
    steps: dict[int, tuple[str, str]] = {}
    offset: list[tuple[str, str]] = []
    for dimension, element in enumerate(elements):
        found, stride = index(r, element), _stride(head, dimension, rank)
        offset += [(sign, _times(text, stride)) for sign, text in found.terms if text != "0"]
        for x in found.ranges:
            part = parts.get(x.position, Part(x.size))
            step, count = _times(str(x.coefficient), stride), part.count
            known = steps.get(x.position)  # of another dimension, where the axis runs along a diagonal
            steps[x.position] = (f"{known[0]} + {enclosed(step)}" if known else step), count
            if x.may_be_empty and f"{count} > 0" not in r.guards:
                r.guards.append(f"{count} > 0")  # a pattern without elements begins outside of the tensor
            offset += [("+", _times(text, step)) for text in (x.start, part.first) if text]
    taken = [steps.get(p) or _cancelled(r, node, p) for p in reversed(range(lengths.pop()))]
    backwards = [step for step, _ in taken if step.startswith("-")]
    if backwards and taken[0][0] == backwards[0]:
        raise Undecided("an index that runs backwards over partitions")
    if backwards:
        r.note(node, "E", "index-grids", "a step of an access pattern is negative, of which no page of `nki` speaks")
    if str(views[0].memory) != HBM and not taken[0][0].endswith(_stride(head, 0, rank)) and taken[0][1] != "1":
        raise Undecided("the partitions are not selected by the first index grid")
    if str(views[0].memory) != HBM and any(x.position != len(taken) - 1 for x in index(r, elements[0]).ranges):
        raise Undecided("the partitions run along another axis than the first, or along a diagonal")
    written = ", ".join(f"[{step}, {count}]" for step, count in taken)
    return f"{head}.ap(pattern=[{written}], offset={summed(offset) or '0'})"


def _cancelled(r: Rewriter, node: ast.Subscript, position: int) -> tuple[str, str]:
    """The step and the size of an axis along which no index changes."""
    sizes = [v.shape[-1 - position] for v in r.views(node)]
    return ("1", "1") if all(map(is_one, sizes)) else ("0", size(r, sizes, node))


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
    shapes = [tuple(map(key_of, s)) for s in (view.shape, view.layout)]
    same_size = key_of(view.size) == key_of(product(view.base.shape))  # after a reshape the base has another shape
    return (
        shapes[0] == shapes[1]
        and same_size
        and all(i == 0 if isinstance(i, int) else _is_axis(i, rank - 1 - d) for d, i in enumerate(view.index))
    )


def _is_axis(value: Any, position: int) -> bool:
    atom = value.as_atom if isinstance(value, Sym) else None
    return getattr(atom, "kind", "") == "axis" and axis_number(atom) == position


def _stride(head: str, dimension: int, rank: int) -> str:
    """How many elements stand between two neighbours along a dimension."""
    return " * ".join(f"{head}.shape[{d}]" for d in range(dimension + 1, rank)) or "1"


def _times(text: str, stride: str) -> str:
    text = text if text.lstrip("-").isdigit() else enclosed(text)
    if stride == "1":
        return text
    if text.isdigit() and stride.isdigit():
        return str(int(text) * int(stride))
    return stride if text == "1" else f"{text} * {stride}"
