"""Python's own modules as kernels use them: dataclasses, itertools, operator."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from nkilint_rules.conditions import IsUnknown

from .iteration import items_of
from .machine import Machine
from .values import DictValue, Instance, ListValue, Native

Function = Callable[[Machine, list[Any], dict[str, Any]], Any]
MOST = 100_000  # items of a list that is written out


def _record(value: Any) -> Instance:
    """A dataclass object, the argument of the functions of `dataclasses`."""
    if isinstance(value, Instance) and value.cls.fields:
        return value
    raise IsUnknown("a dataclass object that is not known")


def _replaced(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from .calls import instantiate

    before = _record(args[0])
    if any(name not in before.attrs for name, _ in before.cls.fields):
        raise IsUnknown(f"a field of `{before.cls.name}` that is not set")
    given = {name: before.attrs[name] for name, _ in before.cls.fields}
    return instantiate(machine, before.cls, [], {**given, **kwargs}, None)


def _as_dict(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    before = _record(args[0])
    return DictValue({name: _plain(machine, before.attrs.get(name), _as_dict) for name, _ in before.cls.fields})


def _as_tuple(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    before = _record(args[0])
    return tuple(_plain(machine, before.attrs.get(name), _as_tuple) for name, _ in before.cls.fields)


def _plain(machine: Machine, value: Any, convert: Function) -> Any:
    """What becomes of a field's value, dataclass objects within it converted too."""
    if isinstance(value, Instance) and value.cls.kind == "dataclass":
        return convert(machine, [value], {})
    if isinstance(value, tuple):
        return tuple(_plain(machine, item, convert) for item in value)
    if isinstance(value, ListValue):
        return ListValue(_plain(machine, item, convert) for item in value.items)
    if isinstance(value, DictValue):
        return DictValue({k: _plain(machine, item, convert) for k, item in value.items.items()}, value.kind)
    return value


def _over_items(function: Callable[..., Any]) -> Function:
    """A function of `itertools` that only moves items."""

    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        plain = [a if isinstance(a, int) or a is None else items_of(machine, a) for a in args]
        made = list(itertools.islice(function(*plain, **kwargs), MOST + 1))
        if len(made) > MOST:
            raise IsUnknown("a list that is too long")
        return ListValue(made)

    return call


def _repeated(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    count = args[1] if len(args) > 1 else kwargs.get("times")
    if not isinstance(count, int) or count > MOST:
        raise IsUnknown("a repetition whose length is not known")
    return ListValue([args[0]] * count)


def _accumulated(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from .calls import call_value
    from .operators import binary

    items = items_of(machine, args[0])
    if kwargs.get("initial") is not None:
        items = [kwargs["initial"], *items]
    function = args[1] if len(args) > 1 else kwargs.get("func")
    made: list[Any] = []
    for item in items:
        if not made:
            made.append(item)
        elif function is None:
            made.append(binary(machine, "+", made[-1], item, machine.at))
        else:
            made.append(call_value(machine, function, [made[-1], item], {}))
    return ListValue(made)


def _starmapped(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from .calls import call_value

    return ListValue(call_value(machine, args[0], items_of(machine, row), {}) for row in items_of(machine, args[1]))


def _chained(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return ListValue(item for row in items_of(machine, args[0]) for item in items_of(machine, row))


def _item_getter(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or not isinstance(args[0], (int, str)):
        raise IsUnknown("`itemgetter` of several items")
    key = args[0]

    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if isinstance(args[0], DictValue):
            return args[0].items[key]
        if isinstance(key, str):
            raise IsUnknown("a named item of what is no dict")
        return items_of(machine, args[0])[key]

    return Native("itemgetter", call)


FUNCTIONS: dict[str, Function] = {
    "dataclasses.replace": _replaced,
    "dataclasses.asdict": _as_dict,
    "dataclasses.astuple": _as_tuple,
    "itertools.accumulate": _accumulated,
    "itertools.chain.from_iterable": _chained,
    "itertools.combinations": _over_items(itertools.combinations),
    "itertools.islice": _over_items(itertools.islice),
    "itertools.pairwise": _over_items(itertools.pairwise),
    "itertools.permutations": _over_items(itertools.permutations),
    "itertools.repeat": _repeated,
    "itertools.starmap": _starmapped,
    "itertools.zip_longest": _over_items(itertools.zip_longest),
    "operator.itemgetter": _item_getter,
}
