"""Shadow memory: what was written, by whom, and what is read before that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .calls import Entry, Operands
    from .context import Program
    from .grids import Where
    from .tensor import Tensor


class Shadow:
    """What is known of one storage."""


def taint_of(tensor: Tensor) -> Any:
    return np.zeros(tensor.shape, np.uint8)


def before(entry: Entry, operands: Operands, current: Program) -> None:
    return


def wrote(target: Tensor, where: Where, current: Program) -> None:
    target.storage.written = True


def created(storage: Any, filled: bool, current: Program) -> None:
    return


def input_created(storage: Any) -> None:
    return


def program_ended(current: Program) -> None:
    return


def before_in_place(target: Tensor, other: Any, current: Program) -> None:
    return


def before_copy(target: Tensor, value: Tensor, current: Program) -> None:
    return


def made(tile: Tensor, operands: Operands, where: Where) -> None:
    return
