"""Whether the sums that matmuls make in PSUM are sound: begun, not read out before, on top of matmuls (NKI202, NKI504,
NKI505, NKI506, NKI701)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from nkilint_rules.lifetime.accumulate_on_initialised import AccumulateOnInitialised
from nkilint_rules.lifetime.lost_sum import LostSum
from nkilint_rules.lifetime.stale_accumulator import StaleAccumulator
from nkilint_rules.operands.unsupported_dtype import UnsupportedDtype
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.dtypes import FLOAT32, FLOATS
from nkilint_rules.words.memory import PSUM
from reference_sim.machine.geometry import element_at
from reference_sim.machine.memory import RESULTS, Storage
from reference_sim.machine.program import Program
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import Site, here
from reference_sim.report.wording import complain, complain_unwritten, name_of, source_text
from reference_sim.tensors.accumulation import FRESH, MATMUL, OTHER, includes, states_of
from reference_sim.tensors.elements import accessed
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .protocol import Follower, Observer, follow, follower_of

READ_OUT = 3
"""The state of a sum of matmuls that something else has read."""


@dataclass(slots=True)
class Sum:
    """One that matmuls make: where it began last, whether something was added since, and whether it began there over
    what had begun there, too. Where nothing is ever added, it is for NKI708 to say what is lost."""

    begun: Site
    is_added_to: bool = False
    again: bool = False


class Sums(Follower):
    """Who last read sums out of a tensor in PSUM, what last wrote something else than a sum to it, and the sums in it
    by their places."""

    __slots__ = ("made", "reader", "writer")

    def __init__(self) -> None:
        self.reader: Site = None
        self.writer: tuple[str, Site] = ("a write", None)
        self.made: dict[Any, Sum] = {}

    def loses(self, target: Tensor, held: Any, accumulate: Any) -> bool:
        """Whether a matmul shows that products are lost: by what it does, or by what it did before."""
        offset = 0 if target._array is target.storage.array else target.offset
        place = (offset, target.sizes) if target.access is None else None
        over = held == MATMUL if type(held) is int else bool(np.all(np.equal(held, MATMUL)))
        site, last = here(), self.made.get(place)
        if accumulate is False:
            alike = over and last is not None and not last.is_added_to and last.begun == site
            begins_again = alike and _never_adds(site)
            self.made[place] = Sum(site, again=begins_again)
            return over and not begins_again
        if not over or last is None:
            return False
        lost, last.is_added_to, last.again = last.again, True, False
        return lost

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        held = tensor.storage.psum
        if held is None or held.state not in (None, MATMUL) or (operands is not None and operands.entry.is_matmul):
            return
        if includes(states_of(tensor, where), MATMUL):
            view, positions = accessed(tensor, where)
            held.put(tensor.storage, view, positions, READ_OUT, tensor.tile)
            self.reader = here()

    def wrote(self, tensor: Tensor, where: Where, current: Program) -> None:
        if includes(states_of(tensor, where), OTHER):
            self.writer = current.operation, here()


@cache
def _never_adds(site: Site) -> bool:
    """Whether the text of a matmul says that it overwrites each time, and not a condition that it had."""
    return re.search(r"\baccumulate\s*=\s*False\b", source_text(site)) is not None


class Accumulation(Observer):
    """Judges each sum when it is begun, goes on or starts over."""

    def allocated(self, storage: Storage, filled: bool) -> None:
        if storage.memory == PSUM:
            sums = Sums()
            if filled:
                sums.writer = self.program.operation, storage.site
            follow(storage, sums)

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        if tile.storage.memory == PSUM:
            follow(tile.storage, Sums())

    def updates(self, target: Tensor, other: Any, kept: Any, where: Where) -> None:
        if target.element is FLOAT32:
            return
        result = isinstance(other, Tensor) and other.storage.kind in RESULTS
        product = result and other.storage.memory == PSUM and other.element == FLOAT32
        if product and target.storage.memory == PSUM and target.element not in FLOATS:
            complain(UnsupportedDtype.products(tensor=name_of(target.storage), dtype=target.element))

    def sums(self, target: Tensor, held: Any, accumulate: Any) -> None:
        storage = target.storage
        known = follower_of(storage, Sums) or Sums()
        allocated = ("allocated here", storage.site)
        if known.loses(target, held, accumulate):
            complain(LostSum.message(tensor=name_of(storage)), None, [allocated])
        if accumulate is False:
            return
        if includes(held, READ_OUT):
            said = StaleAccumulator.message(tensor=name_of(storage))
            complain(said, None, [("read out here", known.reader), allocated])
        target_ = self.program.launch.target
        older = self.program.dialect == NKI and target_.generation < 4
        if accumulate and older and includes(held, OTHER):
            operation, place = known.writer
            said = AccumulateOnInitialised.message(tensor=name_of(storage), operation=operation, target=target_)
            complain(said, None, [("written here", place), allocated])
        if accumulate and includes(held, FRESH):
            view, positions = accessed(target)
            first = int(np.argmax(np.broadcast_to(np.equal(held, FRESH), target.shape)))
            element = element_at(storage, view, positions, first, target.tile)
            complain_unwritten(storage, storage.site, element, None, ())
