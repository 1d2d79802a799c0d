"""Arrays of numpy, torch and jax in host code: their shape and dtype, and the numbers in small ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.words.records import dataclass

from .cells import Cell
from .substitution import in_value, rewritten


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """The elements of an array of symbolic size, row by row: `element`, in terms of the variable `index`."""

    index: Sym
    element: Any

    def at(self, position: Any) -> Any:
        """The element at a position, which is not counted from the end."""
        return in_value(self.element, {self.index.variable: position})


@dataclass(frozen=True, slots=True, eq=False)
class HostArray:
    """An array on the host. A dtype of None is not known; `is_torch` says that its methods are those of torch.

    `numbers` are its elements, row by row, where they are known, or the formula for them; they hold until something
    changes the `memory`, which it shares with those that are parts of it.
    """

    shape: tuple[Any, ...]
    dtype: Any
    is_torch: bool = False
    numbers: tuple[Any, ...] | Formula | None = None
    memory: Cell = field(default_factory=Cell)

    @property
    def known(self) -> tuple[Any, ...] | None:
        """The elements that it has now."""
        return self.numbers if isinstance(self.numbers, tuple) and CHANGED not in self.memory else None

    @property
    def formula(self) -> Formula | None:
        """What tells the elements of a row of symbolic length."""
        row = isinstance(self.numbers, Formula) and len(self.shape) == 1 and CHANGED not in self.memory
        return self.numbers if row else None  # type: ignore[return-value]


CHANGED = "changed"
"""In the memory of an array whose elements are not those any more that it was made with."""


@rewritten.of(Formula)
def _in_formula(value: Formula, mapping: Mapping[Any, Any]) -> Formula:
    element = in_value(value.element, mapping)
    return value if element is value.element else Formula(value.index, element)


@rewritten.of(HostArray)
def _in_array(value: HostArray, mapping: Mapping[Any, Any]) -> HostArray:
    shape, numbers = in_value(value.shape, mapping), in_value(value.numbers, mapping)
    return value if shape is value.shape and numbers is value.numbers else replace(value, shape=shape, numbers=numbers)
