"""Index grids as ranges: what `nl.arange` and `nl.mgrid` select, along which axis, in the author's words."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.tensors import View, uses_axes
from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.integers import Sym, is_one, key_of
from nkilint_rules.words.conditions import maximum
from nkilint_rules.words.records import dataclass

from .axes import axis_number, steps_of
from .facts import Seen
from .naming import keeps_its_value, signature
from .rewriting import Rewriter, Undecided
from .spelling import size, speller
from .texts import PRODUCTS, enclosed

GRIDS = frozenset({("neuronxcc", "language.mgrid"), ("neuronxcc", "language.arange")})
"""What index grids are made by."""

_COMPONENTS = {"p": 0, "x": 1, "y": 2, "z": 3}


@dataclass(frozen=True, slots=True)
class Range:
    """`coefficient * (start + k)` for `k` from 0 to `size - 1`, along the axis at `position` from the right."""

    position: int
    coefficient: int | str
    start: str
    size: str
    length: tuple[Any, ...]  # `size` in each evaluation

    @property
    def may_be_empty(self) -> bool:
        """Whether it may have no element, so that its end cannot be counted from its last one."""
        return any(not isinstance(n, int) and bounds(n)[0] < 1 for n in self.length)


@dataclass(frozen=True, slots=True)
class Index:
    """A sum of ranges and of other integers: their texts, each with its sign."""

    ranges: tuple[Range, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: Index) -> Index:
        return Index(self.ranges + other.ranges, self.terms + other.terms)

    def times(self, factor: int | None, text: str) -> Index:
        """So many times as large; a factor that is no number everywhere is known by its text."""

        def scaled(known: int | str) -> int | str:
            if factor is not None and isinstance(known, int):
                return known * factor
            return enclosed(text) if known == 1 else f"{known} * {enclosed(text)}"

        ranges = tuple(replace(x, coefficient=scaled(x.coefficient)) for x in self.ranges)
        terms = (
            self.terms
            if text == "1"
            else tuple((sign, f"{enclosed(t)} * {text}") for sign, t in self.terms if t != "0")
        )
        return Index(ranges, terms)

    def negative(self) -> Index:
        ranges = tuple(
            replace(x, coefficient=-x.coefficient if isinstance(x.coefficient, int) else f"-{x.coefficient}")
            for x in self.ranges
        )
        return Index(ranges, tuple(("-" if sign == "+" else "+", t) for sign, t in self.terms))

    @property
    def base(self) -> str:
        """The part that is the same for the whole range; empty for nothing."""
        return summed(self.terms)


def summed(terms: Sequence[tuple[str, str]]) -> str:
    """A sum in Python."""
    text = ""
    for sign, term in sorted((_turned(*t) for t in terms), key=lambda t: t[0] != "+"):
        if term != "0":
            term = term if sign == "+" else enclosed(term, PRODUCTS)
            text = f"{text} {sign} {term}" if text else (term if sign == "+" else f"-{term}")
    return text


def _turned(sign: str, term: str) -> tuple[str, str]:
    """A term with the sign that it begins with in its sign: less `-width` is more `width`."""
    rest = term.removeprefix("-")
    if rest == term or enclosed(rest) != rest:
        return sign, term
    return "-" if sign == "+" else "+", rest


def index(r: Rewriter, node: ast.expr) -> Index:
    """A subscript, or a side of a mask, as a sum: as it is written, if that is what it was in every evaluation."""
    if not r.is_grid(node):
        return _written(r, node)
    if r.facts.by_defaults(r.source.path, r.source.place(node)):
        raise Undecided(f"`{r.source.text_of(node)}` is known with the defaults of the kernel alone")
    doubted = r.facts.partly_by_defaults(r.source.path, r.source.place(node))
    for found in _ways(r, node):
        if doubted and any(x.size.isdigit() for x in found.ranges):
            continue  # a number that another default may come with another one of
        if all(_agrees(r, node, found, rank) for rank in r.ranks(node)):
            return found
    raise Undecided(f"`{r.source.text_of(node)}` changes with the arguments of the kernel")


def _ways(r: Rewriter, node: ast.expr) -> Iterator[Index]:
    """A grid as it is written, as it was for the callers that there are, and as it is for any other one."""
    yield from _handed(r, node)
    yield _written(r, node)
    yield _evaluated(r, node)
    for rank in reversed(r.ranks(node)):
        with suppress(Undecided):
            yield _evaluated(r, node, rank)


def _handed(r: Rewriter, node: ast.expr) -> Iterator[Index]:
    """A grid that a helper gives, where it is proved to be as long as one of the numbers that the helper is handed."""
    made = assigned(r, node) if isinstance(node, ast.Name) else None
    call, seen = made[1] if made is not None else None, r.values(node)
    if not isinstance(call, ast.Call) or r.api(call.func) or not all(isinstance(g, Grid) for g in seen):
        return
    positions = {p for g in seen for p in steps_of(g)[0]}
    if len(positions) != 1 or any(len(g.shape) <= max(positions) for g in seen):
        return
    lengths = tuple(g.shape[-1 - max(positions)] for g in seen)
    for argument in call.args:
        found = Range(max(positions), 1, "", r.source.text_of(argument), lengths)
        if all(_is_so_long(r, node, found, rank) for rank in r.ranks(node)):
            yield Index((found,))


def _is_so_long(r: Rewriter, node: ast.expr, found: Range, rank: int) -> bool:
    """Whether a grid is proved to have the size of a range in each evaluation of a rank."""
    seen = [s for s in r.facts.of(r.source.path, r.source.place(node), rank) if isinstance(s.value, Grid)]
    sizes = speller(r, node, rank).in_each(found.size, len(seen))
    return all(n is not None and _as_long(r, n, s, found.position) for n, s in zip(sizes, seen, strict=True))


def _agrees(r: Rewriter, node: ast.expr, found: Index, rank: int) -> bool:
    """Whether a grid is the sum that is written for it in each evaluation of a rank, as far as it can be computed: its
    begin, its steps and its lengths, by proof."""
    seen = [s for s in r.facts.of(r.source.path, r.source.place(node), rank) if isinstance(s.value, Grid)]
    try:
        known = [steps_of(s.value) for s in seen]
    except Undecided:
        return True  # of another form
    parts = [*found.terms, *(("+", f"({x.coefficient}) * ({x.start})") for x in found.ranges if x.start)]
    text = "".join(["0", *(f" {sign} ({term})" for sign, term in parts)])
    words = speller(r, node, rank)
    begins = words.in_each(text, len(seen))
    for each, (_, base), begin in zip(seen, known, begins, strict=True):
        if begin is not None and not same_integer(r, begin, base, each):
            return False
    for x in found.ranges:
        texts = words.in_each(str(x.coefficient), len(seen)), words.in_each(x.size, len(seen))
        for each, (steps, _), step, length in zip(seen, known, *texts, strict=True):
            single = len(each.value.shape) <= x.position or is_one(each.value.shape[-1 - x.position])
            if not single and step is not None and not same_integer(r, step, steps.get(x.position, 0), each):
                return False
            if length is not None and not _as_long(r, length, each, x.position):
                return False
    return True


def _as_long(r: Rewriter, size: Any, where: Seen, position: int) -> bool:
    """Whether a grid has so many elements along an axis."""
    shape = where.value.shape
    length = shape[-1 - position] if position < len(shape) else 1
    return same_integer(r, maximum(size, 0), length, where) or same_integer(r, size, length, where)


def same_integer(r: Rewriter, one: Any, other: Any, where: Seen) -> bool:
    """Whether two integers are proved to be one wherever an expression is evaluated."""
    if key_of(one) == key_of(other):
        return True
    equation = one - other == 0 if isinstance(one - other, Sym) else False
    facts = where.site.conditions() if where.site is not None else []
    return bool(r.facts.prover.shows(equation, facts, deep=True))


def _written(r: Rewriter, node: ast.expr) -> Index:
    if not r.is_grid(node):
        if not r.values(node) and not isinstance(node, ast.Constant):
            raise Undecided(f"`{r.source.text_of(node)}` is not known{r.because(node)}")
        if r.is_tensor(node):
            raise Undecided(f"`{r.source.text_of(node)}` is held in a tile")
        return Index(terms=(("+", r.render(node)),))
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Add):
            return index(r, node.left) + index(r, node.right)
        if isinstance(node.op, ast.Sub):
            return index(r, node.left) + index(r, node.right).negative()
        if isinstance(node.op, ast.Mult):
            for grid, factor in ((node.left, node.right), (node.right, node.left)):
                if r.is_grid(grid) and not r.is_grid(factor):
                    return _scaled(r, grid, factor)
    if isinstance(node, ast.Name):
        value = _value(assigned(r, node), node.id)
        if isinstance(value, ast.BinOp) and means_the_same(r, value, node):
            return index(r, value)
    return _atom(r, node)


def _value(made: tuple[ast.expr, ast.expr] | None, name: str) -> ast.expr | None:
    """What an assignment gives a name, by itself or among others."""
    if made is None or isinstance(made[0], ast.Name):
        return None if made is None else made[1]
    target, value = made
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        names = [e.id if isinstance(e, ast.Name) else "" for e in target.elts]
        return value.elts[names.index(name)]
    return None


def _scaled(r: Rewriter, grid: ast.expr, factor: ast.expr) -> Index:
    values = r.values(factor) or ([factor.value] if isinstance(factor, ast.Constant) else [])
    if not values or any(isinstance(v, (View, float, str)) or v is None for v in values):
        raise Undecided(f"the step `{r.source.text_of(factor)}` is no number")
    number = values[0] if len(set(map(str, values))) == 1 and isinstance(values[0], int) else None
    return index(r, grid).times(number, r.render(factor))


def _atom(r: Rewriter, node: ast.expr) -> Index:
    """A grid with a name of its own, or where it is made."""
    seen: list[Grid] = r.values(node)
    if any(g.dynamic for g in seen):
        raise Undecided(f"`{r.source.text_of(node)}` is an index that only the device knows")
    try:
        found = {_parts(g) for g in seen}
    except Undecided:
        return _evaluated(r, node)
    if len(found) > 1:  # where an axis has one element, nothing tells which one it is
        found = {(position, step) for position, step in found if position >= 0}
    if len(found) != 1:
        raise Undecided(f"`{r.source.text_of(node)}` changes from call to call")
    position, coefficient = found.pop()
    lengths = tuple(g.shape[len(g.shape) - 1 - position] for g in seen) if position >= 0 else ()
    made = definition(r, node)
    if made is None and all(isinstance(n, int) for n in lengths):
        starts = {_start(g) for g in seen}
        if len(starts) == 1 and len(set(lengths)) == 1 and isinstance(first := starts.pop(), int):
            return Index((Range(position, coefficient, str(first or ""), str(lengths[0]), lengths),))
    if made is None:
        return _evaluated(r, node)
    start, stop = made
    before = r.render(start) if start is not None else ""
    before = "" if before == "0" else before
    if position < 0:  # a grid of one element
        return Index(terms=(("+", before or "0"),))
    text = r.render(stop) if not before else size(r, lengths, node)
    return Index((Range(position, coefficient, before, text, lengths),))


def _evaluated(r: Rewriter, node: ast.expr, rank: int | None = None) -> Index:
    """The steps along its axes that a grid came to, in evaluations of a rank or those that say most."""
    seen: list[Grid] = r.values(node, rank)
    found = [steps_of(g) for g in seen]
    positions = {tuple(sorted(steps, reverse=True)) for steps, _ in found}
    if len(positions) != 1:
        raise Undecided(f"the range of `{r.source.text_of(node)}` changes from call to call")
    ranges = []
    for position in positions.pop():
        step = [steps[position] for steps, _ in found]
        lengths = tuple(g.shape[len(g.shape) - 1 - position] for g in seen)
        fixed = len(signature(step)) == 1 and isinstance(step[0], int)
        ranges.append(
            Range(position, step[0] if fixed else size(r, step, node, rank), "", size(r, lengths, node, rank), lengths)
        )
    return Index(tuple(ranges), (("+", size(r, [base for _, base in found], node, rank)),))


def _parts(grid: Grid) -> tuple[int, int]:
    """The axis along which a grid runs, from the right, and its step; -1 where it has one element."""
    value = grid.value
    axes = [(a, c) for a, c in _axes(value)]
    if not axes:
        if isinstance(value, (int, Sym)):
            return -1, 1
        raise Undecided("an index grid of another form")
    if len(axes) > 1 or not isinstance(axes[0][1], int):
        raise Undecided("an index grid of several axes")
    return axes[0]


def _axes(value: Any) -> Iterator[tuple[int, Any]]:
    if not isinstance(value, Sym):
        return
    for product, factor in value.terms.items():
        direct = [a for a in product if getattr(a, "kind", "") == "axis"]
        if direct:
            yield axis_number(direct[0]), factor if len(product) == 1 else None
        elif uses_axes(Sym({product: 1}, 0)):
            yield -1, None


def _start(grid: Grid) -> Any:
    value = grid.value
    if not isinstance(value, Sym):
        return value
    return value.const if all(any(getattr(a, "kind", "") == "axis" for a in p) for p in value.terms) else None


# --- where grids are made ---


def definition(r: Rewriter, node: ast.expr, part: int | None = None) -> tuple[ast.expr | None, ast.expr] | None:
    """Start and stop of the range that a grid was made of."""
    if isinstance(node, ast.Attribute) and node.attr in _COMPONENTS:
        return definition(r, node.value, _COMPONENTS[node.attr])
    if isinstance(node, ast.Call) and _named(r, node.func) == "language.arange" and not node.keywords:
        if len(node.args) in (1, 2):
            return (node.args[0] if len(node.args) == 2 else None), node.args[-1]
        return None
    if isinstance(node, ast.Subscript):
        if _named(r, node.value) == "language.mgrid":
            return _of_mesh(node, part or 0)
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            return definition(r, node.value, node.slice.value)
        return definition(r, node.value, part)
    if isinstance(node, ast.Name):
        return _of_name(r, node, part)
    return None


def _named(r: Rewriter, node: ast.expr) -> str:
    return (r.api(node) or ("", ""))[1]


def _of_mesh(node: ast.Subscript, part: int) -> tuple[ast.expr | None, ast.expr] | None:
    slices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    chosen = slices[part] if part < len(slices) else None
    if not isinstance(chosen, ast.Slice) or chosen.step is not None or chosen.upper is None:
        return None
    return chosen.lower, chosen.upper


def _of_name(r: Rewriter, node: ast.Name, part: int | None) -> tuple[ast.expr | None, ast.expr] | None:
    value = assigned(r, node)
    if value is None:
        return None
    target, expression = value
    if isinstance(target, ast.Tuple):
        names = [e.id if isinstance(e, ast.Name) else "" for e in target.elts]
        if isinstance(expression, ast.Tuple):
            return definition(r, expression.elts[names.index(node.id)], part)
        part = names.index(node.id)
    return definition(r, expression, part)


def assigned(r: Rewriter, node: ast.Name) -> tuple[ast.expr, ast.expr] | None:
    """The last assignment to a name before a place, in the functions around it: target and value."""
    for function in (n for n in r.source.around(node) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))):
        found = [
            (target, s.value)
            for s in ast.walk(function)
            if isinstance(s, ast.Assign) and s.lineno <= node.lineno and s is not r.source.statement(node)
            for target in s.targets
            if any(isinstance(e, ast.Name) and e.id == node.id for e in _targets(target))
        ]
        if found:
            return max(found, key=lambda f: f[1].lineno)
    return None


def _targets(target: ast.expr) -> list[ast.expr]:
    return list(target.elts) if isinstance(target, ast.Tuple) else [target]


def means_the_same(r: Rewriter, made: ast.expr, at: ast.expr) -> bool:
    """Whether what a grid or a mask was made of, with the grids in it, could be written at a later place."""
    for name in (n for n in ast.walk(made) if isinstance(n, ast.Name)):
        if not keeps_its_value(r, name, at):
            return False
        inner = assigned(r, name) if r.is_grid(name) else None
        if inner is not None and inner[1].lineno < made.lineno and not means_the_same(r, inner[1], at):
            return False
    return True
