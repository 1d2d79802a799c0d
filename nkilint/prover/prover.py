"""Decides obligations on a ladder of ever dearer rungs and says under which inputs they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nkilint.symbolic import And, Cond, Or, Sym, Var
from nkilint.symbolic.conditions import conjunction, disjunction, equal_zero, leaves
from nkilint.symbolic.evaluation import has_more_nodes, over_inputs, variables
from nkilint.symbolic.work import REASON, allowed, within
from nkilint_rules.words.conditions import negation

from . import simplification
from .choosing import cases_of_inputs
from .context import Context
from .contract import merged, without_weaker
from .decision import NO_CONDITION, UNREACHED, Decision, Verdict
from .elimination import Precondition, avoiding, in_fewer_words, necessary, precondition
from .groups import Groups
from .inheriting import Answers
from .ladder import RUNGS, Ladder
from .nodes import Node, Nodes
from .sampling import Found, meeting, met
from .solver import Solver
from .unknowable import fails_anyway, unknowable, without_choice
from .witness import Known, LazyModel, smallest

SPENT = "the solver's budget is spent"
DEPENDS = "it depends on "
TOO_LARGE = "the condition is too large"
MOST_NODES = 1_500  # of a condition that is looked at
MANY, TRIALS = 8, 3  # facts of which a goal's own are tried first; inputs looked at where no closed form is found
OUT_OF_WORK = Decision(Verdict.UNKNOWN, "z3", reason=REASON)
AGAIN = 2  # times as much work has to be allowed for what did not do
QUICK, DECISION, BRANCH, CONTRACT = 20_000, 120_000, 50_000, 1_000_000  # units of work for one question at most


class Prover:
    """Decisions for one kernel instance. It remembers them by keys of atoms, so it must not outlive a file. One query
    of an obligation has `work`, in z3's units, never in time; where that is none, z3 is not asked at all."""

    def __init__(self, work: int = 200_000) -> None:
        self.work = work
        self._nodes = Nodes()
        self._decisions: dict[Any, Decision] = {}
        self._implied: dict[Any, bool | None] = {}
        self._proofs, self._branches, self._shown = Answers(), Answers(), Answers()
        self._spent: dict[Any, int] = {}  # the most that an answer might take
        self._follows: dict[Any, bool] = {}
        self._reachable: dict[tuple[Any, ...], bool | None] = {}
        self._satisfied: dict[frozenset[Any], bool | None] = {}
        self._tried: dict[frozenset[Any], float] = {}  # the work that was allowed for these
        self._least: Known = {}
        self._found = Found()
        self._solver: Solver | None = None

    # --- what callers ask ---

    def decide(
        self, goal: Cond | bool, facts: Sequence[Cond | bool], most: int = DECISION, *, last: bool = True
    ) -> Decision:
        """Whether `goal` holds for all inputs, iterations and elements that the facts admit. What was not answered with
        less work is asked again with `most`; the `last` time, what fails for some inputs is conditional, though the
        work does not do to say for which."""
        if goal is True:
            return Decision(Verdict.PROVED, "constant")
        return within(most, lambda: self._decided(goal, facts, most, last), OUT_OF_WORK)

    def _decided(
        self, goal: Cond | bool, facts: Sequence[Cond | bool], most: int = DECISION, last: bool = False
    ) -> Decision:
        node = self._nodes.under(facts)
        asked = goal if isinstance(goal, bool) else goal.key
        key = (id(node), asked)
        known = self._decisions.get(key)
        if known is OUT_OF_WORK and self._spent.get(key, most) < most:
            known = None
        if known is None and isinstance(goal, Cond) and has_more_nodes(goal, MOST_NODES):
            known = Decision(Verdict.UNKNOWN, "z3", reason=TOO_LARGE)
        if known is None:
            known = self._proofs.find(asked, node.facts)
        if known is None:
            self._decisions[key], self._spent[key] = OUT_OF_WORK, most  # unless there is another answer
            known = self._decide(goal, node.context, node.ladder, most if last else 0)
            if known.verdict is Verdict.PROVED:
                self._proofs.keep(asked, node.facts, known)
        self._decisions[key] = known
        return known

    def implied(self, goal: Cond | bool, facts: Sequence[Cond | bool]) -> bool | None:
        """True where the cheap rungs show that the facts imply `goal`, False where they exclude it, else None."""
        return goal if isinstance(goal, bool) else within(BRANCH, lambda: self._branch(goal, facts), None)

    def _branch(self, goal: Cond, facts: Sequence[Cond | bool]) -> bool | None:
        node = self._nodes.under(facts)
        key = (id(node), goal.key)
        if key not in self._implied:
            self._implied[key] = None
            known = self._branches.find(goal.key, node.facts)
            if known is None:
                known = self._imply(goal, node.context, node.ladder)
                if known is not None:
                    self._branches.keep(goal.key, node.facts, known)
            self._implied[key] = known
        return self._implied[key]

    def shows(self, goal: Cond | bool, facts: Sequence[Cond | bool], *, deep: bool = False) -> bool:
        """Whether it can be shown that the facts imply `goal`; asks z3 only if `deep`. Of parts that hold together each
        is shown by itself."""
        if isinstance(goal, And):
            return all(self.shows(part, facts, deep=deep) for part in goal.parts)
        return goal if isinstance(goal, bool) else within(DECISION, lambda: self._shows(goal, facts, deep), False)

    def _shows(self, goal: Cond, facts: Sequence[Cond | bool], deep: bool) -> bool:
        if deep and len(facts) > MANY:
            names = set(variables(goal))
            near = [fact for fact in facts if isinstance(fact, Cond) and names.issuperset(variables(fact))]
            if self._shows(goal, near, False):
                return True
        node = self._nodes.under(facts)
        key = (id(node), goal.key, deep)
        if key not in self._follows:
            self._follows[key] = False
            self._follows[key] = self._shown.find(goal.key, node.facts) or self._follow(goal, node, deep)
        return self._follows[key]

    def _follow(self, goal: Cond, node: Node, deep: bool) -> bool:
        context = node.context
        rewritten = context.rewrite_condition(goal)
        found = node.ladder.rung_of(rewritten) is not None or (
            deep and self._satisfiable(context.connected(negation(rewritten)), context) is False
        )
        if found:
            self._shown.keep(goal.key, node.facts, True)
        return found

    def witness(self, goal: Cond | bool, facts: Sequence[Cond | bool], also: Iterable[Var] = ()) -> Mapping[Var, int]:
        """The canonical counterexample, with values for `also`; empty where there is none, or none within the work."""
        return within(DECISION, lambda: self._witness(goal, facts, also), {}) if self.work else {}

    def _witness(self, goal: Cond | bool, facts: Sequence[Cond | bool], also: Iterable[Var]) -> Mapping[Var, int]:
        node = self._nodes.under(facts)
        context, ladder = node.context, node.ladder
        names = [*variables(goal, *facts, through_bounds=True), *also]
        for part in goal.parts if isinstance(goal, And) else (goal,):
            rewritten = context.rewrite_condition(part)
            if ladder.rung_of(rewritten) is None:
                found = smallest(negation(rewritten), context, names, self._z3, self._least)
                if found:
                    return found
        return {}

    def contract(self, preconditions: Iterable[Cond], facts: Sequence[Cond | bool]) -> list[Cond]:
        """`preconditions` in one place: merged, without what the facts or the others imply, nicest first."""
        wanted = list(preconditions)
        plain = {part.key: part for part in leaves(wanted) if isinstance(part, Cond)}
        stated = list(within(CONTRACT, lambda: without_weaker(plain), plain).values())
        shows = partial(self.shows, deep=True)
        return within(CONTRACT, lambda: merged(wanted, facts, shows), stated)

    def simplified(self, condition: Any, facts: Sequence[Cond | bool]) -> Any:
        """What `condition` still says where the facts hold."""
        if isinstance(condition, Or) and self.shows(condition, facts, deep=True):
            return True
        if isinstance(condition, And):
            return conjunction(self.simplified(part, facts) for part in condition.parts)
        return within(
            DECISION, lambda: simplification.simplified(condition, self._nodes.under(facts).context), condition
        )

    # --- the solver ---

    def _satisfiable(self, conditions: Sequence[Cond | bool], context: Context) -> bool | None:
        """Whether some values meet all `conditions`, which are rewritten and include what bears on them."""
        if any(condition is False for condition in conditions):
            return False
        groups = Groups()
        groups.add(condition for condition in conditions if isinstance(condition, Cond))
        return groups.met(partial(self._part_satisfiable, context=context))

    def _part_satisfiable(self, conditions: Sequence[Cond], context: Context) -> bool | None:
        key = frozenset(condition.key for condition in conditions)
        if key not in self._satisfied:
            if allowed() < AGAIN * self._tried.get(key, 0):
                return None  # it took more when it was asked before
            self._tried[key] = allowed()
            known = met(conditions, context, self._found)
            self._satisfied[key] = known or (self._z3().satisfiable(conditions, self._found) if self.work else None)
        return self._satisfied[key]

    def _z3(self) -> Solver:
        if self._solver is None:
            self._solver = Solver(self.work)
        return self._solver

    def rest(self) -> None:
        """Let go of z3, which takes room; it is there again when something is asked."""
        self._solver = None

    @property
    def queries(self) -> int:
        """How often z3 was asked."""
        return 0 if self._solver is None else self._solver.queries

    # --- the ladder ---

    def _imply(self, goal: Cond, context: Context, ladder: Ladder) -> bool | None:
        rewritten = context.rewrite_condition(goal)
        if ladder.rung_of(rewritten) is not None:
            return True
        if ladder.refuted(rewritten) is not None:
            return False
        return None

    def _decide(self, goal: Cond | bool, context: Context, ladder: Ladder, most: int) -> Decision:
        """The decision; where there is a number, `most` of the work, something of that is kept to say that it fails."""
        if context.contradictory:
            return Decision(Verdict.PROVED, "facts", reason=UNREACHED)
        parts = goal.parts if isinstance(goal, And) else (goal,)
        share = 3 * most // (4 * len(parts))
        decision = self._joined(goal, [self._decide_one(part, goal, context, ladder, share) for part in parts], context)
        if decision.reason in (NO_CONDITION, SPENT) or decision.reason.startswith(DEPENDS):
            decision = self._case_by_case(goal, context) or decision
        if decision.reason.startswith(DEPENDS):
            decision = fails_anyway(goal, context.facts, partial(self._decided, most=most)) or decision
            if decision.anyway:
                return decision
        if decision.reason == NO_CONDITION:  # something fails all the same
            decision = Decision(Verdict.CONDITIONAL, decision.rung, exact=False)
        if decision.is_open_condition and decision.reason != REASON and isinstance(goal, Cond):
            wanted = avoiding(self, goal, context.facts, self._witness(goal, context.facts, ()))
            decision = (
                decision if wanted is None else replace(decision, precondition=self._told(wanted, context), exact=True)
            )
        if decision.verdict in (Verdict.VIOLATED, Verdict.CONDITIONAL):
            return replace(decision, model=LazyModel(lambda *more: self.witness(goal, (*context.facts, *more))))
        return decision

    def _joined(self, goal: Cond | bool, parts: Sequence[Decision], context: Context) -> Decision:
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
        unsaid = next((part for part in conditional if part.reason == REASON), None)
        if len(conditional) == 1 or unsaid is not None:
            return unsaid or conditional[0]
        conditions = [part.precondition for part in conditional if part.precondition is not None]
        rewritten = context.rewrite_condition(goal)
        known: Decision | None = None
        if len(conditions) == len(conditional):
            found = Precondition(
                simplification.simplified(conjunction(conditions), context), all(part.exact for part in conditional)
            )
            known = self._conditional(variables(rewritten), found, context)
        names = [v for v in variables(goal) if v not in context.rewriting]
        if known is None and isinstance(rewritten, Cond) and self._some_inputs_meet(rewritten, names, context):
            return Decision(Verdict.CONDITIONAL, rung, exact=False)
        return known or Decision(Verdict.UNKNOWN, rung, reason=NO_CONDITION)

    def _decide_one(
        self, goal: Cond | bool, whole: Cond | bool, context: Context, ladder: Ladder, share: int
    ) -> Decision:
        """The decision on one part of a `whole` goal; if it fails, a `share` of the work is to say for which inputs."""
        rewritten = context.rewrite_condition(goal)
        rung = ladder.rung_of(rewritten)
        if rung is None:
            rewritten = simplification.without_choices(rewritten, context, ladder)
            rung = ladder.rung_of(rewritten)
        if rung is not None:
            return Decision(Verdict.PROVED, rung)
        empty = next((v for v in variables(rewritten) if context.is_empty(v)), None)
        if empty is not None:
            return Decision(Verdict.PROVED, "interval", reason=f"`{empty.name}` ranges over nothing")
        names = [v for v in variables(whole) if v not in context.rewriting]
        failing = self._satisfiable(context.connected(negation(rewritten), also=names), context)
        if failing is False:
            return Decision(Verdict.PROVED, "z3")
        reached = self._reached(context, names)
        if reached is False:
            return Decision(Verdict.PROVED, "z3", reason=UNREACHED)
        if failing is None or reached is None:
            return Decision(Verdict.UNKNOWN, "z3", reason=SPENT)
        rung = ladder.refuted(rewritten)
        if rung is not None:
            return Decision(Verdict.VIOLATED, rung)
        assert isinstance(goal, Cond)
        assert isinstance(rewritten, Cond)
        if not share or unknowable(rewritten, context):
            return self._not_proved(goal, rewritten, names, context)
        unsaid = Decision(Verdict.CONDITIONAL, "z3", exact=False, reason=REASON)
        return within(share, partial(self._not_proved, goal, rewritten, names, context), unsaid)

    def _case_by_case(self, goal: Cond | bool, context: Context) -> Decision | None:
        """The decision where an input has so few values that each may be looked at for itself, or inputs choose."""
        rungs: set[str] = set()
        conditions: list[Any] = []
        exact = True
        for case, there in cases_of_inputs(goal, context):
            found = self._decided(there, [*context.facts, case])
            if found.verdict is Verdict.UNKNOWN or found.is_open_condition:
                return None
            rungs.add(found.rung)
            if found.verdict is not Verdict.PROVED:
                conditions.append(disjunction((negation(case), found.asked)))
                exact = exact and found.exact
        if not rungs:
            return None
        if not conditions:
            return Decision(Verdict.PROVED, max(rungs, key=RUNGS.index))
        return self._conditional(variables(goal), Precondition(conjunction(conditions), exact), context)

    def _reached(self, context: Context, names: Iterable[Var]) -> bool | None:
        """Whether the event can be reached at all, with the ranges of `names` not empty."""
        ranging = [v for v in names if v.kind != "input"]
        key = (id(context), *ranging)
        if key not in self._reachable:
            if ranging:
                self._reachable[key] = self._satisfiable(context.everything(also=ranging), context)
            else:
                groups, ask = context.groups(), partial(self._part_satisfiable, context=context)
                self._reachable[key] = groups is not None and groups.met(ask)
        return self._reachable[key]

    def _not_proved(self, goal: Cond, rewritten: Cond, names: Sequence[Var], context: Context) -> Decision:
        """The goal fails for some values: for which inputs?"""
        held = unknowable(rewritten, context)
        related = context.connected(rewritten, also=names)
        if not held and without_choice(related):
            return Decision(Verdict.VIOLATED, "z3")
        found = precondition(goal, context, names)
        if held and found is not None:
            found = replace(found, condition=context.in_source_terms(context.rewrite_condition(found.condition)))
            found = found if found.exact and over_inputs(found.condition) else None  # else nobody can see to it
        known = None if found is None else self._conditional(names, found, context)
        if not held and (known is None or not known.exact):
            known = self._guessed(goal, names, context) or known
        if known is not None and known.exact:
            return known
        possible = self._satisfiable(related, context)
        if possible is False:
            return Decision(Verdict.VIOLATED, "z3")
        if possible is None or held:
            return Decision(Verdict.UNKNOWN, "z3", reason=SPENT if possible is None else f"{DEPENDS}{held}")
        if known is None and not self._some_inputs_meet(rewritten, names, context):
            return Decision(Verdict.UNKNOWN, "z3", reason=NO_CONDITION)
        return known or Decision(Verdict.CONDITIONAL, "z3", exact=False)

    def _guessed(self, goal: Cond, names: Sequence[Var], context: Context) -> Decision | None:
        """The decision where a necessary condition proves to be sufficient, too."""
        condition = necessary(goal, context, names)
        if condition is True:
            return None
        wanted = context.connected(
            context.rewrite_condition(condition), negation(context.rewrite_condition(goal)), also=names
        )
        if self._satisfiable(wanted, context) is not False:
            return None
        return self._conditional(names, Precondition(condition, True), context)

    def _conditional(self, names: Iterable[Var], found: Precondition, context: Context) -> Decision | None:
        """What its precondition makes of a goal over `names` that can fail; None if no input meets that."""
        before = self.queries
        condition = context.rewrite_condition(found.condition)
        possible = self._satisfiable(context.connected(condition, also=names), context)
        rung = "linear" if self.queries == before else "z3"
        if possible is False and found.exact:
            return Decision(Verdict.VIOLATED, rung)
        if possible is not True or not isinstance(found.condition, Cond):
            return None
        return Decision(Verdict.CONDITIONAL, rung, self._told(found.condition, context), exact=found.exact)

    def _told(self, condition: Cond, context: Context) -> Cond:
        """The condition as a person would write it."""
        return in_fewer_words(condition, lambda a, b: self._shows(b, [*context.facts, a], True))

    def _some_inputs_meet(self, goal: Cond, names: Sequence[Var], context: Context) -> bool:
        """Whether inputs were found that reach the event and meet `goal` for all iterations and elements."""
        failing = context.connected(negation(goal), also=names)
        tried: set[tuple[int, ...]] = set()
        for point in meeting(context.connected(goal, also=names), context):
            inputs = {v: n for v, n in point.items() if v.kind == "input"}
            if tuple(inputs.values()) in tried:
                continue
            tried.add(tuple(inputs.values()))
            fixed = [equal_zero(Sym({(v,): 1}, -n)) for v, n in inputs.items()]
            if self._satisfiable([*failing, *fixed], context) is False:
                return True
            if len(tried) == TRIALS:
                break
        return False
