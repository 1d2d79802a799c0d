"""Loop iterators. Whoever listens is told when a loop begins, at each iteration and when it ends."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType
from typing import Any

import numpy as np

from nkilint_rules.operands.operand_form import OperandForm
from nkilint_rules.words.dialects import BETA1
from reference_sim.machine.loop import Loop
from reference_sim.machine.program import Program, program, running
from reference_sim.machine.registers import VirtualRegister, tell_asked
from reference_sim.operations.instructions import Instruction
from reference_sim.report import wording
from reference_sim.report.sites import SKIPPED, here, instructions, is_ours

_SEVERAL = range(2)


def _range(arguments: tuple[Any, ...], options: dict[str, Any]) -> range:
    values = [trip_count(a, position) for position, a in enumerate(arguments) if a is not None]
    if "start" in options or "stop" in options or "step" in options:
        start = trip_count(options.get("start", values[0] if values else 0), 0)
        stop = options.get("stop")
        values = [0, start] if stop is None else [start, trip_count(stop, 1)]
        values.append(trip_count(options.get("step", 1), 2))
    if not 1 <= len(values) <= 3:
        raise TypeError(f"a range takes 1 to 3 numbers, {len(values)} given")
    if len(values) == 3 and values[2] == 0:
        raise ValueError("the step of a range is not zero")
    return range(*values)


def trip_count(value: Any, position: int) -> int:
    """A bound of a loop that is unrolled, as an integer; a float is none."""
    if isinstance(value, VirtualRegister):
        tell_asked()
    return wording.whole_number(value, "a trip count", lambda: wording.argument_text(here(), position))


def affine_range(*arguments: Any, **options: Any) -> Iterable[int]:
    """Iterations that promise to be independent of each other."""
    current = program("language.affine_range")
    trips = _range(arguments, options)
    if current.dialect != BETA1:
        return if_looped(trips, current)
    if current.shuffle is not None:
        return _told(_shuffled(trips, current.shuffle), current, "shuffled")
    return _told(trips, current, "independent")


def _shuffled(trips: range, seed: int) -> list[int]:
    """The iterations in another order, whatever the seed."""
    order = [trips[int(i)] for i in np.random.default_rng(seed).permutation(len(trips))]
    return order if order != list(trips) else order[::-1]


def sequential_range(*arguments: Any, **options: Any) -> Iterable[int]:
    """Iterations in order."""
    current = program("language.sequential_range")
    trips = _range(arguments, options)
    return _told(trips, current, "ordered") if current.dialect == BETA1 else if_looped(trips, current)


def static_range(*arguments: Any, **options: Any) -> Iterable[int]:
    """Iterations in order, unrolled by the compiler."""
    current = program("language.static_range")
    trips = _range(arguments, options)
    return _unrolled(trips, current) if current.dialect == BETA1 else if_looped(trips, current)


def block(trips: Any) -> Iterable[Any]:
    """What a `for` of Python takes from `range`: iterations in order, which are a block in a kernel of Beta 1."""
    current = running()
    if current is None or not isinstance(trips, range):
        return trips  # type: ignore[no-any-return]
    return _told(trips, current, "ordered", current.dialect == BETA1)


class Rounds:
    """The iterations of a loop of Python that goes over what is no range, or of a `while`: they come in order, and
    nobody knows how many there are. Called with True in each of them, and with False where an `else` follows them.

    What loops that tell of themselves give in turn, as `enumerate` does of a range, is left to these."""

    def __init__(self, name: str) -> None:
        current = running()
        self.program = current if current is not None and current.listeners.loop_began else None
        if self.program is not None:
            self.loop, self.runs = Loop(_SEVERAL, False, True, False, name), False
            self.around = _around(self.program)

    def __enter__(self) -> Rounds:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        self._end(kind is None)

    def __call__(self, more: bool) -> None:
        if not more:
            self._end(True)
        elif self.program is not None and (self.runs or self._begin(self.program)):
            self.program.clock += 1
            self.loop.number += 1
            for told in self.program.listeners.iterated:
                told(self.loop)

    def _begin(self, current: Program) -> bool:
        if _around(current) != self.around:
            self.program = None
            return False
        self.runs = True
        current.clock += 1
        for told in current.listeners.loop_began:
            told(self.loop)
        return True

    def _end(self, completed: bool) -> None:
        if self.program is not None and self.runs:
            for told in self.program.listeners.loop_ended:
                told(self.loop, completed and self.loop.number > 0)
        self.program = None


def _around(current: Program) -> list[object]:
    return [*current.loops, *current.device_loops]


def if_looped(trips: range, current: Program) -> Iterable[int]:
    """A range that the kernel asks for: its iterations are told where a `for` takes it as it is."""
    if not current.listeners.loop_began:
        return trips
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code):
        frame = frame.f_back
    heads = frame is not None and any(a <= frame.f_lasti < b for a, b in _heads(frame.f_code))
    return _told(trips, current, "ordered", False) if heads else trips


@cache
def _heads(code: CodeType) -> tuple[tuple[int, int], ...]:
    """The instructions whose result a `for` iterates over."""
    running = [i for i in instructions(code) if i.opname not in SKIPPED]
    found = []
    for call, taken, loop in zip(running, running[1:], running[2:], strict=False):
        if taken.opname == "GET_ITER" and loop.opname == "FOR_ITER":
            found.append((call.offset, taken.offset))
    return tuple(found)


def _told(trips: Sequence[int], current: Program, kind: str, is_block: bool = True) -> Iterator[int]:
    """The iterations of a loop, each with a number of its own: a block of Beta 1 is traced once."""
    listeners = current.listeners
    loop = Loop(trips, kind == "independent", kind == "ordered", is_block) if listeners.loop_began else None
    if loop is None:
        for i in trips:
            current.iteration += 1
            yield i
        return
    current.clock += 1
    current.loops.append(loop)
    for told in listeners.loop_began:
        told(loop)
    completed = False
    try:
        for i in trips:
            current.iteration += 1
            current.clock += 1
            loop.number += 1
            for told in listeners.iterated:
                told(loop)
            yield i
        completed = True
    finally:
        current.loops.remove(loop)
        for told in listeners.loop_ended:
            told(loop, completed)


def _unrolled(trips: Sequence[int], current: Program) -> Iterator[int]:
    """Iterations of a loop whose body Beta 1 traces each time."""
    position = len(current.unrolled)
    current.unrolled.append(0)
    try:
        for i in _told(trips, current, "ordered", False):
            current.unrolled[position] = i
            yield i
    finally:
        del current.unrolled[position:]


@contextmanager
def _on_device(current: Program, name: str) -> Iterator[None]:
    """A loop that the device itself runs."""
    around = current.device_loops
    current.device_loops = (*around, (name, object()))
    try:
        yield
    finally:
        current.device_loops = around


def _check_step(loop: str, step: Any) -> None:
    register = isinstance(step, VirtualRegister)
    if register or int(step) < 1:
        wording.complain(OperandForm.step(step="a register" if register else step, loop=loop))


def dynamic_range(start: Any, stop: Any = None, step: int = 1) -> Iterator[VirtualRegister]:
    """Iterations whose bounds are known only at run time."""
    current = program("language.dynamic_range")
    _check_step("dynamic_range", step)
    first, last = (0, start) if stop is None else (start, stop)
    with _on_device(current, "dynamic_range"):
        for i in range(int(first), int(last), int(step)):
            yield VirtualRegister(i, "dynamic_range")


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[VirtualRegister], Any], step: int = 1) -> None:
    """`body_fun(i)` for each value from `lower` to `upper`."""
    current = program("language.fori_loop")
    _check_step("fori_loop", step)
    with _on_device(current, "fori_loop"):
        for i in range(int(lower), int(upper), int(step)):
            result = body_fun(VirtualRegister(i, "fori_loop"))
            if result is not None and not isinstance(result, Instruction):
                wording.complain(OperandForm.body(gives="a value", operation="fori_loop", wanted="nothing"))


def while_loop(init: Any, body_fun: Callable[[VirtualRegister], Any]) -> None:
    """`body_fun(r)` while the register it returns holds something other than 0."""
    current, condition = program("language.while_loop"), init
    with _on_device(current, "while_loop"):
        while condition is not None and int(condition) != 0:
            condition = body_fun(VirtualRegister(int(condition)))
    if condition is None:
        wording.complain(OperandForm.body(gives="nothing", operation="while_loop", wanted="the next condition"))
