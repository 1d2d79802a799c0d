"""What an attempt to follow a loop has recorded, so that it can be forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.conditions import And, Compare, Cond, Opaque, Or
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import is_integer
from nkilint.symbolic.substitution import substitute
from nkilint.symbolic.work import OutOfWork
from nkilint_rules.words.conditions import IsUnknown, Unknown, any_of, negation

from ..state import joining
from ..state.machine import Machine, Stop
from ..state.paths import Exit, may_have_raised
from ..state.trace import ITERATION
from ..values.choices import among
from .iteration import Iteration, depends


def _stays(gone: Any, loop: Iteration) -> bool:
    """Whether a condition that holds in one iteration holds in all later ones too."""
    if isinstance(gone, bool):
        return True
    if isinstance(gone, (And, Or)):
        return all(_stays(part, loop) for part in gone.parts)
    if not isinstance(gone, Compare) or gone.relation != ">=":
        return isinstance(gone, Cond) and not any(depends(e, {loop.index.variable}) for e in gone.expressions())
    step = substitute(gone.left, {loop.index.variable: loop.index + 1}) - gone.left
    return bounds(step)[0] >= 0


def _of_last(machine: Machine, now: Any, loop: Iteration, last: Any, otherwise: Any) -> Any:
    """The integer that the iteration which leaves the loop, `last`, leaves behind, where it hangs on nothing but inputs
    and what counts the iterations of this loop and those around; else `otherwise`."""
    counting = {loop.index.variable, *(around.index.variable for around in machine.loops)}
    if last is None or not is_integer(now):
        return otherwise
    alone = all(v.kind == "input" or v in counting for v in variables(now, through_bounds=True))
    return substitute(now, {loop.index.variable: last}) if alone else otherwise


class Checkpoint:
    """What has been recorded so far, so that an attempt to follow a loop can be forgotten."""

    def __init__(self, machine: Machine) -> None:
        trace = machine.trace
        recorded: tuple[list[Any], ...] = (
            trace.events,
            trace.obligations,
            trace.granted,
            trace.assertions,
            trace.outside,
            trace.excused,
        )
        self.lists = [(made, len(made)) for made in recorded]
        self.exits = [(f.exits, len(f.exits)) for f in machine.frames]
        self.state = dict(trace.proved), dict(machine.counters), machine.facts, machine.at, machine.loops
        self.bounds, self.doubts = len(machine.memo.get("bounds", ())), machine.doubts
        self.places = {k: (list(a), dict(b)) for k, (a, b) in machine.memo.get("places", {}).items()}

    def restore(self, machine: Machine) -> None:
        for made, length in (*self.lists, *self.exits):
            del made[length:]
        machine.trace.proved, machine.counters, machine.facts, machine.at, machine.loops = self.state
        for key in list(machine.memo.get("bounds", ()))[self.bounds :]:
            del machine.memo["bounds"][key]
        if "places" in machine.memo:
            machine.memo["places"] = self.places

    def restore_but_names(self, machine: Machine, counters: dict[str, int]) -> None:
        """The same, but for the names that were given out since `counters`: those of new stand-ins."""
        named = {name: count for name, count in machine.counters.items() if count != counters.get(name)}
        self.restore(machine)
        machine.counters.update(named)

    @contextmanager
    def attempt(self, machine: Machine) -> Iterator[None]:
        """An attempt to follow the loop. Of one that does not come to its end nothing is taken for true: it began with
        what stood there before the loop, and does not know what an iteration leaves. What each place asks is open once,
        however often it was come by until then."""
        try:
            yield
        except (Stop, OutOfWork, RecursionError):
            self._forget(machine, "the loop around it was not followed to its end")
            raise
        except IsUnknown as unknown:
            self._forget(machine, unknown.reason)
            for exits, length in self.exits:
                del exits[length:]
            raise

    def _forget(self, machine: Machine, reason: str) -> None:
        (events, first), (made, length), (granted, before) = self.lists[:3]
        del events[first:], granted[before:]
        places = {(o.rule, o.site.at): o for o in reversed(made[length:])}
        made[length:] = [replace(o, goal=Unknown(reason)) for o in reversed(places.values())]

    def left_early(self, machine: Machine) -> bool:
        """Whether some path left the loop, or the function around it, since."""
        return any(len(f.exits) > length for f, (_, length) in zip(machine.frames, self.exits, strict=True))

    def is_quiet(self, machine: Machine) -> bool:
        """Whether nothing was asked of the device since."""
        return all(event.kind in ("reveal", ITERATION) for event in machine.trace.events[self.lists[0][1] :])

    def gone(self, machine: Machine) -> Any:
        """The condition under which an iteration leaves the loop early."""
        return any_of(entry.condition for entry in self._entries(machine))

    def _entries(self, machine: Machine) -> list[Exit]:
        """The paths that left since."""
        return [e for f, (_, length) in zip(machine.frames, self.exits, strict=True) for e in f.exits[length:]]

    def reached(self, machine: Machine, loop: Iteration) -> Any:
        """What holds at the start of an iteration: the one before it did not leave, nor raise anything."""
        gone = self.gone(machine)
        if not _stays(gone, loop) or may_have_raised(machine, self.doubts):
            return Opaque(f"iteration `{loop.index}` is reached", "unknown")
        previous = substitute(gone, {loop.index.variable: loop.index - 1})
        return any_of((loop.index <= 0, negation(previous)))

    def leaves_first(self, machine: Machine, loop: Iteration) -> bool:
        """Whether an iteration that leaves does so before anything else: of all that others do it is known by then that
        they were reached, and those before them."""
        if may_have_raised(machine, self.doubts):
            return False
        (_, events), (_, obligations) = self.lists[:2]
        entries = self._entries(machine)
        return all(entry.recorded == events + obligations for entry in entries) and _stays(self.gone(machine), loop)

    def leave_early(self, machine: Machine, loop: Iteration) -> str:
        """Of the paths that left since, no more is known than that they may have: in which iteration is open."""
        if not self.left_early(machine):
            return ""
        reason = f"the loop over `{loop.name}` may be left early"
        if not _stays(self.gone(machine), loop):
            made, length = machine.trace.obligations, self.lists[1][1]
            made[length:] = [replace(o, goal=Unknown(reason)) for o in made[length:]]
        for around, (_, length) in zip(machine.frames, self.exits, strict=True):
            entries = around.exits[length:]
            if not entries:
                continue
            gone = machine.undecided(f"{reason} by `{around.catches.value}`")
            last = machine.fresh_sym(loop.name, "carried", 0, loop.trips - 1, reason) if len(entries) == 1 else None
            known = machine.changes(around.mark)
            changes = dict(known)
            for entry in entries:
                for key, (cell, name, before, now) in entry.changes.items():
                    if key not in known or not joining.same(known[key][3], now):
                        left = _of_last(machine, now, loop, last, among(reason, before, now))
                        changes[key] = (cell, name, before, left)
            around.exits[length:] = [Exit(gone, changes, machine.facts)]
            machine.assume(negation(gone))
        return reason
