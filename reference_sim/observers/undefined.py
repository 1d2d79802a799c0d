"""Shadow memory: which elements were written, and where values computed from unwritten ones end up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.operations.effects import RESULT
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM, PSUM
from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import element_at, project
from reference_sim.operations.dependence import carried
from reference_sim.report.sites import Site, here
from reference_sim.report.wording import complain, complain_unwritten
from reference_sim.tensors.access import DynamicAccess, check_lookups
from reference_sim.tensors.tensor import Tensor, touched

from . import accumulation as psum
from . import capacity, lineage, programs, scopes
from . import direct_allocation as direct
from . import lost_writes as rewriting
from . import overwritten as lifetimes
from . import races as dependencies

if TYPE_CHECKING:
    from reference_sim.machine.memory import Storage
    from reference_sim.machine.program import Program
    from reference_sim.operations.calls import Entry, Operands
    from reference_sim.tensors.grids import Where


Origin = tuple[Site, "Storage", list[int]]


class Shadow:
    """Which elements of a storage hold nothing a kernel put there: none (`None`), all (`True`), or those marked.

    `origin` is where the first of them was read, and of what; `count` is how many are marked.
    """

    __slots__ = ("count", "origin", "undefined")

    def __init__(self, undefined: Any = None, origin: Origin | None = None) -> None:
        self.undefined, self.origin = undefined, origin
        self.count = int(np.count_nonzero(undefined)) if isinstance(undefined, np.ndarray) else 0


def created(storage: Storage, filled: bool, current: Program) -> None:
    """A new allocation holds nothing unless it was filled."""
    storage.shadow = Shadow(None if filled else True)
    if filled:
        capacity.begins(storage, current)


def input_created(storage: Storage) -> None:
    """The host's arrays are written."""
    storage.shadow = None


def is_defined(storage: Storage) -> bool:
    """Whether all elements hold something that a kernel put there, as far as is followed."""
    return storage.shadow is None or storage.shadow.undefined is None


def undefined_in(tensor: Tensor, where: Where = None) -> Any:
    """Which elements of a masked access are undefined: None for none of them, else truth values of its shape."""
    shadow = tensor.storage.shadow
    if shadow is None or shadow.undefined is None or tensor.size == 0:
        return None
    found: Array | None
    if shadow.undefined is True:
        found = np.ones(tensor.sizes, bool)
    elif tensor._array is not None:
        found = project(tensor.storage, tensor._array, shadow.undefined, tensor.tile)
    else:
        found = _undefined_at(tensor, where, shadow.undefined)
    if found is not None and where is not None:
        found = _only(found, where)
    return found if found is not None and found.any() else None


def _only(marks: Array, where: Where) -> Array:
    """The marks that a mask leaves."""
    left = np.zeros(marks.shape, bool)
    left[where] = marks[where]
    return left


def _undefined_at(tensor: Tensor, where: Where, marks: Array) -> Array | None:
    view, positions = touched(tensor, where)
    if view is not None:
        found = project(tensor.storage, view, marks, tensor.tile)
        if found is None or where is None:
            return found
        full = np.zeros(tensor.sizes, bool)
        full[where] = found
        return full
    chosen = marks.reshape(-1)[positions]
    if where is not None:
        full = np.zeros(tensor.sizes, bool)
        part = full[where]
        full[where] = chosen.reshape(part.shape) if chosen.size == part.size else chosen.any()
        return full
    if chosen.size == tensor.size:
        return np.asarray(chosen.reshape(tensor.sizes))
    return np.full(tensor.sizes, bool(chosen.any()))


def before(entry: Entry, operands: Operands, current: Program) -> None:
    """Look at what an operation reads before it runs."""
    arguments = operands.arguments
    current.reads.clear()
    current.clock += 1
    if current.nest:
        lineage.begin(current, operands.plan)
    for name, _, _ in entry.roles:
        value = arguments.get(name)
        if type(value) is Tensor and type(value.access) is DynamicAccess and value.access.lookups:
            check_lookups(value.access, entry.operation.leaf)
    for name, role, many in operands.plan.reads:
        value = arguments.get(name)
        if type(value) is Tensor:
            _read(name, role, value, operands, current)
        elif many and isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, Tensor):
                    _read(name, role, item, operands, current)


def _read(name: str, role: str, tensor: Tensor, operands: Operands, current: Program) -> None:
    storage = tensor.storage
    storage.was_read = True
    if storage.life is not None:
        storage.life.end = current.clock
    if storage.maker:
        direct.made(current, storage)
    if storage.block is not None and storage.block.ended:
        scopes.used(storage)
    if role == "accumulate":
        taken(tensor, current)
        if storage.placed:
            lifetimes.read(tensor, None, True)
        return
    where = operands.seen(name, tensor)
    taken(tensor, current, where)
    shadow = storage.shadow
    if shadow is not None and shadow.undefined is not None and undefined_in(tensor, where) is not None:
        operands.tainted.append((name, tensor))
    if current.loops or storage.placed or storage.memory == PSUM or storage.kind == "shared":
        note_read(tensor, where, current, not operands.entry.is_matmul)


def taken(tensor: Tensor, current: Program, where: Where = None) -> None:
    """The operation takes what is in a tensor."""
    storage = tensor.storage
    storage.seen = current.clock
    if storage.lost:
        rewriting.read(storage, current.clock, lineage.part_of(tensor, where)[1])
    if current.nest:
        lineage.read(tensor, where, current)


def note_read(tensor: Tensor, where: Where, current: Program, read_out: bool = True) -> None:
    """Tell whoever follows reads."""
    storage = tensor.storage
    storage.was_read = True
    if current.loops and not storage.is_input:
        dependencies.read(tensor, where, current)
    if storage.placed:
        lifetimes.read(tensor, where, False)
    if storage.memory == PSUM and read_out:
        psum.read_out(tensor, where)
    if storage.kind == "shared" and len(current.launch.grid):
        programs.read(tensor, where, current)


def origin_of(tensor: Tensor, where: Where = None) -> Origin:
    """Where an undefined value was first read, of what, and which element that was."""
    shadow = tensor.storage.shadow
    if shadow is not None and shadow.origin is not None:
        return shadow.origin
    return here(), tensor.storage, _first_undefined(tensor, where)


def _first_undefined(tensor: Tensor, where: Where) -> list[int]:
    marks = undefined_in(tensor, where)
    if marks is None or marks.shape != tensor.sizes:
        return [0] * len(tensor.storage.shape)
    view, positions = touched(tensor, where)
    left = marks if where is None else marks[where]
    if positions is not None and positions.size != left.size:
        return [0] * len(tensor.storage.shape)
    return element_at(tensor.storage, view, positions, int(left.argmax()), tensor.tile)


def undefined_result(operands: Operands, name: str, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Which elements of what an operation writes come from undefined ones, and where those were read."""
    written = operands.plan.effects.writes.get(name)
    found: Any = None
    origin = None
    for source, tensor in operands.tainted if written is not None else ():
        how = written.sources.get(source) if written is not None else None
        where = operands.seen(source, tensor)
        marks = None if how is None else undefined_in(tensor, where)
        if how is None or marks is None:
            continue
        part = carried(how, marks, shape, operands)
        if part.any():
            found = part if found is None else found | part
            origin = origin or origin_of(tensor, where)
    return found, origin


def wrote(target: Tensor, where: Where, current: Program, taint: Any = None, origin: Any = None) -> None:
    """Note a write, and which of the values written are undefined."""
    storage = target.storage
    storage.written = True
    if storage.life is None:
        capacity.begins(storage, current)
    if isinstance(target.access, DynamicAccess):
        storage.dynamic = True
    if storage.is_input:
        _input_written(target, where, current)
    if current.nest or storage.lost:
        rewriting.wrote(target, where, current)
    if taint is not None:
        kept = taint if where is None else taint[where]
        if storage.memory == HBM and np.any(kept):
            site, owner, element = origin
            complain_unwritten(owner, owner.site, element, site, [("the value reaches HBM here", here())])
            taint = None
    if storage.shadow is not None or taint is not None:
        _mark(target, where, taint, origin)
    if current.loops:
        dependencies.wrote(target, where, current)
    if storage.placed:
        lifetimes.wrote(target, where, current)
    if storage.kind == "shared" and len(current.launch.grid):
        programs.wrote(target, where, current)


def _input_written(target: Tensor, where: Where, current: Program) -> None:
    """An input is written; where that is allowed, it may be an output parameter, which is to be written as a whole."""
    storage = target.storage
    if storage.mutable:
        return
    if current.launch.immutable_inputs:
        complain("NKI207", parameter=storage.name)
    if current.dialect == BETA1 and not storage.was_read:
        storage.left = storage.left or Shadow(True)
        _note(storage.left, target, where, None)


def _mark(target: Tensor, where: Where, taint: Any, origin: Any) -> None:
    if target.size == 0:
        return
    storage = target.storage
    shadow = storage.shadow
    if shadow is None:
        shadow = storage.shadow = Shadow()
    if taint is not None:
        shadow.origin = shadow.origin or origin
    elif shadow.undefined is None:
        return
    _note(shadow, target, where, taint)


def _note(shadow: Shadow, target: Tensor, where: Where, taint: Any) -> None:
    """What is written holds something now, apart from what is marked in `taint`."""
    if shadow.undefined is None and taint is None:
        return
    storage = target.storage
    array = target._array
    size = int(np.prod(storage.shape))
    if where is None and array is not None and array.size == size and taint is None:
        shadow.undefined = None
        return
    view, positions = touched(target, where)
    if view is not None and not view.size:
        return
    marks = shadow.undefined
    if marks is None or marks is True:
        shadow.count = size if marks is True else 0
        marks = shadow.undefined = np.full(storage.shape, marks is True)
    if positions is not None:
        if taint is not None and taint.size != positions.size:
            taint = np.broadcast_to(taint[where], positions.shape)
        marks.reshape(-1)[positions] = False if taint is None else taint.reshape(positions.shape)
        shadow.count = int(np.count_nonzero(marks))
    else:
        seen = project(storage, view, marks, target.tile)
        if seen is None:
            shadow.undefined = None
            return
        repeated = 0 in seen.strides
        before = np.count_nonzero(seen)
        seen[...] = False if taint is None else (taint if where is None else taint[where])
        after = 0 if taint is None else np.count_nonzero(seen)
        shadow.count = int(np.count_nonzero(marks) if repeated else shadow.count + after - before)
    if shadow.count <= 0:
        shadow.undefined = None


def made(tile: Tensor, operands: Operands, where: Where) -> None:
    """A result: undefined where its mask left elements out, and where its values come from undefined ones."""
    taint, origin = undefined_result(operands, RESULT, tile.sizes)
    if where is None and taint is None:
        return
    undefined = np.zeros(tile.sizes, bool) if taint is None else np.array(taint)
    if where is not None:
        outside = np.ones(tile.sizes, bool)
        outside[where] = False
        undefined |= outside
    if undefined.any():
        tile.storage.shadow = Shadow(undefined, origin)
        tile.storage.site = here()


def before_in_place(target: Tensor, other: Any, operator: str, current: Program, where: Where = None) -> None:
    """`t += x` reads both, `x` where it was made."""
    lineage.begin(current)
    taken(target, current)
    if isinstance(other, Tensor):
        taken(other, current, where)
    if target.storage.block is not None and target.storage.block.ended:
        scopes.used(target.storage)
    for tensor in (target, other):
        if isinstance(tensor, Tensor) and tensor.storage.life is not None:
            tensor.storage.life.end = current.clock
    if isinstance(other, Tensor):
        note_read(other, where, current)
    if target.storage.placed:
        lifetimes.read(target, None, target.storage.memory == PSUM)
    if current.loops:
        dependencies.accumulated(target, operator, current)


def taint_in_place(target: Tensor, other: Any, kept: Any, where: Where = None) -> tuple[Any, Any]:
    """Which elements of `t += x` are undefined, and where they come from; of `t`, what is not `kept` is replaced.

    Nothing happens to the elements that `where` leaves out.
    """
    found: Any = None
    origin = None
    for tensor in (other, target):
        marks = (
            undefined_in(tensor, where) if isinstance(tensor, Tensor) and tensor.storage.shadow is not None else None
        )
        if marks is None or (tensor is target and kept is None):
            continue
        if tensor is target and kept is not True:
            marks = marks & kept
        try:
            marks = np.broadcast_to(marks, target.sizes)
        except ValueError:  # the shapes have been complained about
            continue
        if marks.any():
            found = marks if found is None else found | marks
            origin = origin or origin_of(tensor, where)
    return found, origin


def before_copy(target: Tensor, value: Tensor, where: Where, current: Program) -> tuple[Any, Any]:
    """`t[...] = value` reads the value; which of its elements are undefined."""
    lineage.begin(current)
    taken(value, current)
    if value.storage.reduction is not None:
        taken(target, current)
    if value.storage.life is not None:
        value.storage.life.end = current.clock
    if value.storage.block is not None and value.storage.block.ended:
        scopes.used(value.storage)
    if type(value.access) is DynamicAccess and value.access.lookups:
        check_lookups(value.access, None)
    if value.storage.kind not in ("result", "matmul"):
        note_read(value, None, current)
    found = undefined_in(value, where)
    if found is None or found.size != target.size:
        return None, None
    return found.reshape(target.sizes), origin_of(value, where)


__all__ = ["Shadow", "before", "created", "made", "wrote"]
