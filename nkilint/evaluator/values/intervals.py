"""Ranges of the integers that a tile may hold, and what operators make of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nkilint.symbolic.atoms import Int
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.operands.lossy_integer import in_float32
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.records import dataclass

from .dtypes import SymbolicDType

_EXACT = {"float32": 24, "float16": 11, "bfloat16": 8}
"""Powers of two up to which a type of floats holds all integers."""


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, which may be symbolic; `reached` says that both are among the values, `limited` that the
    kernel itself keeps them to these ends, those beyond what 32 bits hold apart. `element` is the value of each element
    over the axes of the view that was asked about, where it is known. `near` says that all this is so to a rounding, or
    of the further end alone: enough for the type that it is put into, but no more once it is there."""

    low: Int
    high: Int
    reached: bool = False
    limited: bool = False
    element: Int | None = None
    near: bool = False

    @property
    def numbers(self) -> tuple[int, int] | None:
        """Its ends, where both are numbers."""
        return (self.low, self.high) if isinstance(self.low, int) and isinstance(self.high, int) else None

    @property
    def is_single(self) -> bool:
        return bool(key_of(self.low) == key_of(self.high))

    @property
    def each(self) -> Int | None:
        """The value of each element."""
        return self.low if self.is_single else self.element

    def union(self, other: Range) -> Range:
        low, high = least(self.low, other.low), most(self.high, other.high)
        return Range(low, high, self.reached and other.reached, self.limited and other.limited)

    @property
    def kept_to(self) -> tuple[int, int] | None:
        """The least and the greatest value of those that the kernel keeps from being any."""
        if not self.limited or self.numbers is None:
            return None
        low, high = self.numbers
        low = max(low, min(high, 0)) if low <= LEAST else low
        return (low, max(low, 0) if high >= MOST else high)

    def ends(self) -> list[Int]:
        """The ends, the greater one first, each once."""
        return [self.high] if self.is_single else [self.high, self.low]


LEAST, MOST = -(2**31), 2**31 - 1
EXACT = 2**24
"""Up to it float32 holds all integers."""
CHOSEN = "the data of a tensor"
"""Where a number comes from that stands for the elements of a tile, as the caller's data choose them."""


def least(a: Int, b: Int) -> Int:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return a.minimum(b) if isinstance(a, Sym) else b.minimum(a)  # type: ignore[union-attr]


def most(a: Int, b: Int) -> Int:
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    return a.maximum(b) if isinstance(a, Sym) else b.maximum(a)  # type: ignore[union-attr]


def held_by(dtype: Any) -> tuple[int, int] | None:
    """The least and the greatest integer of a type, up to which it holds all."""
    if not isinstance(dtype, DType):
        return None
    if dtype.is_integer:
        return dtype.integers
    places = _EXACT.get(str(dtype))
    return None if places is None else (-(2**places), 2**places)


def fitting(found: Range | None, dtype: Any) -> Range | None:
    """`found` where a type holds all of it; what it rounds, cuts off or wraps is not followed."""
    if found is None:
        return None
    if found.near:
        found = replace(found, reached=False, element=None, near=False)
    held, numbers = held_by(dtype), found.numbers
    if isinstance(dtype, (Unknown, SymbolicDType)) and numbers is not None and numbers[0] >= 0 and numbers[1] < 128:
        return found  # every type of numbers holds these
    if held is None:
        return None
    if numbers is None:
        return found if dtype.itemsize >= 4 else None
    return found if held[0] <= numbers[0] and numbers[1] <= held[1] else None


# --- operators ---

Rule = Callable[[Range | None, Range | None], Range | None]
Numbers = tuple[int, int]


def apply(name: str, left: Range | None, right: Range | None) -> Range | None:
    """The values of `left op right`."""
    rule = _OPERATORS.get(name)
    found = None if rule is None else rule(left, right)
    if found is None:
        return None
    sides = [side for side in (left, right) if side is not None]
    known = len(sides) == 2 and all(side.reached and not side.near for side in sides)
    single = known and any(side.is_single for side in sides)
    limited = name in _LIMITING or any(side.limited for side in sides)
    element = None if any(side.near for side in sides) else _element(name, left, right)
    return replace(found, reached=found.reached and single, limited=limited, element=element)


def squared(side: Range | None) -> Range | None:
    """The values of a tile times itself, which are those of its elements each times itself."""
    found = apply("multiply", side, side)
    if found is None or side is None or side.numbers is None:
        return found
    first, last = side.numbers
    if not first < 0 < last:
        return replace(found, reached=side.reached)
    furthest = Range(0, max(-first, last))
    most = _PRODUCT(furthest, furthest)
    if most is None:
        return None
    alone = side.reached and found.element is None  # of both ends it is the further one that is reached
    return replace(found, low=0, high=most.high, reached=alone, near=alone or most.near)


def _element(name: str, left: Range | None, right: Range | None) -> Int | None:
    """What each element is, of operands whose elements are known."""
    a = None if left is None else left.each
    b = None if right is None else right.each
    if a is None or b is None:
        return None
    if name in ("left_shift", "bitwise_and"):
        if not isinstance(b, int) or b < 0:
            return None
        return a * (1 << b) if name == "left_shift" else a % (b + 1) if b & (b + 1) == 0 else None
    change = _EXACTLY.get(name)
    return None if change is None else change(a, b)


_EXACTLY: dict[str, Callable[[Int, Int], Int]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
}


def _numeric(rule: Callable[[Numbers, Numbers], Range | None]) -> Rule:
    """A rule on numbers, which needs to know both sides."""

    def applied(left: Range | None, right: Range | None) -> Range | None:
        if left is None or right is None:
            return None
        a, b = left.numbers, right.numbers
        return None if a is None or b is None else rule(a, b)

    return applied


def _arithmetic(change: Callable[[int, int], int]) -> Rule:
    """What is monotone in each operand: its ends come from their ends. Beyond what float32 holds one engine rounds it
    and another does not: both have to be on the same side of what any type holds."""

    def applied(left: Numbers, right: Numbers) -> Range | None:
        ends = [change(a, b) for a in left for b in right]
        low, high = min(ends), max(ends)
        inside = all(abs(n) <= EXACT for n in (*left, *right))
        if inside and abs(low) <= EXACT and abs(high) <= EXACT:
            return Range(low, high, True)
        rounded = [in_float32(change(in_float32(a), in_float32(b))) for a in left for b in right]
        if _bits(low) != _bits(min(rounded)) or _bits(high) != _bits(max(rounded)):
            return None
        return Range(min(low, *rounded), max(high, *rounded), True, near=True)

    return _numeric(applied)


def _bits(number: int) -> tuple[bool, int]:
    """Its sign, and the bits that it takes besides."""
    return number < 0, (number if number >= 0 else ~number).bit_length()


_PRODUCT = _arithmetic(lambda a, b: a * b)


def _summed(left: Range | None, right: Range | None) -> Range | None:
    """A sum, of sizes that are no numbers, too."""
    found = _arithmetic(lambda a, b: a + b)(left, right)
    if found is not None or left is None or right is None or (left.numbers and right.numbers):
        return found
    return Range(left.low + right.low, left.high + right.high, True)


def _less(left: Range | None, right: Range | None) -> Range | None:
    found = _arithmetic(lambda a, b: a - b)(left, right)
    if found is not None or left is None or right is None or (left.numbers and right.numbers):
        return found
    return Range(left.low - right.high, left.high - right.low, True)


def _masked(left: Range | None, right: Range | None) -> Range | None:
    """Of a number that is not negative, `&` leaves no more bits than it has."""
    sides = [side.numbers for side in (left, right) if side is not None]
    tops = [numbers[1] for numbers in sides if numbers is not None and numbers[0] >= 0]
    return Range(0, min(tops)) if tops else None


def _united(left: Numbers, right: Numbers) -> Range | None:
    return Range(0, (1 << max(left[1], right[1]).bit_length()) - 1) if min(left[0], right[0]) >= 0 else None


def _shifted(change: Callable[[int, int], int]) -> Rule:
    def applied(left: Numbers, right: Numbers) -> Range | None:
        places = right[0]
        if right[1] != places or not 0 <= places < 32 or left[0] < 0:
            return None
        return Range(change(left[0], places), change(left[1], places), True)

    return _numeric(applied)


def _remainder(left: Numbers, right: Numbers) -> Range | None:
    return Range(0, min(left[1], right[1] - 1)) if left[0] >= 0 and right[0] > 0 else None


_ANY = Range(LEAST, MOST)


def _both(choose: Callable[[Int, Int], Int]) -> Rule:
    """The greater or the lesser of two."""

    def applied(left: Range | None, right: Range | None) -> Range | None:
        if left is None and right is None:
            return None
        left, right = left or _ANY, right or _ANY
        return Range(choose(left.low, right.low), choose(left.high, right.high), True)

    return applied


_LIMITING = frozenset({"bitwise_and", "mod", "fmod", "minimum", "maximum"})
_OPERATORS: dict[str, Rule] = {
    "bitwise_and": _masked,
    "bitwise_or": _numeric(_united),
    "bitwise_xor": _numeric(_united),
    "add": _summed,
    "subtract": _less,
    "multiply": _PRODUCT,
    "maximum": _both(most),
    "minimum": _both(least),
    "mod": _numeric(_remainder),
    "fmod": _numeric(_remainder),
    **dict.fromkeys(("right_shift", "logical_right_shift", "arithmetic_right_shift"), _shifted(lambda a, n: a >> n)),
    **dict.fromkeys(("left_shift", "logical_left_shift"), _shifted(lambda a, n: a << n)),
    **dict.fromkeys(
        ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or"),
        lambda left, right: Range(0, 1),
    ),
}
