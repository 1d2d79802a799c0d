"""One kernel verified: evaluated and decided for all its inputs, and for each launch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

from nkilint.analyses.findings import Decided
from nkilint.analyses.memory.map import memory_map
from nkilint.base import garbage
from nkilint.base.faults import told
from nkilint.base.findings import (
    Diagnostic,
    InstanceReport,
    KernelReport,
    MemoryMap,
    Related,
    diagnostic,
    failure,
    roots,
)
from nkilint.base.ir import Const, Span
from nkilint.evaluator.kernels.kernel import evaluate_kernel
from nkilint.evaluator.kernels.launch import Launch, describe, grid_need
from nkilint.evaluator.kernels.requests import Request, Run, Variation, admits, launch_arguments, launch_problem
from nkilint.evaluator.kernels.supposed_ranks import open_ranks
from nkilint.evaluator.kernels.variants import Coverage
from nkilint.evaluator.python.functions import bind
from nkilint.evaluator.values.objects import Environment
from nkilint.project.callers import is_part, takes_objects
from nkilint.project.discovery import Kernel
from nkilint.project.docstrings import takes_tiles
from nkilint.project.host_grids import host_grids
from nkilint.project.specs import Specification, SpecificationError
from nkilint.prover import Prover
from nkilint.symbolic.atoms import start_afresh
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.work import left, stage
from nkilint.verdicts.decide import Decisions, claim, decide_run, violates
from nkilint.verdicts.merging import told_once
from nkilint.verdicts.reporter import Reporter
from nkilint.verdicts.trials import launch_trial, trial
from nkilint.verdicts.witnesses import input_text
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.language.failed_assertion import FailedAssertion
from nkilint_rules.operands.unsupported_on_target import UnsupportedOnTarget
from nkilint_rules.rule import Severity
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.tool.invalid_specification import InvalidSpecification
from nkilint_rules.words.targets import TARGETS, Target, targets_to_try

from .doubts import doubt_docstrings, doubt_guesses, doubt_settings
from .outcome import Outcome, Part
from .requests import launched_ranks, request_for
from .session import Session

EVALUATION = 2  # times the work of another stage: what it does not come to is not judged at all
JUDGEMENT = 1.5  # times the same: single obligations, and half as much for what is asked of the whole trace
MAX_INSTANCES = 12  # launches of one kernel that are verified
MAX_VARIANTS = 6  # times that a kernel is evaluated with other values than its defaults
VARIANTS_SHARE = 0.2  # of the work that a stage may take, for all other values together
EACH = 0.4  # of that share, for one of them
MAX_VARIED = 2000  # events of a kernel that is evaluated for such values
_PARTS = frozenset({"implicit", "trace"})  # what a function is that runs as a part of kernels only


def verify_or_fail(session: Session, kernel: Kernel, launches: list[Launch]) -> Outcome:
    """Verify one kernel; a fault of this tool is reported and does not stop the run."""
    verification = Verification(session, kernel)
    garbage.tidy()  # only by now nothing holds on to the kernel before
    try:
        return verification.outcome(launches)
    except Exception as fault:
        return Outcome(kernel.function.at, None, faults=(_failure(kernel, told(fault)),))
    finally:
        verification.prover.rest()


def _failure(kernel: Kernel, fault: str) -> Diagnostic:
    message = IncompleteAnalysis.failed(subject=f"`{kernel.name}`", fault=fault, source="kernel")
    return failure(message, kernel.function.at, kernel.name)


class Verification:
    """One kernel on its way to an outcome: what it is evaluated for, its decisions, and the findings so far."""

    def __init__(self, session: Session, kernel: Kernel) -> None:
        start_afresh()
        self.session, self.kernel, self.options = session, kernel, session.options
        self.prover = Prover(self.options.solver_budget)
        self.target = self._chosen_target()
        severity = Severity.WARNING if self.options.conditional == "warning" else Severity.INFO
        trials = bool(self.options.confirm)
        self.reporter = Reporter(kernel.name, kernel.module.path, session.quote, self.prover, severity, trials)
        self.instances: list[InstanceReport] = []
        self.faults: dict[str, None] = {}  # of this tool, which the rest outlived
        self.preconditions: dict[str, None] = {}  # that parameters have their defaults

    def for_all_inputs(self) -> Decisions:
        """What is decided of the kernel by itself."""
        return self._decided(self._request([])[0])

    def _request(self, launches: list[Launch]) -> tuple[Request, tuple[SpecificationError, ...]]:
        """All inputs of the kernel, and what is wrong with its specifications."""
        kernel, session = self.kernel, self.session
        helper = kernel.kind == "implicit" and not launches  # nobody calls it as a kernel: its tensors may be anywhere
        called = helper or id(kernel.function) in session.inner or takes_tiles(kernel.function)
        request, problems = request_for(kernel, self.options, session.imports, called)
        grids = host_grids(kernel.function, kernel.module, session.sites.get(id(kernel.function), ()))
        return replace(request, ranks=launched_ranks(request, launches), grids=grids), problems

    def outcome(self, launches: list[Launch]) -> Outcome:
        """The kernel for all its inputs and for each launch."""
        kernel, session, reporter = self.kernel, self.session, self.reporter
        request, problems = self._request(launches)
        found = [diagnostic(InvalidSpecification.message(problem=p.message), p.at, kernel.name) for p in problems]
        decisions = self._decided(request)
        run = decisions.run
        with stage(self.options.work_budget, slack=inf):
            found += self._unless_failing(lambda: reporter.violations(decisions))
            found += self._unless_failing(lambda: reporter.conditions(decisions))
            found += self._unless_failing(lambda: self._never(run))
            for launch in launches[:MAX_INSTANCES]:
                found += self._unless_failing(partial(self._instance, request, launch, decisions))
            found += self._unless_failing(lambda: self._variants(request, decisions))
            report = self._report(decisions)
        findings = [d for d in told_once(found) if self.options.selects(d.code)] + self._incomplete(decisions)
        entered = session.places(run.trace.called)
        faults = tuple(_failure(kernel, fault) for fault in {**run.trace.faults, **self.faults})
        return Outcome(kernel.function.at, report, tuple(findings), entered, self._part(launches), faults)

    def _part(self, launches: list[Launch]) -> Part:
        """What the kernel is to those that call it."""
        kernel = self.kernel
        undeclared = kernel.kind == "implicit" and not launches  # whoever calls it is no host that anything is known of
        if undeclared and id(kernel.function) in self.session.inner and takes_objects(kernel):
            return "of objects"
        if launches or id(kernel.function) in self.session.sites:
            return "kernel"
        if kernel.kind in _PARTS:
            return "helper"
        if not kernel.is_called:
            return "kernel"
        return "of objects" if takes_objects(kernel) else "part" if is_part(kernel) else "kernel"

    def proved(self, launch: Launch) -> bool:
        """Whether all that has to hold in one call is proved, and nothing taken for granted."""
        request = replace(self._request([launch])[0], launch=launch, specification=Specification())
        if launch_problem(request) is not None:
            return False
        run = self._run(request)
        decisions = self._judged(run, False, True)
        taken = [a for a in run.trace.assumptions if not a.endswith(", its default")]
        sure = decisions.verdict == "verified" and not (taken or decisions.advice or run.trace.faults)
        return sure and run.rejected is None

    def _unless_failing(self, find: Callable[[], list[Diagnostic]]) -> list[Diagnostic]:
        """Findings that nothing else hangs on."""
        try:
            return find()
        except Exception as fault:
            self.faults[told(fault)] = None
            return []

    def _decided(self, request: Request) -> Decisions:
        """The kernel for all its inputs, on the target that is named, else on the first that has what it uses."""
        run = self._run(request) if self.options.target or self._names_target() else self._on_first_target(request)
        return self._judged(run, self.options.proofs, self.options.whole_traces)

    def _variants(self, request: Request, general: Decisions) -> list[Diagnostic]:
        """What is wrong where parameters whose defaults decide between paths have other values."""
        trace = general.run.trace
        if trace.stopped or general.run.rejected is not None or len(trace.events) > MAX_VARIED:
            return []
        known = {
            (j.obligation.rule.code, j.obligation.site.at)
            for j in (*general.violated, *general.conditional, *general.advice)
        }
        specified = frozenset(request.specification.params)
        coverage, found = Coverage(), list[Diagnostic]()
        coverage.learn(general.run, specified)
        share = self.options.work_budget * VARIANTS_SHARE
        with stage(share, slack=inf):
            for _ in range(MAX_VARIANTS):
                varied = coverage.next()
                if varied is None or left() <= 0:
                    break
                with stage(EACH * share, slack=inf):
                    run = self._run(replace(request, varied=varied), like=general.run)
                    taken = run.rejected is None and coverage.learn(run, specified)
                    told = list(self._varied(run, varied, general)) if taken else []
                if taken:
                    new = [d for d in told if (d.code, d.at) not in known]
                    known |= {(d.code, d.at) for d in new}
                    kept, defaults = " or ".join(v.kept for v in varied), " or ".join(v.default for v in varied)
                    asked = [d.precondition for d in new if d.precondition is not None]
                    self.preconditions |= dict.fromkeys(each.replace(kept, defaults, 1) for each in asked)
                    found += new
        return found

    def _varied(self, run: Run, varied: tuple[Variation, ...], general: Decisions) -> Iterator[Diagnostic]:
        """What is wrong with other values than defaults, each under the condition that there are not those."""
        kept = " or ".join(v.kept for v in varied)
        decisions = self._judged(run, False, self.options.whole_traces)
        asked = [*general.contract, *general.input_conditions.assumptions(self.prover)]
        decisions.conditional = [j for j in decisions.conditional if not self._follows(j, asked)]
        for finding in (*self.reporter.violations(decisions), *self.reporter.conditions(decisions)):
            if finding.verdict is not None or finding.severity is not Severity.INFO:
                yield self.reporter.only_where(finding, kept)

    def _follows(self, decided: Decided, asked: list[Cond]) -> bool:
        """Whether what an obligation asks follows from what is asked with the defaults."""
        precondition = decided.decision.precondition
        return precondition is not None and self.prover.shows(precondition, asked, deep=True)

    def _memory(self, decisions: Decisions) -> MemoryMap | None:
        """What holds data on chip when."""
        broken = [j.obligation for j in (*decisions.violated, *decisions.conditional)]
        lost = {(id(o.tensor), o.site.at.row) for o in broken if o.tensor is not None}
        return memory_map(decisions.run, self.prover, decisions.contract, lost, input_text)

    def _chosen_target(self) -> Target:
        """What the kernel is compiled for: what its decorator says, else the target of the run."""
        for name, value in self.kernel.arguments:
            if name == "platform_target" and isinstance(value, Const) and value.value in TARGETS:
                return TARGETS[value.value]
        return self.session.target

    def _names_target(self) -> bool:
        return any(name == "platform_target" for name, _ in self.kernel.arguments)

    def _on_first_target(self, request: Request) -> Run:
        """The kernel on the first target that has what it uses, if one has."""
        default, before = self.target, None
        for self.target in (default, *targets_to_try()[1:]):
            plain = self._run(request, {}, free=frozenset())
            if not self._lacks(plain):
                before = plain = self._run(request, {}, plain, like=before)
            if not self._lacks(plain):
                run = self._run(request, None, plain) if open_ranks(plain) else plain
                if run is plain or not self._lacks(run):
                    if self.target is not default:
                        assumption = f"it runs on {self.target}, the first target that has what it uses"
                        run.trace.assumptions.setdefault(assumption, None)
                    return run
        self.target = default
        return self._run(request)

    def _lacks(self, run: Run) -> bool:
        """Whether the target lacks something that the kernel uses."""
        with stage(self.options.work_budget, slack=inf):
            return violates(run, UnsupportedOnTarget, self.prover)

    def _run(
        self,
        request: Request,
        ranks: Mapping[str, int] | None = None,
        first: Run | None = None,
        free: frozenset[str] | None = None,
        like: Run | None = None,
    ) -> Run:
        options, given = self.options, (request, self.session.modules, self.target, self.prover.implied)
        with stage(EVALUATION * options.work_budget):
            return evaluate_kernel(*given, options.nki_version, options.step_budget, ranks, first, free, like)

    def _judged(self, run: Run, proofs: bool, whole_traces: bool) -> Decisions:
        with stage(JUDGEMENT * self.options.work_budget, slack=inf):
            decisions = decide_run(run, self.prover, self.options.selects, proofs, whole_traces)
        doubt_guesses(decisions, self._again, self.prover, self.options)
        doubt_docstrings(decisions, self._again, self.prover, self.options)
        other = doubt_settings(decisions, self._again, self.prover, self.options)
        return decisions if other is None else self._judged(other, proofs, whole_traces)

    def _again(self, request: Request, supposed: Mapping[str, int], free: frozenset[str]) -> Run:
        return self._run(request, supposed, free=free)

    def _instance(self, request: Request, launch: Launch, general: Decisions) -> list[Diagnostic]:
        """What is wrong with one launch; `general` is the decisions on the kernel for all its inputs."""
        given = request.specification != Specification()
        concrete = replace(request, launch=launch, specification=Specification())
        misfit = bind(launch.function, list(launch.args), dict(launch.kwargs), Environment(launch.function.env.module))
        if misfit is not None:
            message = CallSignature.message(callee=self.kernel.name, problem=misfit)
            seen = launch_trial(concrete, launch, self.target)
            return [replace(diagnostic(message, launch.at, self.kernel.name), verdict="violated", trial=seen)]
        if launch_problem(concrete) is not None:
            need = grid_need(self.kernel.dialect, launch, self.target)
            if need is None or need.condition is not False:
                return []
            return [replace(diagnostic(need.message, launch.at, self.kernel.name), verdict="violated")]
        run, decisions = self._as_in(general, concrete, given) or self._by_itself(general, concrete, given)
        inputs = {name: _plain(value) for name, value in launch_arguments(concrete).items()}
        found = self.reporter.violations(decisions)
        self.faults |= run.trace.faults
        if run.rejected is not None:
            found.append(self._rejected(launch, run))
        faulty = any(d.verdict is not None for d in found)
        verdict: Any = "violated" if faulty else decisions.verdict
        self.instances.append(InstanceReport(inputs, verdict, launch.at))
        return [_called_from(d, launch.at) for d in found]

    def _as_in(self, general: Decisions, request: Request, given: bool) -> tuple[Run, Decisions] | None:
        """One launch followed as the kernel was for all inputs, where all is decided of these: with its loops as they
        are for any number of iterations. Nothing where that way not all is proved of the launch."""
        if general.verdict not in ("verified", "conditional") or not general.run.trace.summarised:
            return None
        run, decisions = self._by_itself(general, replace(request, like=general.run.trace.summarised), given)
        advised = {claim(j.obligation) for j in general.advice}
        proved = decisions.verdict == "verified" and run.rejected is None
        proved = proved and all(claim(j.obligation) in advised for j in decisions.advice)
        return (run, decisions) if proved else None

    def _by_itself(self, general: Decisions, request: Request, given: bool) -> tuple[Run, Decisions]:
        """One launch and what is decided of it; what the whole trace owes is so for all inputs that are like it."""
        assert request.launch is not None
        run = self._run(request)
        covered = general.in_order and not request.launch.grid and not given and admits(general.run, run)
        decisions = self._judged(run, False, self.options.whole_traces and not covered)
        return decisions.run, decisions

    def _rejected(self, launch: Launch, run: Run) -> Diagnostic:
        assert run.rejected is not None
        condition = self.session.one_line(run.rejected.test.at)
        seen = dict.fromkeys(f"{self.session.one_line(at)}={value}" for at, value in run.rejected.values)
        message = FailedAssertion.message(kernel=run.rejected.function, condition=condition, values=", ".join(seen))
        found = diagnostic(message, launch.at, self.kernel.name)
        related = (Related("the assertion", run.rejected.test.at),)
        return replace(found, verdict="violated", related=related, trial=trial(run, {}, None, self.prover))

    def _incomplete(self, decisions: Decisions) -> list[Diagnostic]:
        if not decisions.unknown or not self.options.selects(IncompleteAnalysis.code):
            return []
        root = roots(u.reason for u in decisions.unknown)
        reasons = list(dict.fromkeys(root[u.reason] for u in decisions.unknown))
        count, total = len(decisions.unknown), decisions.tally().total
        message = IncompleteAnalysis.message(
            count=count, total=total, kernel=self.kernel.name, reasons="; ".join(reasons[:3])
        )
        return [diagnostic(message, self.kernel.function.at, self.kernel.name)]

    def _never(self, run: Run) -> list[Diagnostic]:
        """The kernel's own assertion that no input meets."""
        if not run.never:
            return []
        assert run.rejected is not None
        test = run.rejected.test.at
        lines = self.session.project.module(test.file).lines
        column = lines[test.row - 1].find("assert") + 1 or test.column
        at = replace(test, column=min(column, test.column))
        message = FailedAssertion.never(condition=self.session.one_line(test))
        seen = trial(run, {}, None, self.prover)
        return [replace(diagnostic(message, at, self.kernel.name), verdict="violated", trial=seen)]

    def _report(self, decisions: Decisions) -> KernelReport:
        verdict: Any = decisions.verdict
        if any(i.verdict == "violated" for i in self.instances):
            verdict = "violated"
        if verdict == "verified" and self.preconditions:
            verdict = "conditional"
        return KernelReport(
            file=self.kernel.module.path,
            name=self.kernel.name,
            at=self.kernel.function.at,
            dialect=self.kernel.dialect,
            verdict=verdict,
            contract=(*map(str, decisions.contract), *self.preconditions, *dict.fromkeys(decisions.unstated())),
            assumptions=tuple(decisions.run.trace.assumptions),
            obligations=decisions.tally(),
            unknown=tuple(decisions.unknown),
            instances=tuple(self.instances),
            proofs=tuple(decisions.proofs),
            memory=self._memory(decisions) if self.options.proofs else None,
        )


def _called_from(finding: Diagnostic, at: Span) -> Diagnostic:
    if finding.at == at:
        return finding
    return replace(finding, related=(*finding.related, Related("for this call", at)))


def _plain(value: Any) -> Any:
    return input_text(value, {}) if not hasattr(value, "shape") else describe(value)
