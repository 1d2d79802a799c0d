"""What the GpSimd Engine's patterns and predicates require: of `iota` and `affine_select`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words.conditions import IsUnknown, product
from ..words.dialects import BETA1
from ..words.shapes import expands_to_condition
from ..words.tiles import Tile
from .form import Call
from .particular import Requirement, is_tile, items


def _pattern_elements(call: Call) -> Any:
    """Elements for each partition that a pattern of [step, number] pairs describes."""
    steps = items(call, "pattern")
    if not all(isinstance(step, (list, tuple)) and len(step) == 2 for step in steps):
        raise IsUnknown("`pattern` is not a list of [step, number] pairs")
    return product(number for _, number in steps)


def _pattern_fills(name: str) -> Requirement:
    def holds(call: Call) -> Any:
        if call.dialect == BETA1 or not is_tile(call.get(name)):
            return True
        return _pattern_elements(call) == call.get(name).free

    def elements(call: Call) -> Mapping[str, Any]:
        return {"elements": _pattern_elements(call)}

    message = f"`pattern` has {{elements}} elements per partition; `{name}` has {{{name}.free}}"
    return Requirement("NKI204", name, holds, message, elements)


_PATTERN_RANK = Requirement(
    "NKI105",
    "pattern",
    lambda call: True if call.dialect == BETA1 else len(items(call, "pattern")) <= 4,
    "`pattern` has more than the 4 dimensions that the GpSimd Engine counts over",
)


IOTA = (_PATTERN_RANK, _pattern_fills("dst"))


def _predicate(call: Call) -> tuple[Any, ...]:
    """The shape of Beta 1's predicate; nothing where there is none."""
    return tuple(getattr(call.get("pred"), "shape", ()))


def _predicate_fits(call: Call) -> Any:
    """Whether a predicate has the shape of the tile, or one of its axes."""
    return expands_to_condition(_predicate(call), call.on_true_tile.shape)


AFFINE_SELECT = (
    _PATTERN_RANK,
    _pattern_fills("on_true_tile"),
    Requirement(
        "NKI205",
        "pred",
        lambda call: not isinstance(call.get("pred"), Tile),
        "`pred` is a tensor; `affine_select` takes a comparison of indices, which is known when the kernel is compiled",
    ),
    Requirement(
        "NKI205",
        "pred",
        lambda call: not getattr(call.get("pred"), "joined", False),
        "`pred` joins masks; `affine_select` takes one comparison of indices, and `nl.where` takes any",
    ),
    Requirement(
        "NKI204",
        "pred",
        _predicate_fits,
        "`pred` has shape {shape}; `on_true_tile` has {sizes}",
        lambda call: {"shape": list(_predicate(call)), "sizes": list(call.on_true_tile.shape)},
    ),
)
