"""What is there before a kernel runs need not be looked through for garbage again and again while it does.

Python counts what somebody keeps from being looked through object by object, so it is asked only until it once says
that there is some. It also forgets then how much was made since it looked last: that is counted here, so that what goes
round in circles is found in a process that launches kernels all the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LITTER = 200_000  # objects made since garbage was last looked for in all that is there


@dataclass(slots=True)
class _Kept:
    made: int = 0  # objects that were not freed again, since then
    now: bool = False  # while a launch runs
    by_others: bool = False  # theirs to let go, so it is left as it is


_kept = _Kept()


def keep() -> None:
    """Have all that is there by now stay, for as long as this process and its copies run."""
    gc.freeze()
    _kept.by_others = True


@contextmanager
def kept() -> Iterator[None]:
    """Within it, Python looks for garbage only among what is made there."""
    if _kept.now or _left_alone():
        yield
        return
    _look_for_garbage()
    gc.freeze()
    _kept.now = True
    try:
        yield
    finally:
        gc.unfreeze()
        _kept.now = False


def _look_for_garbage() -> None:
    """Look for it everywhere, once much has been made."""
    young, middle, old = gc.get_count()
    first, second, _ = gc.get_threshold()
    _kept.made += young + first * (middle + second * old)
    if _kept.made > LITTER:
        gc.collect()
        _kept.made = 0


def _left_alone() -> bool:
    if not _kept.by_others and gc.isenabled():
        _kept.by_others = gc.get_freeze_count() > 0
    return _kept.by_others or not gc.isenabled()
