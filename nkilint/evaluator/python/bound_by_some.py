"""What stands where nothing stood before a loop, and only some of its iterations may bind something."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.conditions import opaque_parts
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import all_of

from ..state import joining
from ..state.havoc import tensors_in
from ..state.machine import Machine
from ..values.choices import Unbound, among, settled
from ..values.inheritance import in_words
from ..values.tensors import View
from .iteration import Iteration, changing, depends, in_the_one_before


def defined_in(value: Any) -> Any:
    """When a place that may be bound is bound."""
    return all_of((value.defined, defined_in(value.value))) if isinstance(value, Unbound) else True


def is_deleted(machine: Machine, name: str) -> bool:
    """Whether the program has deleted something of that name."""
    return name in machine.memo.get("deleted", ())


def bound_by_one(machine: Machine, name: str, defined: Any, loop: Iteration) -> Any:
    """When one iteration, the first or a later one, binds what each does where `defined` holds."""
    if not differs(defined, loop):
        return defined
    first = substitute(defined, {loop.index.variable: 0})
    if not is_deleted(machine, name) and machine.truth(first):
        return True
    return machine.undecided(f"an iteration of the loop over `{loop.name}` binds it")


def taken_away(machine: Machine, name: str, values: list[Any], loop: Iteration) -> Unbound:
    """What stands where some iterations take away what stood there before the loop."""
    words = f"the loop over `{loop.name}` leaves {in_words(name)}"
    return Unbound(machine.undecided(words), among(changing(name, loop), *values), words)


def _made_by(machine: Machine, value: Any, loop: Iteration) -> bool:
    """Whether an iteration made a tensor of a value: each made one of its own."""
    views = [each for each in tensors_in(machine, [value]) if isinstance(each, View)]
    return any(around.index.variable is loop.index.variable for view in views for around in view.base.loops)


def left_bound(machine: Machine, name: str, now: Any, value: Any, loop: Iteration, runs: Any) -> Any:
    """What stands after the loop where nothing stood before it, though not each iteration may bind it."""
    defined = defined_in(now)
    if differs(defined, loop):
        last = substitute(defined, {loop.index.variable: loop.trips - 1})
        plain, always = settled(now), bool(machine.truth(last))
        if not always and (not joining.same(in_the_one_before(plain, loop), plain) or _made_by(machine, plain, loop)):
            value = among(f"{in_words(name)}, which only some iterations of the loop over `{loop.name}` bind", value)
        defined = always or bound_by_one(machine, name, defined, loop)
    bound = all_of((runs, defined))
    return value if bound is True else Unbound(bound, value, f"the loop over `{loop.name}` runs")


def differs(condition: Any, loop: Iteration) -> bool:
    """Whether a condition may hold in some iterations and not in others."""
    if isinstance(condition, bool):
        return False
    of_one = {loop.index.variable, *loop.own}
    return bool(opaque_parts(condition)) or any(depends(each, of_one) for each in condition.expressions())
