"""Instructions that depend on those that loops on the device run without them (NKI608)."""

from __future__ import annotations

from nkilint_rules.parallel.dependency_across_loop import DependencyAcrossLoop
from nkilint_rules.words.dialects import NKI
from reference_sim.operations.instructions import Instruction
from reference_sim.operations.operands import Operands
from reference_sim.report.wording import complain

from .protocol import Observer


class InstructionOrder(Observer):
    """Looks at each dependency when it is stated."""

    DIALECT = NKI

    def began(self, operands: Operands | None) -> None:
        if operands is None or operands.entry.name != "instruction.depends_on":
            return
        later = operands.arguments["self"]
        for earlier in operands.arguments.get("producers", ()):
            if isinstance(earlier, Instruction):
                loop = next((name for name, loop in earlier.loops if (name, loop) not in later.loops), None)
                if loop is not None:
                    complain(DependencyAcrossLoop.message(later=later.operation, earlier=earlier.operation, loop=loop))
