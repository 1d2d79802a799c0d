"""Names of `neuronxcc.nki` and `nki`: constants, and the operations whose meaning is the evaluator's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.symbolic.integers import Sym, sym
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.operations import load_operations, lookup
from nkilint_rules.operations.constants import CONSTANTS as ISA_CONSTANTS
from nkilint_rules.operations.constants import ENUM_VALUES
from nkilint_rules.operations.form import Call, Operation
from nkilint_rules.operations.language_constants import CONSTANTS as LANGUAGE_CONSTANTS
from nkilint_rules.operations.language_constants import TargetAttribute
from nkilint_rules.operations.signatures import SignatureError
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.names import Named
from nkilint_rules.words.versions import bound_in

from ..python import operators
from ..state.machine import Machine, explained
from ..state.trace import Outside
from ..values.tensors import Grid, MeshGrid, View, axis
from ..values.values import MISSING, Api, Environment, ListValue, RangeValue, Real, as_one
from . import binding, creation, operations
from .creation import Allocator, PartitionSize
from .inputs import settled_number
from .requirements import state_non_integer
from .versions import advise, check_available, check_enums, check_order, is_current

NAMESPACES = frozenset(
    {"", "language", "isa", "compiler", "typing", "collectives", "compiler.sbuf", "compiler.psum", "language.tile_size"}
)


def api_attribute(machine: Machine, value: Api, name: str, node: ir.Attr) -> Any:
    """`nl.load`, `nl.tile_size.pmax`, `nisa.engine.vector`."""
    full = f"{value.name}.{name}" if value.name else name
    return resolve(machine, value.dialect, full, node)


def resolve(machine: Machine, dialect: str, full: str, node: ir.Expr | None) -> Any:
    """What a dotted name of the API stands for."""
    for table in (LANGUAGE_CONSTANTS, ISA_CONSTANTS):
        found = table[dialect].get(full, MISSING)
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
    if namespace in ("language", "isa") and not leaf.startswith("_") and node is not None and machine.in_kernel:
        other = NKI if dialect == BETA1 else BETA1
        elsewhere = lookup(other, full) is not None or any(
            full in t[other] for t in (LANGUAGE_CONSTANTS, ISA_CONSTANTS)
        )
        said = UnknownApi.elsewhere(name=node.at, dialect=dialect) if elsewhere else UnknownApi.message(name=node.at)
        machine.need(said, False, node.at)
        return explained(f"`{full}` is not a documented name of {dialect}")
    return Unknown(f"`{full}` is not a documented name of {dialect}")


_MEMBERS: dict[tuple[str, str], bool] = {}


def _has_members(dialect: str, full: str) -> bool:
    key = (dialect, full)
    if key not in _MEMBERS:
        prefix = full + "."
        _MEMBERS[key] = any(
            n.startswith(prefix) for table in (LANGUAGE_CONSTANTS, ISA_CONSTANTS) for n in table[dialect]
        ) or any(n.startswith(prefix) and o.signature(dialect) is not None for n, o in load_operations().items())
    return _MEMBERS[key]


def public_names(machine: Machine, source: Api) -> dict[str, Any]:
    """What a star import of an API module binds."""
    prefix = source.name + "." if source.name else ""
    names = {n for table in (LANGUAGE_CONSTANTS, ISA_CONSTANTS) for n in table[source.dialect]}
    names |= {n for n, o in load_operations().items() if o.signature(source.dialect) is not None}
    leaves = {n[len(prefix) :].partition(".")[0] for n in names if n.startswith(prefix)}
    return {leaf: resolve(machine, source.dialect, prefix + leaf, None) for leaf in sorted(leaves)}


def named_attribute(machine: Machine, value: Named, name: str) -> Any:
    if name == "value":
        number = enum_value(machine, value)
        return Unknown(f"`.value` of `{value.name}`") if number is None else number
    if name in ("name", "__name__"):
        return value.leaf
    return resolve(machine, machine.dialect, f"{value.name}.{name}", None)


def enum_value(machine: Machine, value: Named) -> Any:
    return ENUM_VALUES[machine.dialect].get(value.name)


def api_subscript(machine: Machine, value: Api, key: Any, node: ir.Index) -> Any:
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


def call_api(
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
    own = _OWN.get(function.name)
    if own is None and operation.kind == "create":
        own = _create
    if own is None and operation.kind not in ("launch", "type"):
        if not machine.in_kernel and operation.kind in ("compute", "matmul", "dma"):
            return _outside(machine, function, at, node)
        return operations.call_operation(machine, function.dialect, function.name, args, kwargs, at, node)
    args, kwargs = [as_one(value) for value in args], {name: as_one(value) for name, value in kwargs.items()}
    if own is None:
        from ..kernels.launch import call_launcher

        return call_launcher(machine, function, args, kwargs, node)
    signature = operation.signature(function.dialect)
    assert signature is not None
    if not check_order(machine, operation, function.dialect, args, kwargs, at):
        return binding.out_of_order(machine, operation, [*args, *kwargs.values()], at)
    try:
        bound = signature.bind(args, kwargs)
    except SignatureError as error:
        machine.need(CallSignature.message(callee=function.name.rpartition(".")[2], problem=str(error)), False, at)
        return explained(f"`{function.name}` {error}")
    return own(machine, operation, bound, node, function.dialect)


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
    binding.settle_dtype(arguments, bound)
    check_enums(machine, operation, dialect, bound, at)
    shape = arguments.get("shape")
    if isinstance(shape, PartitionSize):
        arguments["shape"] = (shape,)
    given = set(bound)
    call = Call(operation, dialect, machine.target, arguments, given, machine.version)
    return creation.create(machine, call, at, node)


def _range(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    if "args" in bound:
        values = list(bound["args"])
    else:
        stop = bound["stop"]
        values = [bound["start"]] if stop is None else [bound["start"], stop, bound["step"]]
    # Undocumented: the order is the one that is written, and AWS's pipelined attention carries values along in it.
    kind = "sequential_range" if bound.get("precise_schedule") is True else operation.leaf
    return make_range(machine, kind, values, node)


def make_range(machine: Machine, kind: str, values: list[Any], node: ir.Call | None) -> Any:
    """A range of `kind` over the arguments of Python's `range`."""
    at = node.args[0][1].at if node is not None and node.args else machine.at
    numbers: list[Any] = []
    for value in values:
        value = operators.member_number(settled_number(machine, value))
        if isinstance(value, Unknown):
            return value
        if isinstance(value, View):
            return Unknown("a trip count that only the device knows")
        if not isinstance(value, (int, Sym)):
            text = repr(value) if isinstance(value, float) else ""
            state_non_integer(machine, at, _type_name(value), "a trip count", text)
            return explained("a trip count that is no integer")
        numbers.append(value)
    if not numbers:
        return Unknown("a range without bounds")
    start, stop, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    return RangeValue(start, stop, step, kind)


def _type_name(value: Any) -> str:
    return "float" if isinstance(value, (float, Real)) else type(value).__name__


def _arange(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    values = make_range(machine, "arange", list(bound.get("args", ())), node)
    if isinstance(values, Unknown):
        return values
    size = values.trips
    if isinstance(size, Unknown):
        return size
    return Grid(axis(0, size) * values.step + values.start, (size,))


def _ds(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    start, size = settled_number(machine, bound["start"]), settled_number(machine, bound["size"])
    for value in (start, size):
        if isinstance(value, Unknown):
            return value
        if not isinstance(value, (int, Sym)):
            return Unknown("a bound of `ds` that is no integer")
    return slice(start, start + size, None)


def _par_dim(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    return PartitionSize(settled_number(machine, bound["size"]))


def _program_id(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    where = bound["axis"]
    if not isinstance(where, int):
        return Unknown("an axis of the launch grid that is not known")
    count = _programs(machine, where)
    if isinstance(count, int) and count == 1:
        return 0
    position = sym(f"program_id({where})", "program", 0, count - 1)
    machine.trace.positions[f"program_id({where})"] = position
    return position


def _programs(machine: Machine, where: int) -> Any:
    if machine.grid is not None:
        return machine.grid[where] if where < len(machine.grid) else 1
    machine.trace.grid_axes = max(machine.trace.grid_axes, where + 1)
    return sym(f"num_programs({where})", "input", 1, None, f"num_programs({where})")


def _num_programs(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    axes = bound["axes"]
    if isinstance(axes, int):
        return _programs(machine, axes)
    if machine.grid is not None and axes is None:
        total: Any = 1
        for size in machine.grid:
            total = total * size
        return total
    if isinstance(axes, (tuple, ListValue)):
        return tuple(_programs(machine, a) for a in (axes if isinstance(axes, tuple) else axes.items))
    return sym("num_programs()", "input", 1, None, "num_programs()")


def _program_ndim(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    return len(machine.grid) if machine.grid is not None else Unknown("the rank of the launch grid")


def _allocate(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    _, memory, kind = operation.name.rsplit(".", 2)
    if kind == "auto_alloc":
        from nkilint_rules.operations.language_constants import REGIONS

        return REGIONS[memory]
    return Allocator(memory, kind, bound)


def _nothing(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    return None


def _loop_reduce(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    """The value accumulated over loops: a tile of the same shape."""
    at = node.at if node is not None else machine.at
    rest = {k: v for k, v in bound.items() if k in ("x", "op", "loop_indices", "dtype", "mask")}
    return operations.call_operation(machine, dialect, operation.name, [], rest, at, node)


def _iota(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    """An index grid, or a single index, made a tile."""
    at = node.at if node is not None else machine.at
    expr = bound.get("expr")
    if dialect == NKI or not isinstance(expr, (Grid, int, Sym)):
        return operations.call_operation(machine, dialect, operation.name, [], bound, at, node)
    shape = expr.shape if isinstance(expr, Grid) else (1, 1)
    given = dict(bound)
    given["expr"] = _ShapedIndex(shape)
    return operations.call_operation(machine, dialect, operation.name, [], given, at, node)


class _ShapedIndex:
    """What the rulebook needs to know of an index expression."""

    def __init__(self, shape: tuple[Any, ...]) -> None:
        self.shape = shape
        self.rank = len(shape)


def _fori_loop(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    """`body_fun` for one symbolic iteration."""
    from ..python.calls import call_value
    from ..state.trace import Loop

    values = make_range(machine, "fori_loop", [bound["lower"], bound["upper"], bound["step"]], node)
    body = bound["body_fun"]
    if isinstance(values, Unknown):
        trips: Any = sym(machine.fresh("n"), "runtime", 0, None, values.reason)
        values = RangeValue(0, trips, 1, "fori_loop")
    trips = values.trips
    if isinstance(trips, Unknown):
        return trips
    index = machine.fresh_sym("i", "loop", 0, trips - 1)
    loops, facts = machine.loops, machine.facts
    machine.loops = (*loops, Loop("i", "fori_loop", index, trips, node.at if node else machine.at))
    if isinstance(trips, Sym):
        machine.assume(index < trips)
    call_value(machine, body, [values.start + index * values.step], {})
    machine.loops, machine.facts = loops, facts
    return None


def _while_loop(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    from ..python.calls import call_value
    from ..state.trace import Loop

    reason = "`while_loop` runs as long as the device says"
    trips = sym(machine.fresh("n"), "runtime", 1, None, reason)
    index = machine.fresh_sym("i", "loop", 0, trips - 1)
    loops = machine.loops
    machine.loops = (*loops, Loop("i", "while_loop", index, trips, node.at if node else machine.at))
    result = call_value(machine, bound["body_fun"], [bound["init"]], {})
    machine.loops = loops
    return result


def _register_alloc(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    return machine.fresh_sym("register", "runtime", None, None, "a register of the device")


_Own = Callable[[Machine, Operation, dict[str, Any], Any, str], Any]

_OWN: dict[str, _Own] = {
    "language.affine_range": _range,
    "language.sequential_range": _range,
    "language.static_range": _range,
    "language.dynamic_range": _range,
    "language.arange": _arange,
    "language.ds": _ds,
    "language.par_dim": _par_dim,
    "language.program_id": _program_id,
    "language.num_programs": _num_programs,
    "language.program_ndim": _program_ndim,
    "language.fori_loop": _fori_loop,
    "language.while_loop": _while_loop,
    "language.no_reorder": _nothing,
    "language.loop_reduce": _loop_reduce,
    "compiler.no_reorder": _nothing,
    "compiler.sbuf.alloc": _allocate,
    "compiler.sbuf.mod_alloc": _allocate,
    "compiler.sbuf.auto_alloc": _allocate,
    "compiler.psum.alloc": _allocate,
    "compiler.psum.mod_alloc": _allocate,
    "compiler.psum.auto_alloc": _allocate,
    "isa.iota": _iota,
    "isa.register_alloc": _register_alloc,
}
