"""A loop of a kernel that runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference_sim.report.sites import assigned_name, here


class Loop:
    """One run of a loop: its iterations, and the number of the present one.

    `independent` ones promise not to hang on each other, `ordered` ones come in order, and those that run in another
    order to try it out are neither. `block` says that the compiler of Beta 1 keeps the loop as a block.
    """

    __slots__ = ("block", "independent", "number", "ordered", "site", "trips")

    def __init__(self, trips: Sequence[int], independent: bool, ordered: bool, block: bool) -> None:
        self.trips, self.independent, self.ordered, self.block = trips, independent, ordered, block
        self.site, self.number = here(), -1

    @property
    def name(self) -> str:
        """The loop variable."""
        return assigned_name(self.site) or "_"

    def trip(self, number: int) -> Any:
        """The value of the loop variable in an iteration; several iterations have none."""
        return self.trips[number] if number >= 0 else "several"
