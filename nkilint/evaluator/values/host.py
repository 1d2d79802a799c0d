"""Arrays of numpy, torch and jax in host code: their shape and dtype, and the numbers in small ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .cells import Cell
from .substitution import in_value, rewritten


@dataclass(frozen=True, slots=True, eq=False)
class HostArray:
    """An array on the host. A dtype of None is not known; `is_torch` says that its methods are those of torch.

    `numbers` are its elements, row by row, where they are known; they hold until something changes the `memory`, which
    it shares with those that are parts of it.
    """

    shape: tuple[Any, ...]
    dtype: Any
    is_torch: bool = False
    numbers: tuple[Any, ...] | None = None
    memory: Cell = field(default_factory=Cell)

    @property
    def known(self) -> tuple[Any, ...] | None:
        """The elements that it has now."""
        return None if CHANGED in self.memory else self.numbers


CHANGED = "changed"
"""In the memory of an array whose elements are not those any more that it was made with."""


@rewritten.of(HostArray)
def _in_array(value: HostArray, mapping: Mapping[Any, Any]) -> HostArray:
    shape, numbers = in_value(value.shape, mapping), in_value(value.numbers, mapping)
    return value if shape is value.shape and numbers is value.numbers else replace(value, shape=shape, numbers=numbers)
