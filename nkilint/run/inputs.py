"""Inputs that a kernel admits: what its callers give it, the smallest, and some by chance."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

from nkilint.base.findings import Trial
from nkilint.base.options import Options
from nkilint.evaluator.kernels.kernel import evaluate_kernel
from nkilint.evaluator.kernels.likely_ranks import likely_ranks
from nkilint.evaluator.kernels.open_numbers import defaults_of, open_numbers
from nkilint.evaluator.kernels.requests import Request, Run, launch_problem
from nkilint.evaluator.kernels.variants import Coverage, strings_looked_for
from nkilint.evaluator.state.trace import Obligation
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.project.discovery import Kernel
from nkilint.project.specs import Specification
from nkilint.prover import Prover
from nkilint.symbolic.atoms import Var, start_afresh
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint.symbolic.integers import Sym, itself
from nkilint.verdicts.decide import Decisions, decide_run
from nkilint.verdicts.trials import trial
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import all_of, negation
from nkilint_rules.words.records import dataclass

from .alike import too_large
from .requests import launched_ranks, request_for
from .session import Session

LAUNCHES = 3  # of one kernel that are run
CHANCES = 3  # inputs by chance
NUMBERS = 2  # inputs with other numbers than defaults
PROGRAMS = 64  # of a launch by chance, at most
_SIZES = (1, 2, 3, 64, 128, 192, 256, 384, 512, 640, 1024)
_LARGEST = 4_000_000  # elements of all inputs together


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a kernel is run with, and under which conditions it keeps all rules; `others` have other numbers than those
    that are defaults, with which it need not run."""

    trials: tuple[Trial, ...]
    contract: tuple[str, ...] = ()
    verdict: str = ""
    others: tuple[Trial, ...] = ()


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
    prover = Prover(options.solver_budget)
    request, _ = request_for(kernel, options, session.imports, False)
    request = replace(request, ranks=launched_ranks(request, launches))

    def run(each: Any, ranks: Mapping[str, int] | None = None) -> Run:
        modules, version, steps = session.modules, options.nki_version, options.step_budget
        return evaluate_kernel(each, modules, session.target, prover.implied, version, steps, ranks)

    trials: list[Trial] = []
    launched: list[Run] = []
    for launch in launches[:LAUNCHES]:
        concrete = replace(request, launch=launch, specification=Specification())
        if launch_problem(concrete) is None:
            launched.append(run(concrete))
            made = trial(launched[-1], {}, None, prover)
            trials += [made] if made is not None else []
    general = run(request)
    if likely := likely_ranks(general, partial(run, request)):
        request = replace(request, ranks={**request.ranks, **likely})
        general = run(request)
    decisions = decide_run(general, prover, options.selects, False)
    trials += _admitted(general, _asked(decisions, prover), prover, any_float=bool(variants))
    if beyond:
        trials += _admitted(general, (), prover)
    chosen = list(_varied(run, general, variants))
    for varied in chosen:
        asked = _asked(decide_run(varied, prover, options.selects, False), prover)
        trials += list(_admitted(varied, asked, prover, any_float=True))[:1]
    contract = (*map(str, decisions.contract), *decisions.unstated())
    others: list[Trial] = []
    for each in (*launched[:1], general, *chosen) if variants else ():
        others += _renumbered(run, each, prover, options.selects, 1 if each in chosen else NUMBERS)
    distinct, more = ({repr(t): t for t in found} for found in (trials, others))
    return Inputs(tuple(distinct.values()), contract, decisions.verdict, tuple(more.values()))


def _asked(decisions: Decisions, prover: Prover) -> list[Any]:
    """What a kernel asks of its inputs: its contract, and its assertions wherever they stand."""
    return [*decisions.contract, *(c for c in decisions.input_conditions.assumptions(prover) if over_inputs(c))]


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


def _renumbered(
    run: Callable[[Request], Run], known: Run, prover: Prover, selects: Callable[[str], bool], count: int
) -> Iterator[Trial]:
    """Runs with other numbers than those that are defaults in one that is known, where its assertions admit them; of no
    launch, also where its contract does."""
    request = known.request
    opened = open_numbers(known, request.function) if request is not None else ()
    if request is None or not opened or known.trace.stopped or known.rejected is not None:
        return
    found = run(replace(request, varied=(*request.varied, *opened)))
    defaults = defaults_of(known, opened)
    if found.rejected is not None or not defaults:
        return
    sizes = sorted({v for value in found.inputs.values() for v in _sizes(value)}, key=lambda v: v.name)
    last = [e.site for e in found.trace.events[-1:]]
    others = negation(all_of([itself(v) == n for v, n in defaults.items()]))
    asked = _asked(decide_run(found, prover, selects, False), prover) if request.launch is None else []
    facts = [*(last[0].conditions() if last else ()), *asked, others]
    chance = random.Random(request.function.name)
    for number in range(count):
        wanted = {v: _other(n, number) for v, n in defaults.items()}
        wanted |= {v: chance.choice(_SIZES) for v in sizes} if number else {}
        model = _model(prover, facts, [*sizes, *defaults], wanted)
        if model is None:
            return
        made = trial(found, model, Obligation(IncompleteAnalysis, True, last[0]) if last else None, prover)
        if made is not None and not too_large(made) and prod(made.grid) <= PROGRAMS:
            yield made


def _other(number: int, turn: int) -> int:
    """Another number than a default."""
    others = [n for n in (2 * number, number // 2, number + 1, 3) if n > 0 and n != number]
    return others[turn % len(others)]


def _admitted(run: Run, contract: Sequence[Any], prover: Prover, *, any_float: bool = False) -> Iterator[Trial]:
    """Runs with sizes that the kernel's assertions and its contract admit: the smallest, and some by chance that do not
    take long."""
    sizes = sorted({v for value in run.inputs.values() for v in _sizes(value)}, key=lambda v: v.name)
    last = [e.site for e in run.trace.events[-1:]]
    facts = [*(last[0].conditions() if last else ()), *contract]
    chance = random.Random(run.request.function.name if run.request is not None else "")
    words = strings_looked_for(run.request.function) if run.request is not None else {}
    left = 1 + CHANCES
    for number in range(1 + 2 * CHANCES):
        given = {v: chance.choice(_SIZES) for v in sizes if number}
        model = _model(prover, facts, sizes, given)
        if model is None:
            continue
        reached = Obligation(IncompleteAnalysis, True, last[0]) if last else None
        made = trial(run, model, reached, prover, any_float=any_float)
        if made is None or (number and (too_large(made) or prod(made.grid) > PROGRAMS)):
            continue
        arguments = {n: _plain(run.inputs.get(n), v, words.get(n, ()), number) for n, v in made.arguments.items()}
        yield replace(made, arguments=arguments, around={n: _on_host(v) for n, v in made.around.items()})
        left -= 1
        if not left:
            break


def _plain(value: Any, given: Any, words: Sequence[str], number: int) -> Any:
    """A number for a parameter of which nothing says that it is a tensor, which may be a flag: 0 every other time; or
    one of the strings that the kernel looks for in it, each in its turn."""
    array = isinstance(given, dict) and "array" in given
    if words and not array:
        return words[number % len(words)]
    plain = isinstance(value, InputTensor) and not {"view", "number", "items", "dtype"} & value.cell.keys()
    return (0 if number % 2 else 0.5) if plain and not value.ranks and array else given


def _on_host(given: Any) -> Any:
    """A number for what a function around a kernel may get as a tensor or as a number: tensors are given to kernels
    only."""
    return 0.5 if isinstance(given, dict) and "array" in given else given


def _model(prover: Prover, facts: Sequence[Any], sizes: Sequence[Var], wanted: dict[Var, int]) -> Any:
    """Sizes that meet the facts, as many of those that are wanted among them as go together."""
    kept: list[Any] = [itself(v) >= 1 for v in sizes]  # a number that nothing bounds is more likely 1 than less
    found = prover.witness(False, [*facts, *kept], sizes) if sizes else {}
    if sizes and not found:
        kept, found = [], prover.witness(False, [*facts], sizes)
    if sizes and not found:
        return None
    for variable, number in wanted.items():
        equal = itself(variable) == number
        more = prover.witness(negation(equal), [*facts, *kept], sizes)
        if more:
            kept.append(equal)
            found = more
    return {v: n for v, n in found.items() if v.kind == "input"}


def _sizes(value: Any) -> Iterator[Var]:
    """The sizes of a tensor, or what a number is made of."""
    if isinstance(value, InputTensor) and "view" in value.cell:
        yield from (v for v in variables(*value.cell["view"].shape) if v.kind == "input")
    elif isinstance(value, InputTensor) and isinstance(value.cell.get("number"), Sym):
        yield from (v for v in variables(value.cell["number"]) if v.kind == "input")
