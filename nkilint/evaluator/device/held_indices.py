"""Indices that a tile holds: what they have to satisfy, as far as it is known what the tile may hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nkilint.base.ir import Span
from nkilint.symbolic.atoms import Int
from nkilint.symbolic.integers import Sym
from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from nkilint_rules.words.conditions import all_of

from ..state.machine import Machine
from ..values.intervals import CHOSEN, Range
from ..values.tensors import Bound, View
from .ranges import integers_in

HELD = "an index held in a tensor"


def held_index(machine: Machine, size: Any) -> Sym:
    """Any one that a tile may hold for a dimension of that size."""
    high = size - 1 if isinstance(size, (int, Sym)) else None
    return machine.fresh_sym("index", "runtime", None if high is None else 0, high, HELD)


def bounds_of(machine: Machine, index: View, at: Span, bound: Callable[[Int], Bound], whole: bool) -> list[Bound]:
    """The bounds of a subscript that `index` holds, of which all is used if `whole`. Where both ends are among its
    values, they are what has to stay inside, or each element where it is known; where not, all that it may hold does,
    or what the kernel itself keeps it to, or it is taken for granted."""
    return bounds_within(machine, integers_in(machine, index), at, bound, whole and index.whole, index.base.name)


def bounds_within(
    machine: Machine, known: Range | None, at: Span, bound: Callable[[Int], Bound], whole: bool, name: str = ""
) -> list[Bound]:
    """The same, of values that may be in a range, and go by a name."""
    if known is not None:
        found = [replace(bound(end), held=True) for end in known.ends()]
        if known.is_single or (known.reached and whole):
            return found
        if whole and known.element is not None:
            return [replace(bound(known.element), held=True)]
        if machine.truth(all_of([all_of((b.reach >= 0, b.reach < b.size)) for b in found])):
            machine.holds(OutOfBounds)
            return []
        if known.kept_to is not None:
            return [
                replace(bound(machine.fresh_sym(f"{name or 'index'}[...]", "input", *known.kept_to, CHOSEN)), held=True)
            ]
    machine.trust(at)
    return []
