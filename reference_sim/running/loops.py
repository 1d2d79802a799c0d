"""Loop iterators. Beta 1's `affine_range` records what its iterations touch; the others are plain ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from nkilint_rules.words.dialects import BETA1
from reference_sim.machine.program import Program, program, running
from reference_sim.machine.registers import VirtualRegister
from reference_sim.observers import loop_nests as nests
from reference_sim.observers import races as dependencies
from reference_sim.observers import scopes
from reference_sim.report import wording
from reference_sim.report.sites import assigned_name, here


def _range(arguments: tuple[Any, ...], options: dict[str, Any]) -> range:
    values = [trip_count(a, position) for position, a in enumerate(arguments) if a is not None]
    if "start" in options or "stop" in options or "step" in options:
        start = int(options.get("start", values[0] if values else 0))
        stop = options.get("stop")
        values = [0, start] if stop is None else [start, int(stop)]
        values.append(int(options.get("step", 1)))
    return range(*values)


def trip_count(value: Any, position: int) -> int:
    """A bound of a loop as an integer; a float is none."""
    if isinstance(value, float):
        wording.not_an_integer(value, "a trip count", wording.argument_text(here(), position))
    return int(value)


def affine_range(*arguments: Any, **options: Any) -> Iterable[int]:
    """Iterations that promise to be independent of each other."""
    current = program("language.affine_range")
    trips = _range(arguments, options)
    if current.dialect != BETA1:
        return nests.if_looped(trips, current)
    if current.shuffle is not None:
        return _traced_once(_shuffled(trips, current.shuffle), current)
    return _recorded(trips, current) if current.checks and len(trips) > 1 else _traced_once(trips, current)


def _shuffled(trips: range, seed: int) -> list[int]:
    """The iterations in another order, whatever the seed."""
    order = [trips[int(i)] for i in np.random.default_rng(seed).permutation(len(trips))]
    return order if order != list(trips) else order[::-1]


def _traced_once(trips: Iterable[int], current: Program) -> Iterator[int]:
    """Iterations of a loop whose body Beta 1 traces once; each is known by a number of its own."""
    block = scopes.Block()
    current.blocks.append(block)
    try:
        for i in trips:
            current.iteration += 1
            yield i
    finally:
        current.blocks.remove(block)
        block.ended = True


def _recorded(trips: range, current: Program) -> Iterator[int]:
    loop = dependencies.Loop(trips, assigned_name(here()))
    current.loops.append(loop)
    try:
        for i in _traced_once(trips, current):
            current.clock += 1
            loop.begin(current.clock)
            yield i
    finally:
        current.loops.remove(loop)
    loop.judge()


def sequential_range(*arguments: Any, **options: Any) -> Iterable[int]:
    """Iterations in order."""
    current = program("language.sequential_range")
    trips = _range(arguments, options)
    if current.dialect != BETA1:
        return nests.if_looped(trips, current)
    return _traced_once(nests.followed(trips, current), current)


def static_range(*arguments: Any, **options: Any) -> Iterable[int]:
    """Iterations in order, unrolled by the compiler."""
    current = program("language.static_range")
    trips = _range(arguments, options)
    if current.dialect != BETA1:
        return nests.if_looped(trips, current)
    return _unrolled(nests.followed(trips, current), current)


def block(trips: Any) -> Iterable[Any]:
    """What a `for` of Python takes from `range`: iterations in order, which are a block in a kernel of Beta 1."""
    current = running()
    if current is None or not isinstance(trips, range):
        return trips  # type: ignore[no-any-return]
    found = nests.followed(trips, current)
    return found if current.dialect != BETA1 else _traced_once(found, current)


def _unrolled(trips: Iterable[int], current: Program) -> Iterator[int]:
    """Iterations of a loop whose body Beta 1 traces each time."""
    position = len(current.unrolled)
    current.unrolled.append(0)
    try:
        for i in trips:
            current.unrolled[position] = i
            current.iteration += 1
            yield i
    finally:
        del current.unrolled[position:]


def dynamic_range(start: Any, stop: Any = None, step: int = 1) -> Iterator[VirtualRegister]:
    """Iterations whose bounds are known only at run time."""
    program("language.dynamic_range")
    assert not isinstance(step, VirtualRegister), "the step of dynamic_range is a compile-time integer"
    assert int(step) > 0, "the step of dynamic_range is positive"
    first, last = (0, start) if stop is None else (start, stop)
    for i in range(int(first), int(last), int(step)):
        yield VirtualRegister(i, frozen=True)


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[VirtualRegister], Any], step: int = 1) -> None:
    """`body_fun(i)` for each value from `lower` to `upper`."""
    program("language.fori_loop")
    assert int(step) > 0, "the step of fori_loop is positive"
    for i in range(int(lower), int(upper), int(step)):
        assert body_fun(VirtualRegister(i)) is None, "the body of fori_loop returns nothing"


def while_loop(init: Any, body_fun: Callable[[VirtualRegister], Any]) -> None:
    """`body_fun(r)` while the register it returns holds something other than 0."""
    program("language.while_loop")
    condition = init
    while int(condition) != 0:
        condition = body_fun(VirtualRegister(int(condition)))
        assert condition is not None, "the body of while_loop returns the next condition"
