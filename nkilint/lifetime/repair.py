"""What would repair a conflict: a number of tiles that suffices, or an address that nothing else uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..placement.place import Place

if TYPE_CHECKING:
    from .tensors import Tensors


def repair(code: str, place: Place, other: Place, tensors: Tensors) -> str:
    return ""
