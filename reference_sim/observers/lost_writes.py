"""Results of an iteration that the next one overwrites, where nothing reads them before the loop ends (NKI708).

Nothing is lost of a value that builds on the iteration before, such as a running sum, or that is the same each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_sim.machine.dtypes import Array
from reference_sim.report.sites import Site, here
from reference_sim.report.wording import complain, name_of
from reference_sim.tensors.tensor import Tensor

from . import lineage
from .overwritten import shares_bytes

if TYPE_CHECKING:
    from reference_sim.machine.memory import Storage
    from reference_sim.report.context import Program
    from reference_sim.report.strictness import Strictness
    from reference_sim.tensors.grids import Where

    from .loop_nests import Nest

MANY = 1024  # places of a tensor that statements write, of which each is followed


class Losing:
    """A statement that overwrites what it wrote in the iteration before: how often, and whether with another value."""

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
        _again(storage, part, current)
    lineage.wrote(target, part, current)


def _again(storage: Storage, part: tuple[lineage.Key, Array | None], current: Program) -> None:
    site = here(5)  # an assignment has the fewest: from here to `Tensor.__setitem__`
    key = (site, part[0])
    known = storage.rewritten
    if known is None or len(known) > MANY:
        known = storage.rewritten = {}
    before = known.get(key)
    known[key] = (current.clock, current.recipe)
    if before is None:
        return
    clock, recipe = before
    loop = next((one for one in current.nest if one.began <= clock < one.started), None)
    if loop is None or clock < loop.previous or current.carried & loop.bit or storage.seen >= loop.began:
        return
    losing = loop.lost.get((id(storage), key))
    if losing is None:
        losing = loop.lost[id(storage), key] = Losing(storage, site, part[1])
    losing.pairs += 1
    losing.varies = losing.varies or recipe != current.recipe


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
