"""An obligation with its facts, in the names of the source or with equations solved, ready for elimination."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from nkilint.symbolic import Cond, Opaque, Sym, Var
from nkilint.symbolic.conditions import at_least_zero
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Int
from nkilint.symbolic.operators import Interval

from .context import Context, leaves, linked
from .equations import QUANTIFIED
from .ladder import Ladder


def over_inputs(*conditions: Cond | Int) -> bool:
    """Whether nothing but what the caller chooses decides `conditions`."""
    chosen = [v.kind for v in variables(*conditions)] + [o.kind for o in opaques(*conditions)]
    return all(kind == "input" for kind in chosen)


def opaques(*conditions: Cond | Int) -> list[Opaque]:
    """The opaque facts in `conditions`."""
    found: list[Opaque] = []
    for condition in conditions:
        if isinstance(condition, Opaque):
            found.append(condition)
        elif isinstance(condition, Cond):
            found += opaques(*getattr(condition, "parts", ()))
    return found


@dataclass(frozen=True, slots=True)
class View:
    """`facts` in the form of the view; `context` and `ladder` also know that the event is reached, that is, that no
    range is empty. With `solved`, bounds are rewritten."""

    context: Context
    ladder: Ladder
    facts: tuple[Cond, ...]
    solved: bool

    def low(self, variable: Var) -> Int | None:
        return self.context.low(variable) if self.solved else variable.low

    def high(self, variable: Var) -> Int | None:
        return self.context.high(variable) if self.solved else variable.high

    def shown(self, condition: Any) -> bool:
        """Whether `condition` holds wherever the event is reached."""
        return self.ladder.shown(self.context.rewrite_condition(condition)) is not None

    def range_of(self, value: Int) -> Interval:
        return self.context.ranges.of(self.context.rewrite(value))

    def domain(self, variables: Iterable[Var]) -> Iterator[Cond | bool]:
        """The symbolic bounds of `variables`."""
        for variable in variables:
            itself = Sym({(variable,): 1}, 0)
            low, high = self.low(variable), self.high(variable)
            if isinstance(variable.low, Sym):
                yield at_least_zero(itself - low)
            if isinstance(variable.high, Sym):
                yield at_least_zero(high - itself)

    def bearing_on(self, start: Iterable[Var]) -> list[Cond | bool]:
        """Facts and symbolic bounds linked to the variables of `start` through others than inputs: for given inputs
        that reach the event, the rest can be met apart."""
        return linked(start, self.facts, self.domain, lambda v: v.kind != "input")


def views(goal: Cond, context: Context) -> Iterator[tuple[Cond, View]]:
    """`goal` in the names of the source, where no iteration variable was solved for, and with equations solved."""
    facts = [fact for fact in leaves(context.facts) if isinstance(fact, Cond)]
    quantified = [v for v in variables(goal, *facts, through_bounds=True) if v.kind in QUANTIFIED]
    reached = [
        condition
        for v in quantified
        if v.low is not None and v.high is not None and over_inputs(v.low, v.high)
        for condition in [at_least_zero(v.high - v.low)]
        if condition is not True
    ]
    known = Context([*facts, *reached])
    ladder = Ladder(known)
    if not any(isinstance(atom, Var) and atom.kind != "input" for atom in known.rewriting):
        yield goal, View(known, ladder, tuple(facts), solved=False)
    if known.rewriting:
        rewritten = known.rewrite_condition(goal)
        if isinstance(rewritten, Cond):
            yield rewritten, View(known, ladder, tuple(known.conditions), solved=True)
