"""What is there before some work begins need not be looked through for garbage again and again during it.

How much there is says the number of blocks of memory: Python counts those at once, and objects one after the other.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LITTER = 600_000  # blocks more than before, for which it is worth while to look


@dataclass(slots=True)
class _Kept:
    now: bool = False
    blocks: int = 0  # that there were when garbage was last looked for
    tidy: int = 0  # the same, of the work at hand alone


_kept = _Kept()


def keep() -> None:
    """Have all that is there by now stay."""
    gc.collect()
    gc.freeze()
    _kept.now = True


def tidy() -> None:
    """Free what the work at hand left behind, if that is much: it goes round in circles, and waits long to be found."""
    _kept.tidy = _looked_for(_kept.tidy)


def _looked_for(before: int) -> int:
    """The blocks that there were when garbage was last looked for: `before`, unless there are many more by now."""
    if sys.getallocatedblocks() <= before + LITTER:
        return before
    gc.collect()
    return sys.getallocatedblocks()


@contextmanager
def kept() -> Iterator[None]:
    """Within it, what is there by now is not looked through for garbage: that is done before, once runs left much."""
    if _kept.now:  # it is somebody else's to let go
        yield
        return
    _kept.blocks = _looked_for(_kept.blocks or sys.getallocatedblocks())
    gc.freeze()
    _kept.tidy = sys.getallocatedblocks()
    _kept.now = True
    try:
        yield
    finally:
        gc.unfreeze()
        _kept.now = False
