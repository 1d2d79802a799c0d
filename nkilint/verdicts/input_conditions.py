"""What a condition at one place asks of the inputs of the whole kernel: to meet it, or never to reach the place."""

from __future__ import annotations

from math import inf
from typing import Any

from nkilint.evaluator.state.trace import Site, Trace, entered
from nkilint.prover import Prover
from nkilint.prover.context import Context
from nkilint.prover.elimination import necessary
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import And, Compare, Cond
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint_rules.words.conditions import any_of, negation


class InputConditions:
    """The conditions of one kernel seen from outside it.

    Facts at a place are what every run of the kernel meets, such as assertions, what was needed before, and what leads
    to just this place.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        returns = [event.site.conditions() for event in trace.events if event.kind == "return"]
        common = [{f.key for f in facts if isinstance(f, Cond)} for facts in returns]
        self._everywhere = set.intersection(*common) if common else set()

    def assumptions(self, prover: Prover) -> list[Cond]:
        """What the kernel's assertions say of all its inputs: those that reach one meet it."""
        stated = [(a.condition, a.site) for a in self.trace.assertions if isinstance(a.condition, Cond)]
        leading = [(condition, [*self._facts(site), *entered(site.loops)]) for condition, site in stated]
        always = [condition for condition, facts in leading if not facts]
        own = []
        for condition, facts in leading:
            doubtful = [fact for fact in facts if not prover.implied(fact, always)]
            if all(map(over_inputs, doubtful)):
                asked = condition if over_inputs(condition) else _of_all_iterations(condition, facts)
                own.append(any_of((asked, *map(negation, doubtful))))
        return [c for c in own if isinstance(c, Cond)]

    def relative(self, condition: Cond, site: Site) -> Any:
        """That inputs which reach `site` meet `condition`, whatever it is that numbers below zero reach."""
        others = [negation(fact) for fact in self._path(site)]
        return any_of((condition, *(other for other in others if not _nobody_meets(other))))

    def _path(self, site: Site) -> list[Cond]:
        """The conditions on inputs under which `site` is reached."""
        return [fact for fact in self._facts(site) if over_inputs(fact)]

    def _facts(self, site: Site) -> list[Cond]:
        """The conditions under which `site` is reached and not the end of the kernel."""
        return list({f.key: f for f in site.path() if f.key not in self._everywhere}.values())


def _of_all_iterations(condition: Cond, facts: list[Cond]) -> Cond | bool:
    """What inputs that reach an assertion meet because it holds in all iterations there are. An iteration that is named
    in a fact would say that there is one."""
    return necessary(condition, Context(facts), variables(condition))


def _nobody_meets(condition: Any) -> bool:
    """Whether it asks a number that the kernel is given to be negative."""
    if isinstance(condition, And):
        return any(map(_nobody_meets, condition.parts))
    if not isinstance(condition, Compare) or condition.relation != ">=" or len(condition.left.terms) != 1:
        return False
    ((product, factor),) = condition.left.terms.items()
    number = product[0] if len(product) == 1 else None
    is_given = isinstance(number, Var) and number.kind == "input" and number.bounds[0] == -inf
    return is_given and factor < 0 and condition.left.const < 0
