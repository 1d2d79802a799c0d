"""`itertools`: iterators that take from others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, maximum, minimum, product

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.cells import Cell
from ...values.choices import Either, Unbound
from ...values.containers import ListValue
from ...values.grown import GrownItems
from ...values.inputs import TUPLES
from ...values.iterators import End, IteratorValue, Symbolic
from ...values.numbers import is_number
from ..types.iterators import all_at_once, column_of, fixed, in_product, iterator_over, pull, symbolically
from ..types.long_lists import concatenated
from .iterables import decided
from .registry import MOST, Function, models


def _over_items(function: Callable[..., Any]) -> Function:
    """A function of `itertools` that takes all items before it gives the first."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        plain = [a if isinstance(a, int) or a is None else items_of(machine, a) for a in args]
        made = list(itertools.islice(function(*plain, **kwargs), MOST + 1))
        if len(made) > MOST:
            raise IsUnknown("a list that is too long")
        return fixed(made)

    return call


for _function in (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement):
    models(f"itertools.{_function.__name__}", keywords=("r",))(_over_items(_function))


def _lazily(function: Callable[..., Any]) -> Function:
    """A function of `itertools` that moves the items of finite iterators: those of a list, or the rest of an iterator,
    which has none after that."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        if any(isinstance(a, IteratorValue) for a in args):
            raise IsUnknown(f"`{function.__name__}` of an iterator")
        return fixed(function(*[items_of(machine, a) for a in args], **kwargs))

    return call


models("itertools.pairwise")(_lazily(itertools.pairwise))
models("itertools.zip_longest", keywords=("fillvalue",))(_lazily(itertools.zip_longest))


@models("itertools.islice")
def _islice(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    source, *bounds = args
    if not all(bound is None or (isinstance(bound, int) and bound >= 0) for bound in bounds):
        raise IsUnknown("a slice of an iterator with bounds that are not known")
    wanted = slice(*bounds)
    if wanted.step == 0:
        raise Fault("ValueError")
    start, stop, step = wanted.start or 0, wanted.stop, wanted.step or 1
    taken = iterator_over(machine, source)

    def advance(machine: Machine, cell: Cell) -> Any:
        at = made.count("next") or start
        for position in range(made.count(), at + 1):
            if stop is not None and position >= stop:
                raise End
            machine.set(cell, "position", position + 1)
            item = pull(machine, taken)
        machine.set(cell, "next", at + step)
        return item

    def whole(machine: Machine) -> Symbolic | None:
        found = protocols.symbolic_items(machine, source) if isinstance(source, ListValue) else None
        if found is None or made.count() or not isinstance(step, int) or step < 1:
            return None
        length, at = found
        behind = maximum(length if stop is None else minimum(length, stop), start)
        return -((start - behind) // step), lambda position: at(start + step * position)

    made = IteratorValue(advance, lambda: (taken,), whole)
    return made


@models("itertools.count", keywords=("start", "step"))
def _count(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    start, step = [*args, *[kwargs.get("start", 0), kwargs.get("step", 1)][len(args) :]]

    def advance(machine: Machine, cell: Cell) -> Any:
        position = made.count()
        machine.set(cell, "position", position + 1)
        return protocols.binary(machine, "+", start, step * position if is_number(step) else step, machine.at)

    if not is_number(step):
        raise IsUnknown("an iterator whose step is not known")
    made = IteratorValue(advance)
    return made


@models("itertools.cycle")
def _cycle(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if isinstance(args[0], IteratorValue):
        raise IsUnknown("a cycle of an iterator")
    items = items_of(machine, args[0])

    def advance(machine: Machine, cell: Cell) -> Any:
        position = made.count()
        machine.set(cell, "position", position + 1)
        if not items:
            raise End
        return items[position % len(items)]

    made = IteratorValue(advance, lambda: tuple(items))
    return made


@models("itertools.repeat", keywords=("times",))
def _repeated(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    count = args[1] if len(args) > 1 else kwargs.get("times")
    if count is None:
        return IteratorValue(lambda machine, cell: args[0], lambda: (args[0],))
    if not isinstance(count, int) or count > MOST:
        raise IsUnknown("a repetition whose length is not known")
    return fixed([args[0]] * count)


@models("itertools.accumulate", keywords=("func", "initial"))
def _accumulated(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    source, function = iterator_over(machine, args[0]), args[1] if len(args) > 1 else kwargs.get("func")
    initial = kwargs.get("initial")

    def advance(machine: Machine, cell: Cell) -> Any:
        if "total" not in cell:
            total = pull(machine, source) if initial is None else initial
        else:
            item, total = pull(machine, source), cell["total"]
            total = (
                protocols.binary(machine, "+", total, item, machine.at)
                if function is None
                else protocols.call(machine, function, [total, item], {})
            )
        machine.set(cell, "total", total)
        return total

    return IteratorValue(advance, lambda: (source, function, initial))


@models("itertools.starmap")
def _starmapped(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    function, source = args[0], iterator_over(machine, args[1])
    return IteratorValue(
        lambda machine, cell: protocols.call(machine, function, items_of(machine, pull(machine, source)), {}),
        lambda: (function, source),
    )


@models("itertools.takewhile")
def _taken_while(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    test, source = args[0], iterator_over(machine, args[1])

    def advance(machine: Machine, cell: Cell) -> Any:
        item = pull(machine, source)
        if not decided(machine, protocols.call(machine, test, [item], {})):
            raise End
        return item

    return IteratorValue(advance, lambda: (test, source))


@models("itertools.dropwhile")
def _dropped_while(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    test, source = args[0], iterator_over(machine, args[1])

    def advance(machine: Machine, cell: Cell) -> Any:
        item = pull(machine, source)
        while not made.count("began") and decided(machine, protocols.call(machine, test, [item], {})):
            item = pull(machine, source)
        machine.set(cell, "began", 1)
        return item

    made = IteratorValue(advance, lambda: (test, source))
    return made


@models("itertools.compress")
def _compressed(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    data, selectors = (iterator_over(machine, a) for a in args)

    def advance(machine: Machine, cell: Cell) -> Any:
        while True:
            item, chosen = pull(machine, data), pull(machine, selectors)
            if decided(machine, chosen):
                return item

    return IteratorValue(advance, lambda: (data, selectors))


@models("itertools.chain")
def _chain(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if not all(isinstance(each, ListValue) and isinstance(each.cell["items"], (*TUPLES, *_LONG)) for each in args):
        return _chained_from(fixed(args))
    if not any(isinstance(each.cell["items"], _LONG) for each in args):
        return _chained_from(fixed(args))
    return _one_behind_the_other(machine, args)


_LONG = (GrownItems, Either)


def _one_behind_the_other(machine: Machine, lists: Args) -> IteratorValue:
    """An iterator over lists, some of symbolic length, as they are now: none of them may change."""
    before = [each.cell["items"] for each in lists]
    all_of_them = iterator_over(machine, reduce(partial(concatenated, machine), lists))
    made = IteratorValue(
        lambda machine, cell: pull(machine, all_of_them),
        lambda: (all_of_them, *lists),
        lambda machine: all_at_once(machine, all_of_them),
    )

    def unchanged(machine: Machine, entirely: bool) -> None:
        if any(each.cell["items"] is not items for each, items in zip(lists, before, strict=True)):
            raise IsUnknown("a list that changes before `chain` comes to it")

    made.prepare = unchanged
    return made


@models("itertools.chain.from_iterable")
def _chained(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _chained_from(iterator_over(machine, args[0]))


def _chained_from(rows: IteratorValue) -> IteratorValue:
    """The items of one row after the other; `row` is the iterator of the one at hand."""

    def advance(machine: Machine, cell: Cell) -> Any:
        while True:
            row = cell.get("row")
            if isinstance(row, (Unbound, Unknown)):
                raise IsUnknown("an iterator that has come to a place that is not known")
            if isinstance(row, IteratorValue):
                try:
                    return pull(machine, row)
                except End:
                    pass
            machine.set(cell, "row", iterator_over(machine, pull(machine, rows)))

    return IteratorValue(advance, lambda: (rows,))


@models("itertools.product", keywords=("repeat",))
def _product(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    times = kwargs.get("repeat", 1)
    if not isinstance(times, int):
        raise IsUnknown("a product of a number of sequences that is not known")
    if times < 0:
        raise Fault("ValueError")
    columns = [column_of(machine, a) for a in args] * times
    if any(column is not None and isinstance(column[0], Sym) for column in columns):
        return _symbolic_product(columns, args)
    lists = [items_of(machine, a) for a in args] * times
    if product(len(x) for x in lists) > MOST:
        raise IsUnknown("a product of sequences that is too large")
    return fixed(itertools.product(*lists))


def _symbolic_product(columns: Sequence[Symbolic | None], args: Args) -> IteratorValue:
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        raise IsUnknown("a product of a list and one of symbolic length")
    length, at = in_product(known)
    return symbolically(length, at, tuple(args)) if isinstance(length, Sym) else fixed(())
