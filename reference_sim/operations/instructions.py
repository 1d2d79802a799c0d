"""What operations of `nki.isa` give where they write to `dst`: handles to instructions."""

from __future__ import annotations


class Instruction:
    """A handle to an instruction; order is kept anyway."""

    def depends_on(self, *producers: Instruction) -> Instruction:
        """This instruction runs after others, as it does."""
        return self
