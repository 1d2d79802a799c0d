"""Pairs of accesses to one tensor of which at least one writes, and which of them may come in any order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from nkilint.prover import Verdict
from nkilint_rules.words.records import dataclass

from .accesses import HELD, Touch
from .sums import Sums, sum_of

FOUND = (Verdict.VIOLATED, Verdict.CONDITIONAL)


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two touches of one tensor in a loop; the first writes. `reads` says that the second does not write."""

    first: Touch
    second: Touch
    reads: bool


def pairs_of(writes: Sequence[Touch], reads: Sequence[Touch], sums: Sums) -> Iterable[Pair]:
    for number, write in enumerate(writes):
        kind = sum_of(sums, write)
        for other in writes[number:]:
            if kind is None or sum_of(sums, other) != kind:
                yield Pair(write, other, False)
        for read in reads:
            yield Pair(write, read, True)


def check_all(pairs: Iterable[Pair], check: Callable[[Pair], Collection[Verdict]], reads_too: bool) -> None:
    """Check each write with itself first; one that is at fault alone is not compared with the others again, nor is an
    access of which it is left open where it goes."""
    left: list[Pair] = []
    faulty: set[int] = set()
    nowhere: set[int] = set()

    def judged(pair: Pair) -> bool:
        """Whether the pair is at fault."""
        verdicts = check(pair)
        if Verdict.UNKNOWN in verdicts:
            nowhere.update(id(touch) for touch in (pair.first, pair.second) if touch.problem not in ("", HELD))
        return any(verdict in FOUND for verdict in verdicts)

    for pair in pairs:
        if pair.first is not pair.second:
            left.append(pair)
        elif judged(pair):
            faulty.add(id(pair.first))
    for pair in left:
        both = {id(pair.first), id(pair.second)}
        if not nowhere & both and ((pair.reads and reads_too) or not faulty & both):
            judged(pair)


def role(touch: Touch, pair: Pair) -> str:
    return "the read" if pair.reads and touch is pair.second else "the other write"
