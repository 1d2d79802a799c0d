"""What a kernel raised, told by its own lines: the simulator's part of the way is left out."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from .errors import CannotSimulate, NkiError
from .sites import is_ours, is_users


def shorten(error: BaseException) -> None:
    """Keep the frame that caught the error and those of the kernel.

    What lies below the kernel's last line stays where it may be a fault of the simulator: not under its own errors, and
    not under a function that sets `__tracebackhide__`, which pytest knows too.
    """
    caught = error.__traceback__
    if caught is None:
        return
    steps = _steps(caught.tb_next)
    end = max((i + 1 for i, step in enumerate(steps) if is_users(step.tb_frame.f_code)), default=0)
    below = steps[end:]
    said = isinstance(error, (NkiError, CannotSimulate)) or (bool(below) and _hides(below[-1]))
    _link([caught, *(step for step in steps[:end] if not is_ours(step.tb_frame.f_code)), *([] if said else below)])


def without_hidden(way: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames that hide themselves."""
    kept = [step for step in _steps(way) if not _hides(step)]
    _link(kept)
    return kept[0] if kept else way


def _steps(way: TracebackType | None) -> list[TracebackType]:
    found = []
    while way is not None:
        found.append(way)
        way = way.tb_next
    return found


def _link(steps: Sequence[TracebackType]) -> None:
    for step, following in zip(steps, [*steps[1:], None], strict=False):
        step.tb_next = following


def _hides(step: TracebackType) -> bool:
    return bool(step.tb_frame.f_locals.get("__tracebackhide__"))
