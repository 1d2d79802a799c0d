"""Instructions that depend on those that loops on the device run without them (NKI608)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint_rules.parallel.dependency_across_loop import DependencyAcrossLoop
from nkilint_rules.words.dialects import NKI
from reference_sim.operations.instructions import Instruction
from reference_sim.report.wording import complain

from .protocol import Observer


class InstructionOrder(Observer):
    """Looks at each dependency when it is stated."""

    DIALECT = NKI

    def orders(self, later: Instruction, earlier: Sequence[Any]) -> None:
        for one in earlier:
            if isinstance(one, Instruction):
                loop = next((name for name, loop in one.loops if (name, loop) not in later.loops), None)
                if loop is not None:
                    complain(DependencyAcrossLoop.message(later=later.operation, earlier=one.operation, loop=loop))
