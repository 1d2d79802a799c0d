"""How much a run checks, and what it does with what it finds: one frozen value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Strictness:
    """Choices of one run.

    `checks` turns the rulebook and shadow memory on; `collect` records every finding instead of stopping at the first.
    `shuffle` seeds the order of a second run of every
    `affine_range` loop. `precise` says whether narrow floats are held exactly; None leaves it to the dialect.
    """

    checks: bool = True
    collect: bool = False
    shuffle: int | None = None
    precise: bool | None = None
    target: str | None = None
