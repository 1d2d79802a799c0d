"""What the simulated machine tells of a run, and how a checker listens: to a program, or to single tensors of it.

An observer defines the events that it wants to be told of; those that it defines under no name of its own cost nothing.
A follower is attached to one tensor's storage and told of what happens to that, by all programs that share it. It does
not hold the storage, which would keep it alive.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from nkilint_rules.words.dtypes import DType
from reference_sim.machine.listeners import Listeners
from reference_sim.machine.loop import Loop
from reference_sim.machine.memory import Storage
from reference_sim.machine.program import Program
from reference_sim.operations.operands import Operands
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

EVENTS = Listeners.__slots__


class Observer:
    """Listens to one program. Each method is an event."""

    DIALECT: str | None = None
    """The only dialect that it listens to, if there is one."""

    AT_TIMES: tuple[str, ...] = ()
    """Events that it is told of only from `start` to `stop`."""

    always: tuple[str, ...] = ()
    """Those of which it is told at all times."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        defined = [event for event in EVENTS if getattr(cls, event) is not getattr(Observer, event)]
        cls.always = tuple(event for event in defined if event not in cls.AT_TIMES)

    def began(self, operands: Operands | None) -> None:
        """An operation begins; without operands, an assignment or an operator in place."""

    def indexes(self, operands: Operands) -> None:
        """It takes elements that values in memory choose."""

    def makes(self, operands: Operands) -> None:
        """It makes a tensor of its own on the way."""

    def randomness(self, operands: Operands) -> None:
        """It seeds an engine's random numbers, or draws from them."""

    def orders(self, later: Any, earlier: Sequence[Any]) -> None:
        """An instruction is to run after others."""

    def read(self, tensor: Tensor, where: Where, operands: Operands | None) -> None:
        """It reads a tensor."""

    def addresses(self, tensor: Tensor) -> None:
        """It takes from a tensor where something else begins, or what a register is to hold."""

    def used(self, tensor: Tensor, where: Where) -> None:
        """It goes on with what is in a tensor, which stays where it is or is moved as a whole."""

    def converts(self, storage: Storage | None, element: DType, values: Any, operands: Operands) -> None:
        """An operation is about to put values into a tensor of this type, or into a tile of its own."""

    def copies(self, target: Tensor, value: Tensor, where: Where) -> None:
        """`target[...] = value` is about to be written."""

    def updates(self, target: Tensor, other: Any, kept: Any, where: Where) -> None:
        """`target op= other` is about to be written; what is not `kept` of the target (None: nothing) is replaced."""

    def accumulates(self, target: Tensor, operator: str) -> None:
        """What is about to be written to a tensor is a step of an accumulation with this operator."""

    def sums(self, target: Tensor, held: Any, accumulate: Any) -> None:
        """A matmul is about to add to PSUM, where `held` says what is there."""

    def wrote(self, target: Tensor, where: Where, operands: Operands | None) -> None:
        """A tensor was written."""

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        """An operation gave a tile of its own."""

    def gave_in_part(self, tile: Tensor, operands: Operands) -> None:
        """It gave a tile that its mask left elements of out, or that comes of operands with marked elements."""

    def allocated(self, storage: Storage, filled: bool) -> None:
        """The kernel made a tensor."""

    def reinterpreted(self, tensor: Tensor, storage: Storage) -> None:
        """The bits of a tensor were copied, to be seen as another type."""

    def loop_began(self, loop: Loop) -> None:
        """A loop begins."""

    def iterated(self, loop: Loop) -> None:
        """Its next iteration begins."""

    def loop_ended(self, loop: Loop, completed: bool) -> None:
        """A loop ended: it ran out of iterations, or the kernel left it."""

    def met(self) -> None:
        """The program came to a barrier together with all others."""

    def ended(self, result: Any) -> None:
        """The program ended and returned this."""

    def start(self) -> None:
        """Be told of the events of `AT_TIMES` too."""
        for event in self.AT_TIMES:
            self.program.listeners.add(event, getattr(self, event))

    def stop(self) -> None:
        """Be told of them no longer."""
        for event in self.AT_TIMES:
            self.program.listeners.remove(event, getattr(self, event))


class Follower:
    """Listens to what happens to one tensor."""

    __slots__ = ()

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        """An operation reads it."""
        self.used(tensor, current)

    def used(self, tensor: Tensor, current: Program) -> None:
        """An operation reads it, or goes on with it where it is."""

    def wrote(self, tensor: Tensor, where: Where, current: Program) -> None:
        """An operation wrote to it."""

    def looked(self, tensor: Tensor) -> None:
        """Something asks for its elements."""


F = TypeVar("F", bound=Follower)


def listen(program: Program, observers: Iterable[Observer]) -> None:
    """Tell observers of what a program does."""
    for observer in observers:
        for event in observer.always:
            program.listeners.add(event, getattr(observer, event))


def follow(storage: Storage, follower: Follower) -> None:
    """Tell a follower of what happens to a tensor from now on."""
    storage.followers = (*storage.followers, follower)


def leave(storage: Storage, follower: Follower) -> None:
    """Tell a follower of it no longer."""
    storage.followers = tuple(other for other in storage.followers if other is not follower)


def follower_of(storage: Storage, kind: type[F]) -> F | None:
    """The follower of a kind, if the tensor has one."""
    for follower in storage.followers:
        if type(follower) is kind:
            return follower
    return None
