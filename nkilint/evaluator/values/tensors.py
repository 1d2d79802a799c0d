"""Tensors, views of them and index grids, over symbolic sizes.

A view has *axes*, each an index variable running from 0 to its size less one, and says which element of the base tensor
stands at each combination of them, as one affine expression per base dimension. Axis variables are named by their
position counted from the right and by their size, so that masks, grids and slices of one operation talk about the same
ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from nkilint.base.ir import Span
from nkilint.symbolic import conditions
from nkilint.symbolic.atoms import Int
from nkilint.symbolic.conditions import Opaque
from nkilint.symbolic.integers import Sym, key_of, sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown, product
from nkilint_rules.words.dtypes import DTYPES, DType
from nkilint_rules.words.memory import HBM
from nkilint_rules.words.tiles import Tile


class SymbolicDType:
    """The dtype of an input that nothing specifies. Questions about it become assumptions, never findings."""

    __slots__ = ("source",)
    kind = "float"

    def __init__(self, source: str) -> None:
        self.source = source

    @property
    def name(self) -> str:
        return self.source

    @property
    def itemsize(self) -> Any:
        return sym(f"itemsize({self.source})", "input", 1, 4, self.source)

    packed = 1
    is_float = True
    is_integer = False

    def in_set(self, allowed: Any) -> Any:
        return Opaque(f"{self.source} in ({', '.join(sorted(t.name for t in allowed))})", "dtype")

    def same_as(self, other: Any) -> Any:
        return dtype_equal(self, other)

    def __str__(self) -> str:
        return self.source


def dtype_equal(a: Any, b: Any) -> Any:
    """Whether two dtypes are the same: decided for known ones, an input's choice else."""
    if isinstance(a, DType) and isinstance(b, DType):
        return a == b
    for value in (a, b):
        if isinstance(value, Unknown):
            return value
    names = sorted((str(a), str(b)))
    return True if names[0] == names[1] else Opaque(f"{names[1]} == {names[0]}", "dtype")


def axis(position: int, size: Int) -> Int:
    """The variable of the axis at `position` from the right of an access of that size there."""
    return 0 if isinstance(size, int) and size == 1 else sym(f"e{position}", "axis", 0, size - 1)


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


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A subscript: `reach`, over the axes of the view, has to stay within `size` along `axis`."""

    reach: Any
    size: Any
    axis: int
    index_at: Span
    tensor_at: Span
    at: Span
    pattern: bool = False  # whether it is an access pattern, which counts the elements of the whole tensor


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
        self.problem = problem  # a reason why the index is not known exactly

    @property
    def indirect(self) -> bool:
        return bool(self.dynamic or self.lookups)

    @property
    def row(self) -> Any:
        return product(self.base.shape[self.base.blocks + 1 :])

    @property
    def memory(self) -> Any:
        return self.base.memory

    @property
    def start_partition(self) -> Any:
        """The partition of the view's first element, relative to its tensor."""
        if self.memory == HBM or self.problem:
            return 0
        return _at_origin(self._partition)

    @property
    def _partition(self) -> Any:
        """The partition as an expression over the axes."""
        if self._flat:
            return self.index[0] // product(self.base.shape[self.base.blocks + 1 :])
        return self.index[self.base.blocks] if len(self.index) > self.base.blocks else 0

    @property
    def _flat(self) -> bool:
        """Whether the view is indexed by one position in the row-major order of its tensor."""
        return len(self.layout) == 1 and len(self.base.shape) > 1

    @property
    def partition_step(self) -> Any:
        if self.memory == HBM or self.problem or not self.shape:
            return 1
        along = axis(len(self.shape) - 1, self.shape[0])
        where = self._partition
        if isinstance(along, int) or _free_of(where, along):
            return 1  # one partition, or one that is broadcast
        atom = along.variable
        return substitute(where, {atom: 1}) - substitute(where, {atom: 0})

    @property
    def whole(self) -> bool:
        """Whether it is all of its tensor, in order."""
        return len(self.shape) == len(self.layout) and all(
            key_of(i) == key_of(axis(len(self.shape) - 1 - d, n))
            for d, (i, n) in enumerate(zip(self.index, self.layout, strict=True))
        )

    def axes(self) -> list[Int]:
        rank = len(self.shape)
        return [axis(rank - 1 - d, n) for d, n in enumerate(self.shape)]

    def with_(self, **changes: Any) -> View:
        values: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                "base",
                "shape",
                "index",
                "dtype",
                "layout",
                "mask",
                "dynamic",
                "bounds",
                "problem",
                "instance",
                "lookups",
                "mesh",
                "when",
            )
        }
        values.update(changes)
        return View(**values)

    def __repr__(self) -> str:
        return f"<{self.base.name}: {self.dtype}[{', '.join(map(str, self.shape))}] @ {self.memory}>"


def _free_of(value: Any, variable: Sym) -> bool:
    return not isinstance(value, Sym) or variable.variable not in _axis_atoms(value)


def uses_axes(value: Any) -> bool:
    """Whether an index changes along some axis."""
    return isinstance(value, Sym) and bool(_axis_atoms(value))


def _at_origin(value: Any) -> Any:
    if not isinstance(value, Sym):
        return value
    mapping = dict.fromkeys(_axis_atoms(value), 0)
    return substitute(value, mapping)


def _axis_atoms(value: Sym) -> set[Any]:
    found = set()
    stack = list(value.atoms())
    while stack:
        atom = stack.pop()
        if getattr(atom, "kind", "") == "axis":
            found.add(atom)
        elif not hasattr(atom, "kind"):
            for child in atom.children():
                stack.extend(child.atoms())
    return found


def whole_view(base: Declaration) -> View:
    rank = len(base.shape)
    return View(base, base.shape, tuple(axis(rank - 1 - d, n) for d, n in enumerate(base.shape)))


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """An index grid or a mask: `value` (an integer or a condition) over the axis variables of `shape`.

    `dynamic` holds the tensors whose values take part in it.
    """

    value: Any
    shape: tuple[Any, ...]
    dynamic: tuple[Any, ...] = ()
    mesh: bool = False  # made by `nl.mgrid`

    @property
    def is_mask(self) -> bool:
        return isinstance(self.value, (bool, conditions.Cond))


class MeshGrid(tuple):  # type: ignore[type-arg]
    """What `nl.mgrid[...]` gives: its grids, which also have the names p, x, y and z."""

    def __new__(cls, grids: tuple[Grid, ...]) -> MeshGrid:
        return super().__new__(cls, grids)


def move_axes(value: Any, moves: dict[int, tuple[int, Any]], shape: tuple[Any, ...]) -> Any:
    """`value` with the axis at position `old` (from the right of `shape`) replaced by the one at (`new`, size)."""
    mapping: dict[Any, Any] = {}
    for old, (new, size) in moves.items():
        before = axis(old, shape[len(shape) - 1 - old])
        if isinstance(before, Sym):
            after = axis(new, size)
            if key_of(before) != key_of(after):
                mapping[before.variable] = after
    return replace_in(value, mapping)


def replace_in(value: Any, mapping: dict[Any, Any]) -> Any:
    """Substitution in an integer or a condition."""
    if not mapping:
        return value
    if isinstance(value, conditions.Cond):
        return substitute(value, mapping)
    return substitute(value, mapping)


def grid_index(grid: Grid, key: tuple[Any, ...]) -> Grid | Unknown:
    """`grid[:, None]` and the like: new axes of size one, whole axes, single positions."""
    new_shape: list[Any] = []
    sources: list[int | None] = []
    fixed: dict[Any, Any] = {}
    rank = len(grid.shape)
    used = 0
    if Ellipsis in [k for k in key if k is Ellipsis]:
        given = sum(1 for k in key if k is not None and k is not Ellipsis)
        position = next(i for i, k in enumerate(key) if k is Ellipsis)
        key = key[:position] + (slice(None, None, None),) * (rank - given) + key[position + 1 :]
    for item in key:
        if item is None:
            new_shape.append(1)
            sources.append(None)
            continue
        if used >= rank:
            return Unknown("index grid with more subscripts than axes")
        if isinstance(item, slice) and item.start is None and item.stop is None and item.step is None:
            new_shape.append(grid.shape[used])
            sources.append(used)
        elif isinstance(item, int) and not isinstance(item, bool):
            variable = axis(rank - 1 - used, grid.shape[used])
            if isinstance(variable, Sym):
                fixed[variable.variable] = item if item >= 0 else grid.shape[used] + item
        elif isinstance(item, slice) and item.step in (None, 1):
            start = 0 if item.start is None else item.start
            stop = grid.shape[used] if item.stop is None else item.stop
            new_shape.append(stop - start)
            sources.append(used)
            if not (isinstance(start, int) and start == 0):
                variable = axis(rank - 1 - used, grid.shape[used])
                if isinstance(variable, Sym):
                    fixed[variable.variable] = variable + start
        else:
            return Unknown("subscript of an index grid")
        used += 1
    for rest in range(used, rank):
        new_shape.append(grid.shape[rest])
        sources.append(rest)
    mapping = dict(fixed)
    for new, source in enumerate(sources):
        if source is None:
            continue
        before = axis(rank - 1 - source, grid.shape[source])
        if isinstance(before, Sym):
            after = axis(len(new_shape) - 1 - new, new_shape[new])
            start = fixed.get(before.variable)
            mapping[before.variable] = after if start is None else substitute(start, {before.variable: after})
    return Grid(replace_in(grid.value, mapping), tuple(new_shape), grid.dynamic)


def broadcast_grids(shapes: list[tuple[Any, ...]]) -> tuple[tuple[Any, ...], list[Any]]:
    """The common shape by numpy's rules, and the conditions under which the sizes agree."""
    rank = max(map(len, shapes), default=0)
    result: list[Any] = []
    needs: list[Any] = []
    for position in range(rank - 1, -1, -1):
        sizes = [s[len(s) - 1 - position] for s in shapes if len(s) > position]
        chosen: Any = 1
        for size in sizes:
            if isinstance(size, int) and size == 1:
                continue
            if isinstance(chosen, int) and chosen == 1:
                chosen = size
            elif key_of(size) != key_of(chosen):
                needs.append(size == chosen)
                chosen = chosen if isinstance(chosen, int) else size
        result.append(chosen)
    return tuple(result), needs


def fit_axes(value: Any, have: tuple[Any, ...], want: tuple[Any, ...]) -> Any:
    """`value` over the axes of `have`, rewritten over those of the broadcast shape `want` (sizes agree by then)."""
    moves = {}
    for position in range(len(have)):
        size = have[len(have) - 1 - position]
        target = want[len(want) - 1 - position]
        if key_of(size) != key_of(target):
            moves[position] = (position, target)
    return move_axes(value, moves, have) if moves else value


def linear_offset(index: tuple[Any, ...], layout: tuple[Any, ...]) -> Any:
    """Position of an element in row-major order."""
    offset: Any = 0
    for where, size in zip(index, layout, strict=True):
        offset = offset * size + where
    return offset


@dataclass(slots=True, eq=False)
class InputTensor:
    """A parameter of a kernel before its rank is known; `cell["view"]` holds the tensor once it is.

    What the kernel does with it tells: unpacking its shape, the number of subscripts, or a use as a number.
    """

    name: str
    cell: dict[str, Any] = field(default_factory=dict)
    ranks: tuple[int, ...] = ()
    guessed: bool = False  # the rank is an assumption
    is_open: bool = False  # nothing tells about the rank but single subscripts
    memory: str = HBM
    memory_open: bool = False  # the memory is what the first use asks for
    names: dict[int, str] = field(default_factory=dict)
    shared: dict[int, str | int] = field(default_factory=dict)  # names of one meaning everywhere, and sizes of 1
    mutable: bool = False
    at: Span | None = None


class Sizes(tuple[Any, ...]):
    """The shape of a tensor: a tuple that equals the list of its sizes too."""

    __slots__ = ()


TUPLES = (tuple, Sizes)
"""The types of plain tuples."""


@dataclass(frozen=True, slots=True, eq=False)
class ShapeOf:
    """The shape of an input tensor whose rank is not known yet."""

    tensor: InputTensor


def known_dtype(name: str) -> DType | None:
    return DTYPES.get({"bool_": "bool", "half": "float16", "double": "float64", "single": "float32"}.get(name, name))


def renamed(declaration: Declaration, name: str) -> Declaration:
    return replace(declaration, name=name)
