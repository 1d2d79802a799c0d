"""One call of an operation: arguments bound, requirements checked, numerics run, the result kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nkilint_rules.conditions import IsUnknown
from nkilint_rules.dtypes import FLOAT32, DType
from nkilint_rules.operation import BETA1, MISSING, PSUM, SBUF, Call, Operation, Result, SignatureError
from nkilint_rules.ops import load_operations

from . import checks, psum, shadow
from .context import Program, program, report
from .dtypes import Array, as_float, cast, element_type, stored_type
from .errors import CannotSimulate, finding_at
from .grids import Where, where_of
from .memory import Storage
from .numerics.alu import binary
from .rulebook import in_words, signature_of
from .sizes import block_rank
from .tensor import Tensor, read, write

Implementation = Callable[["Operands"], Any]

_CACHE_LIMIT = 8192


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known of a call before it runs, from the rulebook: its result."""

    result: Any
    findings: tuple[Any, ...] = ()


class Entry:
    """An operation in one dialect with its numerics."""

    __slots__ = ("binders", "dialect", "effect", "implementation", "name", "operation", "plans", "roles", "signature")

    def __init__(self, operation: Operation, dialect: str, implementation: Implementation, effect: bool) -> None:
        signature = operation.signature(dialect)
        assert signature is not None
        self.operation, self.dialect, self.name = operation, dialect, operation.name
        self.signature, self.implementation, self.effect = signature, implementation, effect
        self.binders: dict[Any, Any] = {}
        self.plans: dict[Any, Plan] = {}
        self.roles = tuple((name, o.role, o.many) for name, o in operation.operands_in(dialect).items())

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Values by parameter name, defaults filled in."""
        shape = (len(args), *kwargs)
        names = self.binders.get(shape, MISSING)
        if names is None or names is MISSING:
            try:
                bound = self.signature.bind(args, kwargs)
            except SignatureError as error:
                raise self._misfit(error) from None
            positional = self.signature.positional[: len(args)]
            plain = len(args) <= len(self.signature.positional)
            self.binders[shape] = (*positional, *kwargs) if plain else None
            return bound
        bound = dict(self.signature.defaults)
        bound.update(zip(names, args, strict=False))
        bound.update(kwargs)
        return bound

    def _misfit(self, error: SignatureError) -> Exception:
        leaf = self.operation.leaf
        if error.kind == "missing" and "dst" in error.names:
            report(finding_at("NKI210", f"`{leaf}` is called without its destination `dst`"))
        elif error.kind == "unexpected":
            report(finding_at("NKI208", f"`{leaf}` {error}"))
        else:
            report(finding_at("NKI809", f"`{leaf}` {error}"))
        return TypeError(f"{leaf} {error}")


class Operands:
    """The arguments of one call as numerics see them: raw by attribute, tensors as arrays by name."""

    __slots__ = ("arguments", "dialect", "entry", "plan", "program", "taint", "where")

    def __init__(self, entry: Entry, arguments: dict[str, Any], plan: Plan, current: Program) -> None:
        self.entry, self.arguments, self.plan, self.program = entry, arguments, plan, current
        self.dialect = entry.dialect
        self.where: Where = None
        self.taint = False

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
        if not isinstance(value, Tensor):
            return value
        if self.taint:
            return shadow.taint_of(value)
        if value._array is not None:
            return value._array
        return read(value, self.where if value.shape == self.shape() else None)

    def shape(self) -> tuple[int, ...]:
        """The shape that a mask speaks of: that of the first tensor operand."""
        for name, _, _ in self.entry.roles:
            value = self.arguments.get(name)
            if isinstance(value, Tensor):
                return value.shape
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
        assign(target, values, self.where if target.shape == self.shape() else None, self.program, skip)


def assign(target: Tensor, values: Any, where: Where, current: Program, skip: bool = False) -> None:
    """Write values into a tensor and note it in the shadow."""
    if isinstance(values, np.ndarray) and values.shape != target.shape:
        values = fitted(values, target.shape)
    write(target, values, where, current.precise, skip)
    if target.storage.memory is PSUM:
        psum.wrote(target, where)
    if current.checks:
        shadow.wrote(target, where, current)


def fitted(values: Array, shape: tuple[int, ...]) -> Array:
    """Values under the shape of what they are written to: the same elements in order, or stretched."""
    total = 1
    for size in shape:
        total *= size
    if values.size == total:
        return values.reshape(shape)
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        report(finding_at("NKI204", f"values of shape {list(values.shape)} do not fit {list(shape)}"))
        raise CannotSimulate("the operation", f"{list(values.shape)} cannot be written to {list(shape)}") from None


def run(entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Carry out one call."""
    current = program(entry.name)
    arguments = entry.bind(args, kwargs)
    plan = _planned(entry, arguments, current)
    operands = Operands(entry, arguments, plan, current)
    mask = arguments.get("mask")
    if mask is not None and mask is not True:
        operands.where = where_of(mask, _mask_shape(entry, arguments, plan))
    if current.checks:
        shadow.before(entry, operands, current)
    value = entry.implementation(operands)
    if entry.effect:
        return value
    return finish(operands, value)


def _mask_shape(entry: Entry, arguments: Mapping[str, Any], plan: Plan) -> tuple[int, ...]:
    first = None
    for name, _, _ in entry.roles:
        value = arguments.get(name)
        if isinstance(value, Tensor):
            first = first or value.shape
    result = plan.result
    if entry.operation.kind == "compute" and isinstance(result, Result) and first is not None:
        shape = tuple(result.shape)
        if len(shape) == len(first) and all(a >= b for a, b in zip(shape, first, strict=True)):
            return shape
    return first or (tuple(result.shape) if isinstance(result, Result) else ())


def _planned(entry: Entry, arguments: Mapping[str, Any], current: Program) -> Plan:
    key = (current.launch.target.name, current.checks, *map(signature_of, arguments.values()), *arguments)
    plan = entry.plans.get(key)
    if plan is None:
        if len(entry.plans) > _CACHE_LIMIT:
            entry.plans.clear()
        plan = entry.plans[key] = _plan(entry, arguments, current)
    for found in plan.findings:
        checks.complain(found)
    return plan


def _plan(entry: Entry, arguments: Mapping[str, Any], current: Program) -> Plan:
    words = {name: in_words(value) for name, value in arguments.items()}
    given = [name for name, value in arguments.items() if entry.signature.defaults.get(name, MISSING) is not value]
    call = Call(entry.operation, entry.dialect, current.launch.target, words, given)
    try:
        call.result = entry.operation.result(call) if entry.operation.result else None
    except IsUnknown:
        call.result = None
    if isinstance(call.result, Result) and "shape" in arguments:
        call.result = replace(call.result, blocks=block_rank(arguments["shape"]))
    return Plan(call.result, tuple(checks.violations(call)) if current.checks else ())


def finish(operands: Operands, value: Any) -> Any:
    """Write a value to `dst`, or make the tile that Beta 1 returns."""
    target = operands.arguments.get("dst")
    if isinstance(target, Tensor):
        assign(target, value, None, operands.program)
        return None
    if isinstance(value, tuple):
        results = operands.plan.result if isinstance(operands.plan.result, tuple) else (None,) * len(value)
        return tuple(new_tile(operands, v, r) for v, r in zip(value, results, strict=True))
    return new_tile(operands, value, operands.plan.result)


def new_tile(operands: Operands, values: Array, result: Any) -> Tensor:
    """A tile of its own with the values that an operation gave."""
    element, memory, shape = _described(operands, values, result)
    precise = operands.program.precise
    stored = stored_type(element, precise)
    if shape != values.shape:
        values = fitted(values, shape)
    where = operands.where
    if where is not None and values.shape != operands.shape():
        where = _projected(where, values.shape)
    array = cast(values, element, stored, precise)
    if where is not None:
        array = array.copy() if array is values else array
    elif array is values and not _is_fresh(array, operands):
        array = array.copy()
    tile = wrap(array, element, memory, operands.program)
    tile.storage.where = where
    if operands.program.checks:
        shadow.made(tile, operands, where)
    return tile


def _is_fresh(array: Array, operands: Operands) -> bool:
    """Whether an array is the operation's own and no view of an operand."""
    return array.base is None and all(
        not isinstance(value, Tensor) or value._array is not array for value in operands.arguments.values()
    )


def _described(operands: Operands, values: Array, result: Any) -> tuple[DType, str, tuple[int, ...]]:
    if isinstance(result, Result):
        if operands.entry.name == "language.divide" and operands.get("dtype") is None and values.dtype == np.float32:
            result = replace(result, dtype=_quotient(result.dtype))
        element = result.dtype if isinstance(result.dtype, DType) else _natural(operands, values)
        memory = result.memory if result.memory in (SBUF, PSUM) else SBUF
        if operands.entry.name == "isa.nc_transpose" and "buffer" not in operands.arguments:
            memory = SBUF  # AWS's attention kernel feeds it to a matmul as it is
        return element, memory, _on_chip(tuple(int(size) for size in result.shape))
    return _natural(operands, values), SBUF, _on_chip(values.shape)


def _on_chip(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A tile has at least two dimensions."""
    return (*shape, *(1,) * (2 - len(shape)))


def _quotient(dtype: Any) -> Any:
    """The type of a quotient: float32 for integers, which AWS's kernels rely on when they round it themselves."""
    return FLOAT32 if isinstance(dtype, DType) and not dtype.is_float else dtype


def _natural(operands: Operands, values: Array) -> DType:
    dtype = operands.get("dtype")
    if dtype is not None:
        return element_type(dtype)
    for value in operands.arguments.values():
        if isinstance(value, Tensor):
            return value.element
    return element_type(values.dtype)


def _projected(where: Where, shape: tuple[int, ...]) -> Where:
    """A mask over the data as one over a result with fewer columns: its partitions."""
    if isinstance(where, tuple):
        return (where[0], *(slice(0, size) for size in shape[1:]))
    rows = where.reshape(where.shape[0], -1).any(axis=1)
    return np.broadcast_to(rows.reshape(-1, *(1,) * (len(shape) - 1)), shape)


def wrap(array: Array, element: DType, memory: str, current: Program, kind: str = "result") -> Tensor:
    """A tensor over an array that nothing else holds."""
    storage = Storage(array, element, memory, 0, "", kind)
    current.clock += 1
    storage.birth = current.clock
    return Tensor(array, storage, element)


def entry_for(name: str, dialect: str, implementation: Implementation, effect: bool) -> Entry | None:
    """The operation with its numerics, if the dialect has it."""
    operation = load_operations().get(name)
    if operation is None or operation.signature(dialect) is None:
        return None
    return Entry(operation, dialect, implementation, effect)


__all__ = ["BETA1", "Entry", "Operands", "Plan", "assign", "entry_for", "finish", "fitted", "run", "wrap"]


def copy_into(target: Tensor, value: Tensor, current: Program) -> None:
    """`target[...] = value`: the elements, cast; a tile goes where it is assigned to."""
    if current.checks:
        shadow.before_copy(target, value, current)
    storage, values = value.storage, read(value)
    where = None
    if value._array is storage.array and values.shape == target.shape:
        where = storage.where
    if storage.reduction is not None:
        values = binary(storage.reduction, read(target), fitted(values, target.shape))
    assign(target, values, where, current)
