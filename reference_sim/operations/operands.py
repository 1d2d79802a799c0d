"""The arguments of one call as numerics see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.operations.effects import Partitions
from reference_sim.machine.dtypes import as_float
from reference_sim.machine.program import Program
from reference_sim.report.sites import Site
from reference_sim.tensors.elements import read
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from . import results

if TYPE_CHECKING:
    from .entries import Entry, Plan
    from .products import ProductMask


class Operands:
    """The arguments of one call as numerics see them: raw by attribute, tensors as arrays by name."""

    __slots__ = ("arguments", "entry", "marked", "plan", "product", "program", "site", "where")

    def __init__(self, entry: Entry, arguments: dict[str, Any], plan: Plan, current: Program) -> None:
        self.entry, self.arguments, self.plan, self.program = entry, arguments, plan, current
        self.where: Where = None
        self.product: ProductMask | None = None  # in place of `where`, where the masks are those of a product
        self.site: Site = None  # of the call, where that is known by now
        self.marked: tuple[Tensor, ...] = ()  # operands with elements whose way through the call is followed

    @property
    def dialect(self) -> str:
        return self.entry.dialect

    def __getattr__(self, name: str) -> Any:
        try:
            return self.arguments[name]
        except KeyError:
            raise AttributeError(name) from None

    def get(self, name: str, default: Any = None) -> Any:
        return self.arguments.get(name, default)

    def array(self, name: str) -> Any:
        """An operand as it is stored; numbers stay numbers."""
        value = self.arguments[name]
        if type(value) is not Tensor:
            return value
        if value._array is not None and value.storage.put_off is None:
            return value._array
        return read(value, self.kept(value, name))

    def kept(self, tensor: Tensor, name: str = "") -> Where:
        """What the mask leaves of an operand: everything where it speaks of another shape."""
        if self.product is not None:
            return self.product.operands.get(name)
        return self.where if self.where is not None and tensor.sizes == self.shape() else None

    def seen(self, name: str, tensor: Tensor) -> Where:
        """What the operation reads of an operand under its mask."""
        only = self.plan.effects.only
        masked = self.where is not None or self.product is not None
        return in_partitions(self.kept(tensor, name), only.get(name), tensor) if only or masked else None

    def written(self, name: str, tensor: Tensor) -> Where:
        """What the operation writes of an operand under its mask."""
        found = self.plan.effects.writes.get(name)
        return in_partitions(self.kept(tensor), found.partitions if found is not None else None, tensor)

    def shape(self) -> tuple[int, ...]:
        """The shape that a mask speaks of: that of the first tensor operand."""
        for name, _, _ in self.entry.roles:
            value = self.arguments.get(name)
            if isinstance(value, Tensor):
                return value.sizes
        return ()

    def f32(self, name: str) -> Any:
        """An operand in float32."""
        value = self.array(name)
        return as_float(value) if isinstance(value, np.ndarray) else np.float32(value)

    def column(self, name: str, rank: int, exact: bool = False) -> Any:
        """A number, or a vector of one element for each partition that broadcasts against a tile of this rank."""
        value = self.array(name) if exact else (None if self.arguments.get(name) is None else self.f32(name))
        if isinstance(value, np.ndarray):
            return value.reshape(value.shape[0], *(1,) * (rank - 1)) if value.size == value.shape[0] else value
        return value

    def leaf(self, name: str) -> str:
        """The name of an enumeration's member, or of an operator."""
        value = self.arguments.get(name)
        if value is None:
            return ""
        return str(getattr(value, "name", None) or getattr(value, "__name__", value)).rpartition(".")[2]

    def write(self, name: str, values: Any, skip: bool = False) -> None:
        """Write an output operand, cast to its type, elements in order where the shapes differ."""
        target = self.arguments[name]
        if target is None:
            return
        where = None if self.where is None and not self.plan.partial else self.written(name, target)
        results.assign(target, values, where, self.program, skip, self, self.entry.is_matmul)


def in_partitions(where: Where, partitions: Partitions | None, tensor: Tensor) -> Where:
    """What a mask leaves of a tensor, in some of its partitions."""
    if partitions is None:
        return where
    chosen = np.zeros(tensor.sizes, bool)
    chosen[np.array([bool(partitions(number)) for number in range(tensor.sizes[0])])] = True
    if where is None:
        return chosen
    kept = np.zeros(tensor.sizes, bool)
    kept[where] = True
    return kept & chosen
