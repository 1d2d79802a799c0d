"""Sentences of single collectives: their operators, dimensions, and how what arrives fits what is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..words.conditions import all_of
from ..words.memory import HBM
from ..words.tiles import Tile
from .form import Call
from .particular import Requirement, implies, in_memory, items, one_of, operator


def _operator(call: Call) -> bool:
    return operator(call, "op") in (None, "add", "minimum", "maximum")


def _as_many(call: Call) -> bool:
    return len(items(call, "srcs")) == len(items(call, "dsts"))


def _pairs(call: Call) -> Iterator[tuple[Tile, Tile]]:
    for source, target in zip(items(call, "srcs"), items(call, "dsts"), strict=False):
        if isinstance(source, Tile) and isinstance(target, Tile) and source.rank == target.rank:
            yield source, target


def _same_shape(call: Call) -> Any:
    return all_of(a == b for source, target in _pairs(call) for a, b in zip(source.shape, target.shape, strict=True))


def _alike_but_for(name: str) -> Any:
    """Whether what arrives has the sizes of what is sent, but for the dimension that is put together or split."""

    def holds(call: Call) -> Any:
        dimension = call.get(name)
        if type(dimension) is not int:
            return True
        return all_of(
            a == b
            for source, target in _pairs(call)
            for axis, (a, b) in enumerate(zip(source.shape, target.shape, strict=True))
            if axis != dimension
        )

    return holds


def _first_in_hbm(call: Call) -> Any:
    """The dimension is the first one where a tensor is in HBM; others may go by another one, too."""
    return all_of(
        implies(in_memory(tile, HBM), call.get("collective_dim") == 0)
        for tile in (*items(call, "srcs"), *items(call, "dsts"))
        if isinstance(tile, Tile)
    )


_OPERATOR = Requirement(
    "NKI205",
    "op",
    _operator,
    "`op` is {op}; collectives add, or take the minimum or the maximum",
    lambda call: {"op": operator(call, "op")},
)
_AS_MANY = Requirement("NKI205", "dsts", _as_many, "`dsts` has another number of tensors than `srcs`")
_ONLY_FIRST = Requirement(
    "NKI205",
    "collective_dim",
    lambda call: one_of(call.get("collective_dim"), (0,)),
    "`collective_dim` is {collective_dim}; only 0 is supported",
)
_BUT_FOR_DIMENSION = Requirement(
    "NKI204",
    "dsts",
    _alike_but_for("collective_dim"),
    "`dsts` differs from `srcs` on another axis than {collective_dim}",
)
_SAME_SHAPE = Requirement("NKI204", "dsts", _same_shape, "`dsts` and `srcs` have different shapes")

ALL_REDUCE = (_OPERATOR, _AS_MANY, _SAME_SHAPE)
ALL_GATHER = (
    _AS_MANY,
    Requirement(
        "NKI205",
        "collective_dim",
        _first_in_hbm,
        "`collective_dim` is {collective_dim}; tensors in HBM are put together along dimension 0",
    ),
    _BUT_FOR_DIMENSION,
)
REDUCE_SCATTER = (_OPERATOR, _AS_MANY, _ONLY_FIRST, _BUT_FOR_DIMENSION)
ALL_TO_ALL = (_AS_MANY, _ONLY_FIRST, _SAME_SHAPE)
