"""What a condition or an event has to do with the iteration of a loop."""

from __future__ import annotations

from typing import Any

from nkilint.evaluator.state.trace import Loop
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import key_of

STEADY = frozenset({"affine_range", "sequential_range", "static_range", "range"})
"""Loops whose iterations the text tells before they run."""


def is_bound(condition: Any, loop: Loop) -> bool:
    """Whether a condition says no more than that the iteration is one of the loop's."""
    return key_of(condition) == key_of(loop.index < loop.trips) if isinstance(condition, Cond) else False
