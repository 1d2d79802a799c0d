"""Integers that change in proportion to what the loops around a place count.

A loop over numbers that are known is evaluated iteration by iteration, so an index that a helper makes in it is another
number in each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from nkilint.base.trees import FUNCTIONS

from .naming import signature
from .texts import plus

if TYPE_CHECKING:
    from .spelling import Speller

Counts = tuple[str, Sequence[int]]
"""A name, and what it counts in each evaluation."""


def by_loops(words: Speller, values: Sequence[Any]) -> str | None:
    """A sum of products of what loops count that is so many in each evaluation; None where there is none."""
    targets = set(_targets(words))
    counters: list[Counts] = [
        (name, counts)
        for name, counts in (words.changing if targets else ())
        if name in targets and len(counts) == len(values) and all(isinstance(n, int) for n in counts)
    ]
    alone = (_fitted(words, values, [counter]) for counter in counters)
    return next((text for text in alone if text is not None), None) or _fitted(words, values, counters)


def _targets(words: Speller) -> Iterator[str]:
    """The names that loops around a place bind, in its function."""
    for around in words.r.source.around(words.at):
        if isinstance(around, FUNCTIONS):
            return
        if isinstance(around, ast.For):
            yield from (n.id for n in ast.walk(around.target) if isinstance(n, ast.Name))


def _fitted(words: Speller, values: Sequence[Any], counters: Sequence[Counts]) -> str | None:
    if len(signature(values)) == 1:
        return words.integer(values[0])
    for number, (name, counts) in enumerate(counters):
        for factor in _factors(values, counts):
            rest = [v - factor * n for v, n in zip(values, counts, strict=True)]
            other = _fitted(words, rest, counters[number + 1 :])
            if other is not None:
                return plus(name, factor, other)
    return None


def _factors(values: Sequence[Any], counts: Sequence[int]) -> list[int]:
    """By how much the values may change with a count: as they do from one evaluation to the next."""
    pairs = zip(values, values[1:], counts, counts[1:], strict=False)
    steps = [(b - a, m - n) for a, b, n, m in pairs if m != n]
    return sorted({step // n for step, n in steps if isinstance(step, int) and step and step % n == 0})
