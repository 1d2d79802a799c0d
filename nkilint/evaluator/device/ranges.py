"""Which integers a tile may hold, by the operations that wrote it: constants, `iota`, masks, shifts, sums, dtypes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from nkilint.symbolic.atoms import Atom, Int, Var
from nkilint.symbolic.integers import Sym, key_of
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import IsUnknown
from nkilint_rules.words.operators import operator_name
from nkilint_rules.words.records import dataclass

from ..state.machine import Machine
from ..state.trace import Access, Event, Facts, links
from ..values.containers import ListValue
from ..values.grids import Grid
from ..values.intervals import Range, apply, fitting, held_by, squared
from ..values.tensors import Declaration, View
from .reduced_ranges import furthest, reduced_axes, summed

_WIDE = 4  # bytes from which on what a dtype can hold says nothing about an index
_DEEP = 8  # operations that a value is followed back through

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Moment:
    """A point of the trace: how many events came before, in which loops, and what held."""

    position: int
    loops: tuple[Any, ...]
    facts: Facts | None


def integers_in(machine: Machine, view: Any) -> Range | None:
    """The values of a tile where the kernel has come to; None where they can be anything."""
    return _reader(machine).held(view, _Moment(len(machine.trace.events), machine.loops, machine.facts))


def integers_put(machine: Machine, event: Event) -> Range | None:
    """The values that an operation puts into what it writes, before they are converted to its type."""
    return _reader(machine).put(event, len(machine.trace.events), _DEEP)


def _reader(machine: Machine) -> _Reader:
    """The reader of a trace, which has read it up to here; of one that was rewritten, another."""
    known: _Reader | None = machine.memo.setdefault("ranges", {}).get("reader")
    if known is None or not known.follows(machine.trace.events):
        known = machine.memo["ranges"]["reader"] = _Reader(machine.trace.events)
    known.read_on()
    return known


def integers_of(value: Any) -> Range | None:
    """A number, or an index grid, as a range."""
    if isinstance(value, float) and value.is_integer() and abs(value) < inf:
        value = int(value)
    if type(value) is int:
        return Range(value, value, True)
    if isinstance(value, Grid) and not value.dynamic:
        value = value.value
    if isinstance(value, Sym):
        low, high = value.bounds
        every = all(len(product) == 1 and _is_axis(product[0]) for product in value.terms)
        return Range(int(low), int(high), every, element=value) if low > -inf and high < inf else None
    return integers_of(value) if type(value) is int else None


def _is_axis(atom: Atom) -> bool:
    """Whether it takes all numbers from its least to its greatest within one tile."""
    return isinstance(atom, Var) and atom.kind == "axis" and type(atom.high) is int


class _Reader:
    """Follows values back through the events of a trace."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self.last: Event | None = None  # that was read
        self.count = 0
        self.writes: dict[int, list[tuple[int, Event, Access]]] = {}  # by id of a tensor

    def follows(self, events: Sequence[Event]) -> bool:
        """Whether these events begin with those that were read."""
        same = events is self.events and len(events) >= self.count
        return same and (self.count == 0 or events[self.count - 1] is self.last)

    def read_on(self) -> None:
        for position in range(self.count, len(self.events)):
            event = self.events[position]
            for access in event.accesses:
                if access.role != "read":
                    for base in _reached(access.view.base):
                        self.writes.setdefault(id(base), []).append((position, event, access))
        self.count = len(self.events)
        self.last = self.events[-1] if self.events else None

    def held(self, view: Any, now: _Moment, depth: int = _DEEP) -> Range | None:
        if not isinstance(view, View):
            return integers_of(view)
        by_dtype = _by_dtype(view.dtype)
        base = view.base
        if depth == 0 or base.kind not in ("allocation", "result") or base.loops != now.loops:
            return by_dtype
        found: Range | None = None
        for position, event, access in self._writes(base, now):
            around = event.site.loops[: len(now.loops)]
            if access.view.base is not base or access.role != "write" or base.loops != around:
                return by_dtype
            put = fitting(self.put(event, position, depth - 1), access.view.dtype)
            if put is None or (event.site.loops != now.loops and put.numbers is None):
                return by_dtype
            certain = event.site.loops == now.loops and _is_before(event.site.facts, now.facts)
            if certain and access.mask is True and access.view.whole:
                found = put if found is None else replace(found.union(put), reached=False)
                break
            if not (certain and access.mask is True):
                put = replace(put, reached=False)
            found = replace(put, element=None) if found is None else replace(found.union(put), reached=False)
        return by_dtype if found is None or view.dtype != base.dtype else _part(found, view)

    def _writes(self, base: Declaration, now: _Moment) -> Iterator[tuple[int, Event, Access]]:
        """What wrote to a tile before a moment, the last first."""
        for write in reversed(self.writes.get(id(base), [])):
            if write[0] < now.position:
                yield write

    def put(self, event: Event, position: int, depth: int) -> Range | None:
        operation = event.operation
        handler = _WRITERS.get(operation.leaf) if operation is not None else None
        now = _Moment(position, event.site.loops, event.site.facts)
        return None if handler is None else handler(event, lambda value: self.held(value, now, depth))


def _part(found: Range, view: View) -> Range:
    """What is known of a tensor, said of a view of it."""
    if view.whole:
        return found
    found = replace(found, reached=found.is_single)
    if found.element is None:
        return found
    base = view.base
    if view.layout is not base.shape or view.problem or view.indirect:
        return replace(found, element=None)
    places = zip(View(base, base.shape, ()).axes(), view.index, strict=True)
    mapping = {axis.variable: index for axis, index in places if isinstance(axis, Sym)}
    return replace(found, element=substitute(found.element, mapping))


def _is_before(earlier: Facts | None, later: Facts | None) -> bool:
    """Whether who knows `later` has come past where `earlier` was known."""
    return earlier is None or any(link is earlier for link in links(later))


def _reached(base: Declaration) -> Iterator[Declaration]:
    """The tensors that a name may stand for."""
    yield base
    for source in base.sources:
        if isinstance(source, View):
            yield from _reached(source.base)


def _by_dtype(dtype: Any) -> Range | None:
    held = held_by(dtype)
    return None if held is None or dtype.is_float or dtype.itemsize >= _WIDE else Range(*held)


# --- operations ---

Held = Callable[[Any], Range | None]
"""The values of an operand, a tile or a number, when the operation reads it."""


def _filled(event: Event, held: Held) -> Range | None:
    given = event.arguments
    return integers_of(given.get("value", given.get("fill_value")))


def _counted(event: Event, held: Held) -> Range | None:
    """`iota`: an index grid in Beta 1; an offset, steps along the free axes, and one along the partitions."""
    given = event.arguments
    if "expr" in given:
        return integers_of(getattr(given["expr"], "index", None))
    dst, pattern = given.get("dst"), given.get("pattern")
    items = pattern.items if isinstance(pattern, ListValue) else pattern
    if not isinstance(dst, View) or not isinstance(items, (list, tuple)):
        return None
    pairs = [tuple(p.items) if isinstance(p, ListValue) else p for p in items]
    steps = [*pairs, (given.get("channel_multiplier", 0), dst.shape[0])]
    low: Int = given.get("offset", 0)
    if not isinstance(low, (int, Sym)):
        return None
    high: Int = low
    each: Int | None = low
    places = [*dst.axes()[1:], *dst.axes()[:1]] if len(steps) == len(dst.shape) else []
    for at, pair in enumerate(steps):
        if not isinstance(pair, tuple) or len(pair) != 2:
            return None
        step, count = pair
        if type(step) is not int or not isinstance(count, (int, Sym)):
            return None
        reach = (count - 1) * step
        low, high = (low + reach, high) if step < 0 else (low, high + reach)
        along = places and key_of(count) == key_of(dst.shape[(at + 1) % len(steps)])
        each = each + places[at] * step if along and each is not None else None
    return Range(low, high, True, element=each)


def _moved(event: Event, held: Held) -> Range | None:
    """What only moves elements."""
    sources = [a.view for a in event.accesses if a.role == "read"]
    if len(sources) != 1 or any(a.role not in ("read", "write") for a in event.accesses):
        return None
    found = held(sources[0])
    if found is None:
        return None
    kept = [key_of(n) for n in sources[0].shape] == [
        key_of(n) for a in event.accesses if a.role == "write" for n in a.view.shape
    ]
    turned = event.operation is None or "transpose" in event.operation.leaf
    element = found.element if kept and not turned else None
    return replace(found, reached=found.is_single or (found.reached and sources[0].whole), element=element)


def _computed(event: Event, held: Held) -> Range | None:
    """`tensor_scalar`, `scalar_tensor_tensor`: one operator or two, one after the other."""
    given = event.arguments
    found = held(given.get("data"))
    for which in ("0", "1"):
        op, operand = given.get(f"op{which}"), given.get(f"operand{which}")
        if op is not None:
            beside = _beside(given.get("data"), operand, held)
            found = _applied(op, found, beside, given.get("data"), given.get(f"reverse{which}"))
    return found


def _beside(one: Any, other: Any, held: Held) -> Range | None:
    """The values of an operand whose elements meet those of another; axes are counted from the right."""
    found = held(other)
    aligned = not (isinstance(one, View) and isinstance(other, View)) or len(one.shape) == len(other.shape)
    return found if found is None or aligned else replace(found, element=None)


def _is_same(one: Any, other: Any) -> bool:
    """Whether two operands are the same elements of one tile."""
    if not isinstance(one, View) or not isinstance(other, View) or one.base is not other.base:
        return False
    alike = one.dtype == other.dtype and one.instance == other.instance and not (one.indirect or other.indirect)
    if not alike or one.problem or other.problem:
        return False
    parts = [[key_of(n) for n in (*view.shape, *view.layout, *view.index)] for view in (one, other)]
    return parts[0] == parts[1]


def _named(op: Any) -> str | None:
    """The name of an operator, if it is known."""
    try:
        return operator_name(op)
    except IsUnknown:
        return None


def _applied(op: Any, left: Range | None, right: Range | None, data: Any, turned: Any = None) -> Range | None:
    name = _named(op)
    if name is None or turned not in (None, False, True):
        return None
    return _shifted_in(data, name, apply(name, right, left) if turned else apply(name, left, right))


def _shifted_in(data: Any, name: str, found: Range | None) -> Range | None:
    """What is left where bits that are shifted out of the dtype of an operand are lost."""
    if not name.endswith("left_shift"):
        return found
    return fitting(found, data.dtype) if isinstance(data, View) else None


def _paired(event: Event, held: Held) -> Range | None:
    given = event.arguments
    data1, data2 = given.get("data1"), given.get("data2")
    if _is_same(data1, data2) and _named(given.get("op")) == "multiply":
        return squared(held(data1))
    return _applied(given.get("op"), held(data1), _beside(data1, data2, held), data1)


def _operator(event: Event, held: Held) -> Range | None:
    """An operation of `nki.language` that is named for its operator."""
    assert event.operation is not None
    x, y = event.arguments.get("x"), event.arguments.get("y")
    name = event.operation.leaf
    if name == "square" or (name == "multiply" and _is_same(x, y)):
        return squared(held(x))
    return _shifted_in(x, name, apply(name, held(x), _beside(x, y, held)))


def _chosen(event: Event, held: Held) -> Range | None:
    x, y = held(event.arguments.get("x")), held(event.arguments.get("y"))
    return None if x is None or y is None else replace(x.union(y), reached=False)


def _reduced(event: Event, held: Held) -> Range | None:
    """A greatest or least element is one of all; a sum is that of as many as there are."""
    given = event.arguments
    try:
        name = operator_name(given["op"]) if "op" in given else ""
    except IsUnknown:
        return None
    named = event.operation.leaf if event.operation is not None else ""
    data = given.get("data", given.get("x"))
    kinds = {name, named} & {"maximum", "minimum", "max", "min", "add", "sum"}
    found = held(data) if kinds else None
    if found is None or not isinstance(data, View):
        return None
    written = [a.view for a in event.accesses if a.role == "write"]
    along = reduced_axes(data, written[0]) if len(written) == 1 else None
    if kinds & {"add", "sum"}:
        return None if along is None else summed(found, along)
    return furthest(found, along, bool(kinds & {"maximum", "max"}))


_WRITERS: dict[str, Callable[[Event, Held], Range | None]] = {
    **dict.fromkeys(("memset", "full"), _filled),
    "zeros": lambda event, held: Range(0, 0, True),
    "ones": lambda event, held: Range(1, 1, True),
    "iota": _counted,
    **dict.fromkeys(("tensor_copy", "dma_copy", "load", "copy", "transpose", "nc_transpose", "dma_transpose"), _moved),
    **dict.fromkeys(("tensor_scalar", "tensor_single_scalar", "scalar_tensor_tensor"), _computed),
    "tensor_tensor": _paired,
    **dict.fromkeys(("tensor_reduce", "max", "min", "sum"), _reduced),
    "where": _chosen,
    **dict.fromkeys(
        (
            *(
                "add",
                "subtract",
                "multiply",
                "square",
                "maximum",
                "minimum",
                "mod",
                "bitwise_and",
                "bitwise_or",
                "bitwise_xor",
            ),
            *("left_shift", "right_shift", "equal", "not_equal", "greater", "greater_equal", "less", "less_equal"),
        ),
        _operator,
    ),
}
