"""What one run has read and found so far, apart from the kernels themselves."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from nkilint.analyses.text.findings import judge_text
from nkilint.analyses.text.subset import judge_compiled
from nkilint.base.config import row_of
from nkilint.base.faults import Faults, told
from nkilint.base.findings import (
    Diagnostic,
    Report,
    diagnostic,
    failure,
)
from nkilint.base.ir import Module, Span
from nkilint.base.options import Options
from nkilint.base.source import SourceError, document_of
from nkilint.evaluator.kernels.hostrun import find_launches
from nkilint.evaluator.kernels.launch import Launch
from nkilint.evaluator.state.modules import Modules
from nkilint.evaluator.state.trace import Outside
from nkilint.project.discovery import Kernel, LaunchSite
from nkilint.project.files import Project
from nkilint.project.imports import Imports
from nkilint.project.names import Scope
from nkilint.project.specs import misplaced
from nkilint.project.unreadable import unreadable
from nkilint.report.suppress import suppress
from nkilint.symbolic.atoms import start_afresh
from nkilint_rules.language.api_outside_kernel import ApiOutsideKernel
from nkilint_rules.rule import Severity
from nkilint_rules.tool import syntax_error
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.tool.invalid_specification import InvalidSpecification
from nkilint_rules.words.suggestions import suggestion
from nkilint_rules.words.targets import DEFAULT_TARGET, TARGETS

from .outcome import Outcome


class Session:
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
        self.sites: dict[int, list[LaunchSite]] = {}  # the calls of host code, by the kernel's definition

    @property
    def inner_places(self) -> frozenset[Span]:
        return self.places(self.inner)

    def places(self, functions: Collection[int]) -> frozenset[Span]:
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

    def check_imports(self) -> None:
        """Name the files that cannot be read of those that are imported."""
        known = {os.path.abspath(d.at.file) for d in self.failures}
        lost = unreadable(self.project, self.read_modules.values())
        self.failures += [_unreadable(error) for error in lost if os.path.abspath(error.path) not in known]

    def check_texts(self) -> None:
        """Judge what no evaluation is needed for."""
        for module in self.read_modules.values():
            faults = Faults()
            found = judge_text(self.imports.scope(module), self.imports, faults)
            self.texts += [d for d in found if self.options.selects(d.code)]
            self._failed("the text of this file", faults, module.path)

    def check_compiled(self, compiled: Sequence[Scope]) -> None:
        """Judge whether the compiler of `nki` takes the functions that it compiles, helpers in other files included."""
        faults = Faults()
        found = judge_compiled(compiled, self.options.nki_version, self.one_line, faults)
        self.loose += [d for d in found if self.options.selects(d.code)]
        self._failed("what kernels are written in", faults, compiled[0].module.path if compiled else "")

    def _failed(self, subject: str, faults: Faults, path: str) -> None:
        """Tell of each fault once."""
        for fault in dict.fromkeys(map(told, faults)):
            message = IncompleteAnalysis.failed(subject=subject, fault=fault, source="file")
            self.failures.append(failure(message, Span(path, 1, 1, 1, 1)))

    def check_specifications(self, kernels: Sequence[Kernel]) -> None:
        """Report specifications that stand above no kernel, and those of the configuration that name none."""
        for module in self.read_modules.values():
            functions = [k.function for k in kernels if k.module is module]
            for error in misplaced(module, functions):
                if self.options.selects(InvalidSpecification.code):
                    self.loose.append(diagnostic(InvalidSpecification.message(problem=error.message), error.at))

        if self.options.configuration is not None and self.options.selects(InvalidSpecification.code):
            self.loose += self._of_no_kernel(kernels, self.options.configuration)

    def _of_no_kernel(self, kernels: Sequence[Kernel], configuration: Path) -> Iterator[Diagnostic]:
        """What the configuration says of kernels that are not in their file, or of files that are not there."""
        known: dict[str, list[str]] = {Path(path).resolve().as_posix(): [] for path in self.read_modules}
        for kernel in kernels:
            known.setdefault(Path(kernel.module.path).resolve().as_posix(), []).append(kernel.name)
        for place in self.options.kernels:
            path, _, name = place.partition("::")
            if path in known and name not in known[path]:
                problem = f"there is no kernel `{name}` in {os.path.basename(path)}{suggestion(name, known[path])}"
            elif path not in known and not self.project.overlay.is_file(path):
                problem = f"there is no file {os.path.relpath(path, self.options.root)}"
            else:
                continue
            row = row_of(configuration, path, name)
            at = Span(str(configuration), row, 1, row, 2)
            yield replace(diagnostic(InvalidSpecification.message(problem=problem), at), help="name it as `path::name`")

    def launches(self, kernels: Sequence[Kernel]) -> dict[int, list[Launch]]:
        """Calls of kernels in the host code of the files read, by the kernel's definition."""
        names = frozenset(k.function.name for k in kernels)
        definitions = {id(k.function) for k in kernels if k.kind != "implicit"}
        found: dict[int, list[Launch]] = {}
        for module in self.read_modules.values():
            start_afresh()
            try:
                launches, outside = find_launches(module, self.modules, self.target, names)
            except Exception as fault:  # host code is looked at for launches only: the kernels are checked all the same
                self._failed("the calls in this file", Faults([fault]), module.path)
                continue
            for launch in launches:
                found.setdefault(id(launch.function.node), []).append(launch)
            faults = Faults()
            calls = [o for o in dict.fromkeys(outside) if not o.functions & definitions]
            if self.options.selects(ApiOutsideKernel.code):
                self.loose += faults.until(map, self._outside, calls)
            self._failed("the calls in this file", faults, module.path)
        return found

    def _outside(self, call: Outside) -> Diagnostic:
        message = ApiOutsideKernel.message(operation=self.one_line(call.name), place=call.place)
        return replace(diagnostic(message, call.call), verdict="violated")

    def one_line(self, at: Span) -> str:
        """The source text of a span, on one line."""
        return " ".join(self.quote(at).split())

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

    @property
    def found(self) -> bool:
        """Whether there is something to report before kernels are verified."""
        return bool(self.failures or self.texts or self.loose)

    @property
    def files(self) -> set[str]:
        """Those that are checked, and those of which something is said already."""
        return {*self.read_modules, *(d.at.file for d in (*self.failures, *self.texts, *self.loose))}

    def report(
        self,
        outcomes: Sequence[Outcome],
        called: Collection[Span],
        is_whole: Callable[[str], bool],
        documents: Collection[str] | None = None,
    ) -> Report:
        """What was found, of these documents where they are given; `outcomes` are those that say something of them.

        `called` are kernels that others turned out to go through, and `is_whole` says whether a run came to the end of
        all that a file has part in.
        """

        def of(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
            return [d for d in findings if documents is None or document_of(d.at.file) in documents]

        called = self.inner_places.union(called)
        as_called = (o.as_called if o.at in called else o for o in outcomes)
        kept = [o for o in as_called if o is not None]
        texts = of(self.texts)
        plain = {_place(d): d for d in texts}
        of_kernels = (replace(d, home=o.at) for o in kept for d in o.findings)
        found = [_as_text_says(d, plain.get(_place(d))) for d in of((*self.loose, *of_kernels))]
        places = {_place(d) for d in found}
        by_order = {d.order: d for d in (*(d for d in texts if _place(d) not in places), *found)}
        report = Report(
            self.target.name,
            tuple(by_order[key] for key in sorted(by_order)),
            tuple(o.report for o in kept if o.report is not None),
            sum(not self.options.excludes(file) for file in self.project.files),
            tuple(of((*self.failures, *(fault for o in outcomes for fault in o.faults)))),
        )
        modules = [m for m in self.read_modules.values() if documents is None or document_of(m.path) in documents]
        comments, lines = {m.path: m.comments for m in modules}, {m.path: m.lines for m in modules}
        return suppress(report, comments, lines, self.options, is_whole)


def _place(finding: Diagnostic) -> tuple[str, str, int, int]:
    return finding.code, finding.at.file, finding.at.row, finding.at.column


def _as_text_says(found: Diagnostic, text: Diagnostic | None) -> Diagnostic:
    """A finding about a kernel; as loud as the text alone is about it, with the inputs that show it."""
    if text is None or text.severity is not Severity.ERROR or found.severity is Severity.ERROR:
        return found
    return replace(text, kernel=found.kernel, witness=found.witness, trial=found.trial)


def _unreadable(error: SourceError) -> Diagnostic:
    at = Span(error.path, error.row, error.column, error.row, error.column + 1)
    found = diagnostic(syntax_error.SyntaxError.message(problem=error.message), at)
    return found if error.help is None else replace(found, help=error.help)
