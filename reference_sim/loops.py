"""Loop iterators. Beta 1's `affine_range` records what its iterations touch; the others are plain ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from nkilint_rules.operation import BETA1

from . import dependencies
from .context import program
from .registers import VirtualRegister


def _range(arguments: tuple[Any, ...], options: dict[str, Any]) -> range:
    values = [int(a) for a in arguments if a is not None]
    if "start" in options or "stop" in options or "step" in options:
        start = int(options.get("start", values[0] if values else 0))
        stop = options.get("stop")
        values = [0, start] if stop is None else [start, int(stop)]
        values.append(int(options.get("step", 1)))
    return range(*values)


def affine_range(*arguments: Any, **options: Any) -> Iterator[int] | range:
    """Iterations that promise to be independent of each other."""
    current = program("language.affine_range")
    trips = _range(arguments, options)
    if current.dialect != BETA1:
        return trips
    if current.shuffle is not None:
        return iter([trips[int(i)] for i in np.random.default_rng(current.shuffle).permutation(len(trips))])
    return _recorded(trips) if current.checks and len(trips) > 1 else trips


def _recorded(trips: range) -> Iterator[int]:
    current = program("language.affine_range")
    loop = dependencies.Loop(len(current.loops))
    current.loops.append(loop)
    try:
        for i in trips:
            current.clock += 1
            loop.begin(i, current.clock)
            yield i
    finally:
        current.loops.remove(loop)
    loop.judge()


def sequential_range(*arguments: Any, **options: Any) -> range:
    """Iterations in order."""
    program("language.sequential_range")
    return _range(arguments, options)


def static_range(*arguments: Any, **options: Any) -> range:
    """Iterations in order, unrolled by the compiler."""
    program("language.static_range")
    return _range(arguments, options)


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
