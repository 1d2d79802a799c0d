"""What result functions of several families share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..words.conditions import IsUnknown, Unknown
from ..words.memory import SBUF
from ..words.promotion import dtype_argument, operand_dtype
from ..words.shapes import broadcast
from ..words.tiles import Tile
from ..words.values import shown
from .form import Call, Result


def nothing(call: Call) -> None:
    """The operation gives no tile: what it does is not about data, or it writes to an operand alone."""


def tile(value: Any) -> Tile:
    """The operand, which has to be a tile for a result to exist."""
    if isinstance(value, Tile):
        return value
    raise IsUnknown(value.reason if isinstance(value, Unknown) else f"{shown(value)} is not a tile")


def decided(value: Any, name: str) -> bool:
    """An argument that is True or False, not one that depends on inputs."""
    if isinstance(value, bool):
        return value
    raise IsUnknown(value.reason if isinstance(value, Unknown) else f"`{name}` is not a constant")


def like(call: Call, name: str, memory: str = SBUF) -> Result:
    """A new tile of the shape of an operand, of its dtype unless the call asks for another."""
    source = tile(call.get(name))
    return Result(source.shape, dtype_argument(call.get("dtype"), source.dtype), memory)


def elementwise(call: Call, names: Sequence[str]) -> Result:
    """A new tile of the shape that the operands broadcast to and, unless the call asks for another, of their dtype."""
    operands = [call.get(name) for name in names]
    shapes = [operand.shape for operand in operands if isinstance(operand, Tile)]
    for operand in operands:
        if isinstance(operand, Unknown):
            raise IsUnknown(operand.reason)
    if not shapes:
        raise IsUnknown("no operand is a tile")
    return Result(broadcast(shapes), dtype_argument(call.get("dtype"), operand_dtype(call.dialect, operands)))
