"""What Python's operations do to dtypes, memories and the other names of the device."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint_rules.operations import lookup
from nkilint_rules.operations.isa_constants import ENUM_VALUES
from nkilint_rules.operations.language_constants import MemoryRegion
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.names import Named

from ..state import protocols
from ..state.machine import Fault, Machine
from ..values.choices import Text
from ..values.dtypes import FloatLimits, SymbolicDType, as_dtype, dtype_equal
from ..values.numbers import REAL
from ..values.objects import Api, External
from ..values.wording import in_words

protocols.truths.of(DType, SymbolicDType, MemoryRegion, Named)(lambda machine, value, node: True)
protocols.compared_when_identical.add(MemoryRegion)


_LIMITS = frozenset({"max", "min", "eps", "tiny", "smallest_normal", "smallest_subnormal", "resolution", "epsneg"})


def limits_of(machine: Machine, dtype: Any) -> Any:
    """`finfo(dtype)`."""
    found = as_dtype(dtype)
    if found is None:
        raise IsUnknown("`finfo` of a dtype that is not known")
    if not found.is_float:
        raise Fault("ValueError")
    return FloatLimits(found)


@protocols.attributes.of(FloatLimits)
def _limit(machine: Machine, limits: FloatLimits, name: str, node: ir.Attr) -> Any:
    if name == "dtype":
        return limits.dtype
    if name == "bits":
        return limits.dtype.itemsize * 8
    return REAL if name in _LIMITS else Unknown(f"`{name}` of `finfo`")


@protocols.attributes.of(DType, SymbolicDType)
def _attribute(machine: Machine, dtype: Any, name: str, node: ir.Attr) -> Any:
    if name == "itemsize":
        return dtype.itemsize
    if name in ("name", "__name__"):
        return dtype.name if isinstance(dtype, DType) else Text()
    return dtype if name == "type" else Unknown(f"attribute `{name}` of a dtype")


@protocols.equalities.of(DType, SymbolicDType, rank=5)
def _equal(machine: Machine, left: Any, right: Any) -> Any:
    a, b = as_dtype(left), as_dtype(right)
    return False if a is None or b is None else dtype_equal(a, b)


@protocols.attributes.of(MemoryRegion)
def _attribute_of_memory(machine: Machine, value: MemoryRegion, name: str, node: ir.Attr) -> Any:
    if name in ("name", "value"):
        return value.name
    full = f"compiler.{value.name}.{name}"
    if lookup(machine.dialect, full) is None:
        raise IsUnknown(f"attribute `{name}` of a memory")
    return Api(machine.dialect, full)


@protocols.equalities.of(MemoryRegion, rank=3)
def _equal_memories(machine: Machine, left: Any, right: Any) -> Any:
    """Regions of two memories differ; two names of one memory may stand for the same, as a string may for a region."""
    if not isinstance(left, MemoryRegion) or not isinstance(right, MemoryRegion):
        other = right if isinstance(left, MemoryRegion) else left
        return Unknown(f"comparison of a memory and {in_words(other)}") if isinstance(other, (str, External)) else False
    if left.memory != right.memory:
        return False
    return left == right or Unknown(f"whether `{left}` is `{right}`")


@protocols.orders.of(Named, rank=4)
def _order(machine: Machine, op: str, left: Any, right: Any) -> Any:
    if not isinstance(left, Named) or not isinstance(right, Named):
        return Unknown(f"comparison of {in_words(left)} and {in_words(right)}")
    a, b = (_number(machine, value) for value in (left, right))
    return protocols.orders.entry(type(a), type(b))(machine, op, a, b)


def _number(machine: Machine, value: Named) -> Any:
    number = enum_value(machine, value)
    return Unknown(f"order of `{value.name}`") if number is None else number


def enum_value(machine: Machine, value: Named) -> Any:
    """The number of a member of an enumeration, None where it has none."""
    return ENUM_VALUES[machine.dialect].get(value.name)


@protocols.equalities.of(Named, rank=2)
def _equal_names(machine: Machine, left: Any, right: Any) -> bool:
    names = (Named, Api)
    return isinstance(left, names) and isinstance(right, names) and bool(left == right)
