"""What a kernel gives back: whether its outputs were written, and whether the order of iterations matters to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .context import Launch
    from .tensor import Tensor


def judge(result: Any, inputs: Sequence[Tensor], state: Launch, function: Callable[..., Any]) -> None:
    """Report unwritten and partly written outputs."""


def compare_shuffled(again: Callable[[Launch], Any], state: Launch, found: Any) -> None:
    """Run with affine iterations in another order and compare."""
