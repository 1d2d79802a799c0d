"""Tensors and views of them, over symbolic sizes.

A view has *axes*, each an index variable running from 0 to its size less one, and says which element of the base tensor
stands at each combination of them, as one affine expression per base dimension.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import is_
from typing import Any

from nkilint.base.ir import Span
from nkilint.symbolic.atoms import FloorDiv, Int, Var, bounds
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, is_one, key_of
from nkilint.symbolic.substitution import Shared, substitute
from nkilint_rules.words.conditions import product
from nkilint_rules.words.memory import HBM
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.tiles import Tile

from .axes import axes_moved, axis, linear_offset
from .substitution import in_value, rewritten


@dataclass(slots=True, eq=False)
class Declaration:
    """A logical tensor: where and how it was made. `blocks` counts the dimensions before the partition dimension."""

    name: str
    shape: tuple[Any, ...]
    dtype: Any
    memory: Any
    at: Span
    kind: str  # "input", "allocation", "result", "merged"
    blocks: int = 0
    loops: tuple[Any, ...] = ()
    region: str = ""  # shared_hbm, private_hbm, sbuf, psum
    placement: Any = None
    mutable: bool = True
    sources: tuple[Any, ...] = ()
    choices: tuple[Any, ...] = ()  # for each of several sources, when it is that one, where that is known
    guessed: bool = False  # its rank is an assumption
    memory_open: bool = False  # its memory is what its first use as an operand asks for
    loaded: bool = False  # a DMA made it

    @property
    def told(self) -> str:
        """What messages call it."""
        return self.name or ("the tensor" if self.memory == HBM else "the tile")

    @property
    def row(self) -> Any:
        """Elements of a tile in each partition."""
        return product(self.shape[self.blocks + 1 :])


PARTS = "a pattern over another dtype, of which several elements are one of the tensor's"
"""The problem of a view whose index says which elements of the tensor it has part of: to read them is to read these."""

GATHERED = "`indirect` is not followed"
"""The problem of a view whose columns are chosen by offsets in a tile."""


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A subscript: `reach`, over the axes of the view, has to stay within `size` along `axis`; below the end only where
    an offset that the device alone knows is `added` to it. Where a tile has `held` the index, `reach` is an
    end of what it is known to hold."""

    reach: Any
    size: Any
    axis: int
    index_at: Span
    tensor_at: Span
    at: Span
    pattern: bool = False  # whether it is an access pattern, which counts the elements of the tensor, or of a partition
    added: bool = False
    held: bool = False
    when: Any = True  # of the tensors that a name may stand for, it is the one with this subscript


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """A subscript that a tile holds. `spread` says that it changes along a free axis, `mesh` that grids of `nl.mgrid`
    select from it."""

    index_at: Span
    at: Span
    spread: Any
    mesh: bool


class View(Tile):
    """Elements of a declaration; `index` gives one expression over axis variables per dimension of the base.

    `layout` is the shape under which the base is indexed: its own, or another one after a reshape.
    """

    __slots__ = (
        "_partitions",
        "_span",
        "base",
        "bounds",
        "dtype",
        "dynamic",
        "index",
        "instance",
        "layout",
        "lookups",
        "mask",
        "mesh",
        "problem",
        "selected",
        "shape",
        "when",
    )

    def __init__(
        self,
        base: Declaration,
        shape: tuple[Any, ...],
        index: tuple[Any, ...],
        dtype: Any = None,
        layout: tuple[Any, ...] | None = None,
        mask: Any = True,
        dynamic: tuple[Any, ...] = (),
        bounds: tuple[Bound, ...] = (),
        problem: str = "",
        instance: tuple[Any, ...] | None = None,
        lookups: tuple[Lookup, ...] = (),
        mesh: bool = False,
        when: Any = True,
        selected: Any = True,
    ) -> None:
        self.base, self.shape, self.index = base, shape, index
        self.dtype = base.dtype if dtype is None else dtype
        self.layout = base.shape if layout is None else layout
        self.mask = mask
        self.dynamic = dynamic  # tensors whose values take part in the index
        self.bounds = bounds  # what its subscripts have to satisfy when it is used
        self.instance = instance  # iterations of the base's loops that made it, where not the current ones
        self.mesh = mesh  # subscripted with grids of `nl.mgrid`
        self.lookups = lookups  # subscripts whose values only the device knows
        self.when = when  # the condition under which it is this tensor that is meant
        self.selected = selected  # which of its elements `tensor[mask]` leaves to the operation that takes it
        self.problem = problem  # a reason why the index is not known exactly
        self._partitions: tuple[Any, Any] | None = None  # the first one and the step, once they were asked for
        self._span: tuple[Any, Any] | bool | None = False

    @property
    def indirect(self) -> bool:
        return bool(self.dynamic or self.lookups)

    @property
    def gathered(self) -> bool:
        return self.problem == GATHERED

    @property
    def row(self) -> Any:
        return self.base.row

    @property
    def is_cast(self) -> bool:
        """Whether its elements are of another size than those of its tensor."""
        if self.dtype is self.base.dtype or self.dtype == self.base.dtype:
            return False
        sizes = [getattr(dtype, "itemsize", None) for dtype in (self.dtype, self.base.dtype)]
        return None in sizes or key_of(sizes[0]) != key_of(sizes[1])

    @property
    def memory(self) -> Any:
        return self.base.memory

    @property
    def start_partition(self) -> Any:
        """The partition of the view's first element, relative to its tensor."""
        return self._steps()[0]

    @property
    def span(self) -> tuple[Any, Any] | None:
        if self._span is False:
            self._span = self._ends()
        return self._span  # type: ignore[return-value]

    def _ends(self) -> tuple[Any, Any] | None:
        base, blocks = self.base, self.base.blocks
        if self.problem or self.layout is not base.shape or self.dtype is not base.dtype:
            return None
        offset = linear_offset(self.index[blocks + 1 :], base.shape[blocks + 1 :])
        if not isinstance(offset, Sym):
            return offset, offset
        ends: dict[Any, Any] = {axis: axis.high for axis in _axes_of(offset)}
        return _at_origin(offset), substitute(offset, ends)

    @property
    def steps(self) -> tuple[Any, ...] | None:
        where = None if self.problem or self.indirect else self._position()
        if not isinstance(where, (int, Sym)):
            return None
        start: Any = _at_origin(where)
        found: list[Any] = []
        for along in self.axes():
            step = 0 if isinstance(along, int) else _moved_by(where, along)
            start, found = start + along * step, [*found, step]
        return tuple(found) if key_of(start) == key_of(where) else None

    def _position(self) -> Any:
        """Where an element is in its tensor, in elements of the dtype of the view; None where that is not known."""
        where = linear_offset(self.index, self.layout)
        if not self.is_cast or not isinstance(where, Sym):
            return where
        own, stored = (getattr(dtype, "itemsize", None) for dtype in (self.dtype, self.base.dtype))
        if not isinstance(own, int) or not isinstance(stored, int):
            return None
        if own > stored:
            parts = _axes_of(where) - {along.variable for along in self.axes() if isinstance(along, Sym)}
            return substitute(where, dict.fromkeys(parts, 0)) // (own // stored)
        ratio = stored // own
        divisions = [atom for (atom, *more), scale in where.terms.items() if isinstance(atom, FloorDiv) and scale == 1]
        if len(divisions) != 1 or key_of(divisions[0].divisor) != ratio:
            return None
        return (where - Sym({(divisions[0],): 1}, 0)) * ratio + divisions[0].dividend

    @property
    def _partition(self) -> Any:
        """The partition as an expression over the axes."""
        if self._flat:
            return self.index[0] // self.base.row
        return self.index[self.base.blocks] if len(self.index) > self.base.blocks else 0

    @property
    def _flat(self) -> bool:
        """Whether the view is indexed by one position in the row-major order of its tensor."""
        return len(self.layout) == 1 and len(self.base.shape) > 1

    @property
    def partition_step(self) -> Any:
        return self._steps()[1]

    def _steps(self) -> tuple[Any, Any]:
        if self._partitions is None:
            outside = self.memory == HBM or self.problem
            first = 0 if outside else _at_origin(self._partition)
            self._partitions = first, 1 if outside or not self.shape else self._step()
        return self._partitions

    def _step(self) -> Any:
        along = axis(len(self.shape) - 1, self.shape[0])
        where = self._partition
        if isinstance(along, int) or _free_of(where, along):
            return 1  # one partition, or one that is broadcast
        return _moved_by(where, along)

    @property
    def whole(self) -> bool:
        """Whether it is all of its tensor, in order. An empty slice of a dimension of size 1 has the index 0, too."""
        return len(self.shape) == len(self.layout) and all(
            key_of(i) == key_of(axis(len(self.shape) - 1 - d, n)) and (not is_one(n) or bounds(size)[0] >= 1)
            for d, (i, n, size) in enumerate(zip(self.index, self.layout, self.shape, strict=True))
        )

    def axes(self) -> list[Int]:
        rank = len(self.shape)
        return [axis(rank - 1 - d, n) for d, n in enumerate(self.shape)]

    def with_(self, **changes: Any) -> View:
        other = View(
            self.base,
            self.shape,
            self.index,
            self.dtype,
            self.layout,
            self.mask,
            self.dynamic,
            self.bounds,
            self.problem,
            self.instance,
            self.lookups,
            self.mesh,
            self.when,
            self.selected,
        )
        for name, value in changes.items():
            setattr(other, name, value)
        return other

    def __repr__(self) -> str:
        return f"<{self.base.name}: {self.dtype}[{', '.join(map(str, self.shape))}] @ {self.memory}>"

    def __str__(self) -> str:
        return "a tensor"


def _moved_by(where: Any, along: Sym) -> Any:
    """How far one step along an axis moves a place."""
    return substitute(where, {along.variable: 1}) - substitute(where, {along.variable: 0})


def _free_of(value: Any, variable: Sym) -> bool:
    return not isinstance(value, Sym) or variable.variable not in _axes_of(value)


def uses_axes(value: Any) -> bool:
    """Whether an index changes along some axis."""
    return isinstance(value, Sym) and bool(_axes_of(value))


def _at_origin(value: Any) -> Any:
    if not isinstance(value, Sym):
        return value
    return substitute(value, dict.fromkeys(_axes_of(value), 0))


def _axes_of(value: Sym) -> set[Var]:
    return {variable for variable in variables(value) if variable.kind == "axis"}


def whole_view(base: Declaration) -> View:
    rank = len(base.shape)
    return View(base, base.shape, tuple(axis(rank - 1 - d, n) for d, n in enumerate(base.shape)))


@rewritten.of(View)
def _in_view(value: View, mapping: Mapping[Any, Any]) -> View:
    shape = in_value(value.shape, mapping)
    if shape is not value.shape:
        mapping = Shared({**mapping, **axes_moved(value.shape, shape)})
    index, mask, selected = in_value((value.index, value.mask, value.selected), mapping)
    instance = _instance(value, mapping)
    base = value.base if not value.base.choices else _chosen(value.base, mapping)
    unchanged = index is value.index and shape is value.shape and mask is value.mask and base is value.base
    if unchanged and instance is value.instance and selected is value.selected:
        return value
    bounds = tuple(in_bound(b, mapping) for b in value.bounds)
    changed = value.with_(base=base, index=index, shape=shape, mask=mask, bounds=bounds, instance=instance)
    changed.selected = selected
    return changed


def _chosen(base: Declaration, mapping: Mapping[Any, Any]) -> Declaration:
    """What stands for one of two tensors, with the choice and the tensors as they are there."""
    sources, choices = in_value((base.sources, base.choices), mapping)
    known = sources is base.sources and choices is base.choices
    return base if known else replace(base, sources=sources, choices=choices)


def _instance(view: View, mapping: Mapping[Any, Any]) -> tuple[Any, ...] | None:
    """Which of the tensors that its loops made the view is of."""
    before = view.instance
    if before is None:
        before = tuple(loop.index for loop in view.base.loops)
    if not before:
        return view.instance
    after = tuple([substitute(i, mapping) for i in before])
    return view.instance if all(map(is_, after, before)) else after


def in_bound(bound: Bound, mapping: Mapping[Any, Any]) -> Bound:
    """A subscript's bound with variables replaced."""
    reach, size, when = in_value((bound.reach, bound.size, bound.when), mapping)
    return replace(bound, reach=reach, size=size, when=when)
