"""Errors that hang on what is not certain: they are open where another evaluation of the kernel does not have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import inf
from types import MappingProxyType

from nkilint.base.options import Options
from nkilint.evaluator.kernels.rejected_defaults import end
from nkilint.evaluator.kernels.requests import Request, Run
from nkilint.prover import Prover
from nkilint.symbolic.work import stage
from nkilint.verdicts.decide import DOCUMENTED, SET_BEFORE, SUPPOSED, Decisions, claim, violated_too
from nkilint_rules.limits.rank_limit import RankLimit

Again = Callable[[Request, Mapping[str, int], frozenset[str]], Run]
"""Another evaluation, with the numbers of dimensions that are supposed and the parameters that are free."""

FURTHER_RANKS = (1, 2)  # dimensions more than guessed with which an error has to be one as well
SETTINGS = "what functions change before a launch is not as the import left it"


def doubt_guesses(decisions: Decisions, again: Again, prover: Prover, options: Options) -> None:
    """No error may hang on a number of dimensions that was guessed."""
    run = decisions.run
    others = _with_other_ranks(run, again)
    while decisions.violated and (other := next(others, None)):
        _doubt(decisions, other, prover, options, SUPPOSED)
    if any(j.obligation.rule is RankLimit for j in decisions.advice):
        for other in _with_other_ranks(run, again, run.trace.ranks_used):
            told = {claim(o) for o in other.trace.obligations if o.goal is False}
            decisions.advice = [
                j for j in decisions.advice if j.obligation.rule is not RankLimit or claim(j.obligation) in told
            ]
    if decisions.conditional and 1 in run.trace.ranks_guessed.values():
        for other in _with_other_ranks(run, again):
            with stage(options.work_budget, slack=inf):
                decisions.doubt_conditions(other, prover)


def doubt_docstrings(decisions: Decisions, again: Again, prover: Prover, options: Options) -> None:
    """No error may hang on sizes of 1 in docstrings: what is broadcast somewhere is often written so."""
    run, request = decisions.run, decisions.run.request
    if request is None or request.launch is not None or not decisions.violated:
        return
    names = {name: tuple(_ANY if size == 1 else size for size in shape) for name, shape in request.names.items()}
    if not any(_ANY in shape for shape in names.values()):
        return
    other = again(replace(request, names=names), run.supposed, run.free)
    if not (request.varied and other.trace.stopped):  # for which there is little work, and which are no errors
        _doubt(decisions, other, prover, options, DOCUMENTED)


_ANY = "?"  # is no name of a size


def _with_other_ranks(run: Run, again: Again, used: Mapping[str, int] = MappingProxyType({})) -> Iterator[Run]:
    """The kernel where tensors have other numbers of dimensions than were guessed, or just are `used`, if it takes
    these."""
    if run.unsupposed is not None:
        yield run.unsupposed
    guessed = {**run.trace.ranks_guessed, **used}
    if guessed and run.request is not None and run.request.launch is None:
        for more in FURTHER_RANKS:
            other = again(run.request, {name: rank + more for name, rank in guessed.items()}, run.free)
            if not end(other):
                yield other


def doubt_settings(decisions: Decisions, again: Again, prover: Prover, options: Options) -> Run | None:
    """No error may hang on what functions of the project change before a launch; where the kernel does not come to its
    end because of that, the evaluation that does, without knowing it."""
    run = decisions.run
    if run.request is None or run.request.opened or not (decisions.violated or run.ends):
        return None
    other = again(replace(run.request, opened=True), run.supposed, run.free)
    if not other.opened:
        return None
    if run.ends and not other.ends:
        other.trace.assumptions.setdefault(SETTINGS, None)
        return other
    _doubt(decisions, other, prover, options, SET_BEFORE)
    return None


def _doubt(decisions: Decisions, other: Run, prover: Prover, options: Options, reason: str) -> None:
    """Leave open, for that reason, what is violated and not so in another evaluation."""
    with stage(options.work_budget, slack=inf):
        decisions.doubt_unless(violated_too(other, decisions, prover, options.selects), reason)
