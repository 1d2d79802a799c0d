"""Names that a loop carries from one tensor to another: whether what its iterations leave there is sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from nkilint.evaluator.state.trace import ITERATION, Event
from nkilint.evaluator.values.tensors import Declaration, View
from nkilint_rules.words.records import dataclass

from .accesses import Touch, real_views


@dataclass(frozen=True, slots=True)
class Left:
    """What stands there at the end of an iteration, and where that is."""

    position: int
    end: Event
    now: Any


class LeftBehind:
    """By stand-in: what an iteration leaves in its place."""

    def __init__(self, events: Sequence[Event], is_sound: Callable[[int, Event, View], bool]) -> None:
        self.is_sound = is_sound
        self.found: dict[int, Left] = {}
        self.asked: set[int] = set()
        for position, event in enumerate(events):
            for start, now in event.arguments["left"] if event.kind == ITERATION else ():
                self.found[id(start.base)] = Left(position, event, now)

    def unsound(self, view: View) -> Declaration | None:
        """What a view may stand for in the iterations after the first that is not known to be sound there."""
        return next((base for base in _carried(view.base) if not self._holds(base)), None)

    def _holds(self, base: Declaration) -> bool:
        """By induction: where iterations leave to one another what they found, it is what was there at first."""
        left = self.found.get(id(base))
        if left is None or id(base) in self.asked:
            return True
        if not isinstance(left.now, View):
            return False
        self.asked.add(id(base))
        try:
            return self.is_sound(left.position, left.end, left.now)
        finally:
            self.asked.discard(id(base))

    def is_made_there(self, base: Declaration, tensor: Declaration) -> bool:
        """Whether the iterations make the tensor, so that it cannot be what is there at first."""
        left = self.found.get(id(base))
        if left is None:
            return False
        number = left.end.site.loops[-1].index.variable
        return any(loop.index.variable is number for loop in tensor.loops)

    def depth(self, base: Declaration) -> int:
        """How many loops there are around the iterations in each of which it stands for one tensor."""
        left = self.found.get(id(base))
        return 0 if left is None else len(left.end.site.loops)

    def within(self, read: Touch) -> Touch:
        """A read behind the loop, where it takes what the last iteration left: at the end of an iteration."""
        left = self.found.get(id(read.base))
        if left is None or left.end.site.loops[-1] in read.loops:
            return read
        return replace(read, position=left.position, event=replace(left.end, accesses=(read.access,)))


def tensors_left(view: View, events: Sequence[Event]) -> Iterator[View]:
    """What a view may stand for because iterations left that behind a name."""
    left = {id(start.base): now for e in events if e.kind == ITERATION for start, now in e.arguments["left"]}
    bases, seen = list(_carried(view.base)), set[int]()
    for base in bases:  # which grows meanwhile
        now = left.get(id(base))
        if id(base) not in seen and isinstance(now, View):
            bases += _carried(now.base)
            yield from (each for each, _ in real_views(now))
        seen.add(id(base))


def _carried(base: Declaration) -> Iterator[Declaration]:
    """The stand-ins among what it may be."""
    if base.kind == "merged":
        if len(base.sources) == 1:
            yield base
        for source in base.sources:
            if isinstance(source, View):
                yield from _carried(source.base)
