"""Pairs of accesses to one tensor of which at least one writes, and which of them may come in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..prover import Verdict
from .regions import Touch

ASSOCIATIVE = frozenset(
    {
        "language.add",
        "language.bitwise_and",
        "language.bitwise_or",
        "language.bitwise_xor",
        "language.logical_and",
        "language.logical_or",
        "language.logical_xor",
        "language.maximum",
        "language.minimum",
        "language.multiply",
    }
)
FOUND = (Verdict.VIOLATED, Verdict.CONDITIONAL)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two touches of one tensor in a loop; the first writes. `reads` says that the second does not write."""

    first: Touch
    second: Touch
    reads: bool


def pairs_of(writes: Sequence[Touch], reads: Sequence[Touch]) -> Iterable[Pair]:
    for number, write in enumerate(writes):
        for other in writes[number:]:
            if not (_accumulates(write) and _accumulates(other)):
                yield Pair(write, other, False)
        for read in reads:
            if read.role == "read" or not (_accumulates(read) and _accumulates(write)):
                yield Pair(write, read, True)


def check_all(pairs: Iterable[Pair], check: Callable[[Pair], bool], reads_too: bool) -> None:
    """Check each write with itself first; one that is at fault alone is not compared with the others again."""
    left: list[Pair] = []
    faulty: set[int] = set()
    for pair in pairs:
        if pair.first is not pair.second:
            left.append(pair)
        elif check(pair):
            faulty.add(id(pair.first))
    for pair in left:
        if (pair.reads and reads_too) or not faulty & {id(pair.first), id(pair.second)}:
            check(pair)


def _accumulates(touch: Touch) -> bool:
    """Whether it adds to what is there, so that the order does not matter."""
    if touch.role == "accumulate":
        return True
    operation = touch.event.operation
    return touch.role == "update" and operation is not None and operation.name in ASSOCIATIVE


def role(touch: Touch, pair: Pair) -> str:
    return "the read" if pair.reads and touch is pair.second else "the other write"
