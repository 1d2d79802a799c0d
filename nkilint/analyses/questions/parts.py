"""The parts of an axis that reads take, in the iterations of the loops around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

from nkilint.evaluator.state.trace import Loop
from nkilint.prover import Verdict
from nkilint.symbolic.atoms import Min, Var, bounds
from nkilint.symbolic.evaluation import coefficient
from nkilint.symbolic.integers import Sym, itself, key_of
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import all_of, any_of

from ..findings import Analysis
from .accesses import Touch


def index_of(read: Touch, axis: int) -> Any:
    """Where it reads along an axis; views of fewer dimensions have none."""
    return read.view.index[axis] if axis < len(read.view.index) else 0


def parts_along(reads: Sequence[Touch], axis: int) -> Iterator[tuple[Touch, list[tuple[int, Loop]], Any]]:
    """The loops along an axis for each read, with how far each moves, and how much an iteration of all reads: a number,
    or a size that inputs decide, which is that of an axis of the read."""
    places = places_along(reads, axis)
    for read in reads:
        index = index_of(read, axis)
        along: list[tuple[int, Loop]] = []
        rest: Any = index
        for loop in read.loops if isinstance(index, Sym) else ():
            variable = loop.index.variable
            step = coefficient(index, variable) if isinstance(variable, Var) else 0
            if isinstance(step, int) and step != 0:
                along.append((step, loop))
                rest = rest - step * loop.index
        low, high = bounds(rest)
        count = len(places[statement_of(read)])
        width = int(high - low + 1) if high - low < inf else _axis_along(read, rest)
        if width is not None:
            yield read, along, width * count


def end_along(read: Touch, axis: int) -> Any:
    """Where a read ends along an axis in the last iterations of the loops that move it on, if that is known."""
    last: Any = index_of(read, axis)
    for loop in read.loops if isinstance(last, Sym) else ():
        step = coefficient(last, loop.index.variable) if isinstance(loop.index.variable, Var) else 0
        if not isinstance(step, int) or step < 0:
            return None
        last = last + step * (loop.trips - 1 - loop.index)
    for variable, size in zip(read.view.axes(), read.view.shape, strict=True):
        last = substitute(last, {variable.variable: size - 1}) if isinstance(variable, Sym) else last
    return last + 1


def _axis_along(read: Touch, where: Any) -> Any:
    """The size of the axis that is gone through from a fixed place on, if it is one; of one that is clipped
    (`min(start + 128, rows) - start`), the most that it can be."""
    axes = zip(read.view.axes(), read.view.shape, strict=True)
    size = next((size for variable, size in axes if isinstance(where - variable, int)), None)
    most = _most(size) if isinstance(size, Sym) else inf
    return int(most) if most < inf else size


def _most(size: Sym) -> float:
    """The most that a size can be: what is taken from the smaller of two numbers is taken from each."""
    found = bounds(size)[1]
    for (factor, *more), scale in size.terms.items():
        if scale == 1 and not more and isinstance(factor, Min):
            rest: Any = size - itself(factor)
            found = min(found, bounds(factor.left + rest)[1], bounds(factor.right + rest)[1])
    return found


def places_along(reads: Sequence[Touch], axis: int) -> dict[Any, set[Any]]:
    """Where each statement reads along an axis, in iterations that were evaluated one by one."""
    found: dict[Any, set[Any]] = {}
    for read in reads:
        found.setdefault(statement_of(read), set()).add(key_of(index_of(read, axis)))
    return found


def is_whole(analysis: Analysis, read: Touch, taken: Any, width: Any, size: Any) -> bool:
    """Whether parts of a width that come to so much are as many as an axis of a size has."""
    whole = any_of((all_of((taken <= size, size < taken + width)), all_of((size <= taken, taken < size + width))))
    return analysis.decide(whole, read.event.site.conditions()).verdict is Verdict.PROVED


def statement_of(read: Touch) -> Any:
    """The statement that reads, in whatever iterations that were evaluated one by one."""
    return read.event.site.at, read.event.site.callers, tuple(map(id, read.loops))
