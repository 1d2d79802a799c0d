"""Handles to instructions: what operations of `nki.isa` give where they write to operands."""

from __future__ import annotations

from dataclasses import dataclass

from nkilint.base.ir import Span


@dataclass(frozen=True, slots=True, eq=False)
class Instruction:
    """The instruction of one call. `loops` are those around it that the device itself runs, outermost first: the name
    of each range, and where it stands."""

    operation: str
    loops: tuple[tuple[str, Span], ...]
