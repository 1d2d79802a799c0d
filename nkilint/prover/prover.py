"""Decides obligations on a ladder of ever dearer rungs and says under which inputs they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nkilint.symbolic import And, Cond, Var
from nkilint.symbolic.conditions import conjunction
from nkilint.symbolic.evaluation import variables

from .context import Context
from .decision import Decision, Verdict
from .elimination import Precondition
from .equations import UNKNOWABLE
from .ladder import RUNGS, Ladder
from .precondition import precondition
from .solver import Solver
from .view import opaques
from .witness import LazyModel, smallest

SPENT = "the solver's budget is spent"
NO_CONDITION = "no condition on the inputs was found under which it holds"


@dataclass(frozen=True, slots=True)
class Budget:
    """Work limits, in z3's units, never in time."""

    work: int = 400_000  # one query of an obligation
    branch_work: int = 100_000  # one query of a branch decision


class Prover:
    """Decisions for one kernel instance. It remembers them by keys of atoms, so it must not outlive a file."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._contexts: dict[tuple[int, ...], tuple[Sequence[Any], Context, Ladder]] = {}
        self._decisions: dict[Any, Decision] = {}
        self._implied: dict[Any, bool | None] = {}
        self._solver: Solver | None = None

    # --- what callers ask ---

    def decide(self, goal: Cond | bool, facts: Sequence[Cond | bool]) -> Decision:
        """Whether `goal` holds for all inputs, iterations and elements that the facts admit."""
        if goal is True:
            return Decision(Verdict.PROVED, "constant")
        context, ladder = self._context(facts)
        key = (id(context), goal if isinstance(goal, bool) else goal.key)
        known = self._decisions.get(key)
        if known is None:
            known = self._decisions[key] = self._decide(goal, context, ladder)
        return known

    def implied(self, goal: Cond | bool, facts: Sequence[Cond | bool], *, deep: bool = False) -> bool | None:
        """True where the facts imply `goal`, False where they exclude it, else None; asks z3 only if `deep`."""
        if isinstance(goal, bool):
            return goal
        context, ladder = self._context(facts)
        key = (id(context), goal.key, deep)
        if key not in self._implied:
            self._implied[key] = self._imply(goal, context, ladder, deep)
        return self._implied[key]

    def witness(
        self, goal: Cond | bool, facts: Sequence[Cond | bool], also: Iterable[Var] = ()
    ) -> Mapping[Var, int]:
        """The canonical counterexample, with values for `also`; empty where there is none or the work limit was
        spent."""
        context, ladder = self._context(facts)
        names = [*variables(goal, *facts, through_bounds=True), *also]
        for part in goal.parts if isinstance(goal, And) else (goal,):
            rewritten = context.rewrite_condition(part)
            if ladder.shown(rewritten) is None:
                against = (not rewritten) if isinstance(rewritten, bool) else ~rewritten
                found = smallest(against, context, names, self._z3())
                if found:
                    return found
        return {}

    # --- contexts and solver ---

    def _context(self, facts: Sequence[Cond | bool]) -> tuple[Context, Ladder]:
        key = tuple(map(id, facts))
        known = self._contexts.get(key)
        if known is None:
            context = Context(facts)
            known = self._contexts[key] = (tuple(facts), context, Ladder(context))  # kept, so that ids stay theirs
        return known[1], known[2]

    def _satisfiable(self, conditions: Sequence[Cond | bool]) -> bool | None:
        if any(condition is False for condition in conditions):
            return False
        return self._z3().satisfiable(c for c in conditions if c is not True)

    def _z3(self) -> Solver:
        if self._solver is None:
            self._solver = Solver(self.budget.work)
        return self._solver

    @property
    def queries(self) -> int:
        """How often z3 was asked."""
        return 0 if self._solver is None else self._solver.queries

    # --- the ladder ---

    def _imply(self, goal: Cond, context: Context, ladder: Ladder, deep: bool) -> bool | None:
        rewritten = context.rewrite_condition(goal)
        if isinstance(rewritten, bool):
            return rewritten
        if ladder.shown(rewritten) is not None:
            return True
        if ladder.refuted(rewritten) is not None:
            return False
        if deep:
            if self._satisfiable(context.connected(~rewritten)) is False:
                return True
            if self._satisfiable(context.connected(rewritten)) is False:
                return False
        return None

    def _decide(self, goal: Cond | bool, context: Context, ladder: Ladder) -> Decision:
        if context.contradictory:
            return Decision(Verdict.PROVED, "facts", reason="the event is never reached")
        parts = goal.parts if isinstance(goal, And) else (goal,)
        decision = self._joined([self._decide_one(part, context, ladder) for part in parts], context)
        if decision.verdict in (Verdict.VIOLATED, Verdict.CONDITIONAL):
            return replace(decision, model=LazyModel(lambda: self.witness(goal, context.facts)))
        return decision

    def _joined(self, parts: Sequence[Decision], context: Context) -> Decision:
        """The decision on a conjunction."""
        if len(parts) == 1:
            return parts[0]
        for verdict in (Verdict.VIOLATED, Verdict.UNKNOWN):
            for part in parts:
                if part.verdict is verdict:
                    return part
        rung = max((part.rung for part in parts), key=RUNGS.index)
        conditional = [part for part in parts if part.verdict is Verdict.CONDITIONAL]
        if not conditional:
            return Decision(Verdict.PROVED, rung)
        if len(conditional) == 1:
            return conditional[0]
        conditions = [part.precondition for part in conditional]
        if any(condition is None for condition in conditions):
            return Decision(Verdict.CONDITIONAL, rung, exact=False)
        exact = all(part.exact for part in conditional)
        whole = Precondition(conjunction(conditions), exact)
        return self._conditional(whole, rung, context)

    def _decide_one(self, goal: Cond | bool, context: Context, ladder: Ladder) -> Decision:
        rewritten = context.rewrite_condition(goal)
        rung = ladder.shown(rewritten)
        if rung is not None:
            return Decision(Verdict.PROVED, rung)
        empty = next((v for v in variables(rewritten) if _empty(context, v)), None)
        if empty is not None:
            return Decision(Verdict.PROVED, "interval", reason=f"`{empty.name}` ranges over nothing")
        against: Any = (not rewritten) if isinstance(rewritten, bool) else ~rewritten
        failing = self._satisfiable(context.connected(against))
        if failing is False:
            return Decision(Verdict.PROVED, "z3")
        reachable = self._satisfiable(context.everything())
        if reachable is False:
            return Decision(Verdict.PROVED, "z3", reason="the event is never reached")
        if failing is None or reachable is None:
            return Decision(Verdict.UNKNOWN, "z3", reason=SPENT)
        rung = ladder.refuted(rewritten)
        if rung is not None:
            return Decision(Verdict.VIOLATED, rung)
        assert isinstance(goal, Cond)
        return self._not_proved(goal, context)

    def _not_proved(self, goal: Cond, context: Context) -> Decision:
        """The goal fails for some values: for which inputs?"""
        related = context.connected(context.rewrite_condition(goal))
        if self._satisfiable(related) is False:
            return Decision(Verdict.VIOLATED, "z3")
        unknowable = _unknowable(related)
        if unknowable:
            return Decision(Verdict.UNKNOWN, "z3", reason=f"it depends on {unknowable}")
        if _concrete(related):
            return Decision(Verdict.VIOLATED, "z3")
        found = precondition(goal, context)
        if found is None:
            return Decision(Verdict.UNKNOWN, "z3", reason=NO_CONDITION)
        return self._conditional(found, "z3", context)

    def _conditional(self, found: Precondition, rung: str, context: Context) -> Decision:
        condition = context.rewrite_condition(found.condition)
        meeting = self._satisfiable(context.connected(condition))
        if meeting is False and found.exact:
            return Decision(Verdict.VIOLATED, rung)
        if meeting is not True or isinstance(found.condition, bool):
            return Decision(Verdict.UNKNOWN, rung, reason=SPENT if meeting is None else NO_CONDITION)
        return Decision(Verdict.CONDITIONAL, rung, found.condition, exact=found.exact)


def _concrete(conditions: Sequence[Cond | bool]) -> bool:
    """Whether no choice of the caller has a part in `conditions`."""
    return all(v.kind != "input" for v in variables(*conditions)) and not opaques(*conditions)


def _empty(context: Context, variable: Var) -> bool:
    low, high = context.ranges.atom(variable)
    return low > high


def _unknowable(related: Sequence[Cond | bool]) -> str:
    """The values among those involved that no caller chooses."""
    names = [f"`{v.name}`" for v in variables(*related) if v.kind in UNKNOWABLE]
    names += [f"`{o.name}`" for o in opaques(*related) if o.kind != "input"]
    return ", ".join(dict.fromkeys(names))

