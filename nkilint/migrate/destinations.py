"""Operations that still need their destination, and how many elements of a tensor take part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nkilint.evaluator.values.tensors import View, uses_axes
from nkilint.symbolic.integers import key_of
from nkilint_rules.words.memory import ON_CHIP


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
class Cut:
    """How many elements of an axis a mask lets through, and how long that is in each evaluation."""

    count: str
    length: tuple[Any, ...]


def fitting(views: Sequence[View], clip: Mapping[int, Cut]) -> dict[int, str]:
    """What a mask leaves of the axes of a tensor, which has to be as long there as the mask is."""
    found = {}
    for position, cut in clip.items():
        sizes = [v.shape[-1 - position] if position < len(v.shape) else 1 for v in views]
        if tuple(map(key_of, sizes)) == tuple(map(key_of, cut.length)):
            found[position] = cut.count
    return found


def shortened(rank: int, clip: Mapping[int, str]) -> str:
    """The subscript that leaves so many elements of the axes, counted from the right; empty for all."""
    parts = [f"0:{clip[rank - 1 - d]}" if rank - 1 - d in clip else ":" for d in range(rank)]
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

    def into(self, dst: str) -> str:
        text = f"{self.call}(dst={dst}"
        for argument in self.arguments:  # one that stood on a line of its own keeps that
            text += f",{argument}" if argument.startswith("\n") else f", {argument}"
        return text + ")"

    def into_new(self, name: str) -> str:
        """The same into a tile of its own, of which a mask leaves a part."""
        return self.into(name + shortened(len(self.views[0].shape), fitting(self.views, self.clip or {})))
