"""Python's own modules as kernels use them: dataclasses, functools, itertools, copies, what decorators make."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import IsUnknown, Unknown, product

from ...state.machine import Machine
from ...values.tensors import TUPLES
from ...values.values import MISSING, ClassValue, DictValue, Instance, ListValue, ModuleValue, Native, Partial
from ..iteration import items_of

Function = Callable[[Machine, list[Any], dict[str, Any]], Any]
MOST = 100_000  # items of a list that is written out


def _record(value: Any) -> Instance:
    """A dataclass object, the argument of the functions of `dataclasses`."""
    if isinstance(value, Instance) and value.cls.fields:
        return value
    raise IsUnknown("a dataclass object that is not known")


def _replaced(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..calls import instantiate

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
    from ..calls import call_value
    from ..operators import binary

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
    from ..calls import call_value

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


def _partial(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Partial(args[0], tuple(args[1:]), dict(kwargs))


def wrapper(kind: str) -> Callable[..., Any]:
    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        getter = args[0] if args else None
        return Instance(_marker(kind), {"getter": getter})

    return call


def _marker(kind: str) -> ClassValue:
    return ClassValue(kind, (), {}, ModuleValue("builtins", None), kind)


def _dataclass(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], ClassValue):
        args[0].kind = "dataclass"
        return args[0]
    return Instance(_marker("dataclass decorator"), {})


def _field(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Instance(_marker("field"), dict(kwargs))


def _namedtuple(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    names = args[1].replace(",", " ").split() if isinstance(args[1], str) else items_of(machine, args[1])
    cls = ClassValue(str(args[0]), (), {}, ModuleValue("collections", None), "namedtuple")
    cls.fields = [(str(n), MISSING) for n in names]
    return cls


def _auto(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Instance(_marker("auto"), {})


def _product_of_iterables(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    lists = [items_of(machine, a) for a in args]
    total = product(len(x) for x in lists)
    if total > MOST:
        raise IsUnknown("a product of sequences that is too large")
    return ListValue(itertools.product(*lists))


def _deque(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return ListValue(items_of(machine, args[0]) if args else ())


def _operator(symbol: str) -> Callable[..., Any]:
    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from ..operators import binary

        return binary(machine, symbol, args[0], args[1], machine.at)

    return call


def _chain(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return ListValue(item for a in args for item in items_of(machine, a))


def _reduce(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..calls import call_value

    items = items_of(machine, args[1])
    result = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        result = call_value(machine, args[0], [result, item], {})
    return result


def _copied(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A copy of a container; what is in it is shared."""
    value = args[0]
    if isinstance(value, ListValue):
        return ListValue(value.items)
    if isinstance(value, DictValue):
        return DictValue(value.items, value.kind)
    return Instance(value.cls, dict(value.attrs)) if isinstance(value, Instance) else value


def _deeply_copied(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    value = args[0]
    if type(value) in TUPLES:
        return tuple(_deeply_copied(machine, [item], {}) for item in value)
    if isinstance(value, ListValue):
        return ListValue(_deeply_copied(machine, [item], {}) for item in value.items)
    if isinstance(value, DictValue):
        return DictValue({k: _deeply_copied(machine, [v], {}) for k, v in value.items.items()}, value.kind)
    if isinstance(value, Instance) and value.cls.kind != "enum":
        return Instance(value.cls, {k: _deeply_copied(machine, [v], {}) for k, v in value.attrs.items()})
    return value


def _first(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return args[0] if args else Unknown("a call without arguments")


def call_instance(
    machine: Machine, value: Instance, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None
) -> Any:
    """A call of an object that a decorator of the standard library made."""
    if value.cls.kind == "dataclass decorator" and args and isinstance(args[0], ClassValue):
        args[0].kind = "dataclass"
        return args[0]
    if value.cls.kind == "property" and args:
        return Instance(value.cls, {**value.attrs, "setter": args[0]})
    if value.cls.kind in ("staticmethod", "classmethod"):
        from ..calls import call_value

        return call_value(machine, value.attrs["getter"], args, kwargs, node)
    return Unknown(f"call of an object of `{value.cls.name}`")


FUNCTIONS: dict[str, Function] = {
    "abc.abstractmethod": _first,
    "collections.OrderedDict": lambda m, a, k: DictValue(a[0].items if a and isinstance(a[0], DictValue) else {}),
    "collections.deque": _deque,
    "collections.namedtuple": _namedtuple,
    "contextlib.contextmanager": _first,
    "copy.copy": _copied,
    "copy.deepcopy": _deeply_copied,
    "dataclasses.asdict": _as_dict,
    "dataclasses.astuple": _as_tuple,
    "dataclasses.dataclass": _dataclass,
    "dataclasses.field": _field,
    "dataclasses.replace": _replaced,
    "enum.auto": _auto,
    "functools.cache": _first,
    "functools.cached_property": wrapper("cached_property"),
    "functools.lru_cache": lambda m, a, k: a[0] if a else Native("identity", _first),
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "functools.wraps": lambda m, a, k: Native("identity", _first),
    "itertools.accumulate": _accumulated,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chained,
    "itertools.combinations": _over_items(itertools.combinations),
    "itertools.islice": _over_items(itertools.islice),
    "itertools.pairwise": _over_items(itertools.pairwise),
    "itertools.permutations": _over_items(itertools.permutations),
    "itertools.product": _product_of_iterables,
    "itertools.repeat": _repeated,
    "itertools.starmap": _starmapped,
    "itertools.zip_longest": _over_items(itertools.zip_longest),
    "operator.add": _operator("+"),
    "operator.floordiv": _operator("//"),
    "operator.itemgetter": _item_getter,
    "operator.mod": _operator("%"),
    "operator.mul": _operator("*"),
    "operator.sub": _operator("-"),
    "typing.cast": lambda m, a, k: a[1],
}
