"""Values of which more than one is possible, or of which only the type is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from nkilint.symbolic.conditions import Cond, opaque_parts
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.work import charge
from nkilint_rules.words.conditions import Unknown, negation
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.records import dataclass

from .cells import Missing
from .substitution import in_parts, rewritten


@dataclass(frozen=True, slots=True, eq=False)
class Unbound:
    """A variable that is bound only where `defined` holds."""

    defined: Any
    value: Any
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A string whose content is not fully known, but for the dtype that it may be the name `of`, and its `length`."""

    of: Any = None
    length: Any = None


def is_told(choice: Any) -> bool:
    """Whether a condition means the same wherever it is asked."""
    if not isinstance(choice, Cond):
        return isinstance(choice, bool)
    return all(o.kind in ("input", "dtype") for o in opaque_parts(choice)) and not any(
        v.kind in ("carried", "runtime") for v in variables(choice)
    )


def settled(value: Any) -> Any:
    """`value` without the doubt whether it is bound."""
    while isinstance(value, Unbound):
        value = value.value
    return value


class Either(Unknown):
    """One of two values that have no form in common, by a condition. It is what a name or an attribute stands for, and
    what goes into a call and comes out; all else sees just an unknown value (`as_one`)."""

    __slots__ = ("cases", "condition", "otherwise", "then")

    def __init__(self, condition: Any, then: Any, otherwise: Any, reason: str, cases: int) -> None:
        super().__init__(reason)
        self.condition, self.then, self.otherwise, self.cases = condition, then, otherwise, cases


class Partly(Unknown):
    """A truth that is not known: `known` is what certainly holds where it holds, and `of` are the numbers that it is
    about, as far as that is known."""

    __slots__ = ("known", "of")

    def __init__(self, reason: str, known: Any, of: tuple[Sym, ...]) -> None:
        super().__init__(reason)
        self.known, self.of = known, of


def known_of(truth: Any) -> Any:
    """What certainly holds where a truth holds."""
    if isinstance(truth, Either):
        sides = (truth.condition & known_of(truth.then)), (negation(truth.condition) & known_of(truth.otherwise))
        return sides[0] | sides[1]
    return truth.known if isinstance(truth, Partly) else True if isinstance(truth, Unknown) else truth


def numbers_of(truth: Any) -> tuple[Sym, ...]:
    """The numbers that what is not known of a truth is about."""
    if isinstance(truth, Either):
        return (*numbers_of(truth.then), *numbers_of(truth.otherwise))
    return truth.of if isinstance(truth, Partly) else ()


class Among(Unknown):
    """A value that is not known, but for what it may be or be part of: what changes it may change these `values`."""

    __slots__ = ("values",)

    def __init__(self, reason: str, values: tuple[Any, ...]) -> None:
        super().__init__(reason)
        self.values = values


def among(reason: str, *values: Any) -> Unknown:
    """What is not known, after it was one of `values` or was made of them."""
    found = {id(value): value for value in _named(values)}
    return Among(reason, tuple(found.values())) if found else Unknown(reason)


def part_of_one(found: Any, *values: Any) -> Any:
    """What an operation on `values` gives: where that is not known, it may be one of them, or a part of one."""
    given = [value for value in values if value is not None]
    return among(found.reason, found, *given) if type(found) in (Unknown, Among) and given else found


def _named(values: Iterable[Any]) -> Iterator[Any]:
    """Those of `values`, and of their parts, that something could be done to; what is shared is looked at once."""
    waiting, seen = list(values)[::-1], set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        parts = _PARTS.get(tuple if isinstance(value, tuple) else type(value))
        if parts is not None:
            waiting += [*parts(value)][::-1]
        elif not isinstance(value, (Unknown, *CONSTANTS)):
            yield value
    if len(seen) > _MANY:
        charge(len(seen) // _MANY)


_PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    tuple: iter,
    Among: lambda value: value.values,
    Either: lambda value: (value.then, value.otherwise),
    dict: lambda value: value.values(),
    Unbound: lambda value: (value.value,),
}
_MANY = 8  # parts that one unit of work looks at
CONSTANTS = (int, float, str, bytes, type(None), Sym, Cond, Text, Missing, type(Ellipsis), DType)


def as_one(value: Any) -> Any:
    """The value for all that do not ask which of two it is."""
    return among(value.reason, value) if type(value) is Either else value


@rewritten.of(Unbound)
def _in_unbound(value: Unbound, mapping: Mapping[Any, Any]) -> Any:
    return in_parts(value, (value.defined, value.value, value.why), Unbound, mapping)


@rewritten.of(Either)
def _in_either(value: Either, mapping: Mapping[Any, Any]) -> Any:
    return in_parts(value, (value.condition, value.then, value.otherwise, value.reason, value.cases), Either, mapping)


@rewritten.of(Text)
def _in_text(value: Text, mapping: Mapping[Any, Any]) -> Any:
    return in_parts(value, (value.of, value.length), Text, mapping)
