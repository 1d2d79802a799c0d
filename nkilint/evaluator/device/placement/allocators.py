"""Allocators evaluated at the creation of a tensor: the user's callable, modulo allocation, an address.

A callable may keep state (an address counter), so it is called when the tensor is made. It is tried once with a
symbolic block index; if that gives no closed form, or changes state, it is called for every block in order, as the
compiler does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product as indices_of
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.atoms import Int
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.operations.form import Call
from nkilint_rules.placement.placement_range import PlacementRange
from nkilint_rules.placement.placement_signature import PlacementSignature
from nkilint_rules.placing.allocators import COUNTS, GIVEN, STARTS, Modulo, is_place, turn
from nkilint_rules.placing.direct import AUTOMATIC, STACK
from nkilint_rules.placing.located import Located, at_address, by_allocator
from nkilint_rules.words.conditions import IsUnknown, Unknown, is_integer, minimum, product
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM

from ...state import protocols
from ...state.machine import Fault, Machine, explained
from ...state.trace import over_ranges
from ...values.cells import Cell
from ...values.containers import ListValue
from ...values.objects import BoundMethod, FunctionValue, Instance, Partial
from ...values.tensors import Declaration
from ..inputs import settled_number
from .allocator import Allocator
from .fitting import fitted
from .place import ARGUMENT, block_variables
from .requirements import state_initial_value, state_need, state_place

SIGNATURE = PlacementSignature()
MAX_BLOCKS = 512  # blocks that a callable is called for one by one
STATIC = "static_range"


def locate(machine: Machine, call: Call, base: Declaration, at: Span, node: ir.Call | None) -> dict[str, Any]:
    """Where the tensor goes, as arguments of its allocation event; what a place has to obey becomes obligations."""
    placement = base.placement
    if placement is None or not machine.in_kernel or base.memory == HBM or AUTOMATIC in machine.trace.directives:
        base.placement = None
        return {}
    if isinstance(placement, Allocator):
        if STACK not in machine.trace.directives:
            state_initial_value(machine, call.operation, at)
        found = _allocated(machine, placement, base, at)
    else:
        found = _addressed(machine, placement[1], base, at)
    arguments: dict[str, Any] = {}
    if machine.dialect == BETA1 and isinstance(found, Located):
        found = _as_first_traced(machine, found, at)
        arguments["traced once"] = not any(loop.kind == STATIC for loop in machine.loops)
    if isinstance(found, Unknown):
        machine.unknown(PlacementRange, found.reason, at)
        return {**arguments, ARGUMENT: found}
    state_place(machine, base, found, at)
    return {**arguments, ARGUMENT: (found.partition, found.byte, found.periods)}


def _addressed(machine: Machine, address: Any, base: Declaration, at: Span) -> Any:
    """`address=(partition, byte)`."""
    if isinstance(address, Unknown):
        return address
    pair = address.items if isinstance(address, ListValue) else address
    pair = tuple(settled_number(machine, part) for part in pair) if isinstance(pair, tuple) else pair
    if not isinstance(pair, tuple) or len(pair) != 2 or not all(map(is_integer, pair)):
        for part in pair if isinstance(pair, tuple) else ():
            if isinstance(part, Unknown):
                return part
        return Unknown("an address that is no pair of integers")
    return at_address(*pair)


def _allocated(machine: Machine, allocator: Allocator, base: Declaration, at: Span) -> Any:
    if allocator.memory != base.memory:
        return Unknown(f"an allocator of {allocator.memory}")
    if allocator.kind == "mod_alloc":
        return _modulo(machine, allocator, base, at)
    return _called(machine, allocator, base, at)


# --- modulo allocation ---


def _modulo(machine: Machine, allocator: Allocator, base: Declaration, at: Span) -> Any:
    """The place of each tile by the documented formula."""
    counts = _counts(machine, allocator, base, at)
    if isinstance(counts, Unknown):
        return counts
    starts = tuple(settled_number(machine, allocator.arguments.get(name)) for name in STARTS[base.memory])
    for start in starts:
        if not is_integer(start):
            return start if isinstance(start, Unknown) else Unknown("a start that is no integer")
    allocation, blocks = Modulo(starts, counts), block_variables(base)
    tile = base.shape[base.blocks], base.row * base.dtype.itemsize
    place = allocation.place(*tile, lambda tiles: turn(blocks, tiles, base.shape))
    last = allocation.place(*tile, lambda tiles: _last(machine, base, tiles))
    found = by_allocator(base.memory, machine.target, place, (starts, last))
    return replace(found, periods=tuple(zip(*counts, strict=True)))


def _counts(machine: Machine, allocator: Allocator, base: Declaration, at: Span) -> Any:
    """How many tiles take turns for each block dimension, by argument."""
    counts: list[tuple[Any, ...]] = []
    for name in COUNTS[base.memory]:
        value = allocator.arguments.get(name)
        if isinstance(value, Unknown):
            return value
        plain = value.items if isinstance(value, ListValue) else value
        if not isinstance(plain, tuple):
            return Unknown(f"`{name}` is no tuple")
        plain = tuple(settled_number(machine, count) for count in plain) if base.blocks else ()
        need = SIGNATURE.check_counts(name, plain, base.blocks)
        if need.condition is False:
            state_need(machine, need, at)
            return explained(f"`{name}` does not fit the block dimensions")
        if not all(map(is_integer, plain)):
            return next((c for c in plain if isinstance(c, Unknown)), Unknown(f"`{name}` holds no integers"))
        counts.append(plain or (1,) * base.blocks)
    return tuple(counts)


def _last(machine: Machine, base: Declaration, counts: Sequence[Any]) -> Any:
    """The last place that some tile has."""
    total: Any = 0
    for count, size in zip(counts, base.shape, strict=False):
        enough = size >= count
        some = count if enough is True or (enough is not False and machine.truth(enough)) else minimum(count, size)
        total = total * count + some - 1
    return total


# --- callables ---


def _called(machine: Machine, allocator: Allocator, base: Declaration, at: Span) -> Any:
    blocks = block_variables(base)
    found = _tried(machine, allocator, base, blocks, at) if base.blocks else None
    if found is None:
        sizes = base.shape[: base.blocks]
        if not all(isinstance(size, int) for size in sizes) or product(sizes) > MAX_BLOCKS:
            return Unknown("an allocator that has no closed form for many blocks")
        found = _tabulated(machine, allocator, base, sizes, blocks, at)
    if isinstance(found, Unknown):
        return found
    return by_allocator(base.memory, machine.target, found)


def _tried(
    machine: Machine, allocator: Allocator, base: Declaration, blocks: tuple[Int, ...], at: Span
) -> tuple[Any, ...] | None:
    """What the callable gives for a symbolic block index; None where that takes no form, or has effects."""
    trace = machine.trace
    recorded: tuple[list[Any], ...] = (trace.assertions, trace.events, trace.obligations, trace.granted, trace.excused)
    sizes = [len(made) for made in recorded]
    proved, facts, here, born = dict(trace.proved), machine.facts, machine.at, Cell.made
    with machine.recorded() as mark:
        try:
            result = _call(machine, allocator, base, blocks)
        except (IsUnknown, Fault):
            result = None
        effects = bool(machine.changes(mark, born)) or len(trace.assertions) > sizes[0]
        if is_place(result, base.memory) and not effects:
            machine.facts, machine.at = facts, here
            return tuple(result)
        machine.undo(mark)
    machine.facts, machine.at = facts, here
    for made, size in zip(recorded, sizes, strict=True):
        del made[size:]
    trace.proved = proved
    return None


def _tabulated(
    machine: Machine, allocator: Allocator, base: Declaration, sizes: tuple[int, ...], blocks: tuple[Int, ...], at: Span
) -> Any:
    """What the callable gives for each block, put into closed forms."""
    rows: dict[tuple[int, ...], tuple[Any, ...]] = {}
    for index in indices_of(*(range(size) for size in sizes)):
        result = _call(machine, allocator, base, index)
        if isinstance(result, Unknown):
            return result
        if not _fits(machine, base, result, at):
            return explained("an allocator that returns something else than integers")
        rows[index] = result
    columns: list[Any] = []
    for position in range(len(GIVEN[base.memory])):
        table = {index: row[position] for index, row in rows.items()}
        if len(table) == 1:
            columns.append(next(iter(table.values())))
            continue
        if not all(isinstance(value, int) for value in table.values()):
            return Unknown("an allocator that gives symbolic addresses block by block")
        column = fitted(table, sizes, blocks)
        if column is None:
            return Unknown("addresses without a pattern")
        columns.append(column)
    return tuple(columns)


def _fits(machine: Machine, base: Declaration, result: Any, at: Span) -> bool:
    if isinstance(result, tuple) and any(isinstance(part, Unknown) for part in result):
        raise IsUnknown(next(part.reason for part in result if isinstance(part, Unknown)))
    need = SIGNATURE.check_result(result, base.memory)
    state_need(machine, need, at)
    return need.condition is True


def _call(machine: Machine, allocator: Allocator, base: Declaration, index: tuple[Int, ...]) -> Any:
    function = allocator.arguments.get("func")
    partitions = base.shape[base.blocks]
    size = base.row * base.dtype.itemsize
    given = {"idx": index, "pdim_size": partitions, "fdim_size": size}
    try:
        if given.keys() <= _parameters(function):
            result = protocols.call(machine, function, [], given)
        else:
            result = protocols.call(machine, function, list(given.values()), {})
        return tuple(settled_number(machine, part) for part in result) if isinstance(result, tuple) else result
    except IsUnknown as unknown:
        return Unknown(unknown.reason)


def _parameters(function: Any) -> frozenset[str]:
    """Names of the parameters of a function of the project."""
    if isinstance(function, Partial):
        return _parameters(function.function)
    if isinstance(function, BoundMethod):
        return _parameters(function.function)
    if isinstance(function, Instance):
        return _parameters(function.cls.lookup("__call__"))
    if isinstance(function, FunctionValue):
        return frozenset(p.name for p in function.node.params if p.kind in ("positional", "keyword"))
    return frozenset()


# --- loops whose body is traced once ---


def _as_first_traced(machine: Machine, found: Located, at: Span) -> Located | Unknown:
    """The place in the first iteration of the loops around: Beta 1 traces each body once, except in `static_range`."""
    found = found.with_each(lambda value: _started(machine, value))
    once = {loop.index.variable: loop for loop in machine.loops if loop.kind != STATIC}
    for variable in variables(*(v for v in (found.partition, found.byte) if isinstance(v, Sym))):
        if variable in once:
            return Unknown(f"an address that depends on the iteration of `{once[variable].kind}`")
    return _remembered(machine, found, at)


def _started(machine: Machine, value: Any) -> Any:
    """`value` with what loops carry at its start."""
    static = {v for loop in machine.loops if loop.kind == STATIC for v in [loop.index.variable]}
    for _ in range(len(machine.loops) + 1):
        mapping: dict[Any, Any] = {
            v: before
            for v in (variables(value) if isinstance(value, Sym) else ())
            for before in [machine.started.get(v)]
            if isinstance(before, (int, Sym)) and not static
        }
        if not mapping:
            break
        value = substitute(value, mapping)
    return value


def _remembered(machine: Machine, found: Located, at: Span) -> Located:
    """The place that this statement gave in the first of the iterations being unrolled."""
    around = over_ranges(machine.unrolled)
    once = tuple(i for _, kind, i in around if kind != STATIC)
    if not once:
        return found
    static = tuple(i for _, kind, i in around if kind == STATIC)
    key = (machine.callers, at, static, tuple((place, kind) for place, kind, _ in around))
    first, counts = machine.memo.setdefault("places", {}).setdefault(key, ([], {}))
    count = counts[once] = counts.get(once, -1) + 1
    if not any(once):
        first.append(found)
        return found
    known: Located = first[count] if count < len(first) else found
    return known
