"""Operations that still need their destination, and how many elements of a tensor take part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nkilint.evaluator.values.tensors import View, uses_axes
from nkilint.symbolic.atoms import Max
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.placing.places import starts_legally
from nkilint_rules.words.memory import ON_CHIP
from nkilint_rules.words.records import dataclass

from .nodes import Undecided


def blocks(view: View) -> int:
    """How many dimensions of a tensor count tiles."""
    return view.base.blocks if str(view.memory) in ON_CHIP else 0


def lists(view: View) -> int:
    """How many lists in lists a tensor becomes: its dimensions that count tiles, but for those that are chosen."""
    chosen = len(view.base.shape) - len(view.shape)
    rest = tuple(map(key_of, view.base.shape[chosen:])) if chosen >= 0 else ()
    if chosen and (rest != tuple(map(key_of, view.shape)) or any(map(uses_axes, view.index[:chosen]))):
        return 0
    return max(blocks(view) - chosen, 0)


@dataclass(frozen=True, slots=True)
class Part:
    """Elements of an axis that follow one another: where they end, and how many are left out before them."""

    end: str
    first: str = ""

    @property
    def count(self) -> str:
        if self.end.isdigit() and self.first.isdigit():
            return str(int(self.end) - int(self.first))
        return f"{self.end} - {self.first}" if self.first else self.end

    @property
    def slice(self) -> str:
        return f"{self.first or 0}:{self.end}"


@dataclass(frozen=True, slots=True)
class Cut:
    """What of an axis a mask lets through, and how long that is in each evaluation; `by_engine` says that no DMA moves
    it."""

    part: Part
    length: tuple[Any, ...]
    by_engine: bool = False


def fitting(views: Sequence[View], clip: Mapping[int, Cut]) -> dict[int, Part]:
    """What a mask leaves of the axes of a tensor, which has to be as long there as the mask is."""
    found = {}
    for position, cut in clip.items():
        sizes = [v.shape[-1 - position] if position < len(v.shape) else 1 for v in views]
        if _as_long(tuple(map(_count, sizes)), tuple(map(_count, cut.length))):
            if cut.by_engine and any(position == _partitions(v) for v in views):
                _check_start(cut.part)
            found[position] = cut.part
    return found


def _partitions(view: View) -> int | None:
    """The axis, from the right, of the partitions of a tile; None for what is not on chip."""
    return len(view.shape) - 1 - lists(view) if str(view.memory) in ON_CHIP else None


def _check_start(part: Part) -> None:
    """A compute engine begins at some partitions only."""
    numbers = part.first.isdigit() and part.end.isdigit()
    if part.first and not (numbers and starts_legally(int(part.first), int(part.count))):
        raise Undecided(
            f"a mask that leaves out the partitions before `{part.first}`, where no compute engine can begin"
        )


def _count(length: Any) -> Any:
    """How many elements an axis has, as what can be compared: one of a negative length has none, as one of 0 has."""
    atom = length.as_atom if isinstance(length, Sym) else None
    rest = [n for n in atom.operands if not (isinstance(n, int) and n == 0)] if isinstance(atom, Max) else []
    return key_of(rest[0] if len(rest) == 1 else length)


def from_the_first(part: Part) -> str:
    """How many elements, of a part that leaves out none before them."""
    if part.first:
        raise Undecided("a mask that bounds an index with a step from below")
    return part.end


def _as_long(sizes: tuple[Any, ...], length: tuple[Any, ...]) -> bool:
    """Whether these are the same in each evaluation; one side of a choice is not seen in all of them."""
    return sizes == length or (len(sizes) != len(length) and set(sizes) == set(length) and len(set(sizes)) == 1)


def shortened(rank: int, clip: Mapping[int, Part]) -> str:
    """The subscript that leaves these elements of the axes, counted from the right; empty for all."""
    parts = [clip[rank - 1 - d].slice if rank - 1 - d in clip else ":" for d in range(rank)]
    while parts and parts[-1] == ":":
        parts.pop()
    return f"[{', '.join(parts)}]" if parts else ""


@dataclass(frozen=True, slots=True)
class Pending:
    """An operation that writes to `dst`: its text before and after that, and what the result is like."""

    call: str
    arguments: tuple[str, ...]
    views: tuple[View, ...]
    dtype: str
    leaf: str
    shape: str
    clip: Mapping[int, Cut] | None = None
    because: str = ""  # why the result is not known
    unnamed: str = ""  # why no tile can be declared for it here, though it is known
    gives: bool = False  # it has no `dst`: what it gives is assigned

    def into(self, dst: str) -> str:
        if self.gives:
            return f"{dst}{'' if dst.endswith(']') else '[...]'} = {self.call}({', '.join(self.arguments)})"
        first = self.arguments[0] if self.arguments else ""
        before = first[: len(first) - len(first.lstrip())] if first.startswith("\n") else ""
        text = f"{self.call}({before}dst={dst}"
        for argument in self.arguments:  # one that stood on a line of its own keeps that
            text += f",{argument}" if argument.startswith("\n") else f", {argument}"
        return text + ")"

    def into_new(self, name: str) -> str:
        """The same into a tile of its own, of which a mask leaves a part."""
        return self.into(name + shortened(len(self.views[0].shape), fitting(self.views, self.clip or {})))
