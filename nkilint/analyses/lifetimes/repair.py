"""What would repair a conflict: a number of places that suffices, or an address that nothing else uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from nkilint.evaluator.device.placement.allocator import Allocator
from nkilint.evaluator.device.placement.extent import Rectangle, extent
from nkilint.evaluator.device.placement.place import Placement, block_variables
from nkilint.symbolic.integers import Sym, key_of
from nkilint.symbolic.substitution import substitute
from nkilint_rules.placing import places as limits
from nkilint_rules.words.memory import PSUM
from nkilint_rules.words.targets import Target

if TYPE_CHECKING:
    from .tensors import Tensors

CANDIDATES = 12  # numbers of places that are tried
ALIGNMENT = 4  # of the addresses that are proposed
Clashes = Callable[[Placement], bool]
"""Whether some tile of the tensor is overwritten while it is needed, if it is placed like this."""


def repair(place: Placement, other: Placement, tensors: Tensors, dialect: str, clashes: Clashes) -> str:
    """What to change so that `place` and `other` no longer clash, in words."""
    name = place.base.told
    if place.base is other.base:
        return _more_tiles(place, tensors, dialect, clashes) or (
            f"give `{name}` as many places as it has tiles that are needed at once, or use each tile up before the "
            "next one is written to its place"
        )
    for moved in (other, place):
        found = _elsewhere(moved, tensors, dialect)
        if found:
            return found
    rival = other.base.name or "the other tensor"
    return f"place `{name}` and `{rival}` apart, or use the one up before the other is written"


# --- more places for one tensor ---


def _more_tiles(place: Placement, tensors: Tensors, dialect: str, clashes: Clashes) -> str:
    """A number of places with which the tiles of a tensor no longer clash: the smallest that was tried."""
    if place.periods is None:
        return ""
    argument = "num_bank_tiles" if place.base.memory == PSUM else "num_free_tiles"
    for counts in islice(_counts(place), CANDIDATES):
        changed = _with_counts(place, counts, tensors)
        if changed is None:
            continue
        where = ""
        if not _fits(changed, tensors, dialect):
            byte = _free_byte(changed, tensors, dialect)
            if byte is None:
                continue
            where = f" from {_named(changed, byte, tensors)} on"
        if not clashes(changed):
            shown = ", ".join(map(str, counts)) + ("," if len(counts) == 1 else "")
            return f"`{argument}=({shown})` for `{place.base.name}` suffices{where}"
    return ""


def _counts(place: Placement) -> Iterator[tuple[Any, ...]]:
    """Numbers of places along the free dimension (or of banks) to try: few more first, one for each tile last."""
    sizes = place.base.shape[: place.base.blocks]
    now = tuple(_rotating(periods, place) for periods in place.periods or ())
    for dimension in reversed(range(len(sizes))):
        size, count = sizes[dimension], now[dimension]
        if isinstance(size, int) and isinstance(count, int):
            for more in range(count + 1, size + 1):
                yield (*now[:dimension], more, *now[dimension + 1 :])
    for dimension in reversed(range(len(sizes))):
        if isinstance(sizes[dimension], Sym) or isinstance(now[dimension], Sym):
            yield (*now[:dimension], sizes[dimension], *now[dimension + 1 :])
    yield tuple(sizes)


def _rotating(periods: Sequence[Any], place: Placement) -> Any:
    """The number of places in question among those of one block dimension."""
    return periods[0] if place.base.memory == PSUM else periods[-1]


def _with_counts(place: Placement, counts: tuple[Any, ...], tensors: Tensors) -> Placement | None:
    """The tensor with other numbers of places; None where something else rotates, too."""
    psum = place.base.memory == PSUM
    others = [p for periods in place.periods or () for p in (periods[1:] if psum else periods[:-1])]
    target = tensors.trace.target
    if target is None or any(not isinstance(p, int) or p != 1 for p in others):
        return None
    blocks = block_variables(place.base)
    first: dict[Any, Any] = {b.variable: 0 for b in blocks if isinstance(b, Sym)}
    turn: Any = 0
    for block, count, size in zip(blocks, counts, place.base.shape, strict=False):
        turn = turn * count + (block if key_of(count) == key_of(size) else block % count)
    step = target.psum_bank_bytes if psum else place.bytes
    periods = tuple(
        (count, *(p[1:])) if psum else (*p[:-1], count) for p, count in zip(place.periods or (), counts, strict=True)
    )
    return replace(place, byte=_at(place.byte, first) + turn * step, periods=periods)


def _at(value: Any, mapping: dict[Any, Any]) -> Any:
    return substitute(value, mapping) if isinstance(value, Sym) else value


# --- another address ---


def _elsewhere(place: Placement, tensors: Tensors, dialect: str) -> str:
    """An address at which nothing else is placed."""
    byte = _free_byte(place, tensors, dialect)
    if byte is None:
        return ""
    if _called(place):
        return f"memory is free for `{place.base.name}` from {_named(place, byte, tensors)} on"
    return f"{_named(place, byte, tensors)} is free for `{place.base.name}`"


def _called(place: Placement) -> bool:
    """Whether a function of the user's gives the address."""
    return isinstance(place.base.placement, Allocator) and place.base.placement.kind == "alloc"


def _named(place: Placement, byte: int, tensors: Tensors) -> str:
    """An address as the tensor's allocation would give it."""
    assert tensors.trace.target is not None
    if _called(place):
        return f"byte {byte}"
    if not isinstance(place.base.placement, Allocator):
        return f"`address=({place.partition}, {byte})`"
    if place.base.memory == PSUM:
        return f"`base_bank={byte // tensors.trace.target.psum_bank_bytes}`"
    return f"`base_addr={byte}`"


def _others(place: Placement, tensors: Tensors) -> list[Rectangle] | None:
    """What the other tensors of the memory take, in order; None where that is no number."""
    found: list[Rectangle] = []
    for other in tensors.places.values():
        if other.base is place.base or other.base.memory != place.base.memory:
            continue
        taken = extent(other)
        if taken is None:
            return None
        found.append(taken)
    return sorted(found)


def _fits(place: Placement, tensors: Tensors, dialect: str) -> bool:
    """Whether the tensor meets no other one and ends within its memory; one whose size is no number is taken to fit."""
    taken, others = extent(place), _others(place, tensors)
    if taken is None or others is None:
        return True
    return taken.end <= _limit(place, tensors.trace.target, dialect) and not any(map(taken.meets, others))


def _limit(place: Placement, target: Target | None, dialect: str) -> int:
    assert target is not None
    return limits.limit(place.base.memory, target, dialect)


def _free_byte(place: Placement, tensors: Tensors, dialect: str) -> int | None:
    """The lowest byte from which on all tiles of the tensor fit beside the others."""
    taken, others, target = extent(place), _others(place, tensors), tensors.trace.target
    if taken is None or others is None or target is None:
        return None
    step = target.psum_bank_bytes if place.base.memory == PSUM else ALIGNMENT
    start, size = 0, taken.end - taken.byte
    for other in others:
        if start + size <= other.byte:
            break
        start = max(start, -(-other.end // step) * step)
    return start if start + size <= _limit(place, target, dialect) else None
