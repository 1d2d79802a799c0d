"""The form of an operation's definition, and of a call to one.

An operation is defined once: its signature in each dialect, what each operand is for, and a function that gives
the shape and dtype of the result. The verifier and the simulator bind calls to the same definitions and check the
same rules on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..words.dialects import BETA1, NKI
from ..words.dtypes import DType
from ..words.memory import ANYWHERE, ON_CHIP, PSUM, SBUF
from ..words.targets import Target
from ..words.tiles import Tile
from .effects import ALIGNED, RESULT, Dependence, Effects, Written
from .signatures import Signature


@dataclass(frozen=True, slots=True)
class Operand:
    """What an operation does with one of its tensors.

    `role` is "read", "write", "accumulate" (adds to what is there) or "update" (reads, then writes).
    `scalar` says that a Python number may stand in its place; `many` that it is a list of tensors. `how` says which of
    its elements one that the operation writes depends on; of an operand that is written, which of all that is read.
    """

    role: str
    memories: frozenset[str] = ANYWHERE
    dtypes: frozenset[DType] | None = None
    scalar: bool = False
    many: bool = False
    how: Dependence | None = None


def _memories(memories: str | Iterable[str]) -> frozenset[str]:
    return frozenset({memories}) if isinstance(memories, str) else frozenset(memories)


def reads(memories: str | Iterable[str] = ON_CHIP, dtypes: Iterable[DType] | None = None, **more: Any) -> Operand:
    return Operand("read", _memories(memories), frozenset(dtypes) if dtypes else None, **more)


def writes(memories: str | Iterable[str] = ON_CHIP, dtypes: Iterable[DType] | None = None, **more: Any) -> Operand:
    return Operand("write", _memories(memories), frozenset(dtypes) if dtypes else None, **more)


def updates(memories: str | Iterable[str] = ON_CHIP, dtypes: Iterable[DType] | None = None, **more: Any) -> Operand:
    return Operand("update", _memories(memories), frozenset(dtypes) if dtypes else None, **more)


def accumulates(memories: str | Iterable[str] = PSUM, dtypes: Iterable[DType] | None = None, **more: Any) -> Operand:
    return Operand("accumulate", _memories(memories), frozenset(dtypes) if dtypes else None, **more)


@dataclass(frozen=True, slots=True)
class Limit:
    """A size requirement of one operation: `quantity` of `operand` (`free`, `partitions`, `rank`, `size` or an axis
    such as `shape[-1]`) compared by `relation` ("<=", ">=", "==", "multiple") with `bound` (a number, or the name of a
    target's attribute), reported under `code` (NKI102, NKI103, NKI105 or NKI109)."""

    code: str
    operand: str
    quantity: str
    relation: str
    bound: int | str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """Shape and dtype that an operation gives.

    In Beta 1 it becomes a new tile in `memory`; in 0.x it is what `dst` has to look like.
    `exact` False means that `dst` may have any shape with the same partitions and number of elements.
    `blocks` counts the dimensions before the partition dimension, where a creation of Beta 1 has some.
    """

    shape: tuple[Any, ...]
    dtype: Any
    memory: str = SBUF
    exact: bool = True
    blocks: int = 0


@dataclass(frozen=True)
class Operation:
    """One operation of the API; `name` is without dialect: `isa.nc_matmul`, `language.load`.

    `since` is the first version that has it and `until` the first that has it no longer, `deprecated` the first that
    discourages it; see `versions` for how both dialects are written into one string. `unsupported` gives, by dialect,
    why a call fails although the name exists. `nki_operands` replaces operands that 0.x restricts differently.
    `implicit` names the tensor that Beta 1 makes on the way, if any.
    `depends` says how what is written depends on operands that do not say it themselves; what a call does that its
    operands alone do not tell is a function of the call.
    """

    name: str
    beta1: Signature | None
    nki: Signature | None
    operands: Mapping[str, Operand]
    result: Callable[[Call], Any] | None
    kind: str = "compute"
    engines: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()
    implicit: Callable[[Call], str | None] | None = None
    since: str = ""
    until: str = ""
    targets: tuple[str, ...] = ()
    page: str = ""
    parameter_versions: Mapping[str, str] = field(default_factory=dict)
    deprecated: str = ""
    unsupported: Mapping[str, str] = field(default_factory=dict)
    nki_operands: Mapping[str, Operand] = field(default_factory=dict)
    depends: Dependence | Effects | Callable[[Call], Effects] | None = None

    def __post_init__(self) -> None:
        operands = {**self.operands, **self.nki_operands}.values()
        silent = any(o.role == "read" and o.how is None for o in operands)
        told = all(o.how is not None for o in operands if o.role != "read") and any(o.role != "read" for o in operands)
        if self.kind in MOVING and self.depends is None and silent and not told:
            raise ValueError(f"operation {self.name} does not say what its result depends on")

    def effects(self, call: Call) -> Effects:
        """What one call reads and writes; `IsUnknown` where that hangs on arguments that are not known. The call's
        result has been computed."""
        if isinstance(self.depends, Effects):
            return self.depends
        if self.depends is None or isinstance(self.depends, Dependence):
            return usual_effects(call, self.depends or ALIGNED)
        return self.depends(call)

    @cached_property
    def leaf(self) -> str:
        return self.name.rpartition(".")[2]

    def operands_in(self, dialect: str) -> Mapping[str, Operand]:
        return {**self.operands, **self.nki_operands} if dialect == NKI and self.nki_operands else self.operands

    def signature(self, dialect: str) -> Signature | None:
        return self.beta1 if dialect == BETA1 else self.nki


class Call:
    """One call of an operation with its arguments bound; `call.data` is the argument named `data`."""

    __slots__ = ("arguments", "dialect", "given", "operation", "result", "target", "version")

    def __init__(
        self,
        operation: Operation,
        dialect: str,
        target: Target,
        arguments: Mapping[str, Any],
        given: Iterable[str] = (),
        version: str = "",
    ) -> None:
        self.operation, self.dialect, self.target, self.version = operation, dialect, target, version
        self.arguments = arguments
        self.given = frozenset(given)  # names the caller wrote out
        self.result: Result | None = None

    def __getattr__(self, name: str) -> Any:
        try:
            return self.arguments[name]
        except KeyError:
            raise AttributeError(name) from None

    def get(self, name: str, default: Any = None) -> Any:
        return self.arguments.get(name, default)

    def tiles(self) -> Iterator[tuple[str, Operand, Tile]]:
        """Operands that are tensors, with their names and roles; lists of tensors one by one."""
        for name, operand in self.operation.operands_in(self.dialect).items():
            value = self.arguments.get(name)
            if isinstance(value, Tile):
                yield name, operand, value
            elif operand.many and isinstance(value, (list, tuple)):
                for index, item in enumerate(value):
                    if isinstance(item, Tile):
                        yield f"{name}[{index}]", operand, item

    def dtype_or(self, default: Any) -> Any:
        """The `dtype` argument where given, else `default`."""
        dtype = self.arguments.get("dtype")
        return default if dtype is None else dtype


def usual_effects(call: Call, otherwise: Dependence = ALIGNED) -> Effects:
    """What the roles of the operands say: whatever is written is written whole, and depends on all that is read, as
    the operands say, else as `otherwise`."""
    operands = call.operation.operands_in(call.dialect)
    given = {name: operand for name, operand in operands.items() if call.get(name) is not None}
    read = {name: operand for name, operand in given.items() if operand.role == "read"}
    writes = {}
    for name, operand in given.items():
        if operand.role != "read":
            sources = {source: operand.how or o.how or otherwise for source, o in read.items()}
            writes[name] = Written(sources if operand.role == "write" else {**sources, name: ALIGNED})
    makes = call.operation.kind == "create" or call.operation.kind in MOVING
    if makes and isinstance(call.result, Result) and "dst" not in given:
        writes[RESULT] = Written({source: o.how or otherwise for source, o in read.items()})
    return Effects(frozenset(read) | {n for n, w in writes.items() if n in w.sources}, writes)


OPERATIONS: dict[str, Operation] = {}
MOVING = frozenset({"compute", "dma", "matmul", "collective"})
"""Kinds of operations that put data somewhere, which hang on what they read."""


def operation(
    name: str,
    *,
    beta1: str | None = None,
    nki: str | None = None,
    kind: str = "compute",
    engines: str | Sequence[str] = (),
    limits: Sequence[Limit] = (),
    implicit: Callable[[Call], str | None] | None = None,
    since: str = "",
    until: str = "",
    targets: Sequence[str] = (),
    page: str = "",
    parameter_versions: Mapping[str, str] | None = None,
    deprecated: str = "",
    unsupported: Mapping[str, str] | None = None,
    nki_operands: Mapping[str, Operand] | None = None,
    depends: Dependence | Effects | Callable[[Call], Effects] | None = None,
    **operands: Operand,
) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    """Define an operation; the decorated function maps a `Call` to its `Result` (or a tuple of them, or None)."""

    def define(result: Callable[[Call], Any]) -> Callable[[Call], Any]:
        if name in OPERATIONS:
            raise ValueError(f"operation {name} is defined twice")
        OPERATIONS[name] = Operation(
            name=name,
            beta1=None if beta1 is None else Signature(beta1),
            nki=None if nki is None else Signature(nki),
            operands=operands,
            result=result,
            kind=kind,
            engines=(engines,) if isinstance(engines, str) else tuple(engines),
            limits=tuple(limits),
            implicit=implicit,
            since=since,
            until=until,
            targets=tuple(targets),
            page=page,
            parameter_versions=parameter_versions or {},
            deprecated=deprecated,
            unsupported=unsupported or {},
            nki_operands=nki_operands or {},
            depends=depends,
        )
        return result

    return define
