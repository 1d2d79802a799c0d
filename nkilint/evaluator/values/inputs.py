"""Parameters of a kernel of which it is not known yet what they are, and shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from operator import is_
from typing import Any

from nkilint.base.ir import Span
from nkilint_rules.words.memory import HBM
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.shapes import Sizes

from .substitution import in_value, rewritten

MADE_FOR_TENSORS = "objects made for tensors"
"""In a machine's memory, by id, objects in the place of tensors, each with the tensor that it was made of."""

GIVEN = "defaults"
"""In a machine's memory, what parameters of the kernel are of which callers say nothing."""
GUESSED_NUMBERS = "guessed numbers"
"""In a machine's memory, the names of parameters that are numbers only because they are used as such."""


@dataclass(slots=True, eq=False)
class InputTensor:
    """A parameter of a kernel before its rank is known; `cell["view"]` holds the tensor once it is.

    What the kernel does with it tells: unpacking its shape, the number of subscripts, or a use as a number.
    """

    name: str
    cell: dict[str, Any] = field(default_factory=dict)
    ranks: tuple[int, ...] = ()
    guessed: bool = False  # the rank is an assumption
    several: bool = False  # it is that of the first of several forms that a docstring gives
    least: int = 0  # dimensions that its subscripts and sizes show
    is_open: bool = False  # nothing tells about the rank but single subscripts
    by_path: bool = False  # functions that it may be handed to take it with several ranks: `cell["rank"]` is the path's
    is_number: bool = False  # an annotation says so
    is_tuple: bool = False  # it is no tensor, but a tuple of nobody knows how many items
    memory: str = HBM
    memory_open: bool = False  # the memory is what the first use asks for
    names: dict[int, str] = field(default_factory=dict)
    shared: dict[int, Any] = field(default_factory=dict)  # sizes made of names that mean the same everywhere, and of 1
    mutable: bool = False
    positive: bool = False  # where it is a number: it is a size
    at: Span | None = None

    @property
    def view(self) -> Any:
        """The tensor, or None where it is not known yet what it is."""
        return self.cell.get("view") or (self.cell.get(f"of rank {self.cell.get('rank')}") if self.by_path else None)


@dataclass(frozen=True, slots=True, eq=False)
class ChosenText:
    """A text that the caller chooses: the one of `texts` at `position`, or behind these another one."""

    texts: tuple[str, ...]
    position: Any

    def at(self, number: Any) -> str:
        """The text that a number stands for; the first one for what is no number."""
        another = "other"
        while another in self.texts:
            another += "s"
        return (*self.texts, another)[number if isinstance(number, int) else 0]


def as_used(value: Any) -> Any:
    """A parameter that was used as a number is one."""
    return value.cell.get("number", value) if isinstance(value, InputTensor) else value


class Counted(tuple[Any, ...]):
    """A tuple whose items stand one by one in the text of a kernel: it has as many of them for all inputs, where one
    that is made of a shape has as many as that has dimensions."""

    __slots__ = ()


TUPLES = (tuple, Counted, Sizes)
"""The types of plain tuples."""


@dataclass(frozen=True, slots=True, eq=False)
class ShapeOf:
    """The shape of an input tensor whose rank is not known yet."""

    tensor: InputTensor


@rewritten.of(Counted, Sizes)
def _in_tuple(value: Sizes | Counted, mapping: Mapping[Any, Any]) -> Any:
    items = [in_value(item, mapping) for item in value]
    return value if all(map(is_, items, value)) else type(value)(items)
