"""Who is told of what a program does: for each kind of event the functions to call, none where nobody listens.

Tensors, accesses and operations are what the packages above make of them; `observers/protocol.py` says what each event
means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .program import Program

Told = tuple[Callable[..., None], ...]


class Listeners:
    """The functions to call at each kind of event, in order."""

    __slots__ = (
        "accumulates", "addresses", "allocated", "began", "converts", "copies", "ended", "gave", "gave_in_part",
        "indexes", "iterated", "loop_began", "loop_ended", "makes", "met", "orders", "randomness", "read",
        "reinterpreted", "sums", "updates", "used", "wrote",
    )  # fmt: skip

    accumulates: Told
    addresses: Told
    allocated: Told
    began: Told
    converts: Told
    copies: Told
    ended: Told
    gave: Told
    gave_in_part: Told
    indexes: Told
    iterated: Told
    loop_began: Told
    loop_ended: Told
    makes: Told
    met: Told
    orders: Told
    randomness: Told
    read: Told
    reinterpreted: Told
    sums: Told
    updates: Told
    used: Told
    wrote: Told

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Nobody listens any more."""
        for event in self.__slots__:
            setattr(self, event, ())

    def add(self, event: str, told: Callable[..., None]) -> None:
        """One more function to call at an event."""
        setattr(self, event, (*getattr(self, event), told))

    def remove(self, event: str, told: Callable[..., None]) -> None:
        """A function is not to be called at an event any more."""
        setattr(self, event, tuple(other for other in getattr(self, event) if other != told))


def tell_read(tensor: Any, where: Any, operands: Any, current: Program) -> None:
    """The operation that runs reads a tensor; `operands` are those of a call, None for an assignment."""
    for follower in tensor.storage.followers:
        follower.read(tensor, where, operands, current)
    for told in current.listeners.read:
        told(tensor, where, operands)


def tell_address(tensor: Any, current: Program) -> None:
    """The operation that runs takes an address from a tensor, or what a register is to hold."""
    for told in current.listeners.addresses:
        told(tensor)


def tell_used(tensor: Any, where: Any, current: Program) -> None:
    """The operation that runs goes on with what is in a tensor, where it is: it adds to it, or moves it."""
    for follower in tensor.storage.followers:
        follower.used(tensor, current)
    for told in current.listeners.used:
        told(tensor, where)


def tell_written(tensor: Any, where: Any, operands: Any, current: Program) -> None:
    """The operation that runs has written to a tensor."""
    for follower in tensor.storage.followers:
        follower.wrote(tensor, where, current)
    for told in current.listeners.wrote:
        told(tensor, where, operands)
