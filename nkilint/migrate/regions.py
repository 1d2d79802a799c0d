"""Elements of tensors as `nki` selects them: slices, and tiles out of lists."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nkilint.evaluator.values.containers import DictValue, ListValue
from nkilint.evaluator.values.grids import Grid
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import is_one, key_of

from .clips import Clip
from .clips import clip as clipped
from .destinations import Part, fitting, from_the_first, lists, shortened
from .grids import Range, assigned, index, summed
from .new_axes import is_new_axis, is_number, with_new_axes
from .rewriting import Rewriter, Undecided, bound
from .spelling import size
from .strides import at_scalar, holds_tile, indirect, is_whole, pattern
from .texts import enclosed

Counts = Mapping[int, Part]
"""By axis, from the right, the elements to take."""


def region(r: Rewriter, node: ast.expr, clip: Clip | None = None) -> str:
    """An operand in `nki`, only as many elements of it as `clip` leaves."""
    if isinstance(node, ast.IfExp) and clip and all(map(r.is_tensor, (node.body, node.orelse))):
        return f"{region(r, node.body, clip)} if {r.render(node.test)} else {region(r, node.orelse, clip)}"
    node, clip = unmasked(r, node, clip)
    counts = fitting(r.views(node), clip) if r.is_tensor(node) else {}
    r.cut.update(counts)
    if isinstance(node, ast.Subscript) and r.is_tensor(node):
        return _subscript(r, node, counts)
    text = r.render(node)
    return cut(r, node, text, counts) if counts else text


def unmasked(r: Rewriter, node: ast.expr, clip: Clip | None = None) -> tuple[ast.expr, Clip]:
    """An operand without masks for subscripts, and what these leave of each axis besides `clip`."""
    while isinstance(node, ast.Subscript) and _is_mask(r, node.slice) and r.is_tensor(node.value):
        clip = both(clip or {}, clipped(r, node.slice))
        node = node.value
    return node, clip or {}


def _is_mask(r: Rewriter, node: ast.expr) -> bool:
    values = r.values(node)
    return bool(values) and all(isinstance(v, (bool, Cond)) or (isinstance(v, Grid) and v.is_mask) for v in values)


def both(first: Clip, second: Clip) -> Clip:
    """What two masks leave."""
    shared = [p for p in first if p in second]
    if any(c[p].part.first for p in shared for c in (first, second)):
        raise Undecided("two masks that bound one index from below")
    least = {p: Part(f"min({first[p].part.end}, {second[p].part.end})") for p in shared}
    return {**first, **second, **{p: replace(first[p], part=least[p]) for p in shared}}


def cut(r: Rewriter, node: ast.expr, text: str, clip: Counts) -> str:
    """A whole tile, which `text` gives, shortened."""
    views = r.views(node)
    ranks = {len(v.shape) for v in views}
    if len(ranks) != 1:
        raise Undecided(f"`{r.source.text_of(node)}` cannot be shortened here")
    if not text.isidentifier():
        name = r.fresh("value")
        r.pending.append(f"{name} = {text}")
        text = name
    rank = ranks.pop()
    single = {rank - 1 - d for d in range(rank) if all(is_one(v.shape[d]) for v in views)}
    return text + shortened(rank, {p: c for p, c in clip.items() if p not in single})


def _subscript(r: Rewriter, node: ast.Subscript, clip: Counts) -> str:
    elements = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if is_container(r, node.value):
        return _clipped_block(r, node, r.plain(node), clip)
    bases = r.views(node.value)
    counts = {lists(v) for v in bases}
    if len(counts) > 1:
        raise Undecided("it has block dimensions in some calls only")
    count = counts.pop() if counts else 0
    head = _tile(r, node.value, "".join(f"[{r.render(e)}]" for e in elements[:count]))
    rest = elements[count:]
    plain = not any(r.is_grid(e) or isinstance(e, ast.Slice) for e in elements[:count])
    if len(elements) < count and plain and (_is_handed_on(r, node) or _goes_on(r, node)):
        return head
    if len(elements) < count or not plain:
        raise Undecided("several blocks of a tensor are used at once")
    if not rest:
        stored = count and isinstance(node.ctx, ast.Store) and not clip
        return f"{head}[...]" if stored else _clipped_block(r, node, head, clip)
    if any(map(is_new_axis, rest)):
        return with_new_axes(r, node, head, rest, clip)
    if len(rest) == 1 and (mesh := _mesh(r, rest[0])) is not None:
        return f"{head}[{', '.join(_range_of(r, s, len(mesh) - 1 - n, clip) for n, s in enumerate(mesh))}]"
    held = [n for n, e in enumerate(rest) if holds_tile(r, e)]
    if held and not count and (held == [0]) and not _is_one_element(r, rest[0]):
        return indirect(r, node, head, rest, clip)
    if len(held) == 1 and not count:
        return at_scalar(r, node, head, rest, held[0], clip)
    if not any(r.is_grid(e) for e in rest):
        return _sliced(r, node, head, rest, clip)
    try:
        shapes = [v.shape[-len(rest) :] for v in bases if len(v.shape) >= len(rest)]
        taken = [_range(r, element, clip, [s[n] for s in shapes]) for n, element in enumerate(rest)]
        _check_order(r, node, rest)
        return f"{head}[{', '.join(taken)}]"
    except Undecided:
        if not is_whole(r, node.value, node):
            raise
        return pattern(r, node, head, rest, clip)


def is_container(r: Rewriter, node: ast.expr) -> bool:
    """Whether a subscript of it is an item of a list or a dictionary."""
    values = r.values(node)
    return bool(values) and all(isinstance(v, (ListValue, DictValue, tuple)) for v in values)


def _is_handed_on(r: Rewriter, node: ast.expr) -> bool:
    """Whether a function that is no operation gets it, as a list of tiles."""
    around = r.source.parents[node]
    call = r.source.parents[around] if isinstance(around, ast.keyword) else around
    return (
        isinstance(call, ast.Call)
        and call.func is not node
        and isinstance(call.func, ast.Name)
        and not r.api(call.func)
    )


def _goes_on(r: Rewriter, node: ast.Subscript) -> bool:
    """Whether another subscript chooses among the blocks that one leaves."""
    around = r.source.parents[node]
    return isinstance(around, ast.Subscript) and around.value is node and not _is_mask(r, around.slice)


def _tile(r: Rewriter, node: ast.expr, chosen: str) -> str:
    """A tensor, or one of its tiles, which is chosen before it is seen as another dtype."""
    if chosen and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "view":
        return f"{_tile(r, node.func.value, chosen)}.view({', '.join(r.render(a) for a in node.args)})"
    return r.render(node) + chosen


def _is_one_element(r: Rewriter, node: ast.expr) -> bool:
    """Whether an index is one element of a tile, for all partitions, or so much from there."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = node.left, node.right
        return any(_is_one_element(r, a) and not holds_tile(r, b) for a, b in (sides, sides[::-1]))
    return r.is_tensor(node) and all(
        isinstance(node, ast.Subscript) and all(map(is_one, v.shape)) for v in r.views(node)
    )


def _clipped_block(r: Rewriter, node: ast.Subscript, head: str, clip: Counts) -> str:
    return head + shortened(len(r.views(node)[0].shape), clip)


def _sliced(r: Rewriter, node: ast.Subscript, head: str, rest: list[ast.expr], clip: Counts) -> str:
    """Slices and numbers, which stay as they are; a mask shortens the slices that it is about."""
    texts = [r.render(e) for e in rest]
    if not clip:
        inner = r.plain(node.slice) if len(rest) == len(_elements(node)) else ", ".join(texts)
        return f"{head}[{inner}]"
    whole = any(isinstance(e, ast.Constant) and e.value is Ellipsis for e in rest)
    if whole and len(rest) == 1:
        return _clipped_block(r, node, head, clip)
    if whole:
        raise Undecided("a mask on `...` between other subscripts")
    if not all(_keeps(r, e) or is_number(r, e) for e in rest):
        raise Undecided("a mask beside subscripts of another form")
    rank, axis = len(r.views(node)[0].shape), 0
    for number, element in enumerate(rest):
        if _keeps(r, element):
            position, axis = rank - 1 - axis, axis + 1
            if position in clip:
                texts[number] = _shortened_to(r, element, clip[position])
    behind = range(rank - 1 - axis, min(clip) - 1, -1)  # dimensions that have no subscript
    texts += [clip[position].slice if position in clip else ":" for position in behind]
    return f"{head}[{', '.join(texts)}]"


def _keeps(r: Rewriter, element: ast.expr) -> bool:
    """Whether a subscript that is no grid keeps its dimension."""
    return isinstance(element, ast.Slice) or _is_dynamic_slice(r, element)


def _is_dynamic_slice(r: Rewriter, element: ast.expr) -> bool:
    return isinstance(element, ast.Call) and r.operation(element) == "language.ds"


def _shortened_to(r: Rewriter, element: ast.expr, part: Part) -> str:
    """A part of a slice, counted from where it begins."""
    if isinstance(element, ast.Call):
        given = bound(element, ("start", "size"))
        texts: dict[ast.AST, str] = {given["size"]: part.count}
        if part.first:
            texts[given["start"]] = _plus(r.render(given["start"]), part.first)
        return r.plain_with(element, texts)
    assert isinstance(element, ast.Slice)
    if element.step is not None:
        raise Undecided("a mask on a slice with a step")
    lower = r.render(element.lower) if element.lower is not None else "0"
    return _of_part(lower, part)


def _of_part(base: str, part: Part) -> str:
    """A slice of a part of what begins somewhere."""
    begin = _plus(base, part.first) if part.first else base
    return f"{begin}:{_plus(base, part.end)}"


def _mesh(r: Rewriter, node: ast.expr) -> list[ast.Slice] | None:
    """The slices of `nl.mgrid[...]`, where all of it is one subscript."""
    made = assigned(r, node) if isinstance(node, ast.Name) else (node, node)
    value = made[1] if made is not None else node
    if not isinstance(value, ast.Subscript) or (r.api(value.value) or ("", ""))[1] != "language.mgrid":
        return None
    found = [e for e in _elements(value) if isinstance(e, ast.Slice) and e.step is None and e.upper is not None]
    return found if len(found) == len(_elements(value)) else None


def _range_of(r: Rewriter, node: ast.Slice, position: int, clip: Counts) -> str:
    lower = r.render(node.lower) if node.lower is not None else "0"
    assert node.upper is not None
    return _of_part(lower, clip[position]) if position in clip else f"{lower}:{r.render(node.upper)}"


def _elements(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _range(r: Rewriter, element: ast.expr, clip: Counts, sizes: Sequence[Any]) -> str:
    """One subscript: a number, or the slice that its index grid runs over; `sizes` are those of the dimension."""
    if isinstance(element, ast.Slice) or (isinstance(element, ast.Constant) and element.value is Ellipsis):
        raise Undecided("index grids and slices in one subscript")
    found = index(r, element)
    if not found.ranges:
        base = found.base or "0"
        return base if not r.is_grid(element) else f"{base}:{_plus(base, '1')}"
    if len(found.ranges) > 1:
        raise Undecided("several index grids in one subscript")
    (only,) = found.ranges
    step, base = only.coefficient, found.base or "0"
    if isinstance(step, int) and step > 1 and not clip and not only.start and only.may_be_empty and sizes:
        if base.isdigit() and _reaches_end(r, element, only, int(base), sizes):
            return f"{base}:{size(r, sizes, element)}:{step}"
        end = _plus(base, f"{enclosed(only.size)} * {step}")
        if base == "0" and _fits_in(r, only, sizes):
            return f"0:{end}:{step}"
        return f"{base}:min({end}, {size(r, sizes, element)}):{step}"
    return _text(only, found.base, clip)


def _fits_in(r: Rewriter, x: Range, sizes: Sequence[Any]) -> bool:
    """Whether whole steps of a range from 0 end inside of the dimension, in each evaluation."""
    pairs = list(zip(x.length, sizes, strict=False))
    return len(x.length) == len(sizes) and all(_is_at_most(r, n * x.coefficient, s) for n, s in pairs)


def _reaches_end(r: Rewriter, element: ast.expr, x: Range, begin: int, sizes: Sequence[Any]) -> bool:
    """Whether the steps of a range from `begin` are all that there are in the dimension, in each evaluation."""
    step, seen = x.coefficient, r.facts.of(r.source.path, r.source.place(element))
    if not isinstance(step, int) or not len(x.length) == len(sizes) == len(seen):
        return False
    facts = [s.site.conditions() if s.site is not None else () for s in seen]
    claims = [(s >= begin, (s - begin + step - 1) // step == n) for n, s in zip(x.length, sizes, strict=True)]
    return all(_shows(r, c, given) for each, given in zip(claims, facts, strict=True) for c in each)


def _shows(r: Rewriter, claim: Any, facts: Sequence[Cond] = ()) -> bool:
    return claim if isinstance(claim, bool) else bool(r.facts.prover.shows(claim, facts, deep=True))


def _is_at_most(r: Rewriter, end: Any, whole: Any) -> bool:
    return _shows(r, end <= whole)


def _text(x: Range, base: str, clip: Counts) -> str:
    """The slice of a range that starts at `base`."""
    if str(x.coefficient).startswith("-") or x.coefficient == 0:
        raise Undecided("an index that runs backwards")
    begin = summed(tuple(("+", t) for t in (base, x.start) if t)) or "0"
    part = clip.get(x.position, Part(x.size))
    if x.coefficient == 1:
        return _of_part(begin, part)
    count = from_the_first(part)
    if x.start:
        raise Undecided("a range with a step that does not start at 0")
    if isinstance(x.coefficient, str):
        raise Undecided(f"the step `{x.coefficient}` may be 0, which slices do not take")
    last = f"({enclosed(count)} - 1) * {x.coefficient} + 1"
    if count.isdigit() and isinstance(x.coefficient, int):
        last = str((int(count) - 1) * x.coefficient + 1)
    return f"{begin}:{_plus(begin, last)}:{x.coefficient}"


def _plus(base: str, more: str) -> str:
    if base == "0":
        return more
    if base.removeprefix("-").isdigit() and more.isdigit():
        return str(int(base) + int(more))
    return f"{base} + {enclosed(more) if more.startswith('-') else more}"


def _check_order(r: Rewriter, node: ast.Subscript, rest: list[ast.expr]) -> None:
    """The axes have to follow one another as the dimensions do, or the result would be another."""
    positions = [x.position for e in rest for x in index(r, e).ranges]
    if positions != sorted(positions, reverse=True) or len(set(positions)) != len(positions):
        raise Undecided("the index grids are not in the order of the dimensions")
    views = r.views(node)
    given = [values for e in rest if (values := r.values(e))]
    for number, view in enumerate(views):
        kept = [n for n in view.shape if not is_one(n)]
        here = [values[number if len(values) == len(views) else 0] for values in given]
        grids = [v for v in here if isinstance(v, Grid)]
        sizes = [n for g in grids for n in g.shape if not is_one(n)]
        if len(kept) > min(len(sizes), len(positions)) or not {key_of(n) for n in kept} <= {key_of(n) for n in sizes}:
            raise Undecided("an index grid of another form")
