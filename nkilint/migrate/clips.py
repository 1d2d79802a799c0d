"""Masks as bounds: how many elements of each axis of an operation they let through."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.tensors import uses_axes
from nkilint.symbolic.conditions import Cond, conjuncts
from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1

from .destinations import Cut, Part
from .grids import GRIDS, Index, Range, assigned, index, means_the_same, summed
from .masks import upper
from .naming import parameters
from .rewriting import Rewriter, Undecided
from .spelling import speller
from .texts import enclosed

Clip = Mapping[int, Cut]
"""By axis, from the right, the elements that take part."""

_UPPER = {ast.Lt: 0, ast.LtE: 1}
_LOWER = {ast.Gt: 0, ast.GtE: 1}


def clip(r: Rewriter, mask: ast.expr | None) -> Clip:
    """What a mask leaves of each axis: as it is written, or else by what it was in every evaluation."""
    if mask is None or _is_nothing(r, mask):
        return {}
    guards = len(r.guards)
    try:
        found = _bounds(r, mask)
    except Undecided as undecided:
        del r.guards[guards:]
        try:
            found = _evaluated(r, mask)
        except Undecided:
            raise undecided from None
    r.bounded.update(found)
    return {p: replace(cut, by_engine=True) for p, cut in found.items()} if _is_of_engine(r, mask) else found


def clip_if_known(r: Rewriter, mask: ast.expr | None) -> Clip:
    """The same where all elements may as well be computed: what is not known of the mask does not matter then."""
    guards = len(r.guards)
    try:
        return clip(r, mask)
    except Undecided:
        del r.guards[guards:]
        return {}


def _is_of_engine(r: Rewriter, mask: ast.expr) -> bool:
    """Whether a mask stands in a call of an operation of a compute engine."""
    call = r.source.parents.get(r.source.parents.get(mask, mask))
    name = r.operation(call) if isinstance(call, ast.Call) else None
    operation = lookup(BETA1, name) if name is not None else None
    return operation is not None and operation.kind in ("compute", "matmul") and "dma" not in operation.engines


def _is_nothing(r: Rewriter, mask: ast.expr) -> bool:
    """Whether a mask is None, whoever calls."""
    if isinstance(mask, ast.Constant):
        return mask.value is None
    values, function = r.values(mask), r.source.function(mask)
    if not values or not all(v is None for v in values) or function is None or r.because(mask):
        return False
    called = (r.source.path, function.name) in r.facts.inner
    return called or not any(isinstance(n, ast.Name) and n.id in parameters(function) for n in ast.walk(mask))


def _bounds(r: Rewriter, mask: ast.expr) -> Clip:
    found: dict[int, Cut] = {}
    below: dict[int, list[str]] = {}
    bounds = [(c, *_bounded(r, c)) for c in _comparisons(r, mask)]
    for comparison, bounded, bound, rising in sorted(bounds, key=lambda b: not b[3]):
        if not rising:
            below.setdefault(bounded.position, []).append(bound)
            found.setdefault(bounded.position, Cut(Part(bounded.size), bounded.length))
            continue
        if not (bound.isdigit() and bound != "0"):
            _guard(r, comparison, bound)
        _add(found, bounded.position, _smaller(bounded.size, bound), bounded.length)
    for position, firsts in below.items():
        found[position] = _after(r, found[position], firsts)
    return found


def _smaller(size: str, bound: str) -> tuple[str, ...]:
    """The two of which the smaller one counts, or that one alone."""
    if bound.isdigit() and size.isdigit():
        return (str(min(int(bound), int(size))),)
    less = bound.removeprefix(f"{size} - ")
    return (bound,) if bound == size or (less != bound and less.isdigit()) else (size, bound)


def _add(found: dict[int, Cut], position: int, counts: tuple[str, ...], length: tuple[Any, ...]) -> None:
    known = found.get(position)
    parts = dict.fromkeys(counts if known is None else (*_least_of(known.part.end), *counts))
    found[position] = Cut(Part(f"min({', '.join(parts)})" if len(parts) > 1 else next(iter(parts))), length)


def _least_of(text: str) -> list[str]:
    """The texts of which one is the smallest, or the one text."""
    node = ast.parse(text, mode="eval").body
    of_two = isinstance(node, ast.Call) and len(node.args) > 1 and not node.keywords
    if isinstance(node, ast.Call) and of_two and ast.unparse(node.func) == "min":
        return [ast.get_source_segment(text, a) or "" for a in node.args]
    return [text]


def _after(r: Rewriter, cut: Cut, bounds: Sequence[str]) -> Cut:
    """What is left of an axis without the elements below some bounds."""
    end, numbers = cut.part.end, [int(b) for b in bounds if b.lstrip("-").isdigit()]
    others = [b for b in dict.fromkeys(bounds) if not b.lstrip("-").isdigit()]
    least = max([0, *numbers])
    first = f"max({', '.join([str(least), *others])})" if others else str(least)
    if first.isdigit() and end.isdigit():
        if int(first) >= int(end):
            raise Undecided("a mask that leaves nothing")
        return Cut(Part(end, "" if first == "0" else first), cut.length)
    r.guards.append(f"{end} > {first}")
    return Cut(Part(end, first), cut.length)


def _evaluated(r: Rewriter, mask: ast.expr) -> Clip:
    """The bounds that a mask came to in every evaluation."""
    seen, written = r.values(mask), r.source.text_of(mask)
    if not seen or not all(isinstance(g, Grid) and g.is_mask and not g.dynamic for g in seen):
        raise Undecided(f"the mask `{written}` is no bound of an index")
    if all(g.value is True for g in seen):
        return {}
    if any(isinstance(g.value, bool) for g in seen):
        raise Undecided(f"the mask `{written}` leaves all or nothing")
    parts = [conjuncts([g.value]) for g in seen]
    if len({len(p) for p in parts}) != 1:
        raise Undecided(f"the mask `{written}` bounds an index in some calls only")
    found: dict[int, Cut] = {}
    words = speller(r, mask)
    for each in zip(*parts, strict=True):
        if not any(uses_axes(e) for p in each for e in p.expressions()):
            text = words.condition(each[0]) if len(each) == 1 else None
            if text is None:
                raise Undecided(f"the mask `{written}` has no words here")
            r.guards.append(text)
            continue
        uppers = [upper(p) for p in each]
        positions = {u[0] for u in uppers if u is not None}
        if None in uppers or len(positions) != 1:
            raise Undecided(f"the mask `{written}` does not bound one index")
        position, bounds = positions.pop(), [u[1] for u in uppers if u is not None]
        length = tuple(g.shape[len(g.shape) - 1 - position] for g in seen)
        texts = [words.integers(n) for n in (length, bounds)]
        if None in texts:
            raise Undecided(f"the bound of the mask `{written}` has no name here")
        _guard(r, mask, str(texts[1]))
        _add(found, position, (str(texts[0]), str(texts[1])), length)
    return found


def _guard(r: Rewriter, mask: ast.expr, bound: str) -> None:
    """A bound that may leave nothing of its axis is a condition as well: no slice ends before it begins."""
    seen = r.facts.of(r.source.path, r.source.place(mask))
    if not seen or not all(s.some for s in seen):
        r.guards.append(f"{bound} > 0")


def _comparisons(r: Rewriter, mask: ast.expr) -> list[ast.Compare]:
    if _is_nothing(r, mask):
        return []
    if isinstance(mask, ast.BinOp) and isinstance(mask.op, ast.BitAnd):
        return _comparisons(r, mask.left) + _comparisons(r, mask.right)
    if isinstance(mask, ast.IfExp):
        return _chosen(r, mask)
    if isinstance(mask, ast.Name) and _is_handed_on(r, mask):
        r.guards.append(f"({mask.id} is None or {mask.id})")
        return []
    if isinstance(mask, ast.Compare) and _is_plain(r, mask):
        r.guards.append(r.render(mask) if len(mask.ops) == 1 else f"({r.render(mask)})")
        return []
    if isinstance(mask, ast.Compare) and len(mask.ops) == 1:
        return [mask]
    if isinstance(mask, ast.Name):
        made = assigned(r, mask)
        if made is not None and isinstance(made[0], ast.Name) and means_the_same(r, made[1], mask):
            return _comparisons(r, made[1])
    raise Undecided(f"the mask `{r.source.text_of(mask)}` is no bound of an index")


def _with_or_without(r: Rewriter, mask: ast.IfExp) -> list[ast.Compare] | None:
    """`A if given is None else A & given`, where callers give a condition, or nothing: both have the same bounds."""
    test = mask.test
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name) or not _is_handed_on(r, test.left):
        return None
    if not isinstance(test.comparators[0], ast.Constant) or test.comparators[0].value is not None:
        return None
    sides = {ast.Is: (mask.body, mask.orelse), ast.IsNot: (mask.orelse, mask.body)}.get(type(test.ops[0]))
    if sides is None:
        return None
    guards = list(r.guards)
    without = _comparisons(r, sides[0])
    alone = r.guards[len(guards) :]
    r.guards[len(guards) :] = []
    found = _comparisons(r, sides[1])
    same = {ast.dump(c) for c in without} == {ast.dump(c) for c in found} and set(alone) <= set(r.guards)
    if not same or f"({test.left.id} is None or {test.left.id})" not in r.guards:
        raise Undecided(f"the mask `{r.source.text_of(mask)}` bounds an index in some calls only")
    return found


def _is_handed_on(r: Rewriter, mask: ast.Name) -> bool:
    """Whether a mask is a parameter that callers leave out, or give a condition that is the same for all elements."""
    function, values = r.source.function(mask), r.values(mask)
    if function is None or mask.id not in parameters(function) or not values:
        return False
    again = any(
        isinstance(n, ast.Name) and n.id == mask.id and not isinstance(n.ctx, ast.Load) for n in ast.walk(function)
    )
    return not again and all(v is None or isinstance(v, (bool, Cond)) for v in values)


def _chosen(r: Rewriter, mask: ast.IfExp) -> list[ast.Compare]:
    """A mask that hangs on a condition."""
    tests = set(map(str, r.values(mask.test)))
    if tests in ({"True"}, {"False"}):
        return _comparisons(r, mask.body if tests == {"True"} else mask.orelse)
    if (both := _with_or_without(r, mask)) is not None:
        return both
    none = isinstance(mask.orelse, ast.Constant) and mask.orelse.value is None
    if not none or not _is_plain(r, mask.body):
        raise Undecided(f"the mask `{r.source.text_of(mask)}` bounds an index in some calls only")
    r.guards.append(f"(not {enclosed(r.render(mask.test))} or {r.render(mask.body)})")
    return []


def _is_plain(r: Rewriter, mask: ast.expr) -> bool:
    """Whether a condition holds for all elements or for none."""
    if any(isinstance(n, ast.expr) and (r.is_grid(n) or r.is_tensor(n) or _may_be_grid(r, n)) for n in ast.walk(mask)):
        return False
    for name in (n for n in ast.walk(mask) if isinstance(n, ast.Name)):
        if not r.values(name) and assigned(r, name) is not None:
            raise Undecided(f"`{name.id}` in the mask `{r.source.text_of(mask)}` is not known{r.because(name)}")
    return True


def _may_be_grid(r: Rewriter, node: ast.expr) -> bool:
    """Whether an expression of which nothing is known is made of index grids by its text."""
    if r.values(node):
        return False
    if isinstance(node, ast.Attribute):
        return r.api(node) in GRIDS
    made = assigned(r, node) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else None
    inside = ast.walk(made[1]) if made is not None else ()
    return any(
        _may_be_grid(r, n)
        for n in inside
        if isinstance(n, ast.Attribute) or (isinstance(n, ast.Name) and ast.unparse(node) != n.id)
    )


def _bounded(r: Rewriter, node: ast.Compare) -> tuple[Range, str, bool]:
    """The axis that a comparison bounds, how many of its elements are below the bound, and whether these are left."""
    left, right, kind = node.left, node.comparators[0], type(node.ops[0])
    if kind in _LOWER:
        left, right = right, left
        more = _LOWER[kind]
    elif kind in _UPPER:
        more = _UPPER[kind]
    else:
        raise Undecided(f"the mask `{r.source.text_of(node)}` is no bound of an index")
    whole = index(r, left) + index(r, right).negative()
    if len(whole.ranges) != 1 or whole.ranges[0].coefficient not in (1, -1):
        raise Undecided(f"the mask `{r.source.text_of(node)}` does not bound one index")
    (bounded,) = whole.ranges
    rising = bounded.coefficient == 1
    terms = Index(terms=whole.terms).negative().terms if rising else whole.terms
    terms += (("-", bounded.start),) if bounded.start else ()
    terms += (("+", "1"),) if more == rising else ()
    if all(text.isdigit() for _, text in terms):
        return bounded, str(sum(int(text) if sign == "+" else -int(text) for sign, text in terms)), rising
    return bounded, summed(terms), rising
