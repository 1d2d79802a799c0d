"""Virtual registers of 0.x: scalars of the engines' sequencers, for loop bounds, conditions and dynamic offsets."""

from __future__ import annotations

from typing import Any

from reference_sim.report.errors import CannotSimulate


class VirtualRegister:
    """A 32-bit scalar in a register. An induction variable is frozen."""

    __slots__ = ("frozen", "state")
    __hash__ = object.__hash__

    def __init__(self, state: Any = None, frozen: bool = False) -> None:
        self.state, self.frozen = state, frozen

    def register_value(self) -> int:
        """What the register holds."""
        if self.state is None:
            raise CannotSimulate("a register", "it is read before anything was put into it")
        return int(self.state)

    def assign(self, value: Any) -> None:
        """Put a value into the register."""
        assert not self.frozen, "the induction variable of a dynamic loop cannot be written to"
        self.state = int(value)

    __int__ = __index__ = register_value

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
        return isinstance(other, (int, VirtualRegister)) and self.register_value() == int(other)

    def __lt__(self, other: Any) -> bool:
        return self.register_value() < int(other)

    def __le__(self, other: Any) -> bool:
        return self.register_value() <= int(other)

    def __gt__(self, other: Any) -> bool:
        return self.register_value() > int(other)

    def __ge__(self, other: Any) -> bool:
        return self.register_value() >= int(other)

    def __repr__(self) -> str:
        return f"VirtualRegister({self.state})"
