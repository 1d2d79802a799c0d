"""Arrays on the host brought to one shape."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from nkilint.symbolic.integers import Sym

from ...values.host import HostArray

MOST = 4096  # elements that are kept
NUMBERS = (int, float, Sym)


def broadcast(shapes: Sequence[tuple[Any, ...]]) -> tuple[int, ...] | None:
    """The shape that arrays of these come to together, where all sizes are numbers."""
    if any(type(n) is not int for shape in shapes for n in shape):
        return None
    found = []
    for sizes in itertools.zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1):
        wide = {n for n in sizes if n != 1}
        if len(wide) > 1:
            return None
        found.append(wide.pop() if wide else 1)
    return tuple(found[::-1])


def spread(value: Any, shape: tuple[int, ...]) -> tuple[Any, ...] | None:
    """The elements of an array, or a number, at each place of a shape that it is broadcast to, where they are few."""
    if (count := math.prod(shape)) > MOST:
        return None
    if isinstance(value, NUMBERS):
        return (value,) * count
    known = value.known if isinstance(value, HostArray) else None
    if known is None:
        return None
    steps, step = [], 1
    for size in reversed(value.shape):
        steps.append(0 if size == 1 else step)
        step *= size
    steps = [0] * (len(shape) - len(steps)) + steps[::-1]
    return tuple(known[sum(map(int.__mul__, at, steps))] for at in itertools.product(*map(range, shape)))
