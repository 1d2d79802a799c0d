"""Arguments that are constants of the API, by name, and the sign of an argument without default."""

from __future__ import annotations

from .records import dataclass


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


@dataclass(frozen=True, slots=True)
class Named:
    """A constant of the API used as a default or an argument, by its dotted name: `isa.engine.unknown`, `numpy.add`."""

    name: str

    @property
    def leaf(self) -> str:
        return self.name.rpartition(".")[2]

    def __str__(self) -> str:
        return self.leaf


USUAL_NAMES = frozenset({"nisa", "nl", "nki", "nt", "ncc"})
"""Names that modules with operations go by."""
