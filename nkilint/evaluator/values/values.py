"""The values of the evaluator that are not tensors.

Python's own None, bool, int, float, str, tuple, slice and Ellipsis stand for themselves. Whatever can be changed in
place keeps its content in a dict (a *cell*), so that one journal can undo and join all changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import IsUnknown, Unknown


class Cell(dict[Any, Any]):
    """Changeable content. `born` orders cells by the time of their making."""

    __slots__ = ("born",)
    made = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        Cell.made += 1
        self.born = Cell.made


class Environment:
    """Variables of one function call, module or class body; what stands in a class body doesn't see the latter."""

    __slots__ = ("function", "is_class", "module", "parent", "redirected", "vars")

    def __init__(self, module: ModuleValue, parent: Environment | None = None, function: ir.FunctionDef | None = None):
        self.vars = Cell()
        self.module, self.parent, self.function = module, parent, function
        self.redirected: dict[str, Environment] | None = None  # names declared nonlocal or global
        self.is_class = False


@dataclass(slots=True, eq=False)
class ModuleValue:
    """A module of the project; `env` holds its globals."""

    name: str
    ir: ir.Module | None
    env: Environment = None  # type: ignore[assignment]
    state: str = "new"  # new, running, done


@dataclass(frozen=True, slots=True)
class External:
    """A name of a package that is not analysed: numpy, torch, ..."""

    name: str


@dataclass(frozen=True, slots=True)
class Api:
    """A name below `neuronxcc.nki` or `nki`: `Api("neuronxcc", "language.load")`."""

    dialect: str
    name: str


@dataclass(slots=True, eq=False)
class FunctionValue:
    node: ir.FunctionDef
    env: Environment  # where it was defined
    defaults: dict[str, Any]
    name: str
    owner: ClassValue | None = None
    kernel: dict[str, Any] | None = None  # set when a kernel decorator wrapped it


@dataclass(frozen=True, slots=True, eq=False)
class BoundMethod:
    receiver: Any
    function: Any  # FunctionValue, or the name of a built-in method


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Native:
    """A function of the evaluator itself."""

    name: str
    call: Callable[..., Any]


INTEGER_ENUMS = frozenset(("enum.IntEnum", "enum.IntFlag"))


@dataclass(slots=True, eq=False)
class ClassValue:
    name: str
    bases: tuple[Any, ...]
    attrs: dict[str, Any]
    module: ModuleValue
    kind: str = "class"  # class, dataclass, enum, namedtuple, exception
    fields: list[tuple[str, Any]] = field(default_factory=list)  # of dataclasses and named tuples: name, default

    def mro(self) -> list[ClassValue]:
        found = [self]
        for base in self.bases:
            if isinstance(base, ClassValue):
                found += [c for c in base.mro() if c not in found]
        return found

    @property
    def is_integer(self) -> bool:
        """Whether its members are integers too."""
        return any(isinstance(b, External) and b.name in INTEGER_ENUMS for c in self.mro() for b in c.bases)

    def lookup(self, name: str) -> Any:
        for cls in self.mro():
            if name in cls.attrs:
                return cls.attrs[name]
        return None


@dataclass(slots=True, eq=False)
class Instance:
    cls: ClassValue
    attrs: dict[str, Any]

    def __post_init__(self) -> None:
        self.attrs = Cell(self.attrs)


@dataclass(frozen=True, slots=True, eq=False)
class Super:
    """`super()`: the attributes of `receiver` from the classes that come after `owner`."""

    receiver: Any
    owner: ClassValue

    def lookup(self, name: str) -> Any:
        cls = self.receiver.cls if isinstance(self.receiver, Instance) else self.receiver
        classes = cls.mro()
        after = classes[classes.index(self.owner) + 1 :] if self.owner in classes else []
        return next((c.attrs[name] for c in after if name in c.attrs), None)


class ListValue:
    """A list; `cell["items"]` is a tuple, replaced as a whole, or what loops of symbolic length make of one."""

    __slots__ = ("cell",)

    def __init__(self, items: Any = ()) -> None:
        self.cell = Cell(items=items if isinstance(items, (GrownItems, GrowingItems)) else tuple(items))

    @property
    def items(self) -> tuple[Any, ...]:
        items = self.cell["items"]
        if isinstance(items, GrowingItems):
            raise IsUnknown(EXTENDED)
        if isinstance(items, GrownItems):
            if not isinstance(items.length, int) or items.length > MAX_EXPANDED:
                raise IsUnknown("a list of symbolic length")
            return tuple(items.at(i) for i in range(items.length))
        return items  # type: ignore[no-any-return]

    @property
    def length(self) -> Any:
        items = self.cell["items"]
        if isinstance(items, GrowingItems):
            return Unknown(EXTENDED)
        return items.length if isinstance(items, GrownItems) else len(items)

    def extended(self, more: tuple[Any, ...]) -> Any:
        """What `items` is after an extension."""
        items = self.cell["items"]
        if isinstance(items, GrowingItems) and isinstance(items.added, tuple):
            return GrowingItems(items.added + more)
        return self.items + more


EXTENDED = "a list read in the loop that extends it"
MAX_EXPANDED = 4096  # items of a summarised list that are written out


class GrownItems:
    """The items of a list to which each of `trips` iterations appended `added`, written in terms of `index`.

    `added` is a tuple, or what an inner loop appended.
    """

    __slots__ = ("added", "before", "index", "trips")

    def __init__(self, before: tuple[Any, ...], added: tuple[Any, ...] | GrownItems, index: Any, trips: Any) -> None:
        self.before, self.added, self.index, self.trips = before, added, index, trips

    @property
    def length(self) -> Any:
        each = self.added.length if isinstance(self.added, GrownItems) else len(self.added)
        return self.trips * each + len(self.before)

    def at(self, position: Any) -> Any:
        """The item at `position`, which is taken to be within the list and past what was there before the loop."""
        from .substitution import in_value

        if self.before:
            if isinstance(position, int) and 0 <= position < len(self.before):
                return self.before[position]
            position = position - len(self.before)
            if not isinstance(position, int) and position.bounds[0] < 0:
                return Unknown("element of a list that a loop extends")
        if isinstance(self.added, GrownItems):
            each = self.added.length
            return in_value(self.added.at(position % each), {self.index.variable: position // each})
        if len(self.added) == 1:
            return in_value(self.added[0], {self.index.variable: position})
        which = position % len(self.added)
        if isinstance(which, int):
            return in_value(self.added[which], {self.index.variable: position // len(self.added)})
        return Unknown("element of a list that a loop of symbolic length extends")


class GrowingItems:
    """The items of a list in a symbolic iteration of a loop that extends it; `added` are those of this iteration.

    `added` is a tuple, or what an inner loop appended.
    """

    __slots__ = ("added",)

    def __init__(self, added: tuple[Any, ...] | GrownItems = ()) -> None:
        self.added = added


class DictValue:
    """A dict with plain keys; `cell` maps each key, tagged, to its value. A set has None values."""

    __slots__ = ("cell", "kind")

    def __init__(self, items: dict[Any, Any] | None = None, kind: str = "dict") -> None:
        self.cell = Cell(items=dict(items or {}))
        self.kind = kind

    @property
    def items(self) -> dict[Any, Any]:
        return self.cell["items"]  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True, eq=False)
class RangeValue:
    """A range of any kind; `kind` is "range", "affine_range", "sequential_range", "static_range" or "dynamic_range"."""

    start: Any
    stop: Any
    step: Any
    kind: str

    @property
    def trips(self) -> Any:
        from nkilint_rules.words.conditions import maximum

        if isinstance(self.step, int) and self.step < 0:
            count = -((self.start - self.stop) // self.step)
        else:
            count = -((self.start - self.stop) // self.step)
        return maximum(count, 0)


class Real:
    """A number that is no integer and whose value is not known."""

    __slots__ = ()

    def _real(self, *_: Any) -> Real:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _real
    __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = _real

    def _open(self, other: Any) -> Any:
        return Unknown("comparison of numbers that are not integers")

    __lt__ = __le__ = __gt__ = __ge__ = _open


REAL = Real()


class SomeFloat(float):
    """What the rulebook is given for a number whose value is not known; it asks for the type only."""


@dataclass(frozen=True, slots=True, eq=False)
class Unbound:
    """A variable that is bound only where `defined` holds."""

    defined: Any
    value: Any
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A string whose content is not fully known."""


class Either(Unknown):
    """One of two values that have no form in common, by a condition. It is what a name or an attribute stands for, and
    what goes into a call and comes out; all else sees just an unknown value (`as_one`)."""

    __slots__ = ("cases", "condition", "otherwise", "then")

    def __init__(self, condition: Any, then: Any, otherwise: Any, reason: str, cases: int) -> None:
        super().__init__(reason)
        self.condition, self.then, self.otherwise, self.cases = condition, then, otherwise, cases


def as_one(value: Any) -> Any:
    """The value for all that do not ask which of two it is."""
    return Unknown(value.reason) if type(value) is Either else value


class Missing:
    """No value."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()
