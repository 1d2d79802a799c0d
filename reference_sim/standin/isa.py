"""`nki.isa` of both dialects: instructions, enumerations, engines, versions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkilint_rules.words.dialects import BETA1
from reference_sim.machine.program import running
from reference_sim.machine.registers import VirtualRegister
from reference_sim.report.errors import NkiError
from reference_sim.running.settings import target_outside

from .instructions import NkiInstruction
from .language import Numbers
from .operations import documented, enumerations, operations


def contents(dialect: str) -> dict[str, Any]:
    """What the module holds, by name."""
    found = {**operations(dialect, "isa"), **enumerations(dialect)}
    version = found["nc_version"]

    def get_nc_version() -> Any:
        current = running()
        target = current.launch.target if current else target_outside()
        members = {member.value: member for member in version}
        return members.get(target.generation, max(members.values(), key=lambda m: m.value))

    found["get_nc_version"] = get_nc_version
    found["get_nc_sub_version"] = lambda: 0
    if dialect == BETA1:
        found["fp32"] = Numbers(min=float(np.finfo(np.float32).min))
        found["dma_engine"] = found["engine"].unknown
    else:
        found.update(VirtualRegister=VirtualRegister, NkiInstruction=NkiInstruction, NkiValidationError=NkiError)
    return documented(found, dialect, "isa")
