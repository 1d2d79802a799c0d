"""What Python's operators and conversions mean on tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import TFLOAT32
from nkilint_rules.words.memory import HBM, PSUM
from reference_sim.machine.dtypes import HOST, Array, cast, element_type
from reference_sim.machine.program import running
from reference_sim.tensors.grids import Grid

if TYPE_CHECKING:
    from reference_sim.machine.program import Program
    from reference_sim.tensors.tensor import Tensor

_LANGUAGE: dict[str, Callable[..., Any]] = {}


def install(functions: dict[str, Callable[..., Any]]) -> None:
    """Give the operators their operations of Beta 1's `nki.language`."""
    _LANGUAGE.update(functions)


def _language(name: str) -> Callable[..., Any]:
    current = running()
    if current is not None and current.dialect != BETA1:
        raise TypeError(f"tensors of `nki` have no operators; call `nl.{name}`")
    return _LANGUAGE[name]


def forms(name: str) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The plain, the reflected and the in-place form of a binary operator."""

    def plain(self: Tensor, other: Any) -> Any:
        if isinstance(other, Grid):
            return _shifted_grid(self, other, name, False)
        return _language(name)(self, other)

    def reflected(self: Tensor, other: Any) -> Any:
        if isinstance(other, Grid):
            return _shifted_grid(self, other, name, True)
        return _language(name)(other, self)

    def in_place(self: Tensor, other: Any) -> Any:
        return _accumulate()(self, other, name, _language(name))

    return plain, reflected, in_place


@cache
def _accumulate() -> Callable[..., Any]:
    from .in_place import in_place

    return in_place


def _shifted_grid(tensor: Tensor, grid: Grid, name: str, reflected: bool) -> Grid:
    """An index grid moved by a value in memory."""
    from reference_sim.tensors.tensor import read

    values = read(tensor).astype(np.int64)
    values = values.reshape(()) if values.size == 1 else values
    left, right = (grid.array(), values) if reflected else (values, grid.array())
    found = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}[name](left, right)
    moved = Grid.explicit(np.asarray(found))
    moved.looked_up = True
    return moved


class Undecided:
    """A comparison of a tensor of 0.x, which has no value while the kernel is traced."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __bool__(self) -> bool:
        from reference_sim.report.wording import complain

        complain("NKI801", what="a tile")
        raise TypeError(f"a branch cannot hang on a tensor's value; call `nl.{self.name}`")


def comparison(name: str) -> Callable[[Any, Any], Any]:
    """A comparison of tiles."""

    def compare(self: Tensor, other: Any) -> Any:
        if other is None or isinstance(other, (str, tuple)):
            return name == "not_equal"
        current = running()
        if current is not None and current.dialect != BETA1:
            return Undecided(name)
        return _language(name)(self, other)

    return compare


def unary(name: str) -> Callable[[Any], Any]:
    """A unary operator."""

    def apply(self: Tensor) -> Any:
        return _language(name)(self)

    return apply


def assign(target: Tensor, value: Any) -> None:
    """`t[...] = value`."""
    from reference_sim.machine.program import program
    from reference_sim.observers import lineage
    from reference_sim.tensors.tensor import Tensor, read

    from . import calls

    current = program("assignment")
    if isinstance(value, Tensor):
        if _is_updated(target, value, current):
            return
        calls.copy_into(target, value, current)
        return
    if isinstance(value, Grid):
        value = value.array()
    lineage.begin(current)
    calls.assign(target, np.asarray(value), None, current)
    _ = read


def _is_updated(target: Tensor, value: Tensor, current: Program) -> bool:
    """Whether this is the assignment that ends `t[i] += x`, of elements that have been written already."""
    if value.storage is not target.storage:
        return False
    if value._array is not None and target._array is not None:
        return _same_memory(value, target)
    return value is current.updated and type(value.access) is type(target.access) and value.sizes == target.sizes


def _same_memory(a: Tensor, b: Tensor) -> bool:
    x, y = a.array, b.array
    return bool(
        x.shape == y.shape
        and x.strides == y.strides
        and x.__array_interface__["data"][0] == y.__array_interface__["data"][0]
    )


def truth(tensor: Tensor) -> bool:
    """A tensor in control flow: only at specialization is anything known of it, namely that it is there."""
    if tensor.storage.memory == HBM:
        return True
    from reference_sim.report.wording import complain
    from reference_sim.tensors.tensor import read

    named = tensor.storage.kind not in ("result", "matmul") and tensor.storage.name
    complain("NKI801", what=f"`{tensor.storage.name}`" if named else "a tile")
    return bool(np.all(read(tensor)))


def as_index(tensor: Tensor) -> int:
    """A tile of one element as an index."""
    from reference_sim.tensors.tensor import read

    values = read(tensor)
    if values.size != 1:
        raise TypeError(f"a tensor of shape {list(tensor.sizes)} is no index")
    return int(values.reshape(-1)[0])


def to_host(tensor: Tensor, dtype: Any = None) -> Array:
    """The elements as a host array of the tensor's own type."""
    from reference_sim.tensors.tensor import read

    array = read(tensor)
    host = HOST[tensor.element]
    if array.dtype != host and tensor.element is not TFLOAT32:
        array = cast(array, tensor.element, host, True)
    return np.array(array) if dtype is None else array.astype(dtype)


def astype(tensor: Tensor, dtype: Any) -> Tensor:
    """A copy of another type."""
    from reference_sim.machine.dtypes import stored_type
    from reference_sim.machine.program import program
    from reference_sim.observers import lineage
    from reference_sim.tensors.tensor import read

    from . import calls

    current = program("astype")
    if current.nest:
        lineage.begin(current)
        lineage.read(tensor, None, current)
    element = element_type(dtype)
    array = cast(read(tensor), element, stored_type(element, current.precise), current.precise)
    array = np.array(array) if array is tensor._array else array
    memory = tensor.storage.memory
    return calls.wrap(array, element, memory, current)


__all__ = ["PSUM", "as_index", "assign", "astype", "comparison", "forms", "install", "to_host", "truth", "unary"]
