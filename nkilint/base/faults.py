"""Faults of this tool, as they are told: what went wrong and where in it."""

from __future__ import annotations

import traceback
from pathlib import Path

MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError, ValueError)
"""What a mistake in this tool raises, and what no part of it raises to say anything else."""


def told(fault: Exception) -> str:
    """A fault on one line."""
    place = traceback.extract_tb(fault.__traceback__)[-1]
    return f"{type(fault).__name__} in {Path(place.filename).stem}.{place.name} ({' '.join(str(fault).split())[:120]})"
