"""Masks as bounds: how many elements of each axis of an operation they let through."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from .destinations import Cut
from .grids import Index, Range, assigned, enclosed, index, summed
from .rewriting import Rewriter, Undecided

Clip = Mapping[int, Cut]
"""By axis, from the right, the number of elements that take part."""

_UPPER = {ast.Lt: 0, ast.LtE: 1}
_LOWER = {ast.Gt: 0, ast.GtE: 1}


def clip(r: Rewriter, mask: ast.expr | None) -> Clip:
    """What a mask leaves of each axis."""
    found: dict[int, Cut] = {}
    for comparison in _comparisons(r, mask) if mask is not None else ():
        bounded, count = _count(r, comparison)
        known = found.get(bounded.position)
        if known is not None:
            count = f"min({known.count}, {count.removeprefix('min(').removesuffix(')')})"
        found[bounded.position] = Cut(count, bounded.length)
    return found


def _comparisons(r: Rewriter, mask: ast.expr) -> list[ast.Compare]:
    if isinstance(mask, ast.Constant) and mask.value is None:
        return []
    if isinstance(mask, ast.BinOp) and isinstance(mask.op, ast.BitAnd):
        return _comparisons(r, mask.left) + _comparisons(r, mask.right)
    if isinstance(mask, ast.IfExp) and isinstance(mask.orelse, ast.Constant) and mask.orelse.value is None:
        if not _is_plain(r, mask.body):
            raise Undecided(f"the mask `{r.source.text_of(mask)}` bounds an index in some calls only")
        r.guards.append(f"(not {enclosed(r.render(mask.test))} or {r.render(mask.body)})")
        return []
    if isinstance(mask, ast.Compare) and _is_plain(r, mask):
        r.guards.append(r.render(mask) if len(mask.ops) == 1 else f"({r.render(mask)})")
        return []
    if isinstance(mask, ast.Compare) and len(mask.ops) == 1:
        return [mask]
    if isinstance(mask, ast.Name):
        made = assigned(r, mask)
        if made is not None and isinstance(made[0], ast.Name):
            return _comparisons(r, made[1])
    raise Undecided(f"the mask `{r.source.text_of(mask)}` is no bound of an index")


def _is_plain(r: Rewriter, mask: ast.expr) -> bool:
    """Whether a condition holds for all elements or for none."""
    return not any(isinstance(n, ast.expr) and (r.is_grid(n) or r.is_tensor(n)) for n in ast.walk(mask))


def _count(r: Rewriter, node: ast.Compare) -> tuple[Range, str]:
    """The axis that a comparison bounds from above, and how many of its elements are left."""
    left, right, kind = node.left, node.comparators[0], type(node.ops[0])
    if kind in _LOWER:
        left, right = right, left
        more = _LOWER[kind]
    elif kind in _UPPER:
        more = _UPPER[kind]
    else:
        raise Undecided(f"the mask `{r.source.text_of(node)}` is no bound of an index")
    whole = index(r, left) + index(r, right).negative()
    if len(whole.ranges) != 1 or whole.ranges[0].coefficient != 1:
        raise Undecided(f"the mask `{r.source.text_of(node)}` does not bound one index from above")
    (bounded,) = whole.ranges
    rest = Index(terms=whole.terms + ((("+", bounded.start),) if bounded.start else ())).negative()
    bound = summed([*rest.terms, ("+", "1")] if more else list(rest.terms)) or "0"
    if bound.isdigit() and bounded.size.isdigit():
        return bounded, str(min(int(bound), int(bounded.size)))
    return bounded, f"min({bounded.size}, {bound})"
