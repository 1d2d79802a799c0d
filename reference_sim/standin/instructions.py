"""Instructions, as kernels know them."""

from __future__ import annotations

from reference_sim.operations.instructions import Instruction

from .classes import NKIObject


class NkiInstruction(Instruction, NKIObject):
    """A handle to an instruction."""
