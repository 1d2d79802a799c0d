"""What a run finds, in parts: that of a file as soon as nothing can be added to it, in the order of the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from nkilint.base.findings import Diagnostic, KernelReport, Order, Report
from nkilint.base.ir import Span
from nkilint.base.source import document_of
from nkilint.project.discovery import Kernel

from .outcome import Outcome, Setting
from .session import Session

Finish = Callable[[Report, Sequence[KernelReport]], Report]
"""What is made of each part of a report, in their order, before it is told. The kernels are those that its findings are
about; in the part itself are those that stand in its files."""


class Parts:
    """The outcomes of a run as they come. What stands in a document is one file."""

    def __init__(self, session: Session, setting: Setting, chosen: Sequence[Kernel], finish: Finish) -> None:
        self._session, self._finish = session, finish
        self._numbers = {kernel: number for number, kernel in enumerate(chosen)}
        self._documents = {k: {document_of(file) for file in setting.footprints.files(k)} for k in chosen}
        self._waiting: dict[str, set[Kernel]] = {document_of(file): set() for file in session.files}
        for kernel, documents in self._documents.items():
            for document in documents:
                self._waiting.setdefault(document, set()).add(kernel)
        self._untold = sorted(self._waiting, reverse=True)
        self._lacking = set[str]()  # documents of kernels that this program failed on
        self._outcomes: dict[str, dict[int, Outcome]] = {}  # by the documents that they say something of
        self._called = set[Span]()
        self._parts: list[Report] = []
        self._told, self._kernels = set[Order](), set[Span]()
        setting.listeners.append(self._done)

    def _done(self, kernel: Kernel, outcome: Outcome) -> None:
        places = (outcome.at, *(d.at for d in (*outcome.findings, *outcome.faults)))
        for document in {document_of(at.file) for at in places}:
            self._outcomes.setdefault(document, {})[self._numbers[kernel]] = outcome
        self._called |= outcome.called
        for document in self._documents[kernel]:
            self._waiting[document].discard(kernel)
            if outcome.report is None:
                self._lacking.add(document)
        ready = set[str]()
        while self._untold and not self._waiting[self._untold[-1]]:
            ready.add(self._untold.pop())
        if ready:
            found = {number: outcome for name in ready for number, outcome in self._outcomes.pop(name, {}).items()}
            outcomes = [found[number] for number in sorted(found)]
            part = self._session.report(outcomes, self._called, self._is_whole, ready)
            own = tuple(kernel for kernel in part.kernels if document_of(kernel.file) in ready)
            self._tell(replace(part, kernels=own), part.kernels)

    def _is_whole(self, file: str) -> bool:
        """Whether all is known that is to be said of a file."""
        document = document_of(file)
        return not self._waiting.get(document) and document not in self._lacking

    def _tell(self, part: Report, kernels: Sequence[KernelReport]) -> None:
        self._told |= {d.order for d in (*part.failures, *part.diagnostics, *part.suppressed)}
        self._kernels |= {kernel.at for kernel in part.kernels}
        self._parts.append(self._finish(part, kernels))

    def whole(self, outcomes: Sequence[Outcome]) -> Report:
        """The report on all, after what is left of it was told."""
        called = frozenset[Span]().union(*(outcome.called for outcome in outcomes))
        report = self._session.report(outcomes, called, self._is_whole)
        self._tell(
            replace(
                report,
                diagnostics=self._left(report.diagnostics),
                failures=self._left(report.failures),
                suppressed=self._left(report.suppressed),
                kernels=tuple(kernel for kernel in report.kernels if kernel.at not in self._kernels),
            ),
            report.kernels,
        )
        return replace(
            report,
            diagnostics=tuple(d for part in self._parts for d in part.diagnostics),
            failures=tuple(d for part in self._parts for d in part.failures),
            suppressed=tuple(d for part in self._parts for d in part.suppressed),
            uncontained=next((part.uncontained for part in self._parts if part.uncontained), ()),
        )

    def _left(self, findings: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(d for d in findings if d.order not in self._told)
