"""What a call does to its operands: what it writes, and which elements an element that it writes depends on.

A definition says it once for each operand, or for all of them (`form.operation`); both readers go by it. The verifier
takes a dependence as axes that stay (`nkilint.analyses.questions.dependence`), the simulator as marks on elements
(`reference_sim.operations.dependence`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from ..words.records import dataclass

Partitions = Callable[[Any], Any]
"""Of the number of a partition of an operand, which may be symbolic, whether it is one of them."""

RESULT = "result"
"""The name of the tile that an operation returns, among what it writes."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """Which elements of an operand an element of the result depends on."""


@dataclass(frozen=True, slots=True)
class Aligned(Dependence):
    """On the element at its own place; sizes of 1 are stretched, free axes may be arranged otherwise."""


@dataclass(frozen=True, slots=True)
class Rows(Dependence):
    """On all elements of its partition; of a column, on the one that its partition has."""


@dataclass(frozen=True, slots=True)
class Scanned(Dependence):
    """On the elements of its partition up to its own place."""


@dataclass(frozen=True, slots=True)
class Reduced(Dependence):
    """On all elements along `axes`, which the result has no longer, or with size 1, or stretched (`kept`)."""

    axes: tuple[int, ...]
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Permuted(Dependence):
    """On one element: axis `i` of the result is axis `order[i]` of the operand. Of two axes, the second may stand for
    all free ones."""

    order: tuple[int, ...] = (1, 0)


@dataclass(frozen=True, slots=True)
class Contracted(Dependence):
    """On all elements along the partitions; what else the operand has becomes the result's partitions (`axis` 0) or
    free axes (`axis` 1). `rows` of each partition, along its first free axis, are contracted too."""

    axis: int
    rows: int = 1


@dataclass(frozen=True, slots=True)
class Blocks(Dependence):
    """On a block of the operand: `partitions` of them, aligned, and `columns` consecutive elements for one of the
    result; all elements of these partitions if `columns` is 0."""

    partitions: int
    columns: int = 0


@dataclass(frozen=True, slots=True)
class Shuffled(Dependence):
    """On the element in partition `sources[i]` of its quadrant of 32, `i` being its own; 255 is none."""

    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Everything(Dependence):
    """On all elements."""


@dataclass(frozen=True, slots=True)
class Possible(Dependence):
    """On some of those of `among`, which the values of operands select; `surely` are those that always count."""

    among: Dependence
    surely: Dependence | None = None


@dataclass(frozen=True, slots=True)
class Exchanged(Dependence):
    """On the element at its own place of the tile that another core hands to the call that meets this one."""


@dataclass(frozen=True, slots=True)
class Chosen(Dependence):
    """As `of` says, where the operation selects this operand: where the argument `by` is true, or false if `negated`.
    Without `by` the operation computes what it selects from other arguments."""

    by: str = ""
    negated: bool = False
    of: Dependence = field(default_factory=Aligned)


@dataclass(frozen=True, slots=True)
class Gathered(Dependence):
    """On the elements of its partition that the operand `by` names."""

    by: str


ALIGNED, ROWS, SCANNED, EVERYTHING = Aligned(), Rows(), Scanned(), Everything()
TRANSPOSED = Permuted()
STATIONARY, MOVING = Contracted(0), Contracted(1)
SOME = Possible(EVERYTHING)
"""Which elements is not said anywhere."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a call puts into one operand.

    `sources` are the operands that it depends on. If it is among them, its old elements take part: it is updated, if
    the argument `flag` is true where there is one. `combines` names an operator and the two operands that it is applied
    to. Only `partitions` are written, where there are some. What a mask leaves out stays as it is; in a new tile it is
    nothing, unless it is filled from the operand `outside`.
    """

    sources: Mapping[str, Dependence]
    flag: str = ""
    combines: tuple[str, str, str] | None = None
    partitions: Partitions | None = None
    outside: str = ""

    @property
    def is_transposed(self) -> bool:
        """Whether it is one operand with its two axes exchanged, and a mask over that with them."""
        return list(self.sources.values()) == [TRANSPOSED]


@dataclass(frozen=True, slots=True)
class Effects:
    """What a call does: the names of the operands whose elements it reads, and what it writes. Of an operand in `only`,
    just the partitions are read of which its function says so. Programs of a launch grid wait for one another at a call
    that `synchronises`. One that is `ordered` has its place among others for more than its operands: for random
    numbers, an engine's registers, or what is printed."""

    reads: frozenset[str] = frozenset()
    writes: Mapping[str, Written] = field(default_factory=dict)
    only: Mapping[str, Partitions] = field(default_factory=dict)
    synchronises: bool = False
    ordered: bool = False

    def role(self, name: str, declared: str) -> str:
        """What the call does with an operand: "read", "write", or where it is updated what was declared."""
        written = self.writes.get(name)
        if written is None:
            return "read" if name in self.reads else ""
        if name not in written.sources:
            return "write"
        return declared if declared == "accumulate" else "update"

    def changed(self, name: str, **changes: Any) -> Effects:
        """The same, but for what it says of one operand that is written."""
        written = self.writes.get(name)
        return self if written is None else self._with({**self.writes, name: replace(written, **changes)})

    def depending(self, name: str, **sources: Dependence) -> Effects:
        """What is written to `name` depends on these operands in other ways."""
        written = self.writes.get(name)
        return self if written is None else self.changed(name, sources={**written.sources, **sources})

    def without(self, source: str, *names: str) -> Effects:
        """What is written, to the operands `names` or to all, does not depend on `source`."""
        kept = {
            name: replace(w, sources={s: how for s, how in w.sources.items() if s != source})
            for name, w in self.writes.items()
            if not names or name in names
        }
        return self._with({**self.writes, **kept}, without=source)

    def _with(self, writes: Mapping[str, Written], without: str = "") -> Effects:
        used = {source for written in writes.values() for source in written.sources}
        reads = (self.reads - {without}) | used
        return replace(self, reads=reads, writes=writes)


NOTHING = Effects()
