"""Results of an iteration that the next one overwrites, where nothing reads them before the loop ends (NKI708).

Nothing is lost of a value that builds on the iteration before, such as a running sum, or that is the same each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_sim.machine.dtypes import Array
from reference_sim.report.sites import Site, here
from reference_sim.report.wording import complain, name_of
from reference_sim.tensors.deferred import KINDS, look
from reference_sim.tensors.deferred_sums import pay
from reference_sim.tensors.tensor import Tensor, touched

from . import lineage
from .overwritten import shares_bytes

if TYPE_CHECKING:
    from reference_sim.machine.memory import Storage
    from reference_sim.machine.program import Program
    from reference_sim.report.strictness import Strictness
    from reference_sim.tensors.grids import Where

    from .loop_nests import Nest

MANY = 1024  # places of a tensor that statements write, of which each is followed


class Last:
    """When a statement last wrote to a part of a tensor, and what, where that may be compared with what follows."""

    __slots__ = ("clock", "values")

    def __init__(self, clock: int, values: int | None) -> None:
        self.clock, self.values = clock, values


class Losing:
    """A statement that overwrites what it wrote in the iteration before: how often, and whether with other values."""

    __slots__ = ("pairs", "site", "storage", "varies", "view")

    def __init__(self, storage: Storage, site: Site, view: Array | None) -> None:
        self.storage, self.site, self.view = storage, site, view
        self.pairs, self.varies = 0, False


def read(storage: Storage, clock: int, view: Array | None) -> None:
    """Something reads a tensor: what a loop left of it is all that it reads."""
    storage.seen = clock
    for loop, losing in _taken_out(storage, view):
        _complain(loop, losing)


def _taken_out(storage: Storage, view: Array | None) -> list[tuple[Nest, Losing]]:
    """What loops left in a part, which is followed no longer."""
    if not storage.lost:
        return []
    keys = [key for key, (_, losing) in storage.lost.items() if lineage.overlap(storage, view, losing.view)]
    return [storage.lost.pop(key) for key in keys]


def returned(storage: Storage, strictness: Strictness) -> None:
    """The host reads a tensor."""
    for loop, losing in (storage.lost or {}).values():
        _complain(loop, losing, strictness)
    storage.lost = None


def _complain(loop: Nest, losing: Losing, strictness: Strictness | None = None) -> None:
    related = [("the loop", loop.site)]
    complain("NKI708", None, losing.site, related, strictness, tensor=name_of(losing.storage), loop=loop.name)


def wrote(target: Tensor, where: Where, current: Program) -> None:
    """An operation writes; within loops this may be what it wrote in the iteration before."""
    storage = target.storage
    part = lineage.part_of(target, where)
    _taken_out(storage, part[1])
    if not current.nest:
        return
    if part[0] is not None and storage.birth < current.nest[-1].started and current.launch.turns is None:
        _again(target, where, part, current)
    lineage.wrote(target, part, current)


def _again(target: Tensor, where: Where, part: tuple[lineage.Key, Array | None], current: Program) -> None:
    storage, site = target.storage, here(5)  # an assignment has the fewest: from here to `Tensor.__setitem__`
    key = (site, part[0])
    lasts = storage.rewritten
    if lasts is None or len(lasts) > MANY:
        lasts = storage.rewritten = {}
    before = lasts.get(key)
    now = lasts[key] = Last(current.clock, None)
    losing = None if before is None else _losing(storage, site, part, before, current)
    if (losing is not None and not losing.varies) or _may_be_lost(storage, current):
        now.values = _values(target, where)
    if losing is not None and before is not None and None not in (before.values, now.values):
        losing.varies = losing.varies or before.values != now.values


def _losing(
    storage: Storage, site: Site, part: tuple[lineage.Key, Array | None], before: Last, current: Program
) -> Losing | None:
    """The loop's account of a statement that writes over what it wrote in the iteration before, unread until here."""
    loop = next((one for one in current.nest if one.began <= before.clock < one.started), None)
    if loop is None or before.clock < loop.previous or current.carried & loop.bit or storage.seen >= loop.began:
        return None
    key = (id(storage), (site, part[0]))
    losing = loop.lost.get(key)
    if losing is None:
        losing = loop.lost[key] = Losing(storage, site, part[1])
    losing.pairs += 1
    return losing if losing.pairs == loop.number else None


def _may_be_lost(storage: Storage, current: Program) -> bool:
    """Whether this is the first iteration of a loop that has not read the tensor."""
    return any(loop.number == 0 and storage.seen < loop.began for loop in current.nest)


def _values(target: Tensor, where: Where) -> int:
    """A number for what is in a part of a tensor: the same for the same elements."""
    if target.storage.owed is not None:
        pay(target.storage)
    if target.access is not None and isinstance(target.access, KINDS):
        look(target)
    view, positions = touched(target, where)
    array: Array = target.storage.array
    return hash((array.reshape(-1)[positions] if view is None else view).tobytes())


def ended(loop: Nest) -> None:
    """A loop came to its end: what each of its iterations overwrote is lost, if anything reads there."""
    for key, losing in loop.lost.items():
        storage = losing.storage
        if losing.varies and losing.pairs == loop.number and storage.seen < loop.began:
            if storage.placed and shares_bytes(storage):
                continue
            storage.lost = storage.lost or {}
            storage.lost[key[1]] = (loop, losing)


__all__ = ["Losing", "ended", "read", "returned", "wrote"]
