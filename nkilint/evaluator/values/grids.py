"""Index grids and masks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nkilint.symbolic import conditions
from nkilint.symbolic.integers import Sym, is_one, key_of
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.records import dataclass

from .axes import axes_moved, axis, replace_in
from .substitution import in_parts, in_value, rewritten


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """An index grid or a mask: `value` (an integer or a condition) over the axis variables of `shape`.

    `dynamic` holds the tensors whose values take part in it.
    """

    value: Any
    shape: tuple[Any, ...]
    dynamic: tuple[Any, ...] = ()
    mesh: bool = False  # made by `nl.mgrid`
    joined: bool = False  # of masks, by `&` or `|`

    @property
    def is_mask(self) -> bool:
        return isinstance(self.value, (bool, conditions.Cond))


class MeshGrid(tuple):  # type: ignore[type-arg]
    """What `nl.mgrid[...]` gives: its grids, which also have the names p, x, y and z."""

    def __new__(cls, grids: tuple[Grid, ...]) -> MeshGrid:
        return super().__new__(cls, grids)


@rewritten.of(MeshGrid)
def _in_mesh_grid(value: MeshGrid, mapping: Mapping[Any, Any]) -> Any:
    return in_parts(value, tuple(value), lambda *grids: MeshGrid(grids), mapping)


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
        elif isinstance(item, slice) and (item.step is None or is_one(item.step)):
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
            if is_one(size):
                continue
            if is_one(chosen):
                chosen = size
            elif key_of(size) != key_of(chosen):
                needs.append(size == chosen)
                chosen = chosen if isinstance(chosen, int) else size
        result.append(chosen)
    return tuple(result), needs


@rewritten.of(Grid)
def _in_grid(value: Grid, mapping: Mapping[Any, Any]) -> Grid:
    shape = in_value(value.shape, mapping)
    return Grid(in_value(value.value, {**mapping, **axes_moved(value.shape, shape)}), shape, value.dynamic)
