"""What operations of `nki.isa` give where they write to `dst`: handles to instructions."""

from __future__ import annotations


class Instruction:
    """A handle to an instruction of an `operation`. `loops` are those around it that the device itself runs, outermost
    first: the name of each range, and what stands for the loop."""

    def __init__(self, operation: str, loops: tuple[tuple[str, object], ...] = ()) -> None:
        self.operation, self.loops = operation, loops

    def depends_on(self, *producers: Instruction) -> Instruction:
        """This instruction runs after others."""
        raise NotImplementedError
