"""Smaller inputs of the same form, for witnesses that are too large to run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from nkilint.base.findings import Trial

from .sizes import elements, sizes

_STEPS = ((2048, False), (512, False), (128, False), (128, True))  # a tile size; whether counts shrink too
_COUNT = 32  # sizes below this are taken for numbers of heads or batches


def smaller(trial: Trial, limit: int) -> Iterator[Trial]:
    """Trials within `limit` elements, the most similar first: equal sizes stay equal, so do rests."""
    found = {size for argument in trial.arguments.values() for size in sizes(argument)}
    for tile, counts in _STEPS:
        table = {n: least for n in found if n > (least := 2 * tile + n % tile)}
        if counts:
            table |= {n: 2 for n in found if 2 < n < _COUNT}
        shrunk = replace(trial, arguments={name: _replaced(value, table) for name, value in trial.arguments.items()})
        if table and elements(shrunk.arguments) <= limit:
            yield shrunk


def _replaced(value: Any, table: Mapping[int, int]) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return table.get(value, value)
    if isinstance(value, list):
        return [_replaced(item, table) for item in value]
    if isinstance(value, Mapping):
        return {key: _replaced(item, table) for key, item in value.items()}
    return value
