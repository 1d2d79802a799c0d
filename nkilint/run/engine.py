"""The one entry that the command line and the editor share: from files to a report."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nkilint.analyses.memory.map import memory_map
from nkilint.analyses.text.findings import judge_text
from nkilint.base.findings import (
    Diagnostic,
    InstanceReport,
    KernelReport,
    MemoryMap,
    Related,
    Report,
    diagnostic,
    failure,
    roots,
)
from nkilint.base.ir import Const, FunctionDef, Module, Name, Span
from nkilint.base.options import Options
from nkilint.base.source import SourceError
from nkilint.evaluator.kernels.hostrun import find_launches
from nkilint.evaluator.kernels.kernel import evaluate_kernel
from nkilint.evaluator.kernels.launch import Launch, describe
from nkilint.evaluator.kernels.requests import Request, Run, admits, launch_problem
from nkilint.evaluator.python.functions import bind
from nkilint.evaluator.state.modules import Modules
from nkilint.evaluator.values.host import HostArray
from nkilint.evaluator.values.objects import Environment
from nkilint.project.discovery import Kernel, discover
from nkilint.project.files import Lower, Project
from nkilint.project.imports import Imports
from nkilint.project.names import Scope
from nkilint.project.specs import Specification, misplaced
from nkilint.prover import Budget, Prover
from nkilint.report.suppress import suppress
from nkilint.symbolic.atoms import start_afresh
from nkilint.verdicts.judge import Judgement, Reporter, judge, shown
from nkilint.verdicts.trials import launch_trial, trial
from nkilint_rules.language.api_outside_kernel import ApiOutsideKernel
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.language.failed_assertion import FailedAssertion
from nkilint_rules.operands.unsupported_on_target import UnsupportedOnTarget
from nkilint_rules.rule import Severity
from nkilint_rules.tool import syntax_error
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.tool.invalid_specification import InvalidSpecification
from nkilint_rules.words.targets import DEFAULT_TARGET, TARGETS, Target

from .outcome import Outcome, Runner, Setting, one_by_one
from .requests import request_for

Progress = Callable[[int, int, str], None]
Choose = Callable[[Project, Sequence[Module], Sequence[Kernel]], Sequence[Kernel]]
MAX_INSTANCES = 12  # launches of one kernel that are verified
RECURSION = 5_000  # frames: deeply nested helpers are followed, not crashed on


def check(
    paths: Sequence[Path],
    options: Options,
    *,
    overlay: Mapping[str, bytes] | None = None,
    progress: Progress | None = None,
    choose: Choose | None = None,
    runner: Runner = one_by_one,
    lower: Lower | None = None,
) -> Report:
    """Verify every kernel in `paths`; `overlay` holds the contents of files that differ from the disk.

    `choose` gets the kernels that are there and gives those to verify, `runner` verifies them. `lower` reads the files.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    project = Project([str(p) for p in paths], overlay or {}, options.search_paths)
    session = _Session(project, options)
    files = [file for file in project.targets() if not options.excludes(file)]
    if lower is not None:
        project.read_ahead(files, lower)
    for number, file in enumerate(files):
        if progress is not None:
            progress(number, len(files), file)
        session.read(file)
    modules = list(session.read_modules.values())
    kernels = session.kernels = discover(session.imports, modules).kernels
    session.check_texts()
    session.check_specifications(kernels)
    session.inner = _called_by_kernels(kernels, [session.imports.scope(module) for module in modules])
    launches = session.launches(kernels)
    chosen = kernels if choose is None else choose(project, modules, kernels)

    def verify(kernel: Kernel) -> Outcome:
        return session.guarded(kernel, launches.get(id(kernel.function), []))

    setting = Setting(project, modules, kernels, session.inner_places, options, progress or _silent)
    session.outcomes += runner(setting, chosen, verify)
    return session.report()


def _silent(done: int, total: int, what: str) -> None:
    """Progress that nobody wants to hear of."""


class _Session:
    """One run: the modules read, the kernels found, the findings so far."""

    def __init__(self, project: Project, options: Options) -> None:
        self.project, self.options = project, options
        self.modules = Modules(project.resolve)
        self.imports = Imports(project)
        self.target = TARGETS[options.target or DEFAULT_TARGET]
        self.read_modules: dict[str, Module] = {}
        self.failures: list[Diagnostic] = [_unreadable(error) for error in project.failures]
        self.texts: list[Diagnostic] = []  # what the files say by their text alone
        self.loose: list[Diagnostic] = []  # other findings that belong to no kernel
        self.inner: frozenset[int] = frozenset()  # kernels that other kernels call
        self.kernels: Sequence[Kernel] = ()
        self.outcomes: list[Outcome] = []

    @property
    def inner_places(self) -> frozenset[Span]:
        return self._places(self.inner)

    def _places(self, functions: Collection[int]) -> frozenset[Span]:
        """Where the kernels stand whose definitions have these ids."""
        return frozenset(k.function.at for k in self.kernels if id(k.function) in functions)

    def read(self, file: str) -> None:
        """Parse a file that may hold kernels or calls of them."""
        try:
            module = self.project.module(file)
        except SourceError as error:
            self.failures.append(_unreadable(error))
            return
        self.read_modules[module.path] = module

    def check_texts(self) -> None:
        """Judge what no evaluation is needed for."""
        for module in self.read_modules.values():
            self.texts += [
                d for d in judge_text(self.imports.scope(module), self.imports) if self.options.selects(d.code)
            ]

    def check_specifications(self, kernels: Sequence[Kernel]) -> None:
        """Report specifications that stand above no kernel."""
        for module in self.read_modules.values():
            functions = [k.function for k in kernels if k.module is module]
            for error in misplaced(module, functions):
                if self.options.selects(InvalidSpecification.code):
                    self.loose.append(diagnostic(InvalidSpecification.message(problem=error.message), error.at))

    def launches(self, kernels: Sequence[Kernel]) -> dict[int, list[Launch]]:
        """Calls of kernels in the host code of the files read, by the kernel's definition."""
        names = frozenset(k.function.name for k in kernels)
        definitions = {id(k.function) for k in kernels}
        found: dict[int, list[Launch]] = {}
        for module in self.read_modules.values():
            start_afresh()
            try:
                launches, outside = find_launches(module, self.modules, self.target, names)
            except Exception as fault:  # host code is looked at for launches only: the kernels are checked all the same
                kind = type(fault).__name__
                message = IncompleteAnalysis.failed(subject="the calls in this file", fault=kind, source="file")
                self.failures.append(failure(message, Span(module.path, 1, 1, 1, 1)))
                continue
            for launch in launches:
                found.setdefault(id(launch.function.node), []).append(launch)
            for call in dict.fromkeys(o for o in outside if not o.functions & definitions):
                message = ApiOutsideKernel.message(operation=self._one_line(call.name), place=call.place)
                if self.options.selects(ApiOutsideKernel.code):
                    self.loose.append(replace(diagnostic(message, call.call), verdict="violated"))
        return found

    def guarded(self, kernel: Kernel, launches: list[Launch]) -> Outcome:
        """Verify one kernel; a fault of this tool is reported and does not stop the run."""
        try:
            return self.verify(kernel, launches)
        except Exception as fault:
            place = traceback.extract_tb(fault.__traceback__)[-1]
            found = f"{type(fault).__name__} in {Path(place.filename).stem}.{place.name} ({str(fault)[:120]})"
            message = IncompleteAnalysis.failed(subject=f"`{kernel.name}`", fault=found, source="kernel")
            return Outcome(kernel.function.at, None, faults=(failure(message, kernel.function.at, kernel.name),))

    def verify(self, kernel: Kernel, launches: list[Launch]) -> Outcome:
        """Evaluate and judge one kernel, for all its inputs and for each launch."""
        start_afresh()
        options = self.options
        prover = Prover(Budget(options.solver_budget))
        target = self._target(kernel)
        request, problems = request_for(kernel, options, self.imports, id(kernel.function) in self.inner)
        request = replace(request, ranks=launched_ranks(request, launches))
        found = [diagnostic(InvalidSpecification.message(problem=p.message), p.at, kernel.name) for p in problems]
        run = self._run(request, prover, target)
        judgement = judge(run, prover, options.selects, options.proofs, options.whole_traces)
        needed = self._newer_target(kernel, judgement, target)
        if needed is not None:
            target = needed
            run = self._run(request, prover, target)
            judgement = judge(run, prover, options.selects, options.proofs, options.whole_traces)
            run.trace.assumptions.setdefault(f"it runs on {target}, the first target that has what it uses", None)
        severity = Severity.WARNING if options.conditional == "warning" else Severity.INFO
        reporter = Reporter(kernel.name, kernel.module.path, self.quote, prover, severity)
        found += reporter.violations(judgement) + reporter.conditions(judgement) + self._never(kernel, run, prover)
        instances: list[InstanceReport] = []
        for launch in launches[:MAX_INSTANCES]:
            found += self._instance(kernel, request, launch, reporter, prover, instances, target, judgement)
        findings = [d for d in _merged(found) if options.selects(d.code)] + self._incomplete(kernel, judgement)
        memory = self._memory(judgement, prover) if options.proofs else None
        report = _kernel_report(kernel, judgement, instances, memory)
        called = self._places(run.trace.called)
        return Outcome(kernel.function.at, report, tuple(findings), called, bool(launches))

    def _memory(self, judgement: Judgement, prover: Prover) -> MemoryMap | None:
        """What holds data on chip when."""
        broken = [j.obligation for j in (*judgement.violated, *judgement.conditional)]
        lost = {(id(o.tensor), o.site.at.row) for o in broken if o.tensor is not None}
        return memory_map(judgement.run, prover, judgement.contract, lost, shown)

    def _target(self, kernel: Kernel) -> Target:
        """What the kernel is compiled for: what its decorator says, else the target of the run."""
        for name, value in kernel.arguments:
            if name == "platform_target" and isinstance(value, Const) and value.value in TARGETS:
                return TARGETS[value.value]
        return self.target

    def _newer_target(self, kernel: Kernel, judgement: Judgement, target: Target) -> Target | None:
        """Without a chosen target, a kernel for a newer device is checked for the first device that has all it uses."""
        if self.options.target or any(name == "platform_target" for name, _ in kernel.arguments):
            return None
        missing = any(j.obligation.rule is UnsupportedOnTarget for j in judgement.violated)
        newer = [t for t in TARGETS.values() if t.generation > target.generation]
        return min(newer, key=lambda t: t.generation) if missing and newer else None

    def _run(self, request: Request, prover: Prover, target: Target) -> Run:
        return evaluate_kernel(
            request, self.modules, target, prover.implied, self.options.nki_version, self.options.step_budget
        )

    def _instance(
        self,
        kernel: Kernel,
        request: Request,
        launch: Launch,
        reporter: Reporter,
        prover: Prover,
        instances: list[InstanceReport],
        target: Target,
        general: Judgement,
    ) -> list[Diagnostic]:
        """What is wrong with one launch; `general` is the judgement on the kernel for all its inputs."""
        given = request.specification != Specification()
        concrete = replace(request, launch=launch, specification=Specification())
        misfit = bind(launch.function, list(launch.args), dict(launch.kwargs), Environment(launch.function.env.module))
        if misfit is not None:
            message = CallSignature.message(callee=kernel.name, problem=misfit)
            seen = launch_trial(concrete, launch, target)
            return [replace(diagnostic(message, launch.at, kernel.name), verdict="violated", trial=seen)]
        if launch_problem(concrete) is not None:
            return []
        run = self._run(concrete, prover, target)
        covered = general.in_order and not launch.grid and not given and admits(general.run, run)
        judgement = judge(run, prover, self.options.selects, False, self.options.whole_traces and not covered)
        inputs = {name: _plain(value) for name, value in _launch_inputs(concrete).items()}
        found = reporter.violations(judgement)
        if run.rejected is not None:
            found.append(self._rejected(kernel, launch, run, prover))
        faulty = any(d.verdict is not None for d in found)
        verdict: Any = "violated" if faulty else judgement.verdict
        instances.append(InstanceReport(inputs, verdict, launch.at))
        return [_called_from(d, launch.at) for d in found]

    def _rejected(self, kernel: Kernel, launch: Launch, run: Run, prover: Prover) -> Diagnostic:
        assert run.rejected is not None
        condition = self._one_line(run.rejected.test.at)
        seen = dict.fromkeys(f"{self._one_line(at)}={value}" for at, value in run.rejected.values)
        message = FailedAssertion.message(kernel=run.rejected.function, condition=condition, values=", ".join(seen))
        found = diagnostic(message, launch.at, kernel.name)
        related = (Related("the assertion", run.rejected.test.at),)
        return replace(found, verdict="violated", related=related, trial=trial(run, {}, None, prover))

    def _incomplete(self, kernel: Kernel, judgement: Judgement) -> list[Diagnostic]:
        if not judgement.unknown or not self.options.selects(IncompleteAnalysis.code):
            return []
        root = roots(u.reason for u in judgement.unknown)
        reasons = list(dict.fromkeys(root[u.reason] for u in judgement.unknown))
        count, total = len(judgement.unknown), judgement.tally().total
        message = IncompleteAnalysis.message(
            count=count, total=total, kernel=kernel.name, reasons="; ".join(reasons[:3])
        )
        return [diagnostic(message, kernel.function.at, kernel.name)]

    def _one_line(self, at: Span) -> str:
        return " ".join(self.quote(at).split())

    def _never(self, kernel: Kernel, run: Run, prover: Prover) -> list[Diagnostic]:
        """The kernel's own assertion that no input meets."""
        if not run.never:
            return []
        assert run.rejected is not None
        test = run.rejected.test.at
        lines = self.project.module(test.file).lines
        column = lines[test.row - 1].find("assert") + 1 or test.column
        at = replace(test, column=min(column, test.column))
        message = FailedAssertion.never(condition=self._one_line(test))
        seen = trial(run, {}, None, prover)
        return [replace(diagnostic(message, at, kernel.name), verdict="violated", trial=seen)]

    def quote(self, at: Span) -> str:
        """The source text of a span."""
        try:
            lines = self.project.module(at.file).lines
        except SourceError:
            return ""
        if not 1 <= at.row <= len(lines):
            return ""
        if at.row == at.end_row:
            return lines[at.row - 1][at.column - 1 : at.end_column - 1]
        middle = lines[at.row : at.end_row - 1]
        return "\n".join([lines[at.row - 1][at.column - 1 :], *middle, lines[at.end_row - 1][: at.end_column - 1]])

    def report(self) -> Report:
        called = self.inner_places.union(*(o.called for o in self.outcomes))
        kept = [o for o in self.outcomes if o.launched or o.at not in called]
        found = [*self.loose, *(d for o in kept for d in o.findings)]
        places = {(d.code, d.at.file, d.at.row, d.at.column) for d in found}
        texts = (d for d in self.texts if (d.code, d.at.file, d.at.row, d.at.column) not in places)
        by_order = {d.order: d for d in (*texts, *found)}
        order = [by_order[key] for key in sorted(by_order)]
        report = Report(
            self.target.name,
            tuple(order),
            tuple(o.report for o in kept if o.report is not None),
            sum(not self.options.excludes(file) for file in self.project.files),
            (*self.failures, *(fault for o in self.outcomes for fault in o.faults)),
        )
        comments = {path: module.comments for path, module in self.read_modules.items()}
        lines = {path: module.lines for path, module in self.read_modules.items()}
        return suppress(report, comments, lines, self.options)


def _called_by_kernels(kernels: Sequence[Kernel], modules: Sequence[Scope]) -> frozenset[int]:
    """Kernels, by their definition, that the text of other kernels reaches by name."""
    functions: dict[str, list[FunctionDef]] = {}
    calls: dict[int, frozenset[str]] = {}
    for scope in (s for module in modules for s in module.everything()):
        if scope.function is not None:
            functions.setdefault(scope.function.name, []).append(scope.function)
            calls[id(scope.function)] = _called_names(scope)
    reached: set[int] = set()
    for kernel in kernels:
        seen = {id(kernel.function)}
        stack = [kernel.function]
        while stack:
            for name in calls.get(id(stack.pop()), ()):
                for function in functions.get(name, ()):
                    if id(function) not in seen:
                        seen.add(id(function))
                        stack.append(function)
        reached |= seen - {id(kernel.function)}
    return frozenset(reached)


def _called_names(function: Scope) -> frozenset[str]:
    """Names called plainly; `nl.add(x, y)` says nothing about a kernel called `add`."""
    return frozenset(c.func.id for s in function.everything() for c in s.calls if isinstance(c.func, Name))


def _kernel_report(
    kernel: Kernel, judgement: Judgement, instances: list[InstanceReport], memory: MemoryMap | None
) -> KernelReport:
    verdict: Any = judgement.verdict
    if any(i.verdict == "violated" for i in instances):
        verdict = "violated"
    return KernelReport(
        file=kernel.module.path,
        name=kernel.name,
        at=kernel.function.at,
        dialect=kernel.dialect,
        verdict=verdict,
        contract=(*map(str, judgement.contract), *dict.fromkeys(judgement.unstated())),
        assumptions=tuple(judgement.run.trace.assumptions),
        obligations=judgement.tally(),
        unknown=tuple(judgement.unknown),
        instances=tuple(instances),
        proofs=tuple(judgement.proofs),
        memory=memory,
    )


def _merged(found: list[Diagnostic]) -> list[Diagnostic]:
    """One violation per place and rule, which says more than conditions; each condition of a place once."""
    violated = {(d.code, d.at) for d in found if d.verdict != "conditional"}
    best: dict[tuple[str, Span, str | None], Diagnostic] = {}
    for finding in found:
        if not (finding.verdict == "conditional" and (finding.code, finding.at) in violated):
            best.setdefault((finding.code, finding.at, finding.precondition), finding)
    return list(best.values())


def _called_from(diagnostic: Diagnostic, at: Span) -> Diagnostic:
    if diagnostic.at == at:
        return diagnostic
    return replace(diagnostic, related=(*diagnostic.related, Related("for this call", at)))


def launched_ranks(request: Request, launches: Sequence[Launch]) -> dict[str, int]:
    """The number of dimensions that a parameter has in every launch that gives it an array."""
    found: dict[str, set[int]] = {}
    for launch in launches:
        for name, value in _launch_inputs(replace(request, launch=launch)).items():
            if isinstance(value, HostArray):
                found.setdefault(name, set()).add(len(value.shape))
    return {name: min(ranks) for name, ranks in found.items() if len(ranks) == 1}


def _launch_inputs(request: Request) -> dict[str, Any]:
    assert request.launch is not None
    names = [p.name for p in request.function.params]
    return {**dict(zip(names, request.launch.args, strict=False)), **request.launch.kwargs}


def _plain(value: Any) -> Any:
    from nkilint.verdicts.judge import shown

    return shown(value, {}) if not hasattr(value, "shape") else describe(value)


def _unreadable(error: SourceError) -> Diagnostic:
    at = Span(error.path, error.row, error.column, error.row, error.column + 1)
    found = diagnostic(syntax_error.SyntaxError.message(problem=error.message), at)
    return found if error.help is None else replace(found, help=error.help)
