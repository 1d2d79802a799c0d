"""A text checked, explained or repaired."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from nkilint.base.findings import Diagnostic, KernelReport, Report, Witness
from nkilint.base.ir import Span
from nkilint.base.options import Options
from nkilint.base.store import Entries
from nkilint.confirm import confirm
from nkilint.fixes.mending import mend
from nkilint.report.explain import explanation
from nkilint.report.style import Style
from nkilint.run.engine import check
from nkilint.run.fresh import repaired
from nkilint.run.incremental import Incremental
from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Severity
from nkilint_rules.tool.syntax_error import SyntaxError

from .results import Checked, Edit, Explained, Finding, Fixed, Kernel, Note, Open, Place, Repair, Verdict
from .settings import BadRequest, Settings

_WORST: tuple[Verdict, ...] = ("violated", "incomplete", "conditional", "verified")


@dataclass(frozen=True)
class Text:
    """A text with its settings; `store` remembers the kernels in it."""

    source: str
    settings: Settings
    store: Entries | None = None

    def checked(self) -> Checked:
        return self._told(self._confirmed(repaired(self._report(self.overlay, self.options), self.overlay)))

    def explained(self, kernel: str | None = None) -> Explained:
        """With the words of `nkilint explain` on one kernel, or on all."""
        report = self._confirmed(self._report(self.overlay, replace(self.options, proofs=True)))
        found = [k for k in report.kernels if kernel is None or k.name == kernel]
        if kernel is not None and not found:
            raise BadRequest(
                f"there is no kernel `{kernel}`; it has {', '.join(k.name for k in report.kernels) or 'none'}"
            )
        words = [explanation(k, Path(self.settings.path).parent, Style(), report.diagnostics) for k in found]
        return Explained("\n".join(words), self._told(repaired(report, self.overlay)))

    def fixed(self, *, unsafe: bool = False) -> Fixed:
        """With what can be repaired repaired, as far as the analysis approves of it."""
        quiet = replace(self.options, confirm=False)

        def check_again(texts: Mapping[str, bytes]) -> Report:
            return self._report({**self.overlay, **texts}, quiet)

        mended = mend(check_again, self._is_own, unsafe=unsafe, texts=self.overlay)
        after = next(iter(mended.files.values()), None)
        source = self.source if after is None else after.decode("utf-8", "surrogatepass")
        return Fixed(source, mended.count, replace(self, source=source).checked())

    # --- how it is checked ---

    @cached_property
    def options(self) -> Options:
        return self.settings.options()

    @cached_property
    def overlay(self) -> dict[str, bytes]:
        return {self.settings.path: self.source.encode("utf-8", "surrogatepass")}

    @property
    def paths(self) -> list[Path]:
        return [Path(self.settings.path)]

    def _report(self, overlay: Mapping[str, bytes], options: Options) -> Report:
        return check(self.paths, options, overlay=overlay, runner=Incremental(self.store))

    def _confirmed(self, report: Report) -> Report:
        if not self.options.confirm:
            return report
        return confirm(report, self.options, self.paths, self.overlay, store=self.store)

    def _is_own(self, file: str) -> bool:
        return os.path.abspath(file) == self.settings.path

    # --- what is told ---

    def _told(self, report: Report) -> Checked:
        kernels = tuple(self._kernel(k) for k in sorted(report.kernels, key=lambda k: k.at.row))
        findings = tuple(self._finding(d) for d in report.findings)
        return Checked(_verdict(report), report.target, kernels, findings)

    def file(self, file: str) -> str:
        return "" if self._is_own(file) else file

    def _place(self, at: Span) -> Place:
        return Place(at.row, at.column, at.end_row, at.end_column, self.file(at.file))

    def _finding(self, d: Diagnostic) -> Finding:
        confirmed = self.options.confirm
        return Finding(
            code=d.code,
            name=d.name,
            severity=d.severity.value,
            message=d.message,
            line=d.at.row,
            column=d.at.column,
            end_line=d.at.end_row,
            end_column=d.at.end_column,
            file=self.file(d.at.file),
            kernel=d.kernel,
            verdict=d.verdict,
            precondition=d.precondition,
            vendor=rules()[d.code].aws,
            help=d.help,
            witness=_witness(d.witness),
            confirmation=d.confirmation,
            confirmation_reason=d.confirmation_reason if confirmed else "",
            notes=tuple(Note(r.message, self._place(r.at)) for r in d.related),
            repair=None if d.fix is None else _repair(d.fix),
        )

    def _kernel(self, k: KernelReport) -> Kernel:
        count = k.obligations
        return Kernel(
            name=k.name,
            line=k.at.row,
            dialect="nki" if k.dialect == "nki" else "neuronxcc",
            verdict=k.verdict,
            contract=k.contract,
            assumptions=k.assumptions,
            obligations={
                "total": count.total,
                "proved": count.proved,
                "violated": count.violated,
                "conditional": count.conditional,
                "unknown": count.unknown,
            },
            unknown=tuple(Open(u.code, u.row, u.reason) for u in k.unknown),
        )


def _verdict(report: Report) -> Verdict:
    if any(d.code == SyntaxError.code for d in report.failures):
        return "unreadable"
    verdicts = {str(k.verdict) for k in report.kernels} | ({"incomplete"} if report.failures else set())
    if any(d.severity is Severity.ERROR for d in report.diagnostics):
        return "violated"
    return next((v for v in _WORST if v in verdicts), "empty")


def _witness(witness: Witness | None) -> Mapping[str, Any] | None:
    if witness is None:
        return None
    return {"inputs": dict(witness.inputs), "loops": dict(witness.loops), "element": witness.element}


def _repair(fix: Mapping[str, Any]) -> Repair:
    return Repair(fix["title"], fix["safe"], tuple(_edits(fix["edits"])))


def _edits(edits: Iterable[Mapping[str, Any]]) -> Iterable[Edit]:
    for edit in edits:
        begin, end = edit["location"], edit["end_location"]
        yield Edit(Place(begin["row"], begin["column"], end["row"], end["column"]), edit["content"])
