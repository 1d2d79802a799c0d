"""The form of a rule about where single tiles are placed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from ..placing.located import PlacedTiles
from ..rule import Need, Rule


class PlaceRule(Rule):
    """Base of the rules about places: `check_place` yields the conditions that the tiles of a tensor have to meet."""

    @abstractmethod
    def check_place(self, tiles: PlacedTiles) -> Iterator[Need]:
        """The conditions that a placement has to meet under this rule."""
