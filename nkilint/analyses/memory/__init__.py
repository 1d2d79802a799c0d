"""What is alive in SBUF and PSUM, statement by statement: the memory map, and advice about too much of it."""

from __future__ import annotations

from collections.abc import Callable

from nkilint.evaluator.kernels.requests import Run

from ..dataflow import Settled, incomplete
from .capacity import check_capacity
from .dead import check_dead_parts
from .map import memory_map

__all__ = ["analyse", "memory_map"]


def analyse(run: Run, selects: Callable[[str], bool]) -> list[Settled]:
    """Advice about the kernel as it is written; single launches may use less than it provides for."""
    if run.rejected is not None or incomplete(run) or run.request is None or run.request.launch is not None:
        return []
    found = [*check_capacity(run.trace), *check_dead_parts(run.trace)]
    return [s for s in found if selects(s.obligation.rule.code)]
