"""Names of `neuronxcc.nki` and `nki`: constants, and the operations whose meaning is the evaluator's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.base.registering import entered
from nkilint.symbolic.integers import Sym
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.operations import load_constants, load_operations, lookup
from nkilint_rules.operations.form import Call, Operation
from nkilint_rules.operations.language_constants import TargetAttribute
from nkilint_rules.operations.signatures import SignatureError
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.names import Named
from nkilint_rules.words.shapes import PartitionSize
from nkilint_rules.words.versions import bound_in

from ..state import protocols
from ..state.machine import Machine, Stop, explained
from ..state.trace import Outside
from ..values.axes import axis
from ..values.cells import MISSING
from ..values.dtypes import one_dtype
from ..values.grids import Grid, MeshGrid
from ..values.objects import Api, Environment
from . import binding, creation, operations
from .dtypes import enum_value
from .inputs import settled_number
from .versions import advise, check_available, check_enums, check_modules, check_order, is_current
from .whole_numbers import opened

NAMESPACES = frozenset(
    {"", "language", "isa", "compiler", "typing", "collectives", "compiler.sbuf", "compiler.psum", "language.tile_size"}
)


@protocols.attributes.of(Api)
def _attribute(machine: Machine, value: Api, name: str, node: ir.Attr) -> Any:
    """`nl.load`, `nl.tile_size.pmax`, `nisa.engine.vector`."""
    full = f"{value.name}.{name}" if value.name else name
    if full == "isa.constants":  # a module of its own, whose names are those of `isa`
        return Api(value.dialect, "isa")
    return resolve(machine, value.dialect, full, node)


def resolve(machine: Machine, dialect: str, full: str, node: ir.Expr | None) -> Any:
    """What a dotted name of the API stands for."""
    found = load_constants()[dialect].get(full, MISSING)
    if isinstance(found, TargetAttribute):
        if node is not None and dialect == NKI and is_current(found.deprecated, NKI, machine.version):
            advise(machine, full, full.rpartition(".")[2], bound_in(found.deprecated, NKI), node.at)
        return found.value(machine.target)
    if found is not MISSING:
        is_object = full == "language.mgrid" or (isinstance(found, Named) and _has_members(dialect, full))
        return Api(dialect, full) if is_object else found
    if full in NAMESPACES or lookup(dialect, full) is not None or _has_members(dialect, full):
        return Api(dialect, full)
    namespace, _, leaf = full.rpartition(".")
    module, _, enumeration = namespace.partition(".")
    documented = module in ("language", "isa") and (not enumeration or _has_members(dialect, namespace))
    if documented and not leaf.startswith("_") and node is not None and machine.in_kernel:
        other = NKI if dialect == BETA1 else BETA1
        elsewhere = lookup(other, full) is not None or full in load_constants()[other]
        said = UnknownApi.elsewhere(name=node.at, dialect=dialect) if elsewhere else UnknownApi.message(name=node.at)
        machine.need(said, False, node.at)
        return explained(f"`{full}` is not a documented name of {dialect}")
    if node is not None and machine.in_kernel and full.partition(".")[0] == "tensor":
        check_modules(machine, full.partition(".")[0], dialect, node.at)
    return Unknown(f"`{full}` is not a documented name of {dialect}")


_MEMBERS: dict[tuple[str, str], bool] = {}


def _has_members(dialect: str, full: str) -> bool:
    key = (dialect, full)
    if key not in _MEMBERS:
        prefix = full + "."
        _MEMBERS[key] = any(n.startswith(prefix) for n in load_constants()[dialect]) or any(
            n.startswith(prefix) and o.signature(dialect) is not None for n, o in load_operations().items()
        )
    return _MEMBERS[key]


def public_names(machine: Machine, source: Api) -> dict[str, Any]:
    """What a star import of an API module binds."""
    prefix = source.name + "." if source.name else ""
    names = {*load_constants()[source.dialect]}
    names |= {n for n, o in load_operations().items() if o.signature(source.dialect) is not None}
    leaves = {n[len(prefix) :].partition(".")[0] for n in names if n.startswith(prefix)}
    return {leaf: resolve(machine, source.dialect, prefix + leaf, None) for leaf in sorted(leaves)}


@protocols.attributes.of(Named)
def _attribute_of_named(machine: Machine, value: Named, name: str, node: ir.Attr) -> Any:
    if name == "value":
        number = enum_value(machine, value)
        return Unknown(f"`.value` of `{value.name}`") if number is None else number
    if name in ("name", "__name__"):
        return value.leaf
    return resolve(machine, machine.dialect, f"{value.name}.{name}", None)


@protocols.subscripts.of(Api)
def _subscript(machine: Machine, value: Api, key: Any, node: ir.Index) -> Any:
    if isinstance(key, Unknown):
        return key
    if value.name == "language.mgrid":
        return _mgrid(machine, key)
    return Unknown(f"`{value.name}[...]`")


def _mgrid(machine: Machine, key: Any) -> Any:
    parts = key if isinstance(key, tuple) else (key,)
    sizes, starts, steps = [], [], []
    for part in parts:
        if not isinstance(part, slice):
            return Unknown("`mgrid` takes slices")
        part = slice(*(settled_number(machine, p) for p in (part.start, part.stop, part.step)))
        start = 0 if part.start is None else part.start
        step = 1 if part.step is None else part.step
        if not isinstance(part.stop, (int, Sym)) or not isinstance(start, (int, Sym)):
            return Unknown("a size of `mgrid` that is not known")
        starts.append(start)
        steps.append(step)
        sizes.append(-((start - part.stop) // step))
    shape = tuple(sizes)
    rank = len(shape)
    grids = tuple(Grid(axis(rank - 1 - d, n) * steps[d] + starts[d], shape, mesh=True) for d, n in enumerate(shape))
    return MeshGrid(grids)


# --- calls ---

_Own = Callable[[Machine, Operation, dict[str, Any], Any, str], Any]
_Launching = Callable[[Machine, Api, list[Any], dict[str, Any], Any], Any]
_OWN: dict[str, _Own] = {}
_LAUNCHING: dict[str, _Launching] = {}


def own(*names: str) -> Callable[[_Own], _Own]:
    """Make the decorated function what calls of these operations do, in place of what the rulebook alone says."""
    return entered(_OWN, names)


def launching(*kinds: str) -> Callable[[_Launching], _Launching]:
    """Make the decorated function what calls of operations of these kinds do."""
    return entered(_LAUNCHING, kinds)


@protocols.calls.of(Api)
def _call(
    machine: Machine,
    function: Api,
    args: list[Any],
    kwargs: dict[str, Any],
    node: ir.Call | None,
    env: Environment | None,
) -> Any:
    at = node.at if node is not None else machine.at
    operation = lookup(function.dialect, function.name)
    if operation is None:
        return Unknown(f"`{function.name}` is not a documented operation")
    if machine.in_kernel:
        check_available(machine, operation, function.dialect, at)
    elif machine.host_only and operation.kind in _ON_DEVICE:
        raise Stop("it is no code of the host")
    handler = _OWN.get(function.name)
    if handler is None and operation.kind == "create":
        handler = _create
    if handler is None and operation.kind not in ("launch", "type"):
        if not machine.in_kernel and operation.kind in ("compute", "matmul", "dma"):
            return _outside(machine, function, at, node)
        return operations.call_operation(machine, function.dialect, function.name, args, kwargs, at, node)
    args, kwargs = [one_dtype(value) for value in args], {name: one_dtype(value) for name, value in kwargs.items()}
    if handler is None:
        return _LAUNCHING[operation.kind](machine, function, args, kwargs, node)
    signature = operation.signature(function.dialect)
    assert signature is not None
    if not check_order(machine, operation, function.dialect, args, kwargs, at):
        return binding.out_of_order(machine, operation, [*args, *kwargs.values()], at)
    try:
        bound = signature.bind(args, kwargs)
    except SignatureError as error:
        machine.need(CallSignature.message(callee=function.name.rpartition(".")[2], problem=str(error)), False, at)
        return explained(f"`{function.name}` {error}")
    return handler(machine, operation, bound, node, function.dialect)


_ON_DEVICE = frozenset(("create", "compute", "matmul", "dma"))


def _outside(machine: Machine, function: Api, at: ir.Span, node: ir.Call | None) -> Any:
    if node is not None:
        place = f"`{machine.functions[-1].name}`" if machine.functions else "the module's body"
        inside = {id(f) for f in machine.functions}
        machine.trace.outside.append(Outside(node.func.at, at, place, frozenset(inside)))
    return Unknown(f"`{function.name}` outside a kernel")


def _create(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    at = node.at if node is not None else machine.at
    if not machine.in_kernel:
        return _outside(machine, Api(dialect, operation.name), at, node)
    arguments = {k: binding.plain_argument(machine, v, operation.operands_in(dialect).get(k)) for k, v in bound.items()}
    arguments = opened(operation, dialect, arguments)
    binding.settle_dtype(arguments, bound)
    check_enums(machine, operation, dialect, bound, at)
    shape = arguments.get("shape")
    if isinstance(shape, PartitionSize):
        arguments["shape"] = (shape,)
    given = set(bound)
    call = Call(operation, dialect, machine.target, arguments, given, machine.version)
    return creation.create(machine, call, at, node)
