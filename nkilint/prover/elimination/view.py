"""An obligation with its facts, in the names of the source or with equations solved, ready for elimination."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from nkilint.symbolic import Cond, Sym, Var
from nkilint.symbolic.atoms import QUANTIFIED, Int
from nkilint.symbolic.conditions import at_least_zero
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint.symbolic.integers import itself
from nkilint.symbolic.operators import Interval
from nkilint_rules.words.records import dataclass

from ..context import Context, linked
from ..ladder import Ladder


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

    def holds(self, condition: Any) -> bool:
        """Whether `condition` holds wherever the event is reached."""
        return self.ladder.rung_of(self.context.rewrite_condition(condition)) is not None

    def range_of(self, value: Int) -> Interval:
        return self.context.ranges.of(self.context.rewrite(value))

    def domain(self, variables: Iterable[Var]) -> Iterator[Cond | bool]:
        """The symbolic bounds of `variables`."""
        for variable in variables:
            own = itself(variable)
            low, high = self.low(variable), self.high(variable)
            if isinstance(variable.low, Sym):
                yield at_least_zero(own - low)
            if isinstance(variable.high, Sym):
                yield at_least_zero(high - own)

    def extended(self, names: Iterable[Var]) -> View:
        """The view with the symbolic bounds of `names` among its facts."""
        facts = {c.key: c for c in (*self.facts, *self.domain(names)) if isinstance(c, Cond)}
        return replace(self, facts=tuple(facts.values()))

    def bearing_on(self, start: Iterable[Var]) -> list[Cond | bool]:
        """Facts and symbolic bounds linked to the variables of `start` through others than inputs: for given inputs
        that reach the event, the rest can be met apart."""
        return linked(start, self.facts, self.domain, lambda v: v.kind != "input")


def views(goal: Cond, context: Context, names: Iterable[Var]) -> Iterator[tuple[Cond, View]]:
    """`goal` in the names of the source, where no iteration variable was solved for, and with equations solved. That
    the ranges of `names` and of all variables in the facts are not empty is known."""
    facts = [fact for fact in context.facts if isinstance(fact, Cond)]
    quantified = [v for v in variables(goal, *facts, *_themselves(names), through_bounds=True) if v.kind in QUANTIFIED]
    reached = [
        condition
        for v in quantified
        if v.low is not None and v.high is not None and over_inputs(v.low, v.high)
        for condition in [at_least_zero(v.high - v.low)]
        if condition is not True
    ]
    known = Context(reached, context)
    ladder = Ladder(known)
    if not any(isinstance(atom, Var) and atom.kind != "input" for atom in known.rewriting):
        plain = View(known, ladder, tuple(facts), solved=False)
        yield goal, plain.extended(quantified)
    if known.rewriting:
        rewritten = known.rewrite_condition(goal)
        if isinstance(rewritten, Cond):
            left = [v for v in quantified if v not in known.rewriting]
            yield rewritten, View(known, ladder, tuple(known.conditions), solved=True).extended(left)


def _themselves(names: Iterable[Var]) -> list[Sym]:
    return [itself(v) for v in names]
