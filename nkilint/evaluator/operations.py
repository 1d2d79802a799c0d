"""Operations of NKI on tensors: arguments are bound, the rules are stated, the result is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nkilint_rules.conditions import IsUnknown, Unknown, all_of, negation
from nkilint_rules.operation import (
    BETA1,
    HBM,
    PSUM,
    SBUF,
    Call,
    Named,
    Operand,
    Operation,
    Result,
    SignatureError,
)
from nkilint_rules.ops import lookup
from nkilint_rules.promotion import as_dtype as rule_dtype

from .. import ir
from ..catalogue import rules_by_operation
from ..ir import Span
from ..symbolic.conditions import Cond
from ..symbolic.evaluation import variables
from ..symbolic.integers import Sym, key_of
from .machine import Explained, Machine, explained
from .tensors import Declaration, Grid, InputTensor, ShapeOf, SymbolicDType, View, fit_axes, uses_axes, whole_view
from .trace import Access, Event, Facts, Obligation, Site
from .values import Api, DictValue, External, ListValue, Real, SomeFloat
from .versions import check_enums, check_keywords, check_order, in_order_of_version, lost


def call_operation(
    machine: Machine,
    dialect: str,
    name: str,
    args: list[Any],
    kwargs: dict[str, Any],
    at: Span,
    node: ir.Call | None = None,
) -> Any:
    """The result of an operation: a new tile in Beta 1, nothing in 0.x where `dst` holds it."""
    operation = lookup(dialect, name)
    if operation is None:
        return Unknown(f"`{name}` is not an operation")
    if not machine.in_kernel:
        return Unknown(f"`{name}` outside a kernel")
    call = bind_call(machine, operation, dialect, args, kwargs, at, node)
    if isinstance(call, Unknown):
        return call
    return perform(machine, call, at, node)


def bind_call(
    machine: Machine,
    operation: Operation,
    dialect: str,
    args: list[Any],
    kwargs: dict[str, Any],
    at: Span,
    node: ir.Call | None,
) -> Call | Unknown:
    """The call with its arguments by name; one that does not fit is reported."""
    signature = operation.signature(dialect)
    assert signature is not None
    if not check_order(machine, operation, dialect, args, kwargs, at):
        return out_of_order(machine, operation, [*args, *kwargs.values()], at)
    try:
        bound = in_order_of_version(machine, operation, dialect, args, kwargs) or signature.bind(args, kwargs)
    except SignatureError as error:
        _misfit(machine, operation, error, dialect, at)
        touch_somewhere(machine, [*args, *kwargs.values()], f"`{operation.leaf}` {error}", at)
        return explained(f"`{operation.leaf}` {error}")
    operands = operation.operands_in(dialect)
    arguments = {key: plain_argument(machine, value, operands.get(key)) for key, value in bound.items()}
    arguments = {key: _unmarked(value) for key, value in arguments.items()}
    settle_dtype(arguments, bound)
    given = set(kwargs) | set(signature.positional[: len(args)])
    check_keywords(machine, operation, dialect, kwargs, at)
    check_enums(machine, operation, dialect, bound, at)
    return Call(operation, dialect, machine.target, arguments, given, machine.version)


def out_of_order(machine: Machine, operation: Operation, values: list[Any], at: Span) -> Unknown:
    """What is left of a call in the order of another version."""
    reason = f"the arguments of `{operation.leaf}` are in another order"
    touch_somewhere(machine, values, reason, at)
    return explained(reason)


def settle_dtype(arguments: dict[str, Any], given: Mapping[str, Any]) -> None:
    """A parameter given as `dtype=` is a dtype that the caller chooses."""
    value = given.get("dtype")
    if isinstance(value, InputTensor) and "view" not in value.cell:
        arguments["dtype"] = SymbolicDType(value.name)


def _unmarked(value: Any) -> Any:
    """A shape without the marker of its partition dimension."""
    if isinstance(value, tuple) and any(isinstance(item, PartitionSize) for item in value):
        return creation_shape(value)[0]
    return value


def _misfit(machine: Machine, operation: Operation, error: SignatureError, dialect: str, at: Span) -> None:
    if error.kind == "unexpected" and lost(machine, operation, error.names[0], dialect, at):
        return
    if error.kind == "missing" and "dst" in error.names:
        machine.need("NKI210", False, at, operation=operation.leaf)
    elif error.kind == "unexpected":
        machine.need("NKI208", False, at, template="argument", operation=operation.leaf, argument=error.names[0],
                     problem=str(error), callee=operation.leaf, name=error.names[0])  # fmt: skip
    else:
        machine.need("NKI809", False, at, callee=operation.leaf, problem=str(error))


def plain_argument(machine: Machine, value: Any, operand: Operand | None) -> Any:
    """An argument in the rulebook's terms.

    A parameter that nothing else tells about is a number where only on-chip tensors could stand.
    """
    if isinstance(value, InputTensor):
        if operand is not None and "number" not in value.cell:
            from .inputs import as_tensor

            plain = "view" not in value.cell and not value.ranks and HBM not in operand.memories
            if plain and (operand.scalar or not value.memory_open):
                return 0.5
            settle_memory(value, operand)

            try:
                return as_tensor(machine, value)
            except IsUnknown as unknown:
                return Unknown(unknown.reason)
        return value.cell.get("view", value.cell.get("number", Unknown(f"`{value.name}`")))
    if isinstance(value, ShapeOf):
        from .inputs import shape_of

        return shape_of(machine, value.tensor, None)
    if isinstance(value, View):
        if value.base.memory_open:
            settle_memory(value, operand)
        return value
    if isinstance(value, ListValue):
        try:
            return tuple(plain_argument(machine, item, operand) for item in value.items)
        except IsUnknown as unknown:
            return Unknown(unknown.reason)
    if isinstance(value, tuple):
        return tuple(plain_argument(machine, item, operand) for item in value)
    if isinstance(value, Api):
        return Named(value.name)
    if isinstance(value, External):
        from .external import as_dtype

        return as_dtype(value) or Named(value.name)
    if isinstance(value, Real):
        return SomeFloat(0.5)
    if isinstance(value, DictValue):
        return dict(value.items)
    return value


def settle_memory(value: Any, operand: Operand | None) -> None:
    """A parameter of a function that kernels call may be anywhere: its first use as an operand tells."""
    tensor = value.cell.get("view", value) if isinstance(value, InputTensor) else value
    base = tensor.base if isinstance(tensor, View) else tensor
    if base.memory_open and operand is not None:
        base.memory_open = False
        base.memory = HBM if HBM in operand.memories else SBUF if SBUF in operand.memories else PSUM


def perform(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> Any:
    """State the rules on a call, record it, and give its result."""
    mask = mask_of(machine, call, node)
    operation = call.operation
    try:
        result = operation.result(call) if operation.result is not None else None
    except IsUnknown as unknown:
        result = Unknown(unknown.reason)
    call.result = result if isinstance(result, Result) else None
    if isinstance(result, Unknown):
        reason = result.reason
        machine.unknown(
            "NKI003", reason if isinstance(reason, Explained) else f"result of `{operation.leaf}`: {reason}", at
        )
    accesses = [
        Access(operand.role, tile, _fitted(mask, tile), name)
        for name, operand, tile in call.tiles()
        if isinstance(tile, View)
    ]
    for access in accesses:
        check_bounds(machine, access.view, _fitted(mask, access.view.with_(mask=True)))
        check_mutable(machine, access, at)
        if operation.name in ("language.load", "language.store", "isa.dma_copy"):
            _check_lookups(machine, access.view, operation.leaf)
        if call.dialect == BETA1 and operation.kind in ("compute", "matmul"):
            _check_partition_axis(machine, access, call, at, node)
    state_rules(machine, call, at, node)
    value: Any = None
    if isinstance(result, Unknown):
        value = result
    elif isinstance(result, Result):
        if call.dialect == BETA1 or "dst" not in operation.operands_in(call.dialect):
            whole = not isinstance(mask, Grid) or turned(operation, mask) or operation.leaf in KEEPING
            value = new_tile(machine, result, at, None if whole else mask)
            accesses.append(Access("write", value, True, "result"))
    elif isinstance(result, tuple):
        value = tuple(new_tile(machine, r, at, None) if isinstance(r, Result) else r for r in result)
    else:
        value = result
    machine.emit(Event("operation", machine.site(at), operation, tuple(accesses), dict(call.arguments)))
    return value


def mask_of(machine: Machine, call: Call, node: ir.Call | None) -> Any:
    """The predicate that the call is given: a grid, True or Unknown."""
    mask = call.arguments.get("mask")
    if mask is None or mask is True:
        return True
    written = argument_node(node, "mask", call)
    if written is not None and isinstance(mask, Grid):
        never = mask.value is False
        machine.trace.masks[written.at] = machine.trace.masks.get(written.at, True) and never
    if isinstance(mask, (Grid, Unknown)):
        return mask
    if isinstance(mask, (bool, Cond)):
        return Grid(mask, (1, 1))
    return Unknown("a mask that is no predicate")


def _fitted(mask: Any, tile: View) -> Any:
    """The mask over the axes of one operand; an Unknown mask stays one."""
    if mask is True or isinstance(mask, Unknown):
        return tile.mask if mask is True else mask
    shape = tile.shape
    if len(shape) < len(mask.shape):
        return Unknown("a mask of higher rank than the tile")
    fitted = fit_axes(mask.value, mask.shape, shape)
    return all_of((fitted, tile.mask)) if not isinstance(tile.mask, Unknown) else tile.mask


def check_bounds(machine: Machine, view: View, mask: Any) -> None:
    """Every subscript of the view stays inside, for the elements that the mask lets through."""
    if not view.bounds:
        return
    done = machine.memo.setdefault("bounds", {})
    place = (id(view), key_of(mask) if isinstance(mask, Cond) else repr(mask), id(machine.facts))
    if place in done:
        return
    done[place] = view  # kept alive, so that its id stays its own
    if isinstance(mask, Unknown):
        for bound in view.bounds:
            machine.unknown("NKI301", mask.reason, bound.at)
        return
    facts = Facts(mask, machine.facts) if isinstance(mask, Cond) else machine.facts
    for bound in view.bounds:
        goal = all_of((bound.reach >= 0, bound.reach < bound.size))
        if goal is True or mask is False:
            machine.need("NKI301", True)
            continue
        values = {"index": bound.index_at, "reach": bound.reach, "axis": bound.axis, "masked": mask is not True,
                  "tensor": bound.tensor_at, "size": bound.size}  # fmt: skip
        site = Site(bound.at, machine.loops, facts, machine.callers)
        if machine.in_kernel:
            machine.trace.obligations.append(Obligation("NKI301", goal, site, values, bound.wording))


def _check_lookups(machine: Machine, view: View, operation: str) -> None:
    """A DMA takes indices from a tile along the partitions of what it moves, or one for a block."""
    for lookup_ in view.lookups:
        if lookup_.mesh:
            machine.need("NKI306", False, lookup_.at, "mgrid", index=lookup_.index_at)
            continue
        where = "the partition or a block axis"
        goal = negation(lookup_.spread)
        machine.need("NKI306", goal, lookup_.at, index=lookup_.index_at, operation=operation, where=where)


def _check_partition_axis(machine: Machine, access: Access, call: Call, at: Span, node: ir.Call | None) -> None:
    """A tile begins with the partition dimension: block dimensions before it have to be indexed."""
    view = access.view
    if not view.base.blocks or view.memory == HBM or view.problem:
        return
    loose = [d for d in range(view.base.blocks) if uses_axes(view.index[d])]
    where = operand_span(node, access.operand, call) or at
    name = call.operation.leaf
    machine.need("NKI107", not loose, where, tensor=where, axis=len(loose), operation=name, call=at)


def check_mutable(machine: Machine, access: Access, at: Span) -> None:
    base = access.view.base
    if access.role != "read" and base.kind == "input" and machine.dialect == BETA1:
        machine.need("NKI207", base.mutable, at, tensor=base.name, parameter=base.name)


def state_rules(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> None:
    """Every rule about single operations, as obligations at this call."""
    for rule in rules_by_operation(call.operation.name):
        if call.dialect not in rule.dialects:
            continue
        try:
            for need in rule.check(call):
                if need.condition is True:
                    machine.need(rule.code, True)
                    continue
                where = operand_span(node, need.operand, call) or at
                machine.need(rule.code, need.condition, where, need.message, call=at, **need.values)
        except IsUnknown as unknown:
            machine.unknown(rule.code, unknown.reason, at)


def operand_span(node: ir.Call | None, operand: str | None, call: Call) -> Span | None:
    """Where the argument for `operand` is written."""
    found = None if operand is None else argument_node(node, operand, call)
    return found.at if found is not None else None


def argument_node(node: ir.Call | None, operand: str, call: Call) -> ir.Expr | None:
    """The expression given for an operand, or for an element of one (`data[1]`)."""
    if node is None:
        return None
    name, _, element = operand.partition("[")
    signature = call.operation.signature(call.dialect)
    assert signature is not None
    positional = (
        [n for n in signature.positional if n != "self"]
        if call.operation.name.startswith("tensor.")
        else signature.positional
    )
    found: ir.Expr | None = None
    plain = [e for key, e in node.args if key is None]
    for key, expression in node.args:
        if key == name:
            found = expression
    if found is None and name in positional and positional.index(name) < len(plain):
        found = plain[positional.index(name)]
    if found is not None and element and isinstance(found, ir.Sequence):
        position = int(element[:-1])
        if position < len(found.items):
            found = found.items[position]
    return found


def new_tile(machine: Machine, result: Result, at: Span, mask: Grid | None) -> View:
    """A tensor that an operation made."""
    shape = tuple(result.shape)
    if result.memory != HBM:
        shape += (1,) * (2 - len(shape))  # an on-chip tile has a partition and a free dimension
    for size in shape:
        if isinstance(size, Unknown):
            raise IsUnknown(size.reason)
    dtype = result.dtype
    base = Declaration("", shape, dtype, result.memory, at, "result", 0, machine.loops, str(result.memory))
    view = whole_view(base)
    if mask is not None and len(mask.shape) == len(shape):  # along an axis that is reduced, the first element counts
        same = tuple(
            1 if isinstance(a, int) and isinstance(b, int) and a != b and a != 1 else b
            for a, b in zip(mask.shape, shape, strict=True)
        )
        view.mask = fit_axes(mask.value, mask.shape, same)
    return view


KEEPING = frozenset({"nc_match_replace8"})  # masked elements of the result are those of the operand
TURNING = frozenset({"nc_transpose", "transpose", "load_transpose2d", "dma_transpose", "nc_matmul", "matmul"})


def turned(operation: Operation, mask: Any) -> bool:
    """Whether a mask selects along axes that are others in the result: which elements are written then is not known."""
    if operation.leaf not in TURNING or not isinstance(mask, Grid):
        return False
    return isinstance(mask.value, Cond) and any(v.kind == "axis" for v in variables(mask.value))


# --- assignment to elements ---

COPY = "language.copy"


def assign_elements(machine: Machine, view: Any, value: Any, target: ir.Index) -> None:
    """`tensor[...] = value`: the elements are overwritten."""
    source = _as_source(machine, value)
    mask = value.mask if isinstance(value, View) else value if isinstance(value, Unknown) else True
    if isinstance(source, View):
        _check_shapes(machine, view, source, target)
    _record_update(machine, "write", view, source, _mask_for(view, source, mask), target.at, COPY)


def write_somewhere(machine: Machine, tensor: Any, reason: str, at: Span) -> None:
    """A write to elements that are not known."""
    view = tensor.cell.get("view") if isinstance(tensor, InputTensor) else tensor
    if isinstance(view, View):
        access = Access("write", view.with_(problem=reason, bounds=()), True, "dst")
        machine.emit(Event("operation", machine.site(at), None, (access,)))


def touch_somewhere(machine: Machine, values: Iterable[Any], reason: str, at: Span) -> None:
    """Reads and writes of elements that are not known, of all tensors in `values`."""
    for value in values:
        if isinstance(value, ListValue):
            value = value.items if isinstance(value.cell["items"], tuple) else ()
        if isinstance(value, tuple):
            touch_somewhere(machine, value, reason, at)
        view = value.cell.get("view") if isinstance(value, InputTensor) else value
        if isinstance(view, View):
            access = Access("update", view.with_(problem=reason, bounds=()), True, "argument")
            machine.emit(Event("operation", machine.site(at), None, (access,)))


def update_elements(machine: Machine, view: View, op: str, value: Any, node: ir.AugAssign) -> None:
    """`tensor op= value`: the elements are read and overwritten; adding a product to PSUM accumulates there."""
    from .operators import TENSOR_OPERATIONS

    source = _as_source(machine, value)
    name = TENSOR_OPERATIONS.get(op, "add")
    role = "update"
    if isinstance(source, View):
        _check_shapes(machine, view, source, node)
        if view.memory == PSUM and source.base.kind == "result" and source.memory == PSUM and op == "+":
            role = "accumulate"
    elif isinstance(source, Unknown):
        machine.unknown("NKI003", source.reason, node.value.at)
    mask = value.mask if isinstance(value, View) else True
    _record_update(machine, role, view, source, _mask_for(view, source, mask), node.at, f"language.{name}")


def _as_source(machine: Machine, value: Any) -> Any:
    if isinstance(value, InputTensor):
        from .inputs import as_number, as_tensor

        return as_tensor(machine, value) if "view" in value.cell or value.ranks else as_number(machine, value)
    return value


def _mask_for(view: View, source: Any, mask: Any) -> Any:
    if isinstance(mask, Cond) and isinstance(source, View):
        return fit_axes(mask, source.shape, view.shape) if len(source.shape) <= len(view.shape) else mask
    return mask


def _check_shapes(machine: Machine, view: View, source: View, node: ir.Index | ir.AugAssign) -> None:
    """The value has to fit the elements assigned to, one axis after the other from the right."""
    target, given = view.shape, source.shape
    if view.problem or source.problem:
        return
    while len(given) > len(target) and isinstance(given[0], int) and given[0] == 1:
        given = given[1:]
    while len(given) > len(target) and isinstance(given[-1], int) and given[-1] == 1:
        given = given[:-1]
    goal: Any = len(given) <= len(target)
    if goal:
        padded = (1,) * (len(target) - len(given)) + given
        goal = all_of(
            True if key_of(a) == key_of(b) or (isinstance(b, int) and b == 1) else (a == b)
            for a, b in zip(target, padded, strict=True)
        )
    at = node.at
    machine.need("NKI204", goal, at, template="assignment", target=list(target), value=list(source.shape),
                 dst=list(target), src=list(source.shape))  # fmt: skip
    if isinstance(goal, Cond):
        machine.assume(goal, "granted")


def _record_update(machine: Machine, role: str, view: View, source: Any, mask: Any, at: Span, operation: str) -> None:
    check_bounds(machine, view, mask)
    accesses = [Access(role, view, mask, "dst")]
    if isinstance(source, View) and source.lookups and source.memory != HBM and not source.base.memory_open:
        first = source.lookups[0]
        machine.need("NKI306", False, first.at, "none", index=first.index_at, operation="an assignment")
    if isinstance(source, View):
        if source.base.kind != "result" or source.bounds:
            check_bounds(machine, source, source.mask)
        accesses.append(Access("read", source, source.mask, "src"))
    check_mutable(machine, accesses[0], at)
    machine.emit(
        Event(
            "operation",
            machine.site(at),
            lookup(machine.dialect, operation),
            tuple(accesses),
            {"dst": view, "src": source},
        )
    )


# --- creation ---


def create(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> Any:
    """A tensor made by `ndarray`, `zeros` and the like, with its block dimensions."""
    try:
        result = call.operation.result(call) if call.operation.result else None
    except IsUnknown as unknown:
        return Unknown(unknown.reason)
    if not isinstance(result, Result):
        return result
    shape, blocks = creation_shape(result.shape)
    for position, size in enumerate(shape):
        if isinstance(size, Unknown):
            return size
        if isinstance(size, (float, Real)) or not isinstance(size, (int, Sym)):
            written = argument_node(node, f"shape[{position}]", call)
            where = written.at if written is not None else at
            wording = "symbolic" if isinstance(size, SomeFloat) else None
            machine.need(
                "NKI811",
                False,
                where,
                wording,
                expression=where,
                type="float" if isinstance(size, (float, Real)) else type(size).__name__,
                value=repr(size),
                use="a size",
            )
            return explained("a size that is no integer")
    dtype = result.dtype
    if isinstance(dtype, (External, Api)):
        dtype = rule_dtype(Named(dtype.name))
    buffer = call.arguments.get("buffer")
    region = getattr(buffer, "name", "") or getattr(buffer, "leaf", "") or str(result.memory)
    base = Declaration(
        str(call.arguments.get("name") or ""), shape, dtype, result.memory, at, "allocation", blocks,
        machine.loops, str(region), placement=placement_of(call),
    )  # fmt: skip
    view = whole_view(base)
    call.result = Result(shape[blocks:], dtype, result.memory)
    state_rules(machine, call, at, node)
    filled = call.operation.leaf in (
        "zeros",
        "ones",
        "full",
        "zeros_like",
        "rand",
        "shared_constant",
        "shared_identity_matrix",
    )
    accesses = (Access("write", view, True, "result"),) if filled else ()
    arguments = {**call.arguments, "tensor": view, **_located(machine, call, base, at, node)}
    machine.emit(Event("allocation", machine.site(at), call.operation, accesses, arguments))
    return view


def _located(machine: Machine, call: Call, base: Declaration, at: Span, node: ir.Call | None) -> dict[str, Any]:
    """Where direct allocation puts the tensor, as arguments of its allocation."""
    if base.placement is None:
        return {}
    from ..placement.allocators import locate

    return locate(machine, call, base, at, node)


def creation_shape(sizes: tuple[Any, ...]) -> tuple[tuple[Any, ...], int]:
    """Sizes without markers, and the number of dimensions before the one marked as the partition dimension."""
    blocks = 0
    plain = []
    for position, size in enumerate(sizes):
        if isinstance(size, PartitionSize):
            blocks = position
            size = size.size
        plain.append(size)
    return tuple(plain), blocks


class PartitionSize:
    """`nl.par_dim(size)`."""

    __slots__ = ("size",)

    def __init__(self, size: Any) -> None:
        self.size = size


def placement_of(call: Call) -> Any:
    """Where the caller puts the tensor: an allocator, an address, or None."""
    address = call.arguments.get("address")
    if address is not None:
        return ("address", address)
    buffer = call.arguments.get("buffer")
    return buffer if isinstance(buffer, Allocator) else None


class Allocator:
    """`ncc.sbuf.alloc(f)`, `ncc.psum.mod_alloc(...)`: a memory and how tiles are placed in it."""

    __slots__ = ("arguments", "kind", "memory", "name")

    def __init__(self, memory: str, kind: str, arguments: Mapping[str, Any]) -> None:
        self.memory, self.kind, self.arguments = memory, kind, arguments
        self.name = memory
