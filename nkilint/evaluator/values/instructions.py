"""Handles to instructions: what operations of `nki.isa` give where they write to operands."""

from __future__ import annotations

from typing import Any

from nkilint.base.ir import Span
from nkilint_rules.words.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Instruction:
    """The instruction of one call. `loops` are those around it that the device itself runs: the name of each range, and
    the loop; `unrolled` those that are evaluated one iteration after the other, by where they stand, which is all that
    tells them apart for one way of `callers`."""

    operation: str
    loops: tuple[tuple[str, Any], ...]
    unrolled: tuple[tuple[str, Span], ...]
    callers: tuple[Span, ...]
