"""Faults of this tool, as they are told: what went wrong and where in it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError, ValueError)
"""What a mistake in this tool raises, and what no part of it raises to say anything else."""


def told(fault: Exception) -> str:
    """A fault on one line."""
    place = traceback.extract_tb(fault.__traceback__)[-1]
    return f"{type(fault).__name__} in {Path(place.filename).stem}.{place.name} ({' '.join(str(fault).split())[:120]})"


class Faults(list[Exception]):
    """Faults in some of several questions, of which the others are answered all the same."""

    def until(self, question: Callable[P, Iterable[T]], *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """The answers to a question up to a fault, which is kept."""
        try:
            yield from question(*args, **kwargs)
        except MISTAKES as fault:
            self.append(fault)
