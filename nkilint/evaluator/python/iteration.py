"""The iteration of a loop that is followed for all of them."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from nkilint.symbolic.evaluation import atoms_in
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.records import dataclass

from ..values import substitution
from ..values.cells import Cell
from ..values.choices import settled
from ..values.inheritance import in_words
from ..values.substitution import Rewriting


@dataclass(slots=True, eq=False)
class Iteration:
    """The symbolic iteration: its number, how many there are, and the loop's variable.

    `once` says that the compiler itself evaluates the body a single time, so that Python values are not carried on.
    `changed` are the containers, by their cells, that an iteration changes; what is younger than `born` the loop made.
    `own` are variables for what is not known of an iteration: in others they stand for something else. `meddles` says
    that iterations may change what earlier ones made.
    """

    index: Sym
    trips: Any
    name: str
    once: bool = False
    changed: set[int] = field(default_factory=set)
    born: int = field(default_factory=lambda: Cell.made)
    own: dict[Any, Any] = field(default_factory=dict)
    meddles: bool = False

    def forgotten(self, value: Any) -> Any:
        """A value in terms of the iteration, without what is not known of one."""
        return substitution.in_value(value, Rewriting(self.own, self.born)) if self.own else value


def in_the_one_before(now: Any, loop: Iteration) -> Any:
    before = Rewriting({loop.index.variable: loop.index - 1}, loop.born)
    return substitution.in_value(loop.forgotten(settled(now)), before)


def depends(value: Any, atoms: set[Any]) -> bool:
    """Whether one of `atoms` occurs in an integer."""
    return any(atom in atoms for atom in atoms_in([value], through_bounds=True))


def changing(name: str, loop: Iteration) -> str:
    return f"{in_words(name)} changes from one iteration of the loop over `{loop.name}` to the next"
