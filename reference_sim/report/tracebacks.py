"""What a kernel raised, told by its own lines: the simulator's part of the way is left out."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from nkilint_rules.words.conditions import IsUnknown

from .errors import CannotSimulate, NkiError
from .sites import instructions, is_ours, is_users
from .wording import source_text


def as_told(error: Exception) -> Exception:
    """The error with the frame that caught it and those of the kernel.

    What went wrong below the kernel's last line, without anybody having said so, is something that cannot be simulated:
    the arguments of a call that no rule and no signature forbids, or a fault of the simulator. The error that it was
    stays its context.
    """
    caught = error.__traceback__
    steps = _steps(None if caught is None else caught.tb_next)
    end = max((i + 1 for i, step in enumerate(steps) if is_users(step.tb_frame.f_code)), default=0)
    kept = [step for step in steps[:end] if not is_ours(step.tb_frame.f_code)]
    below = steps[end:]
    said = isinstance(error, _OWN) or (bool(below) and _is_said(error, below[-1]))
    if caught is None or said or not kept or not any(is_ours(step.tb_frame.f_code) for step in below):
        _link([*([] if caught is None else [caught]), *kept, *([] if said else below)])
        return error
    last = kept[-1]
    source = source_text((last.tb_frame.f_code, last.tb_lasti))
    reason = error.reason if isinstance(error, IsUnknown) else f"{type(error).__name__}: {error}"
    told = CannotSimulate(f"`{source}`" if source else "this", reason)
    told.__context__, told.__suppress_context__ = error, True
    _link([caught, *kept])
    return told.with_traceback(caught)


_OWN = (NkiError, CannotSimulate, MemoryError, RecursionError)
"""Errors that speak for themselves."""


def _is_said(error: Exception, last: TracebackType) -> bool:
    """Whether an error is raised on purpose: the innermost step is a `raise` of the simulator, or hides itself."""
    if isinstance(error, IsUnknown):
        return False
    if _hides(last):
        return True
    code = last.tb_frame.f_code
    raised = any(i.offset == last.tb_lasti and i.opname == "RAISE_VARARGS" for i in instructions(code))
    return is_ours(code) and raised


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
