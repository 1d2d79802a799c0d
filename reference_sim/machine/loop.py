"""A loop of a kernel that runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference_sim.report.sites import assigned_name, here


class Loop:
    """One run of a loop: its iterations, and the number of the present one.

    `independent` ones promise not to hang on each other, `ordered` ones come in order, and those that run in another
    order to try it out are neither. `block` says that the compiler of Beta 1 keeps the loop as a block; `told` is what
    it goes over, where that is no variable which the loop is seen to set.
    """

    __slots__ = ("block", "independent", "number", "ordered", "site", "told", "trips")

    def __init__(self, trips: Sequence[int], independent: bool, ordered: bool, block: bool, told: str = "") -> None:
        self.trips, self.independent, self.ordered, self.block = trips, independent, ordered, block
        self.told, self.site, self.number = told, here(), -1

    @property
    def name(self) -> str:
        """The loop variable, or what else it goes over."""
        return self.told or assigned_name(self.site) or "_"

    def trip(self, number: int) -> Any:
        """The value of the loop variable in an iteration; several iterations have none."""
        return self.trips[number] if number >= 0 else "several"
