"""The form of an operation's definition, and of a call to one.

An operation is defined once: its signature in each dialect, what each operand is for, and a function that gives
the shape and dtype of the result. The verifier and the simulator bind calls to the same definitions and check the
same rules on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property
from typing import Any

from ..words.conditions import IsUnknown, Unknown
from ..words.dialects import BETA1, NKI
from ..words.dtypes import DType
from ..words.memory import ANYWHERE, HBM, ON_CHIP, PSUM, SBUF
from ..words.names import Named
from ..words.records import dataclass
from ..words.targets import Target
from ..words.tiles import Tile
from ..words.versions import LATEST, bound_in, version_key
from .effects import ALIGNED, NOTHING, RESULT, Dependence, Effects, Written
from .engine_registers import command_of, is_undefined, nowhere
from .requires import Requires
from .signatures import Era, Signature


@dataclass(frozen=True, slots=True)
class Operand:
    """What an operation does with one of its tensors.

    `role` is "read", "write", "accumulate" (adds to what is there) or "update" (reads, then writes).
    `scalar` says that a Python number may stand in its place; `many` that it is a list of tensors. `how` says which of
    its elements one that the operation writes depends on; of an operand that is written, which of all that is read.
    `earlier` is a version of 0.x with the memories that it could be in before that.
    """

    role: str
    memories: frozenset[str] = ANYWHERE
    dtypes: frozenset[DType] | None = None
    scalar: bool = False
    many: bool = False
    how: Dependence | None = None
    earlier: tuple[str, frozenset[str]] | None = None

    def memories_in(self, dialect: str, version: str) -> frozenset[str]:
        """Where it may be in a version, the newest one where none is named."""
        at = bound_in(version, dialect) if self.earlier is not None and dialect == NKI else ""
        if self.earlier is None or not at or version_key(at) >= version_key(self.earlier[0]):
            return self.memories
        return self.earlier[1]


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

    def __post_init__(self) -> None:
        for size in self.shape:
            if size is None or isinstance(size, str):
                raise IsUnknown("a size that is no number")


NO_REQUIREMENT = Requires()


@dataclass(frozen=True)
class Operation:
    """One operation of the API; `name` is without dialect: `isa.nc_matmul`, `language.load`.

    `since` is the first version that has it and `until` the first that has it no longer, `deprecated` the first that
    discourages it; see `versions` for how both dialects are written into one string. `unsupported` gives, by dialect,
    why a call fails although the name exists. `nki_operands` replaces operands that 0.x restricts differently.
    `implicit` names the tensor that Beta 1 makes on the way, if any.
    An `ordered` one has a place in the order of all of them, for random numbers, say, or for what it prints. One that
    goes `by_rows` takes indices from a tile along the partitions of what it moves, or one for a block.
    `depends` says how what is written depends on operands that do not say it themselves; what a call does that its
    operands alone do not tell is a function of the call. `requires` is what it asks of its operands, with what one
    dialect asks otherwise; `requirements` (`particular.Requirement`) are sentences of its own. `history` are the
    signatures that it had in earlier versions.
    """

    name: str
    beta1: Signature | None
    nki: Signature | None
    operands: Mapping[str, Operand]
    result: Callable[[Call], Any] | None
    kind: str = "compute"
    engines: tuple[str, ...] = ()
    limits: Sequence[Limit] = ()
    implicit: Callable[[Call], str | None] | None = None
    since: str = ""
    until: str = ""
    targets: Sequence[str] = ()
    page: str = ""
    parameter_versions: Mapping[str, str] = field(default_factory=dict)
    deprecated: str = ""
    unsupported: Mapping[str, str] = field(default_factory=dict)
    nki_operands: Mapping[str, Operand] = field(default_factory=dict)
    depends: Dependence | Effects | Callable[[Call], Effects] | None = None
    ordered: bool = False
    by_rows: bool = False
    requires: Requires = NO_REQUIREMENT
    beta1_requires: Requires | None = None
    nki_requires: Requires | None = None
    requirements: Sequence[Any] = ()
    history: Sequence[Era] = ()

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
            effects = self.depends
        elif self.depends is None or isinstance(self.depends, Dependence):
            effects = usual_effects(call, self.depends or ALIGNED)
        else:
            effects = self.depends(call)
        if is_undefined(self.leaf, command_of(self.leaf, call.arguments, call.dialect, call.version)):
            effects = effects.changed("reduce_res", sources={}, partitions=nowhere)
        return replace(effects, ordered=True) if self.ordered or _leaves_registers(call) else effects

    @cached_property
    def fills(self) -> bool:
        """Whether a tensor that it creates holds something."""
        return self.kind == "create" and self.depends is not NOTHING

    @cached_property
    def constant(self) -> bool:
        """Whether it creates a tensor that the compiler knows the content of."""
        return self.kind == "create" and self.leaf.startswith("shared_")

    @cached_property
    def stores(self) -> bool:
        """Whether it writes to HBM, or to wherever it is told."""
        elsewhere = any(o.role != "read" and o.memories == {HBM} for o in self.operands.values())
        return elsewhere or self.kind in ("dma", "collective")

    @cached_property
    def by_dma(self) -> bool:
        """Whether a DMA moves its data, to wherever these go."""
        return self.kind == "dma" or "dma" in self.engines

    @cached_property
    def leaf(self) -> str:
        return self.name.rpartition(".")[2]

    def operands_in(self, dialect: str) -> Mapping[str, Operand]:
        return {**self.operands, **self.nki_operands} if dialect == NKI and self.nki_operands else self.operands

    @cached_property
    def _required(self) -> Mapping[str, Requires]:
        return {BETA1: self.requires.but(self.beta1_requires), NKI: self.requires.but(self.nki_requires)}

    def required(self, dialect: str) -> Requires:
        """What it requires of its operands in one dialect."""
        return self._required[dialect]

    def signature_at(self, dialect: str, version: str = "") -> Signature | None:
        """Its signature in one version of a dialect, the newest where none is named."""
        at = version_key(version or LATEST[dialect])
        for era in self.history:
            if era.dialect == dialect and version_key(era.since) <= at < version_key(era.until):
                return Signature(era.text)
        return self.signature(dialect)

    def signature(self, dialect: str) -> Signature | None:
        return self.beta1 if dialect == BETA1 else self.nki


_UNASKED = "?"  # no name of an operand


class Call:
    """One call of an operation with its arguments bound; `call.data` is the argument named `data`."""

    __slots__ = ("_misplaced", "arguments", "dialect", "given", "operation", "result", "target", "version")

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
        self._misplaced: str | None = _UNASKED

    def __getattr__(self, name: str) -> Any:
        try:
            return self.arguments[name]
        except KeyError:
            raise AttributeError(name) from None

    def before(self, version: str) -> bool:
        """Whether the call is judged for an earlier version of 0.x."""
        at = bound_in(self.version, NKI) if self.dialect == NKI else ""
        return bool(at) and version_key(at) < version_key(version)

    @property
    def required(self) -> Requires:
        """What the operation requires of its operands in the call's dialect."""
        return self.operation.required(self.dialect)

    @property
    def misplaced(self) -> str | None:
        """The first operand that has to be a tensor and is something else."""
        if self._misplaced is _UNASKED:
            self._misplaced = next(self._misplacements(), None)
        return self._misplaced

    def _misplacements(self) -> Iterator[str]:
        for name, operand in self.operation.operands.items():
            value = self.arguments.get(name)
            if isinstance(value, (Tile, Unknown)) or operand.scalar or operand.many:
                continue
            if not (value is None and self._may_be_none(name)):
                yield name

    def _may_be_none(self, name: str) -> bool:
        """Whether an operand may be left out, or is none of this dialect."""
        signature = self.operation.signature(self.dialect)
        return signature is None or name not in signature.names or signature.defaults.get(name, name) is None

    def no_tensors(self) -> Iterator[tuple[str, Operand, Any]]:
        """Operands that are certainly no tensors, nor numbers where these may stand, with what they are."""
        for name, operand in self.operation.operands_in(self.dialect).items():
            if name not in self.arguments or operand.many:
                continue
            value = self.arguments[name]
            nothing = value is None and not self._may_be_none(name)
            if (
                nothing
                or isinstance(value, (str, tuple, list))
                or (type(value) in (int, float, bool) and not operand.scalar)
            ):
                yield name, operand, value

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


def _leaves_registers(call: Call) -> bool:
    """Whether an engine's accumulator registers bring something into the call, or take something on."""
    command = call.get("reduce_cmd")
    if command is None or not isinstance(command, Named):
        return command is not None
    word, read_out = command.leaf, call.get("reduce_res") is not None
    return not read_out if word in ("reset_reduce", "load_reduce") else word != "idle" or read_out


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


FIELDS = frozenset(field.name for field in fields(Operation)) - {"name", "operands", "result"}
"""What a definition may say besides its operands."""


def operation(
    name: str, *, beta1: str | None = None, nki: str | None = None, engines: str | Sequence[str] = (), **said: Any
) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    """Define an operation, by the fields of `Operation` and its operands; the decorated function maps a `Call` to its
    `Result` (or a tuple of them, or None)."""
    operands = {key: value for key, value in said.items() if key not in FIELDS}
    stray = [key for key, value in operands.items() if not isinstance(value, Operand)]
    if stray:
        raise TypeError(f"operation {name}: {', '.join(stray)} is neither a field nor an operand")

    def define(result: Callable[[Call], Any]) -> Callable[[Call], Any]:
        if name in OPERATIONS:
            raise ValueError(f"operation {name} is defined twice")
        OPERATIONS[name] = Operation(
            name=name,
            beta1=None if beta1 is None else Signature(beta1),
            nki=None if nki is None else Signature(nki),
            operands=operands,
            result=result,
            engines=(engines,) if isinstance(engines, str) else tuple(engines),
            **{key: value for key, value in said.items() if key in FIELDS and value is not None},
        )
        return result

    return define
