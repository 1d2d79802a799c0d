"""Loops over all pairs of two ranges, seen as one loop inside another: reads in them, with an iteration of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Loop
from nkilint.symbolic.atoms import FloorDiv
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, is_one, key_of, sym
from nkilint.symbolic.substitution import substitute

from .accesses import Touch
from .iterations import is_bound
from .unrolled import loop_name

Nested = tuple[Loop, Loop, dict[Any, Any]]
"""The outer loop, the inner one, and what the position among all pairs, and its quotient, are in them."""


def as_nested(kernel: Run, reads: Sequence[Touch]) -> tuple[list[Touch], dict[Loop, Loop]]:
    """The reads, where loops over pairs are one inside another, and of which loops those are parts."""
    loops = dict.fromkeys(loop for read in reads for loop in read.loops)
    nested = {loop: found for loop in loops if (found := _nested(kernel, loop, reads)) is not None}
    whole = {part: loop for loop, (outer, inner, _) in nested.items() for part in (outer, inner)}
    return [_inside(read, nested) for read in reads], whole


def _nested(kernel: Run, loop: Loop, reads: Sequence[Touch]) -> Nested | None:
    """None where no read goes by the quotient of the position and one number, or where a path hangs on the position."""
    inside = [read for read in reads if loop in read.loops]
    divisions = {key_of(a.divisor): a for read in inside for a in _divisions(read, loop)}
    path = [c for read in inside for c in read.event.site.path() if not is_bound(c, loop)]
    if len(divisions) != 1 or loop.index.variable in variables(*path):
        return None
    (division,) = divisions.values()
    count = division.divisor
    trips = loop.trips // count
    if is_one(trips) or key_of(trips * count) != key_of(loop.trips):
        return None
    outer, inner = sym(f"{loop.name}, first", "loop", 0, trips - 1), sym(f"{loop.name}, second", "loop", 0, count - 1)
    named = replace(loop, name=loop_name(kernel, loop.at))
    nested = replace(named, index=outer, trips=trips), replace(named, index=inner, trips=count)
    return *nested, {division: outer, loop.index.variable: outer * count + inner}


def _divisions(read: Touch, loop: Loop) -> Iterator[FloorDiv]:
    """By what the position among all pairs is divided where a read takes elements."""
    monomials = (mono for where in read.view.index if isinstance(where, Sym) for mono in where.terms)
    for atom in (atom for mono in monomials for atom in mono):
        if isinstance(atom, FloorDiv) and key_of(atom.dividend) == key_of(loop.index):
            yield atom


def _inside(read: Touch, nested: dict[Loop, Nested]) -> Touch:
    index = read.view.index
    loops: list[Loop] = []
    for loop in read.loops:
        outer, inner, mapping = nested.get(loop, (loop, loop, {}))
        index = tuple(substitute(where, mapping) for where in index)
        loops += [loop] if loop not in nested else [outer, inner]
    if len(loops) == len(read.loops):
        return read
    site = replace(read.event.site, loops=tuple(loops))
    return replace(read, event=replace(read.event, site=site), view=read.view.with_(index=index))
