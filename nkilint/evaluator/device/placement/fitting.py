"""Closed forms for the addresses that an allocator gave for each block index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nkilint.symbolic.atoms import Int
from nkilint.symbolic.evaluation import evaluate
from nkilint.symbolic.integers import Sym, choose

Index = tuple[int, ...]
MAX_CHOICES = 64  # addresses without a pattern that are spelled out


def fitted(table: Mapping[Index, int], sizes: Sequence[int], blocks: Sequence[Int]) -> Int | None:
    """An expression over `blocks` with the value of the table at each index; None if there is none of bounded size."""
    origin = table[(0,) * len(sizes)]
    value: Any = origin
    for dimension, (size, block) in enumerate(zip(sizes, blocks, strict=True)):
        along = [table[_unit(dimension, i, len(sizes))] - origin for i in range(size)]
        value = value + _along(along, block)
    if all(_at(value, blocks, index) == wanted for index, wanted in table.items()):
        return value  # type: ignore[no-any-return]
    return _spelled_out(table, sizes, blocks) if len(table) <= MAX_CHOICES else None


def _unit(dimension: int, position: int, rank: int) -> Index:
    return tuple(position if d == dimension else 0 for d in range(rank))


def _along(steps: Sequence[int], block: Int) -> Int:
    """What one block dimension adds: a multiple of its index, of its remainder, or a choice for each value."""
    if len(steps) == 1:
        return 0
    period = next((p for p in range(1, len(steps)) if steps[p] == 0), len(steps))
    if all(step == (i % period) * steps[1 % period] for i, step in enumerate(steps)):
        return (block % period) * steps[1 % period]
    result: Int = steps[-1]
    for position in reversed(range(len(steps) - 1)):
        result = choose(block == position, steps[position], result)
    return result


def _spelled_out(table: Mapping[Index, int], sizes: Sequence[int], blocks: Sequence[Int], start: Index = ()) -> Int:
    if len(start) == len(sizes):
        return table[start]
    size, block = sizes[len(start)], blocks[len(start)]
    result = _spelled_out(table, sizes, blocks, (*start, size - 1))
    for position in reversed(range(size - 1)):
        here = _spelled_out(table, sizes, blocks, (*start, position))
        result = choose(block == position, here, result)
    return result


def _at(value: Any, blocks: Sequence[Int], index: Index) -> Any:
    numbers: dict[Any, int] = {b.variable: i for b, i in zip(blocks, index, strict=True) if isinstance(b, Sym)}
    return evaluate(value, numbers)
