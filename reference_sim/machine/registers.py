"""Virtual registers of 0.x: scalars of the engines' sequencers, for loop bounds, conditions and dynamic offsets."""

from __future__ import annotations

import sys
from typing import Any

from nkilint_rules.language.tensor_control_flow import TensorControlFlow
from nkilint_rules.operands.operand_form import OperandForm
from reference_sim.report.errors import CannotSimulate
from reference_sim.report.reporting import THREAD
from reference_sim.report.sites import is_users
from reference_sim.report.wording import complain


class VirtualRegister:
    """A 32-bit scalar in a register. The index of a loop can only be read; `index_of` is the loop."""

    __slots__ = ("index_of", "state")
    __hash__ = object.__hash__

    def __init__(self, state: Any = None, index_of: str = "") -> None:
        self.state, self.index_of = state, index_of

    def register_value(self) -> int:
        """What the register holds."""
        if self.state is None:
            raise CannotSimulate("a register", "it is read before anything was put into it")
        return int(self.state)

    def assign(self, value: Any) -> None:
        """Put a value into the register."""
        if self.index_of:
            operation = "" if THREAD.program is None else THREAD.program.operation
            complain(OperandForm.index(operand="dst", loop=self.index_of, operation=operation))
        self.state = int(value)

    __int__ = register_value

    def __index__(self) -> int:
        _ask()  # a range over it
        return self.register_value()

    def __bool__(self) -> bool:
        return self.register_value() != 0

    def __add__(self, other: Any) -> VirtualRegister:
        return VirtualRegister(self.register_value() + int(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> VirtualRegister:
        return VirtualRegister(self.register_value() - int(other))

    def __rsub__(self, other: Any) -> VirtualRegister:
        return VirtualRegister(int(other) - self.register_value())

    def __mul__(self, other: Any) -> VirtualRegister:
        return VirtualRegister(self.register_value() * int(other))

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> VirtualRegister:
        return VirtualRegister(self.register_value() // int(other))

    def __mod__(self, other: Any) -> VirtualRegister:
        return VirtualRegister(self.register_value() % int(other))

    def __eq__(self, other: object) -> bool:
        _ask()
        return isinstance(other, (int, VirtualRegister)) and self.register_value() == int(other)

    def __lt__(self, other: Any) -> bool:
        _ask()
        return self.register_value() < int(other)

    def __le__(self, other: Any) -> bool:
        _ask()
        return self.register_value() <= int(other)

    def __gt__(self, other: Any) -> bool:
        _ask()
        return self.register_value() > int(other)

    def __ge__(self, other: Any) -> bool:
        _ask()
        return self.register_value() >= int(other)

    def __repr__(self) -> str:
        return f"VirtualRegister({self.state})"


def _ask() -> None:
    """Python asks for what is in a register, perhaps for the kernel's own text."""
    if is_users(sys._getframe(2).f_code):
        tell_asked()


def tell_asked() -> None:
    """A kernel's text has Python decide by what is in a register."""
    current = THREAD.program
    if current is not None and current.checks:
        complain(TensorControlFlow.message(what="a register"))
