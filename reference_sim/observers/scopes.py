"""Blocks of Beta 1's loops: a tensor that one makes ends with it, although Python keeps the name."""

from __future__ import annotations

import linecache
import re
from typing import TYPE_CHECKING

from reference_sim.report.sites import Site, assigned_name, here, place
from reference_sim.report.wording import complain

if TYPE_CHECKING:
    from reference_sim.machine.memory import Storage
    from reference_sim.machine.program import Program


class Block:
    """One run of a loop that the compiler keeps as a block."""

    __slots__ = ("ended",)

    def __init__(self) -> None:
        self.ended = False


def made(storage: Storage, current: Program) -> None:
    """A tensor is made, perhaps in a block."""
    if current.blocks:
        storage.block = current.blocks[-1]
        if storage.site is None:
            storage.site = here()


def used(storage: Storage) -> None:
    """Report a tensor whose block has ended: it was bound anew in the loop, or it belongs to it."""
    name = assigned_name(storage.site)
    storage.block = None
    if name and _bound_anew(name, storage.site):
        complain("NKI705", None, storage.site, [("it is used here", here())], tensor=name, block="loop")
    else:
        complain("NKI704", None, None, [("made here", storage.site)], tensor=name or "a tile", block="loop")


def shared(storage: Storage, current: Program) -> None:
    """Report a tensor in shared HBM that is made in a loop, or in a function that the kernel calls."""
    kernel = current.launch.code
    where = ""
    if current.blocks:
        where = "in a loop"
    elif kernel is not None and storage.site is not None and storage.site[0] is not kernel:
        where = "in a function that the kernel calls"
    if where:
        complain("NKI706", tensor=f"`{storage.name}`" if storage.name else "the tensor", where=where)


def _bound_anew(name: str, site: Site) -> bool:
    """Whether the statement that made a tensor computes it from what its variable held before."""
    where = place(site)
    return bool(re.match(rf"\s*{name}\s*=[^=].*\b{name}\b", linecache.getline(where.file, where.row)))
