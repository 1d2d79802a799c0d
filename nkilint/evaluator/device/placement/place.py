"""Where direct allocation puts the tiles of a tensor: one partition and one byte as functions of the block index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.symbolic.atoms import Int, Var
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, is_one, key_of, sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown, product
from nkilint_rules.words.records import dataclass

from ...state.trace import Event, Trace
from ...values.axes import linear_offset
from ...values.tensors import Declaration

ARGUMENT = "place"  # of an allocation event: what `located` gives, rewritten together with the event


def block_variables(base: Declaration) -> tuple[Int, ...]:
    """The index of a tile of the tensor: one variable for each block dimension."""
    return tuple(
        sym(f"block {d}", "loop", 0, n - 1) if _open(n) else 0 for d, n in enumerate(base.shape[: base.blocks])
    )


def _open(size: Any) -> bool:
    return not is_one(size)


@dataclass(frozen=True, slots=True)
class Placement:
    """The tiles of a directly allocated tensor: each is `partitions` by `bytes`, from `partition` and `byte` on, both
    over the block variables and the iterations of the loops that made the tensor.

    Bytes of PSUM are counted through all banks. `periods` gives, for each block dimension, the numbers of physical
    tiles that modulo allocation rotates through; it is None for placements by other means. `problem` says why the
    place is not known, if so.
    """

    base: Declaration
    event: Event
    partition: Any = 0
    byte: Any = 0
    periods: tuple[tuple[Int, ...], ...] | None = None
    problem: str = ""

    @property
    def partitions(self) -> Any:
        return self.base.shape[self.base.blocks]

    @property
    def elements(self) -> Any:
        """Elements of a tile in each partition."""
        return self.base.row

    @property
    def bytes(self) -> Any:
        """Bytes of a tile in each partition."""
        return self.elements * self.base.dtype.itemsize

    def at(self, block: Sequence[Int], instance: Sequence[Int]) -> tuple[Any, Any]:
        """First partition and byte of one tile of the tensor that these iterations of its loops made."""
        mapping: dict[Any, Any] = {}
        for variable, index in zip(block_variables(self.base), block, strict=True):
            if isinstance(variable, Sym):
                mapping[variable.variable] = index
        for loop, iteration in zip(self.base.loops, instance, strict=True):
            mapping[loop.index.variable] = iteration
        return substitute(self.partition, mapping), substitute(self.byte, mapping)

    @property
    def moves(self) -> bool:
        """Whether the place depends on the iteration that made the tensor."""
        made_in = {loop.index.variable for loop in self.base.loops}
        return any(v in made_in for v in _variables(self.partition, self.byte))


def _variables(*values: Any) -> list[Var]:
    return list(variables(*(v for v in values if isinstance(v, Sym))))


def places(trace: Trace) -> dict[int, Placement]:
    """The directly allocated tensors of a trace, by the id of their declaration, in the order of their allocation."""
    found: dict[int, Placement] = {}
    for event in trace.events:
        if event.kind == "allocation" and ARGUMENT in event.arguments:
            base = event.arguments["tensor"].base
            found[id(base)] = _place(trace, base, event, event.arguments[ARGUMENT])
    return found


def _place(trace: Trace, base: Declaration, event: Event, located: Any) -> Placement:
    if isinstance(located, Unknown):
        return Placement(base, event, problem=located.reason)
    partition, byte, periods = located
    for value in (partition, byte, base.dtype, *base.shape):
        if isinstance(value, Unknown):
            return Placement(base, event, problem=value.reason)
    for variable in _variables(partition, byte, *base.shape):
        if variable.kind in ("carried", "runtime"):
            return Placement(base, event, problem=f"its address depends on `{variable.name}`, which has no closed form")
        if variable in trace.drifting:
            return Placement(base, event, problem="its address depends on what a loop changes")
    if any(loop.index.variable in trace.drifting for loop in base.loops) and not event.arguments.get("traced once"):
        return Placement(base, event, problem="an allocator's state changes in a loop of unknown length")
    return Placement(base, event, partition, byte, periods)


def position(element: Sequence[Any], layout: Sequence[Any], base: Declaration) -> tuple[tuple[Any, ...], Any, Any]:
    """Block index, partition and offset in the partition (in elements) of an index into the tensor seen in `layout`."""
    shape, blocks = base.shape, base.blocks
    alike = 0
    while alike < min(len(shape), len(layout)) and key_of(shape[alike]) == key_of(layout[alike]):
        alike += 1
    if alike > blocks:
        offset = linear_offset(tuple(element[blocks + 1 :]), tuple(layout[blocks + 1 :]))
        return tuple(element[:blocks]), element[blocks], offset
    linear = linear_offset(tuple(element), tuple(layout))
    free = product(shape[blocks + 1 :])
    rest, offset = linear // free, linear % free
    index: list[Any] = []
    partition = rest % shape[blocks] if blocks else rest
    rest = rest // shape[blocks] if blocks else 0
    for size in reversed(shape[:blocks]):
        index.insert(0, rest % size)
        rest = rest // size
    return tuple(index), partition, offset
