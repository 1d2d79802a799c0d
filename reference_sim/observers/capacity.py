"""How much of SBUF and PSUM holds data at once, from the first write of each tile to its last read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nkilint_rules.words.memory import HBM, PSUM, SBUF
from reference_sim.report.sites import Site, assigned_name, here
from reference_sim.report.wording import complain

if TYPE_CHECKING:
    from reference_sim.machine.memory import Storage
    from reference_sim.machine.program import Program

SMALL = 8192  # bytes over all partitions, below which a tile is not counted
MOST = 200_000  # tiles that are followed; a longer run is judged by those
SHOWN = 6  # tensors named in a finding


class Life:
    """A tile that holds data: its bytes over all partitions, and when it was written first and read last.

    Of a tensor with blocks one tile is counted, since the compiler may let its blocks take turns.
    """

    __slots__ = ("area", "end", "memory", "row", "site", "start")

    def __init__(self, storage: Storage, now: int) -> None:
        row = storage.element.itemsize
        for size in storage.shape[storage.rank_blocks + 1 :]:
            row *= size
        # A result is written where it is made.
        site = storage.site if storage.kind in ("result", "matmul") else None
        self.memory, self.row, self.site = storage.memory, row, site or here()
        self.area = row * (storage.shape[storage.rank_blocks] if len(storage.shape) > storage.rank_blocks else 1)
        self.start = self.end = now

    @property
    def name(self) -> str:
        return assigned_name(self.site)


def begins(storage: Storage, current: Program) -> None:
    """Something is written to a tile for the first time."""
    array = storage.array
    if array is not None and array.nbytes < SMALL:
        return
    if storage.memory != HBM and not storage.placed and len(current.lives) < MOST:
        storage.life = Life(storage, current.clock)
        current.lives.append(storage.life)


def judge(current: Program) -> None:
    """Advise about each memory that a program exceeds; one that places its tensors itself is told about overlaps."""
    if current.direct is not None:
        return
    target = current.launch.target
    for memory, capacity in ((SBUF, target.sbuf_bytes), (PSUM, target.psum_bytes)):
        lives = [life for life in current.lives if life.memory == memory and life.row <= capacity]
        if sum(life.area for life in lives) <= capacity * target.pmax:
            continue
        there = _most(lives)
        area = sum(life.area for life in there)
        if area > capacity * target.pmax:
            complain(
                "NKI410", None, _last(there), [(_told(x, target.pmax), x.site) for x in there[:SHOWN]],
                who="1 tensor needs" if len(there) == 1 else f"{len(there)} tensors need",
                bytes=-(-area // target.pmax), capacity=capacity, memory=memory.upper(), target=target,
            )  # fmt: skip


def _most(lives: Sequence[Life]) -> list[Life]:
    """The tiles that hold data when most of the memory does, the largest first."""
    changes = sorted(change for x in lives for change in ((x.end, 0, -x.area), (x.start, 1, x.area)))
    now = most = when = 0
    for time, _, change in changes:
        now += change
        if now > most:
            most, when = now, time
    return sorted((x for x in lives if x.start <= when < x.end), key=lambda x: -x.area)


def _last(lives: Sequence[Life]) -> Site:
    return max(lives, key=lambda x: x.start).site


def _told(life: Life, partitions: int) -> str:
    return f"`{life.name or 'a result'}` takes {-(-life.area // partitions)} bytes"


__all__ = ["Life", "begins", "judge"]
