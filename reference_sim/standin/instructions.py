"""Instructions, as kernels know them."""

from __future__ import annotations

from functools import cache
from typing import Any

from nkilint_rules.words.dialects import NKI
from reference_sim.operations.calls import entry_for, run
from reference_sim.operations.entries import Entry
from reference_sim.operations.instructions import Instruction
from reference_sim.operations.numerics.registry import EFFECTS

from .classes import NKIObject


class NkiInstruction(Instruction, NKIObject):
    """A handle to an instruction."""

    def depends_on(self, *producers: Any) -> Any:
        """Run after other instructions."""
        return run(_ordering(), (self, *producers), {})


@cache
def _ordering() -> Entry:
    name = "instruction.depends_on"
    entry = entry_for(name, NKI, EFFECTS[name], True)
    assert entry is not None
    return entry
