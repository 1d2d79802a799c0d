"""Operations whose meaning is the evaluator's own: ranges, grids, programs, allocators."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import walk
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, choose, is_one, sym
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.operands.operand_form import OperandForm
from nkilint_rules.operations.form import Operation
from nkilint_rules.operations.language_constants import REGIONS
from nkilint_rules.words.conditions import IsUnknown, Unknown, maximum, minimum
from nkilint_rules.words.dialects import BETA1, NKI

from ..state import protocols
from ..state.machine import Machine, explained
from ..state.paths import demand
from ..state.refusals import may_raise
from ..state.registers import ask_register, leave_open, traced
from ..state.trace import GRID_RANK, Loop
from ..values.axes import axis
from ..values.containers import COUNTED, ON_DEVICE, ListValue, RangeValue
from ..values.dtypes import as_dtype
from ..values.grids import Grid
from ..values.host import HostArray
from ..values.instructions import Instruction
from ..values.numbers import Real
from ..values.objects import External, FunctionValue, Instance, Suppressing, member_number
from ..values.tensors import View
from . import operations
from .api import own
from .dtypes import limits_of
from .inputs import settled_number
from .placement.allocator import Allocator
from .registers import state_step
from .requirements import state_non_integer
from .shapes import MarkedSize
from .whole_numbers import state_other


@own("language.affine_range", "language.sequential_range", "language.static_range", "language.dynamic_range")
def _range(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    if "stop" not in bound:
        if not bound.keys().isdisjoint(("start", "step")):
            return Unknown("a range that is given its bounds by name")
        values = list(bound.get("args", ()))
    elif "args" in bound:
        return Unknown("a range that is given its bounds by name")
    else:
        stop = bound["stop"]
        values = [bound["start"]] if stop is None else [bound["start"], stop, bound["step"]]
    # Undocumented: the order is the one that is written, and AWS's pipelined attention carries values along in it.
    kind = "sequential_range" if bound.get("precise_schedule") is True else operation.leaf
    return make_range(machine, kind, values, node)


def make_range(machine: Machine, kind: str, values: list[Any], node: ir.Call | None) -> Any:
    """A range of `kind` over the arguments of Python's `range`."""
    at = node.args[0][1].at if node is not None and node.args else machine.at
    if not 1 <= len(values) <= MOST_BOUNDS:
        problem = f"takes 1 to {MOST_BOUNDS} numbers, {len(values)} given"
        demand(machine, "TypeError", CallSignature.message(callee=kind, problem=problem), False, at)
        return explained("a range of another number of bounds")
    numbers: list[Any] = []
    for value in values:
        value = member_number(settled_number(machine, value))
        if isinstance(value, Unknown):
            return value
        if isinstance(value, Cond):
            value = choose(value, 1, 0)
        if isinstance(value, View):
            return Unknown("a trip count that only the device knows")
        if isinstance(value, (External, Instance)):
            return Unknown(machine.modules.why(getattr(value, "name", ""), "a trip count that is not known"))
        if not isinstance(value, (int, Sym)):
            _state_no_count(machine, at, value)
            return explained("a trip count that is no integer")
        numbers.append(int(value) if isinstance(value, bool) else value)
    for number in numbers if kind not in ON_DEVICE else ():
        ask_register(machine, number, at)
    start, stop, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    if kind in COUNTED and not state_step(machine, kind, step, _last(node, "step", at)):
        return Unknown("a step that is in a register")
    if kind not in COUNTED or isinstance(step, int):
        may_raise(machine, "ValueError", step != 0, "`range` with a step that may be 0")
    return RangeValue(start, stop, step, kind)


def _last(node: ir.Call | None, name: str, at: Span) -> Span:
    """Where a call gives an argument, by its name or as the last one."""
    args = node.args if node is not None else ()
    return next((value.at for keyword, value in args if keyword == name), args[-1][1].at if args else at)


MOST_BOUNDS = 3


def _state_no_count(machine: Machine, at: Span, value: Any) -> None:
    """A bound of a range is no integer."""
    if isinstance(value, (float, Real)):
        state_non_integer(machine, at, "float", "a trip count", repr(value) if isinstance(value, float) else "")
    elif value is None:
        state_non_integer(machine, at, "NoneType", "a trip count", "None")
    else:
        state_other(machine, at, value, "a trip count")


@own("language.arange")
def _arange(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    values = make_range(machine, "arange", list(bound.get("args", ())), node)
    if isinstance(values, Unknown):
        return values
    size = values.trips
    if isinstance(size, Unknown):
        return size
    return Grid(axis(0, size) * values.step + values.start, (size,))


@own("language.ds")
def _ds(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    start, size = settled_number(machine, bound["start"]), settled_number(machine, bound["size"])
    for position, (name, value) in enumerate((("start", start), ("size", size))):
        if isinstance(value, Unknown):
            return value
        if isinstance(value, (float, Real)) and node is not None:
            written = next((w for key, w in node.args if key == name), None) or node.args[position][1]
            text = repr(value) if isinstance(value, float) else ""
            state_non_integer(machine, written.at, "float", "an index", text)
            return explained("a bound of `ds` that is no integer")
        if not isinstance(value, (int, Sym)):
            return Unknown("a bound of `ds` that is no integer")
    return slice(start, start + size, None)


@own("language.par_dim")
def _par_dim(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    size = settled_number(machine, bound["size"])
    if isinstance(size, str) or size is None:
        raise IsUnknown("a partition dimension whose size is no number")
    return MarkedSize(size)


@own("language.finfo")
def _finfo(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    return limits_of(machine, bound["dtype"])


@own("language.program_id")
def _program_id(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    where = bound["axis"]
    if not isinstance(where, int) or where < 0:
        return Unknown(_NO_AXIS)
    count = programs_along(machine, where)
    if is_one(count):
        return 0
    position = sym(f"program_id({where})", "program", 0, count - 1)
    machine.trace.positions[f"program_id({where})"] = position
    return position


def programs_along(machine: Machine, where: int) -> Any:
    """The number of programs along an axis of the launch grid."""
    if machine.grid is not None:
        return machine.grid[where] if where < len(machine.grid) else 1
    trace = machine.trace
    trace.grid_axes = max(trace.grid_axes, where + 1)
    name = f"num_programs({where})"
    if name not in trace.grid_sizes:
        trace.grid_sizes[name] = sym(name, "input", 1, _most_programs(machine, where), name)
    return trace.grid_sizes[name]


_NO_AXIS = "an axis of the launch grid that is not known"
MANY_PROGRAMS = 1 << 20  # more than any launch has


def _most_programs(machine: Machine, where: int) -> Any:
    """The cores of the target, which a grid of 0.x has along its only axis if it has one; Beta 1 has no limit, but one
    program along an axis that the grid does not have."""
    rank, cores = machine.trace.grid_sizes.get(GRID_RANK), machine.target.lnc_max
    if machine.dialect == BETA1:
        return None if rank is None else 1 + maximum(rank - where, 0) * MANY_PROGRAMS
    if where > 0 or cores == 1:
        return 1
    return cores if rank is None else 1 + rank * (cores - 1)


@own("language.num_programs")
def _num_programs(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    axes = bound["axes"]
    if isinstance(axes, int):
        return programs_along(machine, axes) if axes >= 0 else Unknown(_NO_AXIS)
    if machine.grid is not None and axes is None:
        total: Any = 1
        for size in machine.grid:
            total = total * size
        return total
    if isinstance(axes, (tuple, ListValue)):
        several = axes if isinstance(axes, tuple) else axes.items
        return tuple(
            programs_along(machine, a) if isinstance(a, int) and a >= 0 else Unknown(_NO_AXIS) for a in several
        )
    return sym("num_programs()", "input", 1, None, "num_programs()")


@own("language.program_ndim")
def _program_ndim(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    if machine.grid is not None:
        return len(machine.grid)
    sizes = machine.trace.grid_sizes
    if GRID_RANK not in sizes:
        least: Any = 0  # an axis along which there are several programs is there
        for where in range(machine.trace.grid_axes):
            size = sizes.get(f"num_programs({where})", 1)
            least = maximum(least, minimum(size - 1, 1) * (where + 1))
        sizes[GRID_RANK] = sym(GRID_RANK, "input", least, None if machine.dialect == BETA1 else 1, GRID_RANK)
    return sizes[GRID_RANK]


@own(
    "compiler.sbuf.alloc",
    "compiler.sbuf.mod_alloc",
    "compiler.sbuf.auto_alloc",
    "compiler.psum.alloc",
    "compiler.psum.mod_alloc",
    "compiler.psum.auto_alloc",
)
def _allocate(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    _, memory, kind = operation.name.rsplit(".", 2)
    if kind == "auto_alloc":
        return REGIONS[memory]
    return Allocator(memory, kind, bound)


@own("language.no_reorder", "compiler.no_reorder")
def _in_order(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    return Suppressing(())  # what stands behind `with`, and handles nothing


@own("language.static_cast")
def _of_host(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    """An array as another dtype, which is for the host alone."""
    array, dtype = bound.get("arr"), as_dtype(bound.get("dtype"))
    if isinstance(array, HostArray) and dtype is not None:
        return HostArray(array.shape, dtype)
    return Unknown(f"what `{operation.leaf}` gives")


@own("language.loop_reduce")
def _loop_reduce(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    """The value accumulated over loops: a tile of the same shape."""
    at = node.at if node is not None else machine.at
    rest = {k: v for k, v in bound.items() if k in ("x", "op", "loop_indices", "dtype", "mask")}
    return operations.call_operation(machine, dialect, operation.name, [], rest, at, node)


@own("isa.iota")
def _iota(machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str) -> Any:
    """An index grid, or a single index, made a tile."""
    at = node.at if node is not None else machine.at
    expr = bound.get("expr")
    if dialect == NKI or not isinstance(expr, (Grid, int, Sym)):
        return operations.call_operation(machine, dialect, operation.name, [], bound, at, node)
    shape = expr.shape if isinstance(expr, Grid) else (1, 1)
    given = dict(bound)
    given["expr"] = _ShapedIndex(shape, expr)
    return operations.call_operation(machine, dialect, operation.name, [], given, at, node)


class _ShapedIndex:
    """What the rulebook needs to know of an index expression, and the expression itself."""

    def __init__(self, shape: tuple[Any, ...], index: Any) -> None:
        self.shape = shape
        self.index = index
        self.rank = len(shape)


@own("language.fori_loop")
def _fori_loop(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    """`body_fun` for one symbolic iteration."""
    values = make_range(machine, "fori_loop", [bound["lower"], bound["upper"], bound["step"]], node)
    body = bound["body_fun"]
    if isinstance(values, Unknown):
        trips: Any = machine.fresh_sym("n", "runtime", 0, None, values.reason)
        values = RangeValue(0, trips, 1, "fori_loop")
    trips = values.trips
    if isinstance(trips, Unknown):
        return trips
    index = machine.fresh_sym("i", "loop", 0, trips - 1)
    loops, facts = machine.loops, machine.facts
    value = values.start + index * values.step
    machine.loops = (*loops, Loop("i", "fori_loop", index, trips, node.at if node else machine.at, value))
    if isinstance(trips, Sym):
        machine.assume(index < trips)
    given = _once(machine, body, [value], node)
    nothing = given is None or isinstance(given, (Unknown, Instruction))
    _state_given(machine, operation, nothing, "a value", "nothing", node)
    machine.loops, machine.facts = loops, facts
    return None


@own("language.while_loop")
def _while_loop(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    reason = "`while_loop` runs as long as the device says"
    trips = sym(machine.fresh("n"), "runtime", 1, None, reason)
    index = machine.fresh_sym("i", "loop", 0, trips - 1)
    loops = machine.loops
    machine.loops = (*loops, Loop("i", "while_loop", index, trips, node.at if node else machine.at))
    result = _once(machine, bound["body_fun"], [bound["init"]], node)
    _state_given(machine, operation, result is not None, "nothing", "the next condition", node)
    machine.loops = loops
    return result


def _once(machine: Machine, body: Any, args: list[Any], node: ir.Call | None) -> Any:
    """What the body of a loop gives, which leaves to the next iteration what it found; a list may have more items then,
    if nothing asks how many."""
    given, changes = traced(machine, lambda: protocols.call(machine, body, args, {}))
    for _, place, before, now in changes:
        if not (_is_longer(before, now) and isinstance(body, FunctionValue) and not _counts(body)):
            leave_open(machine, place, node.at if node else machine.at)
    return given


def _is_longer(before: Any, now: Any) -> bool:
    """Whether items came to the end of a list, and the others stay."""
    both = isinstance(before, tuple) and isinstance(now, tuple)
    return both and all(a is b for a, b in zip(before, now, strict=False)) and len(before) < len(now)


def _counts(body: FunctionValue) -> bool:
    """Whether the text of a function asks how many items there are."""
    return any(isinstance(n, ir.Name) and n.id in ("len", "enumerate") for n in walk(body.node.body))


def _state_given(
    machine: Machine, operation: Operation, right: bool, gives: str, wanted: str, node: ir.Call | None
) -> None:
    """State what the body of a loop has to return."""
    at = _last(node, "body_fun", machine.at)
    machine.need(OperandForm.body(gives=gives, operation=operation.leaf, wanted=wanted), right, at)
