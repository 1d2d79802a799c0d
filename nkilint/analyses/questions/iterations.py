"""What a condition or an event has to do with the iteration of a loop."""

from __future__ import annotations

from typing import Any

from nkilint.evaluator.state.trace import Loop
from nkilint.evaluator.values.containers import COUNTED
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, key_of

STEADY = frozenset({"affine_range", "sequential_range", "static_range", "range"})
"""Loops whose iterations the text tells before they run."""


def is_counted(loop: Loop) -> bool:
    """Whether the device runs a loop whose iterations the text tells."""
    hidden = isinstance(loop.trips, Sym) and any(v.kind == "runtime" for v in variables(loop.trips))
    return loop.kind in COUNTED and not hidden


def is_bound(condition: Any, loop: Loop) -> bool:
    """Whether a condition says no more than that the iteration is one of the loop's."""
    return key_of(condition) == key_of(loop.index < loop.trips) if isinstance(condition, Cond) else False
