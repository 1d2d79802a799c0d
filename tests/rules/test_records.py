"""Classes made by `words.records` do what those of `dataclasses` do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar

import pytest

from nkilint_rules.words import records

Make = Callable[..., Any]


@records.dataclass(frozen=True, slots=True)
class Kept:
    """A class that pickle finds by its name."""

    size: int
    names: list[str] = field(default_factory=list)


def point(make: Make) -> Any:
    @make(frozen=True, slots=True)
    class Point:
        x: int
        y: Any = 3
        names: list[Any] = field(default_factory=list, compare=False)
        kind: ClassVar[str] = "point"

    return Point


def derived(make: Make) -> Any:
    @make(frozen=True, slots=True)
    class Point(point(make)):  # type: ignore[misc]
        z: int = 5
        w: int = field(default=1, kw_only=True, repr=False)

    return Point


def counted(make: Make) -> Any:
    @make(frozen=True, slots=True)
    class Point:
        x: int
        y: int = field(init=False)
        z: list[int] = field(init=False, default_factory=list)

        def __post_init__(self) -> None:
            object.__setattr__(self, "y", self.x + 1)

    return Point


def own(make: Make) -> Any:
    @make(frozen=True, slots=True)
    class Point:
        x: Any = None

        def __repr__(self) -> str:
            return "mine"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    return Point


def equal(make: Make) -> Any:
    @make(frozen=True, slots=True)
    class Point:
        x: Any = None

        def __eq__(self, other: object) -> bool:
            return True

    return Point


def identical(make: Make) -> Any:
    @make(frozen=True, slots=True, eq=False)
    class Point:
        x: Any = None

    return Point


def empty(make: Make) -> Any:
    @make(frozen=True, slots=True)
    class Point:
        pass

    return Point


def ordered(make: Make) -> Any:
    @make(frozen=True, slots=True, order=True)
    class Point:
        x: int = 0

    return Point


def changing(make: Make) -> Any:
    @make
    class Point:
        x: int = 0

    return Point


CALLS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    ((), {}),
    ((1,), {}),
    ((1, 2), {}),
    ((1, [2]), {}),
    ((2,), {"y": 3}),
    ((1, 2, ["a"]), {}),
    ((1,), {"w": 2}),
    ((1, 2, [], 5, 1), {}),
    ((), {"x": 1, "z": 4}),
    ((1,), {"x": 1}),
    ((), {"nothing": 1}),
)


def _outcome(do: Callable[[], Any]) -> Any:
    try:
        return do()
    except (TypeError, AttributeError) as error:
        return type(error), str(error).split(".<locals>.")[-1]


@pytest.mark.parametrize(
    "definition", [point, derived, counted, own, equal, identical, empty, ordered, changing], ids=lambda f: f.__name__
)
def test_the_methods_do_the_same(definition: Callable[[Make], Any]) -> None:
    mine, theirs = definition(records.dataclass), definition(dataclasses.dataclass)
    assert [f.name for f in dataclasses.fields(mine)] == [f.name for f in dataclasses.fields(theirs)]
    assert mine.__match_args__ == theirs.__match_args__
    assert mine.__slots__ == theirs.__slots__ if hasattr(theirs, "__slots__") else not hasattr(mine, "__slots__")
    made = [
        ([_outcome(lambda c=c, a=a, k=k: c(*a, **k)) for a, k in CALLS])
        for c in (mine, theirs)  # type: ignore[misc]
    ]
    assert _said(made[0]) == _said(made[1])
    table = [[[_outcome(lambda a=a, b=b: a == b) for b in row] for a in row] for row in made]  # type: ignore[misc]
    assert table[0] == table[1]
    for one, other in zip(*made, strict=True):
        if not isinstance(one, tuple):
            assert _said([_changed(one)]) == _said([_changed(other)])
            assert definition is identical or _hash(one) == _hash(other)


def _changed(value: Any) -> Any:
    return dataclasses.replace(value, **({"x": 9} if value.__match_args__ else {}))


def _hash(value: Any) -> Any:
    return _outcome(lambda: hash(value))


def _said(made: list[Any]) -> list[str]:
    return [repr(m).split(" object at")[0] for m in made]


def test_nothing_can_be_set_or_deleted() -> None:
    value = Kept(3)
    for change in (
        lambda: setattr(value, "size", 4),
        lambda: setattr(value, "other", 4),
        lambda: delattr(value, "size"),
    ):
        with pytest.raises(FrozenInstanceError):
            change()
    assert value == Kept(3)


def test_copies_and_pickles_are_equal() -> None:
    value = Kept(3, ["a"])
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.copy(value) == value
    assert copy.deepcopy(value) == value
    assert copy.deepcopy(value).names is not value.names
    assert Kept(1).names is not Kept(1).names


def test_what_contains_itself_is_shown() -> None:
    value = Kept(1)
    value.names.append(value)  # type: ignore[arg-type]
    assert repr(value) == "Kept(size=1, names=[...])"
