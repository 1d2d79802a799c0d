"""Sentences of single collectives: their operators, dimensions, ranks, and how what arrives fits what is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..words.conditions import IsUnknown, all_of
from ..words.memory import HBM, SBUF
from ..words.shapes import same_size
from ..words.tiles import Tile
from .form import Call
from .particular import Requirement, implies, in_memory, is_tile, items, one_of, operator


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


# --- ranks ---------------------------------------------------------------------------------------------------------


def _groups(call: Call) -> tuple[tuple[Any, tuple[int, ...]], ...]:
    """How many ranks each group has, and which of them are known; nothing of groups that are handed in."""
    groups = getattr(call.get("replica_group"), "groups", ())
    return groups if isinstance(groups, tuple) else ()


def _shared_rank(call: Call) -> int | None:
    """A rank that is in two groups."""
    seen: set[int] = set()
    for _, ranks in _groups(call):
        if again := seen.intersection(ranks):
            return min(again)
        seen.update(ranks)
    return None


def _ranks(call: Call) -> Any:
    """How many ranks there are in each group; None where the groups are handed in."""
    sizes = [size for size, _ in _groups(call)]
    if any(not same_size(size, sizes[0]) for size in sizes):
        raise IsUnknown("the groups of ranks differ in size")
    return sizes[0] if sizes else None


def _together(whole: str, part: str) -> Requirement:
    """Along the dimension, the tensors of `whole` are as large as those of `part` of all ranks together."""

    def holds(call: Call) -> Any:
        ranks, axis = _ranks(call), call.get("collective_dim")
        if type(axis) is not int or (ranks is None and whole == "srcs"):
            return True
        pairs = [(t.shape[axis], s.shape[axis]) for t, s in _ordered(call) if 0 <= axis < t.rank]
        return all_of(large % small == 0 if ranks is None else large == ranks * small for large, small in pairs)

    def _ordered(call: Call) -> Iterator[tuple[Tile, Tile]]:
        for source, target in _pairs(call):
            yield (target, source) if whole == "dsts" else (source, target)

    def values(call: Call) -> dict[str, Any]:
        axis = call.collective_dim
        large, small = next((t.shape[axis], s.shape[axis]) for t, s in _ordered(call))
        ranks = _ranks(call)
        return {"large": large, "small": small, "ranks": "any number of ranks" if ranks is None else f"{ranks} ranks"}

    message = f"`{whole}` has size {{large}} on axis {{collective_dim}}; `{part}` of {{ranks}} have {{small}} each"
    return Requirement("NKI204", "dsts", holds, message, values)


def _splits(call: Call) -> Any:
    """Each rank gets an equal part of what another one sends."""
    ranks = _ranks(call)
    if ranks is None or call.get("collective_dim") != 0:
        return True
    return all_of(source.shape[0] % ranks == 0 for source, _ in _pairs(call) if source.rank)


_APART = Requirement(
    "NKI205",
    "replica_group",
    lambda call: _shared_rank(call) is None,
    "two groups of `replica_group` have rank {rank}; groups have no rank in common",
    lambda call: {"rank": _shared_rank(call)},
)
_SPLITS = Requirement(
    "NKI109",
    "srcs",
    _splits,
    "`srcs` has size {size} on axis 0; {ranks} ranks take equal parts of it",
    lambda call: {"size": next(_pairs(call))[0].shape[0], "ranks": _ranks(call)},
)


# --- memories ------------------------------------------------------------------------------------------------------


def _tensors(call: Call) -> tuple[Tile, ...]:
    return tuple(t for t in (*items(call, "srcs"), *items(call, "dsts")) if is_tile(t))


def _one_memory(call: Call) -> Any:
    tensors = _tensors(call)
    return all_of(implies(in_memory(tensors[0], memory), in_memory(t, memory)) for t in tensors for memory in _PLACES)


def _coalesced(call: Call) -> Any:
    return len(items(call, "srcs")) <= 1 or all_of(in_memory(tensor, HBM) for tensor in _tensors(call))


def _single(name: str) -> Requirement:
    message = f"`{name}` has {{count}} tensors; this collective takes one"
    return Requirement(
        "NKI205",
        name,
        lambda call: len(items(call, name)) == 1,
        message,
        lambda call: {"count": len(items(call, name))},
    )


_PLACES = (HBM, SBUF)
_MEMORIES = (
    Requirement(
        "NKI201", "dsts", _one_memory, "`srcs` and `dsts` lie in different memories; all are in HBM, or all in SBUF"
    ),
    Requirement("NKI201", "srcs", _coalesced, "several tensors are in SBUF; a collective takes several in HBM alone"),
)
_ONE_EACH = (_single("srcs"), _single("dsts"))


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

ALL_REDUCE = (_OPERATOR, _AS_MANY, _SAME_SHAPE, _APART, *_MEMORIES)
ALL_GATHER = (
    _AS_MANY,
    Requirement(
        "NKI205",
        "collective_dim",
        _first_in_hbm,
        "`collective_dim` is {collective_dim}; tensors in HBM are put together along dimension 0",
    ),
    _BUT_FOR_DIMENSION,
    _together("dsts", "srcs"),
    _APART,
    *_MEMORIES,
)
REDUCE_SCATTER = (
    *(_OPERATOR, _AS_MANY, _ONLY_FIRST, _BUT_FOR_DIMENSION),
    *(_together("srcs", "dsts"), _APART, *_MEMORIES),
)
ALL_TO_ALL = (_AS_MANY, _ONLY_FIRST, _SAME_SHAPE, _SPLITS, _APART)
OF_ANY_LENGTH = (*_ONE_EACH, _APART)
PERMUTED = _ONE_EACH
