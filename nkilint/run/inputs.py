"""Inputs that a kernel admits: what its callers give it, the smallest, and some by chance."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nkilint.base.findings import Trial
from nkilint.base.options import Options
from nkilint.evaluator.kernels.kernel import evaluate_kernel
from nkilint.evaluator.kernels.requests import Request, Run, launch_problem
from nkilint.evaluator.kernels.variants import Coverage
from nkilint.evaluator.state.trace import Obligation
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.project.discovery import Kernel
from nkilint.project.specs import Specification
from nkilint.prover import Budget, Prover
from nkilint.symbolic.atoms import Var, start_afresh
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import itself
from nkilint.verdicts.decide import decide_run
from nkilint.verdicts.trials import trial
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis

from .requests import request_for
from .session import Session
from .verification import launched_ranks

LAUNCHES = 3  # of one kernel that are run
CHANCES = 3  # inputs by chance
_SIZES = (1, 2, 3, 64, 128, 192, 256, 384, 512, 640, 1024)
_LARGEST = 4_000_000  # elements of all inputs together


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a kernel is run with, and under which conditions it keeps all rules."""

    trials: tuple[Trial, ...]
    contract: tuple[str, ...] = ()
    verdict: str = ""


def inputs_of(
    session: Session, kernels: Sequence[Kernel], options: Options, *, beyond: bool = False, variants: int = 0
) -> dict[tuple[str, str], Inputs]:
    """By file and name, for each kernel that the host calls; also what lies `beyond` the contract, if that is asked,
    and so many choices of other values than defaults."""
    found = {}
    launches = session.launches(kernels)
    for kernel in kernels:
        if id(kernel.function) not in session.inner:
            given = launches.get(id(kernel.function), [])
            try:
                known = _inputs(session, kernel, given, options, beyond, variants)
            except Exception as fault:  # a fault of this tool costs the comparison of one kernel
                known = Inputs((), verdict=f"{type(fault).__name__} in the search for inputs")
            found[kernel.module.path, kernel.name] = known
    return found


def _inputs(
    session: Session, kernel: Kernel, launches: Sequence[Any], options: Options, beyond: bool, variants: int
) -> Inputs:
    start_afresh()
    prover = Prover(Budget(options.solver_budget))
    request, _ = request_for(kernel, options, session.imports, False)
    request = replace(request, ranks=launched_ranks(request, launches))

    def run(each: Any) -> Run:
        implied = prover.implied
        return evaluate_kernel(each, session.modules, session.target, implied, options.nki_version, options.step_budget)

    trials: list[Trial] = []
    for launch in launches[:LAUNCHES]:
        concrete = replace(request, launch=launch, specification=Specification())
        if launch_problem(concrete) is None:
            made = trial(run(concrete), {}, None, prover)
            trials += [made] if made is not None else []
    general = run(request)
    decisions = decide_run(general, prover, options.selects, False)
    trials += _admitted(general, decisions.contract, prover)
    if beyond:
        trials += _admitted(general, (), prover)
    for varied in _varied(run, general, variants):
        contract_of_it = decide_run(varied, prover, options.selects, False).contract
        trials += list(_admitted(varied, contract_of_it, prover))[:1]
    contract = (*map(str, decisions.contract), *decisions.unstated())
    distinct = {repr(t): t for t in trials}
    return Inputs(tuple(distinct.values()), contract, decisions.verdict)


def _varied(run: Callable[[Request], Run], general: Run, count: int) -> Iterator[Run]:
    """Evaluations with other values than defaults, which reach what these do not."""
    assert general.request is not None
    if not count or general.trace.stopped or general.rejected is not None:
        return
    specified, coverage = frozenset(general.request.specification.params), Coverage()
    coverage.learn(general, specified)
    for _ in range(count):
        varied = coverage.next()
        if varied is None:
            return
        found = run(replace(general.request, varied=varied))
        if found.rejected is None:
            coverage.learn(found, specified)
            yield found


def _admitted(run: Run, contract: Sequence[Any], prover: Prover) -> Iterator[Trial]:
    """Runs with sizes that the kernel's assertions and its contract admit."""
    sizes = sorted({v for value in run.inputs.values() for v in _sizes(value)}, key=lambda v: v.name)
    last = [e.site for e in run.trace.events[-1:]]
    facts = [*(last[0].conditions() if last else ()), *contract]
    chance = random.Random(run.request.function.name if run.request is not None else "")
    for number in range(1 + CHANCES):
        given = {v: chance.choice(_SIZES) for v in sizes} if number else {}
        model = _model(prover, facts, sizes, given)
        if model is None:
            continue
        made = trial(run, model, Obligation(IncompleteAnalysis, True, last[0]) if last else None, prover)
        if made is not None:
            yield replace(made, arguments={n: _number(run.inputs.get(n), v) for n, v in made.arguments.items()})


def _number(value: Any, given: Any) -> Any:
    """A number for a parameter of which nothing says that it is a tensor."""
    plain = isinstance(value, InputTensor) and not {"view", "number", "items", "dtype"} & value.cell.keys()
    return 0.5 if plain and not value.ranks and isinstance(given, dict) and "array" in given else given


def _model(prover: Prover, facts: Sequence[Any], sizes: Sequence[Var], wanted: dict[Var, int]) -> Any:
    """Sizes that meet the facts, as many of those that are wanted among them as go together."""
    kept: list[Any] = []
    found = prover.witness(False, [*facts], sizes) if sizes else {}
    if sizes and not found:
        return None
    for variable, number in wanted.items():
        more = prover.witness(False, [*facts, *kept, itself(variable) == number], sizes)
        if more:
            kept.append(itself(variable) == number)
            found = more
    return {v: n for v, n in found.items() if v.kind == "input"}


def _sizes(value: Any) -> Iterator[Var]:
    if isinstance(value, InputTensor) and "view" in value.cell:
        yield from (v for v in variables(*value.cell["view"].shape) if v.kind == "input")
