"""Kernel decorators, launch grids, and calls of kernels from host code."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym, is_one
from nkilint_rules.language.nested_grid import NestedGrid
from nkilint_rules.parallel.grid_degree import GridDegree
from nkilint_rules.rule import Need
from nkilint_rules.words.conditions import IsUnknown, Unknown, product
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.targets import Target

from ..device.api import launching
from ..python.library.registry import ANY, models
from ..state import protocols
from ..state.machine import Machine
from ..state.protocols import Args, Keywords
from ..values.cells import MISSING
from ..values.choices import as_one
from ..values.containers import ListValue
from ..values.host import HostArray
from ..values.objects import Api, External, FunctionValue, KernelValue, Native, RankGroups

DECORATORS = frozenset({"jit", "trace", "baremetal", "benchmark", "profile"})


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """A call of a kernel from host code."""

    function: FunctionValue
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    grid: tuple[Any, ...]
    at: Span


@dataclass(frozen=True, slots=True, eq=False)
class Launcher:
    """A kernel with its launch grid: `kernel[4, 2]`."""

    function: FunctionValue
    grid: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class GridSize:
    """`nl.nc(2)` or `nl.spmd_dim(2, 4)` in a launch grid."""

    size: Any


def grid_need(dialect: str, launch: Launch, target: Target) -> Need | None:
    """The target has a core for each program of a launch; None where nothing is asked, or the grid is not known."""
    sizes = [size for size in launch.grid if isinstance(size, (int, Sym))]
    known = dialect != BETA1 and len(sizes) == len(launch.grid)
    return GridDegree().check_grid(sizes, target) if known else None


def check_grid(machine: Machine, launch: Launch) -> None:
    """A launch asks for no more programs than there are cores."""
    need = grid_need(machine.dialect, launch, machine.target)
    if need is not None:
        machine.need(need.message, need.condition, launch.at)


@launching("launch", "type")
def _call_launcher(
    machine: Machine, function: Api, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None
) -> Any:
    """A decorator, a way to run a kernel, or a part of a launch grid."""
    leaf = function.name.rpartition(".")[2]
    if leaf in DECORATORS:
        return _decorate(function, args, kwargs)
    if leaf == "simulate_kernel" and args:
        return call_value_as_kernel(machine, args[0], args[1:], kwargs, node)
    if leaf == "simulate" and args:
        return as_kernel(args[0], {"kind": "simulate"})
    if function.name.startswith("compiler.") and args:
        return args[0]
    if function.name.startswith("compiler."):
        return Native("decorator", lambda machine, args, kwargs: args[0])
    if leaf in ("nc", "spmd_dim"):
        sizes = [a.size if isinstance(a, GridSize) else a for a in args]
        known = all(isinstance(size, (int, Sym)) for size in sizes)
        return GridSize(product(sizes)) if known else Unknown(f"`{leaf}` of something that is no size")
    if leaf == "ReplicaGroup":
        return _rank_groups(function.name, args[0] if len(args) == 1 and not kwargs else None)
    return Unknown(f"`{function.name}(...)`")


def _rank_groups(name: str, given: Any) -> External:
    """Groups of ranks; where it is not known how many there are, all that is known is what they are."""
    try:
        lists = given.items if isinstance(given, ListValue) else given
        groups = tuple(_ranks(ranks) for ranks in lists) if isinstance(lists, tuple) else ()
    except IsUnknown:
        groups = ()
    return RankGroups(f"{name}({groups})", groups) if groups else External(f"{name}(...)")


def _ranks(ranks: Any) -> tuple[Any, tuple[int, ...]]:
    if not isinstance(ranks, (ListValue, tuple)):
        raise IsUnknown("a group that is no list")
    length = len(ranks) if isinstance(ranks, tuple) else ranks.length
    if not isinstance(length, (int, Sym)):
        raise IsUnknown("a group of a size that is not known")
    known = ranks if isinstance(ranks, tuple) else ranks.items if isinstance(length, int) else ()
    return length, tuple(rank for rank in known if type(rank) is int)


def _decorate(function: Api, args: list[Any], kwargs: dict[str, Any]) -> Any:
    details = {
        "kind": function.name,
        "dialect": function.dialect,
        **{k: v for k, v in kwargs.items() if k not in ("func", "kernel", "fn")},
    }
    subject = args[0] if args else kwargs.get("func", kwargs.get("kernel", kwargs.get("fn")))
    if subject is None:
        return Native("decorator", lambda machine, a, k: as_kernel(a[0], details))
    return as_kernel(subject, details)


@models("torch_neuronx.nki_jit", "torch_neuronx.xla_impl.ops.nki_jit", keywords=ANY)
def _decorate_for_torch(_: Machine, args: Args, kwargs: Keywords) -> Any:
    """The decorator of PyTorch's bridge, for kernels that are given their outputs."""
    return _decorate(Api(BETA1, "jit"), list(args), dict(kwargs))


def as_kernel(value: Any, details: dict[str, Any]) -> Any:
    """The function, made a kernel."""
    if isinstance(value, Launcher):
        return Launcher(as_kernel(value.function, details), value.grid)
    if not isinstance(value, FunctionValue):
        return value
    return KernelValue(value.node, value.env, value.defaults, value.name, value.owner, details)


@protocols.subscripts.of(FunctionValue, Launcher)
def _with_grid(machine: Machine, value: Any, key: Any, node: ir.Index) -> Any:
    """`kernel[grid]`."""
    if isinstance(key, Unknown):
        return key
    parts = key.items if isinstance(key, ListValue) else key if isinstance(key, tuple) else (key,)
    sizes = tuple(p.size if isinstance(p, GridSize) else p for p in parts)
    function = value.function if isinstance(value, Launcher) else value
    return Launcher(function, sizes)


@protocols.calls.of(Launcher)
def _launch(
    machine: Machine, launcher: Launcher, args: Args, kwargs: Keywords, node: ir.Call | None, env: Any = None
) -> Any:
    args, kwargs = [as_one(value) for value in args], {name: as_one(value) for name, value in kwargs.items()}
    if machine.in_kernel:
        if machine.dialect == BETA1 and any(not is_one(s) for s in launcher.grid):
            machine.need(NestedGrid.message(kernel=launcher.function.name), False, node.at if node else machine.at)
        machine.trace.subkernels.add(machine.at)
        plain = FunctionValue(
            launcher.function.node, launcher.function.env, launcher.function.defaults, launcher.function.name
        )
        return protocols.call(machine, plain, args, kwargs, node)
    return _record(machine, launcher.function, args, kwargs, launcher.grid, node)


@protocols.calls.of(KernelValue)
def _call_kernel(
    machine: Machine, function: KernelValue, args: Args, kwargs: Keywords, node: ir.Call | None, env: Any
) -> Any:
    """A kernel called without a grid: part of the caller inside another kernel, a launch outside."""
    if machine.in_kernel:
        machine.trace.subkernels.add(machine.at)
        plain = FunctionValue(function.node, function.env, function.defaults, function.name, function.owner)
        return protocols.call(machine, plain, args, kwargs, node)
    return _record(machine, function, args, kwargs, (), node)


def call_value_as_kernel(
    machine: Machine, value: Any, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None
) -> Any:
    if isinstance(value, Launcher):
        return _launch(machine, value, args, kwargs, node)
    if isinstance(value, FunctionValue):
        return _record(machine, value, args, kwargs, (), node)
    return Unknown("a kernel that is not known")


def _record(
    machine: Machine,
    function: FunctionValue,
    args: list[Any],
    kwargs: dict[str, Any],
    grid: tuple[Any, ...],
    node: ir.Call | None,
) -> Any:
    at = node.at if node is not None else machine.at
    machine.launches.append(Launch(function, tuple(args), dict(kwargs), grid, at))
    return Unknown(f"what `{function.name}` returns")


def describe(value: Any) -> Any:
    """An argument of a launch as a report shows it."""
    if isinstance(value, HostArray):
        sizes = ", ".join(str(s) for s in value.shape)
        return f"{value.dtype if value.dtype is not None else '?'}[{sizes}]"
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Unknown):
        return "?"
    if isinstance(value, Sym):
        return str(value)
    if isinstance(value, (tuple, ListValue)):
        return [describe(v) for v in (value if isinstance(value, tuple) else value.items)]
    return getattr(value, "name", MISSING) if isinstance(getattr(value, "name", None), str) else "?"
