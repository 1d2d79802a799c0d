"""`itertools`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from nkilint_rules.words.conditions import IsUnknown, product

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.containers import ListValue
from .registry import MOST, Function, models


def _over_items(function: Callable[..., Any]) -> Function:
    """A function of `itertools` that only moves items."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        plain = [a if isinstance(a, int) or a is None else items_of(machine, a) for a in args]
        made = list(itertools.islice(function(*plain, **kwargs), MOST + 1))
        if len(made) > MOST:
            raise IsUnknown("a list that is too long")
        return ListValue(made)

    return call


for _function in (
    itertools.combinations,
    itertools.islice,
    itertools.pairwise,
    itertools.permutations,
    itertools.zip_longest,
):
    models(f"itertools.{_function.__name__}", keywords=("fillvalue", "r"))(_over_items(_function))


@models("itertools.repeat", keywords=("times",))
def _repeated(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    count = args[1] if len(args) > 1 else kwargs.get("times")
    if not isinstance(count, int) or count > MOST:
        raise IsUnknown("a repetition whose length is not known")
    return ListValue([args[0]] * count)


@models("itertools.accumulate", keywords=("func", "initial"))
def _accumulated(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    items = items_of(machine, args[0])
    if kwargs.get("initial") is not None:
        items = [kwargs["initial"], *items]
    function = args[1] if len(args) > 1 else kwargs.get("func")
    made: list[Any] = []
    for item in items:
        if not made:
            made.append(item)
        elif function is None:
            made.append(protocols.binary(machine, "+", made[-1], item, machine.at))
        else:
            made.append(protocols.call(machine, function, [made[-1], item], {}))
    return ListValue(made)


@models("itertools.starmap")
def _starmapped(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return ListValue(protocols.call(machine, args[0], items_of(machine, row), {}) for row in items_of(machine, args[1]))


@models("itertools.chain.from_iterable")
def _chained(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return ListValue(item for row in items_of(machine, args[0]) for item in items_of(machine, row))


@models("itertools.product")
def _product(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    lists = [items_of(machine, a) for a in args]
    total = product(len(x) for x in lists)
    if total > MOST:
        raise IsUnknown("a product of sequences that is too large")
    return ListValue(itertools.product(*lists))


@models("itertools.chain")
def _chain(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return ListValue(item for a in args for item in items_of(machine, a))
