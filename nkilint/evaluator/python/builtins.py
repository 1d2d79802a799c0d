"""Python's built-in functions and types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of

from ..device.api import make_range
from ..device.inputs import settled_number
from ..state.machine import Machine
from ..state.trace import Event
from ..values.host import HostArray
from ..values.rounding import integer, is_plain
from ..values.tensors import TUPLES, InputTensor, ShapeOf, View
from ..values.values import (
    REAL,
    Api,
    BoundMethod,
    ClassValue,
    DictValue,
    External,
    FunctionValue,
    Instance,
    ListValue,
    Native,
    Partial,
    RangeValue,
    Real,
    Text,
)
from . import operators
from .iteration import items_of, list_of, symbolic_items
from .library.external import larger, smaller
from .library.standard import wrapper

Args = list[Any]
Keywords = dict[str, Any]


def _len(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0]
    if isinstance(value, (tuple, str)):
        return len(value)
    if isinstance(value, ListValue):
        return value.length
    if isinstance(value, DictValue):
        return len(value.items)
    if isinstance(value, RangeValue):
        return value.trips
    if isinstance(value, ShapeOf):
        from ..device.inputs import as_tensor, no_rank

        tensor = value.tensor
        if (tensor.ranks and not tensor.guessed) or "view" in tensor.cell:
            return len(as_tensor(machine, tensor).shape)
        return Unknown(no_rank(tensor.name))
    if isinstance(value, View):
        return value.shape[0]
    if isinstance(value, Instance) and value.cls.lookup("__len__") is not None:
        from .calls import call_function

        return call_function(machine, value.cls.lookup("__len__"), [value], {})
    if isinstance(value, HostArray):
        return value.shape[0]
    if isinstance(value, ClassValue) and value.kind == "enum":
        return len(items_of(machine, value))
    return value if isinstance(value, Unknown) else Unknown(f"length of {type(value).__name__}")


def _range(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return make_range(machine, "range", args, None)


def _sum(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    total = args[1] if len(args) > 1 else 0
    for item in items_of(machine, args[0]):
        total = operators.binary(machine, "+", total, item, machine.at)
    return total


def _abs(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0]
    if isinstance(value, View):
        return Unknown("`abs` of a tensor")
    return abs(value)


def _zip(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    symbolic = [symbolic_items(a) for a in args]
    if any(s is not None for s in symbolic):
        columns = [s for s in symbolic if s is not None]
        if len(columns) < len(args) or any((length == columns[0][0]) is not True for length, _ in columns):
            raise IsUnknown("`zip` of lists whose lengths may differ")
        return list_of(machine, columns[0][0], lambda i: tuple(item(i) for _, item in columns))
    return ListValue(zip(*(items_of(machine, a) for a in args), strict=False))


def _enumerate(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    start: Any = kwargs.get("start", args[1] if len(args) > 1 else 0)
    symbolic = symbolic_items(args[0])
    if symbolic is not None:
        length, at = symbolic
        return list_of(machine, length, lambda i: (start + i, at(i)))
    return ListValue((start + i, item) for i, item in enumerate(items_of(machine, args[0])))


def _tuple(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if args and isinstance(args[0], ShapeOf):
        return args[0]
    return tuple(items_of(machine, args[0])) if args else ()


def _list(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    symbolic = symbolic_items(args[0]) if args else None
    if symbolic is not None:
        return list_of(machine, *symbolic)
    return ListValue(items_of(machine, args[0]) if args else ())


def _dict(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    from .expressions import hashable

    items: dict[Any, Any] = {}
    if args:
        if isinstance(args[0], DictValue):
            items.update(args[0].items)
        else:
            items.update(
                {hashable(p[0]): p[1] for p in (tuple(items_of(machine, i)) for i in items_of(machine, args[0]))}
            )
    items.update(kwargs)
    return DictValue(items)


def _set(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    from .expressions import hashable

    return DictValue({hashable(i): None for i in items_of(machine, args[0])} if args else {}, "set")


def _bool(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    from nkilint.base import ir

    from .expressions import truth_of

    return truth_of(machine, args[0], ir.Const(machine.at, None)) if args else False


def _float(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0] if args else 0.0
    if isinstance(value, str):
        return (
            float(value) if value.strip("+-").lower() in ("inf", "nan", "infinity") else Unknown("a number in a string")
        )
    return float(value) if isinstance(value, (int, float)) else value if isinstance(value, Unknown) else REAL


def _int(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if args and isinstance(args[0], str):
        return int(args[0]) if args[0].strip("+- ").isdecimal() else Unknown("a number in a string")
    return integer(machine, [settled_number(machine, a) for a in args], kwargs)


def _str(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return str(args[0]) if args and isinstance(args[0], (str, int, float)) else Text()


def _sorted(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    from .calls import call_value

    items = items_of(machine, args[0])
    key = kwargs.get("key")
    keys = items if key is None else [call_value(machine, key, [item], {}) for item in items]
    if not all(map(is_plain, keys)) or len({type(k) for k in keys} - {float}) > 1:
        return Unknown("a sorted sequence of values that are not known")
    reverse = kwargs.get("reverse") is True
    order = sorted(zip(keys, items, strict=True), key=lambda pair: pair[0], reverse=reverse)
    return ListValue(item for _, item in order)


def _reversed(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0]
    if isinstance(value, RangeValue):
        last = value.start + (value.trips - 1) * value.step
        return RangeValue(last, value.start - value.step, -value.step, value.kind)
    symbolic = symbolic_items(value)
    if symbolic is not None:
        length, at = symbolic
        return list_of(machine, length, lambda i: at(length - 1 - i))
    return ListValue(items_of(machine, value)[::-1])


def _map(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    from .calls import call_value

    columns = [items_of(machine, a) for a in args[1:]]
    return ListValue(call_value(machine, args[0], list(row), {}) for row in zip(*columns, strict=False))


def _filter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    from .calls import call_value

    kept = []
    for item in items_of(machine, args[1]):
        keep = machine.truth(
            _bool(machine, [item if args[0] is None else call_value(machine, args[0], [item], {})], {})
        )
        if keep is None:
            raise IsUnknown("a filter that depends on the input")
        if keep:
            kept.append(item)
    return ListValue(kept)


def _any_all(combine: Callable[[Any], Any]) -> Callable[[Machine, Args, Keywords], Any]:
    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        return combine([_bool(machine, [i], {}) for i in items_of(machine, args[0])])

    return call


def _divmod(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return (
        operators.binary(machine, "//", args[0], args[1], machine.at),
        operators.binary(machine, "%", args[0], args[1], machine.at),
    )


def _pow(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return operators.binary(machine, "**", args[0], args[1], machine.at)


def _round(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return (
        round(*args)
        if all(isinstance(a, (int, float)) for a in args)
        else Unknown("rounding of a number that is not known")
    )


def _isinstance(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value, kinds = args
    if isinstance(value, Unknown):
        return value
    if isinstance(kinds, Unknown):
        return kinds
    if not isinstance(kinds, tuple):
        kinds = (kinds,)
    return any_of(_is_a(value, kind) for kind in kinds)


def _is_a(value: Any, kind: Any) -> Any:
    if isinstance(kind, ClassValue):
        return isinstance(value, Instance) and kind in value.cls.mro()
    if isinstance(kind, Native):
        accepted = _TYPES.get(kind.name)
        if accepted is None:
            return Unknown(f"isinstance of `{kind.name}`")
        if kind.name == "int" and isinstance(value, InputTensor):
            return "number" in value.cell
        if kind.name == "float" and isinstance(value, Sym):
            return False
        return isinstance(value, accepted) and not (kind.name == "float" and isinstance(value, bool))
    if isinstance(kind, Api):
        if kind.name.rpartition(".")[2] in ("NkiTensor", "tensor"):
            return isinstance(value, (View, InputTensor))
        return Unknown(f"isinstance of `{kind.name}`")
    if isinstance(kind, External):
        leaf = kind.name.rpartition(".")[2]
        if leaf in ("Enum", "IntEnum"):
            return isinstance(value, Instance) and value.cls.kind == "enum"
        if isinstance(value, (int, float, str, ListValue, DictValue, tuple, Sym)) or value is None:
            return leaf in ("Number", "Integral") and isinstance(value, (int, Sym))
        return Unknown(f"isinstance of `{kind.name}`")
    return Unknown("isinstance of a type that is not known")


def _hasattr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value, name = args
    if isinstance(value, Instance) and isinstance(name, str):
        return name in value.attrs or value.cls.lookup(name) is not None
    if isinstance(value, (View, InputTensor)):
        return name in ("shape", "dtype", "ndim")
    if isinstance(value, Api) and isinstance(name, str):
        from ..device.api import resolve

        return not isinstance(resolve(machine, value.dialect, f"{value.name}.{name}", None), Unknown)
    return Unknown("`hasattr` of a value that is not known")


def _lacks(value: Any, name: str) -> bool:
    """Whether it is sure that an object or a class has no such attribute."""
    if isinstance(value, Instance):
        return name not in value.attrs and _lacks(value.cls, name)
    known = isinstance(value, ClassValue) and all(isinstance(b, ClassValue) for c in value.mro() for b in c.bases)
    return known and value.lookup(name) is None and value.lookup("__getattr__") is None


def _getattr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    from nkilint.base import ir

    from .attributes import get_attribute

    if not isinstance(args[1], str):
        return Unknown("`getattr` with a name that is not known")
    value, name = args[0], args[1]
    if len(args) > 2 and _lacks(value, name):
        return args[2]
    return get_attribute(machine, args[0], args[1], ir.Attr(machine.at, ir.Const(machine.at, None), args[1]))


def _setattr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    from .attributes import set_attribute

    if isinstance(args[1], str):
        set_attribute(machine, args[0], args[1], args[2])


def _type(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0]
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, bool):
        return BUILTINS["bool"]
    for name in ("int", "float", "str", "tuple", "list", "dict"):
        if isinstance(value, _TYPES[name]):
            return BUILTINS[name]
    return Unknown(f"type of {type(value).__name__}")


def _nothing(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return None


def _callable(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return isinstance(args[0], (FunctionValue, BoundMethod, Native, Partial, ClassValue, Api))


def _super(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Unknown("`super()`")


def _iter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return ListValue(items_of(machine, args[0]))


def _next(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    items = items_of(machine, args[0])
    return items[0] if items else Unknown("`next` of nothing")


def _object(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Unknown("an object")


def _slice(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return slice(*args)


def _reveal(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """Writes into the trace what the evaluator knows about a value."""
    machine.emit(Event("reveal", machine.site(), None, (), {"value": _copied(args[0])}))
    return args[0]


def _copied(value: Any) -> Any:
    """The value as it is now, safe from later changes to lists and dicts."""
    if isinstance(value, (ListValue, DictValue)):
        items = value.cell["items"]
        copy = ListValue() if isinstance(value, ListValue) else DictValue(kind=value.kind)
        copy.cell["items"] = {k: _copied(v) for k, v in items.items()} if isinstance(items, dict) else _copied(items)
        return copy
    return tuple(_copied(item) for item in value) if type(value) in TUPLES else value


_TYPES: dict[str, Any] = {
    "int": (int, Sym),
    "float": (float, Real),
    "str": (str, Text),
    "tuple": tuple,
    "list": ListValue,
    "dict": DictValue,
    "set": DictValue,
    "bool": (bool, Cond),
    "slice": slice,
    "range": RangeValue,
    "object": object,
    "complex": complex,
}

_EXCEPTIONS = [
    "Exception",
    "ValueError",
    "TypeError",
    "AssertionError",
    "RuntimeError",
    "NotImplementedError",
    "KeyError",
    "IndexError",
    "AttributeError",
    "ImportError",
    "ModuleNotFoundError",
    "SyntaxError",
    "StopIteration",
    "OSError",
    "ZeroDivisionError",
    "BaseException",
    "Warning",
]

_FUNCTIONS: dict[str, Callable[[Machine, Args, Keywords], Any]] = {
    "len": _len,
    "range": _range,
    "min": smaller,
    "max": larger,
    "sum": _sum,
    "abs": _abs,
    "zip": _zip,
    "enumerate": _enumerate,
    "tuple": _tuple,
    "list": _list,
    "dict": _dict,
    "set": _set,
    "frozenset": _set,
    "bool": _bool,
    "int": _int,
    "float": _float,
    "str": _str,
    "repr": _str,
    "sorted": _sorted,
    "reversed": _reversed,
    "map": _map,
    "filter": _filter,
    "any": _any_all(any_of),
    "all": _any_all(all_of),
    "divmod": _divmod,
    "pow": _pow,
    "round": _round,
    "isinstance": _isinstance,
    "issubclass": _nothing,
    "hasattr": _hasattr,
    "getattr": _getattr,
    "setattr": _setattr,
    "type": _type,
    "print": _nothing,
    "callable": _callable,
    "super": _super,
    "iter": _iter,
    "next": _next,
    "property": wrapper("property"),
    "staticmethod": wrapper("staticmethod"),
    "classmethod": wrapper("classmethod"),
    "object": _object,
    "slice": _slice,
    "complex": _object,
    "id": _object,
    "hash": _object,
    "open": _object,
    "input": _object,
    "exec": _object,
    "eval": _object,
    "vars": _object,
    "globals": _object,
    "locals": _object,
    "chr": _object,
    "ord": _object,
    "bytes": _object,
    "bytearray": _object,
    "memoryview": _object,
    "format": _str,
    "bin": _str,
    "hex": _str,
    "oct": _str,
    "compile": _object,
    "delattr": _nothing,
    "dir": _object,
    "help": _nothing,
    "breakpoint": _nothing,
    "__import__": _object,
    "reveal": _reveal,
}

BUILTINS: dict[str, Any] = {
    **{name: Native(name, function) for name, function in _FUNCTIONS.items()},
    **{name: External(f"builtins.{name}") for name in _EXCEPTIONS},
    "NotImplemented": External("builtins.NotImplemented"),
    "Ellipsis": Ellipsis,
    "__name__": "__module__",
    "__debug__": True,
}
