"""Operations with their numerics, and what the rulebook says of a call before it runs: its result, what it breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

import numpy as np

from nkilint_rules.dataflow.repeated_seed import RepeatedSeed
from nkilint_rules.limits.partition_not_first import PartitionNotFirst
from nkilint_rules.misfits import misfit
from nkilint_rules.operands.operand_form import OperandForm
from nkilint_rules.operations.effects import NOTHING, SOME, Effects
from nkilint_rules.operations.engine_registers import takes
from nkilint_rules.operations.form import Call, Operation, Result, usual_effects
from nkilint_rules.operations.signatures import SignatureError
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import TFLOAT32, DType
from nkilint_rules.words.memory import HBM, PSUM, SBUF
from nkilint_rules.words.shapes import block_rank, on_chip_shape
from reference_sim.machine.dtypes import stored_type
from reference_sim.machine.frameworks import kind_of
from reference_sim.machine.program import Program
from reference_sim.machine.sizes import shape_of
from reference_sim.report.wording import complain, name_of, require
from reference_sim.tensors.access import DynamicAccess
from reference_sim.tensors.tensor import Tensor

from . import checks
from .rulebook import in_words, signature_of

Shape = tuple[int, ...]

_CACHE_LIMIT = 8192
_NO_OPERANDS = (list, tuple, dict, set)
_PLAIN = frozenset({int, float, str, bool, type(None), FunctionType, np.ufunc, type})


@dataclass(frozen=True, slots=True)
class TilePlan:
    """The tile that a call makes: its type, memory and shape, and the numpy type that holds it.

    `as_is` says that values of this numpy type are kept as they are.
    """

    element: DType
    memory: str
    shape: Shape
    stored: np.dtype[Any]
    as_is: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known of calls with the same types, shapes and plain arguments."""

    names: tuple[str, ...] | None
    result: Any
    tile: TilePlan | None
    findings: tuple[Any, ...] = ()
    implicit: str | None = None  # the tensor that the operation makes on the way, if any
    opaque: bool = False  # whether its result hangs on more than its operands
    effects: Effects = NOTHING
    partial: bool = False  # whether only some partitions of an operand are written
    reads: tuple[tuple[str, str], ...] = ()  # what is read, tensors and lists of some: the names and roles
    events: tuple[str, ...] = ()  # that it is besides its reads and writes


class Misfit(TypeError):
    """Arguments that do not fit the signature of an operation, which has been reported."""


class Entry:
    """An operation in one dialect with its numerics."""

    __slots__ = (
        "defaults", "dialect", "effect", "implementation", "is_matmul", "name", "operation", "plans", "roles",
        "signature", "targets", "unused_is_wrong",
    )  # fmt: skip

    def __init__(self, operation: Operation, dialect: str, implementation: Callable[[Any], Any], effect: bool) -> None:
        signature = operation.signature(dialect)
        assert signature is not None
        self.operation, self.dialect, self.name = operation, dialect, operation.name
        self.signature, self.implementation, self.effect = signature, implementation, effect
        self.defaults = dict(signature.defaults)
        self.plans: dict[Any, Plan] = {}
        self.roles = tuple((name, o.role, o.many) for name, o in operation.operands_in(dialect).items())
        self.targets = tuple(name for name, role, _ in self.roles if role != "read")
        self.is_matmul = operation.kind == "matmul"
        self.unused_is_wrong = dialect == BETA1 and not effect

    def planned(self, args: Sequence[Any], kwargs: Mapping[str, Any], current: Program) -> tuple[Plan, dict[str, Any]]:
        """The plan of a call and its arguments by name."""
        key: Any = [current.key, *kwargs]
        for value in (*args, *kwargs.values()) if kwargs else args:
            kind = type(value)
            if kind is Tensor:
                key.append(value.signature())
            elif kind in _PLAIN:
                key.append(kind)
                key.append(value)
            else:
                key.append(signature_of(value))
        key = tuple(key)
        plan = self.plans.get(key)
        if plan is None:
            if len(self.plans) > _CACHE_LIMIT:
                self.plans.clear()
            plan = self.plans[key] = self._plan(args, kwargs, current)
        if plan.findings:
            for found in plan.findings:
                checks.complain(found)
        if plan.names is None:
            return plan, self.bind(args, kwargs)
        if not args:
            return plan, {**self.defaults, **kwargs}
        arguments = self.defaults.copy()
        for name, value in zip(plan.names, args):  # noqa: B905 (to be strict takes longer than all else here)
            arguments[name] = value
        if kwargs:
            arguments.update(kwargs)
        return plan, arguments

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Values by parameter name, defaults filled in."""
        try:
            return self.signature.bind(args, kwargs)
        except SignatureError as error:
            raise self._misfit(error) from None

    def _misfit(self, error: SignatureError) -> Exception:
        complain(misfit(self.operation, error))
        return Misfit(f"{self.operation.leaf} {error}")

    def _plan(self, args: Sequence[Any], kwargs: Mapping[str, Any], current: Program) -> Plan:
        __tracebackhide__ = True
        arguments = self.bind(args, kwargs)
        self._of_the_kernel(arguments)
        if arguments.get("shape") is not None or "shape" in self.signature.positional[:1]:
            shape_of(arguments.get("shape"))
        positional = self.signature.positional
        names = positional[: len(args)] if len(args) <= len(positional) else None
        words = {name: in_words(value) for name, value in arguments.items()}
        given = [*positional[: len(args)], *kwargs]
        call = Call(self.operation, self.dialect, current.launch.target, words, given)
        self._tensors_given(call, current)
        try:
            call.result = self.operation.result(call) if self.operation.result else None
        except IsUnknown:
            call.result = None
        if isinstance(call.result, Result) and any(isinstance(size, Unknown) for size in call.result.shape):
            call.result = None  # the rulebook says what is wrong with the arguments
        if isinstance(call.result, Result) and "shape" in arguments:
            call.result = replace(call.result, blocks=block_rank(arguments["shape"]))
        if current.checks and current.dialect == BETA1:
            self._partition_first(arguments)
        broken = tuple(checks.violations(call)) if current.checks else ()
        implicit = self._implicit(call) if current.checks and current.dialect == BETA1 else None
        tile = self._tile(call.result, arguments, current)
        effects = self._effects(call)
        partial = any(written.partitions is not None for written in effects.writes.values())
        reads = tuple(
            (n, effects.role(n, role))
            for n, role, many in self.roles
            if n in effects.reads and isinstance(arguments.get(n), (Tensor, list, tuple) if many else Tensor)
        )
        return Plan(
            names, call.result, tile, broken, implicit, self._opaque(arguments, effects), effects, partial, reads,
            tuple(self._events(arguments, implicit)),
        )  # fmt: skip

    def _events(self, arguments: Mapping[str, Any], implicit: str | None) -> Iterator[str]:
        """What listeners are told of it besides its reads and writes."""
        if self.name in RepeatedSeed.seeds or self.name in RepeatedSeed.draws:
            yield "randomness"
        if any(isinstance(v, Tensor) and type(v.access) is DynamicAccess for v in arguments.values()):
            yield "indexes"
        if implicit is not None:
            yield "makes"

    def _effects(self, call: Call) -> Effects:
        """What the call does, as far as that is documented."""
        try:
            return self.operation.effects(call)
        except IsUnknown:
            return usual_effects(call, SOME)

    def _of_the_kernel(self, arguments: Mapping[str, Any]) -> None:
        """Operands are tensors of the kernel, and some may be numbers: the device knows neither the host's arrays nor
        what Python puts together."""
        __tracebackhide__ = True
        for name, operand in self.operation.operands_in(self.dialect).items():
            given = arguments.get(name)
            for value in given if operand.many and isinstance(given, (list, tuple)) else (given,):
                if kind_of(value) and np.ndim(value):
                    problem = f"an array of the host, which goes to a kernel as its argument ({type(value).__name__})"
                elif isinstance(value, _NO_OPERANDS):
                    problem = f"a {type(value).__name__}"
                else:
                    continue
                wanted = "a tensor or a number" if operand.scalar else "a tensor"
                raise TypeError(f"`{self.operation.leaf}` takes {wanted} as `{name}`, not {problem}")

    def _tensors_given(self, call: Call, current: Program) -> None:
        """What stands where a tensor has to be and is none, nor a number that may be there, ends the run."""
        __tracebackhide__ = True
        needs = list(OperandForm().check_tensors(call))
        for need in needs if current.checks else ():
            require(need)
        if needs:
            raise TypeError(needs[0].message.text())

    def _opaque(self, arguments: Mapping[str, Any], effects: Effects) -> bool:
        """Whether registers, an engine's or the sequencer's, or another core have part in the result."""
        command = getattr(arguments.get("reduce_cmd"), "name", "reset_reduce").rpartition(".")[2]
        taken = takes(self.operation.leaf, command, arguments.get("reduce_res") is not None)
        registers = command == "reduce" or taken or any(map(_in_register, arguments.values()))
        masked = isinstance(arguments.get("mask"), Tensor)
        return registers or masked or effects.synchronises or self.operation.kind == "collective"

    def _implicit(self, call: Call) -> str | None:
        try:
            return None if self.operation.implicit is None else self.operation.implicit(call)
        except IsUnknown:
            return None

    def _partition_first(self, arguments: Mapping[str, Any]) -> None:
        """A tile that an operation takes has no block dimensions left."""
        if self.operation.kind not in ("compute", "matmul", "dma"):
            return
        for name, _, _ in self.roles:
            value = arguments.get(name)
            if isinstance(value, Tensor) and value.blocks and value.storage.memory != HBM:
                leaf, tensor = self.operation.leaf, name_of(value.storage)
                complain(PartitionNotFirst.message(tensor=tensor, axis=value.blocks, operation=leaf))

    def _tile(self, result: Any, arguments: Mapping[str, Any], current: Program) -> TilePlan | None:
        if not isinstance(result, Result) or not isinstance(result.dtype, DType):
            return None
        if self.name == "language.divide" and arguments.get("dtype") is None and not result.dtype.is_float:
            return (
                None  # the quotient of integers is float32, which AWS's kernels rely on when they round it themselves
            )
        memory = result.memory if result.memory in (SBUF, PSUM) else SBUF
        if self.name == "isa.nc_transpose" and "buffer" not in arguments:
            memory = SBUF  # AWS's attention kernel feeds it to a matmul as it is
        shape = on_chip_shape(tuple(int(size) for size in result.shape))
        as_is = not result.dtype.is_integer and result.dtype is not TFLOAT32
        return TilePlan(result.dtype, memory, shape, stored_type(result.dtype, current.precise), as_is)


def _in_register(value: Any) -> bool:
    return hasattr(value, "register_value")
