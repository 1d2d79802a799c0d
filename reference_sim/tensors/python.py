"""What Python's operators and conversions mean on tensors.

Assignments, operators and methods that are operations of a kernel's language are given by the package of operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.language.tensor_control_flow import TensorControlFlow
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.dtypes import TFLOAT32
from nkilint_rules.words.memory import HBM
from reference_sim.machine.dtypes import HOST, Array, cast
from reference_sim.machine.memory import RESULTS
from reference_sim.machine.program import running
from reference_sim.report.errors import CannotSimulate
from reference_sim.report.wording import complain

from .elements import read
from .grids import Grid

if TYPE_CHECKING:
    from .tensor import Tensor


MOVES: dict[str, Callable[..., Any]] = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}
"""What a value in memory may do to the positions of an index grid."""


class Meanings:
    """What is done by operations: `language` are those of Beta 1's `nki.language` by name."""

    __slots__ = ("assign", "check", "convert", "in_place", "language", "operator")

    language: dict[str, Callable[..., Any]]
    in_place: Callable[[Tensor, Any, str, Callable[..., Any]], Tensor]
    assign: Callable[[Tensor, Any], None]
    convert: Callable[[Tensor, Any], Tensor]
    check: Callable[..., None]
    operator: Callable[[str, Any, Any], None]


MEANINGS = Meanings()


def _language(name: str) -> Callable[..., Any]:
    current = running()
    if current is not None and current.dialect != BETA1:
        raise TypeError(f"tensors of `nki` have no operators; call `nl.{name}`")
    return MEANINGS.language[name]


def forms(name: str) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The plain, the reflected and the in-place form of a binary operator."""

    def plain(self: Tensor, other: Any) -> Any:
        if isinstance(other, Grid):
            return _shifted_grid(self, other, name, False)
        MEANINGS.operator(name, self, other)
        return _language(name)(self, other)

    def reflected(self: Tensor, other: Any) -> Any:
        if isinstance(other, Grid):
            return _shifted_grid(self, other, name, True)
        MEANINGS.operator(name, other, self)
        return _language(name)(other, self)

    def in_place(self: Tensor, other: Any) -> Any:
        MEANINGS.operator(name, self, other)
        return MEANINGS.in_place(self, other, name, _language(name))

    return plain, reflected, in_place


def _shifted_grid(tensor: Tensor, grid: Grid, name: str, reflected: bool) -> Grid:
    """An index grid moved by a value in memory."""
    values = read(tensor).astype(np.int64)
    values = values.reshape(()) if values.size == 1 else values
    left, right = (grid.array(), values) if reflected else (values, grid.array())
    if name not in MOVES:
        raise CannotSimulate(
            f"`{name}` of an index grid and a tile", "only sums, differences and products move positions"
        )
    found = MOVES[name](left, right)
    moved = Grid.explicit(np.asarray(found))
    moved.looked_up = True
    return moved


class Undecided:
    """A comparison of a tensor of 0.x, which has no value while the kernel is traced."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __bool__(self) -> bool:
        complain(TensorControlFlow.message(what="a tile"))
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
    MEANINGS.assign(target, value)


def astype(tensor: Tensor, dtype: Any) -> Tensor:
    """A copy of another type, which tensors of Beta 1 make."""
    current = running()
    if current is not None and current.dialect != BETA1:
        raise AttributeError("'NkiTensor' object has no attribute 'astype'")
    return MEANINGS.convert(tensor, dtype)


def checked(function: Callable[..., Any], name: str = "", owner: str = "tensor") -> Callable[..., Any]:
    """The method, before which the requirements of the rulebook on it are looked at."""
    full = f"{owner}.{name or function.__name__}"

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        current = running()
        if current is not None and current.checks:
            MEANINGS.check(full, (self, *args), kwargs, current)
        return function(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name or function.__name__
    method.__doc__ = function.__doc__
    return method


def truth(tensor: Tensor) -> bool:
    """A tensor in control flow: only at specialization is anything known of it, namely that it is there."""
    storage, current = tensor.storage, running()
    if storage.memory == HBM:
        return True
    named = storage.kind not in RESULTS and storage.name
    whole = tensor._array is None or tensor._array is storage.array or math.prod(tensor.sizes) > 1
    if current is not None and current.dialect == NKI and storage.kind not in RESULTS and whole:
        return True
    complain(TensorControlFlow.message(what=f"`{tensor.storage.name}`" if named else "a tile"))
    return bool(np.all(read(tensor)))


def as_index(tensor: Tensor) -> int:
    """A tile of one element as an index."""
    values = read(tensor)
    if values.size != 1:
        raise TypeError(f"a tensor of shape {list(tensor.sizes)} is no index")
    return int(values.reshape(-1)[0])


def no_number(tensor: Tensor) -> Any:
    """What `int` and `float`, and with them `math`, ask of a tensor: it holds nothing while a kernel is traced."""
    raise TypeError("a tensor has no value while the kernel is traced")


def to_host(tensor: Tensor, dtype: Any = None) -> Array:
    """The elements as a host array of the tensor's own type."""
    array = read(tensor)
    host = HOST[tensor.element]
    if array.dtype != host and tensor.element is not TFLOAT32:
        array = cast(array, tensor.element, host, True)
    return np.array(array) if dtype is None else array.astype(dtype)
