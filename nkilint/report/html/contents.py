"""What the page shows, as data: kernels with their findings, proofs and memory, and the source that they speak of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from inspect import cleandoc
from typing import Any

from nkilint import __version__
from nkilint.base.findings import Diagnostic, KernelReport, Report, roots
from nkilint.base.ir import Span
from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Severity

from ..excerpt import head
from ..places import assignments, confirmation_text, headline, witness_text
from ..setting import Setting
from .differences import difference
from .excerpts import Excerpts
from .residents import memory

Entry = dict[str, Any]
LONGEST = 400  # characters of an obligation that are shown


def contents(report: Report, setting: Setting) -> Entry:
    """The report as the page's script reads it."""
    kernels = sorted(report.kernels, key=lambda k: (k.file, k.at.row, k.name))
    found = list(report.findings)
    excerpts = Excerpts(setting.lines)
    told = _of_kernels(found, kernels)
    shown = [_kernel(kernel, told.get(index, ()), excerpts) for index, kernel in enumerate(kernels)]
    entries = [_finding(finding, excerpts, setting) for finding in found]
    taken = {number for numbers in told.values() for number in numbers}
    return {
        "version": __version__,
        "target": report.target,
        "files": report.files,
        "errors": report.count(Severity.ERROR),
        "warnings": report.count(Severity.WARNING),
        "kernels": shown,
        "findings": entries,
        "others": [number for number in range(len(found)) if number not in taken],
        "rules": {code: _rule(code) for code in sorted({f.code for f in found}) if code in rules()},
        "sources": excerpts.entries(setting.named),
    }


def _rule(code: str) -> Entry:
    summary, _, rest = cleandoc(rules()[code].__doc__ or "").partition("\n")
    return {"name": rules()[code].name(), "summary": summary, "page": rest.strip()}


def _at(at: Span, excerpts: Excerpts) -> list[int]:
    """A place, of a loop the line that it begins with: the number of its file, first row and column, and its end."""
    at = head(at, excerpts.lines(at.file))
    excerpts.show(at.file, at.row, at.end_row)
    return [excerpts.number(at.file), at.row, at.column, at.end_row, at.end_column]


def _finding(finding: Diagnostic, excerpts: Excerpts, setting: Setting) -> Entry:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "message": headline(finding),
        "help": finding.help,
        "label": finding.label,
        "at": _at(finding.at, excerpts),
        "verdict": finding.verdict,
        "precondition": finding.precondition,
        "witness": witness_text(finding.witness) if finding.witness else "",
        "confirmation": finding.confirmation,
        "told": confirmation_text(finding),
        "related": [[r.message, _at(r.at, excerpts)] for r in finding.related],
        "fix": finding.fix and _fix(finding, setting),
        "page": setting.rule_pages.replace("{code}", finding.code),
    }


def _fix(finding: Diagnostic, setting: Setting) -> Entry:
    assert finding.fix is not None
    file = finding.at.file
    return {
        "title": finding.fix["title"],
        "safe": finding.fix["safe"],
        "diff": difference(finding.fix["edits"], setting.lines(file), setting.named(file)),
    }


def _kernel(kernel: KernelReport, found: Sequence[int], excerpts: Excerpts) -> Entry:
    first, last = excerpts.function(kernel.file, kernel.at.row)
    excerpts.show(kernel.file, first, last, around=0)
    count = kernel.obligations
    return {
        "name": kernel.name,
        "file": excerpts.number(kernel.file),
        "rows": [first, last],
        "row": kernel.at.row,
        "dialect": kernel.dialect,
        "verdict": kernel.verdict,
        "contract": list(kernel.contract),
        "assumptions": list(kernel.assumptions),
        "counts": [count.violated, count.conditional, count.unknown, count.proved],
        "proofs": _proofs(kernel, excerpts),
        "unknown": _unknown(kernel, excerpts),
        "instances": [
            [assignments(i.inputs), i.verdict, _at(i.at, excerpts) if i.at else None] for i in kernel.instances
        ],
        "findings": found,
        "memory": memory(kernel.memory, lambda at: _at(at, excerpts), excerpts.number) if kernel.memory else None,
    }


def _of_kernels(found: Sequence[Diagnostic], kernels: Sequence[KernelReport]) -> dict[int, list[int]]:
    """The numbers of the findings about each kernel. Of kernels with one name, it is the one that the finding says;
    where it does not, the one in its file, or all where it stands in a helper elsewhere."""
    named: dict[str, list[int]] = {}
    for index, kernel in enumerate(kernels):
        named.setdefault(kernel.name, []).append(index)
    shown: dict[int, list[int]] = {}
    for number, finding in enumerate(found):
        candidates = [c for c in named.get(finding.kernel or "", []) if finding.home in (None, kernels[c].at)]
        files = {finding.at.file, *(r.at.file for r in finding.related)}
        for index in [c for c in candidates if kernels[c].file in files] or candidates:
            shown.setdefault(index, []).append(number)
    return shown


def _proofs(kernel: KernelReport, excerpts: Excerpts) -> list[list[Any]]:
    """Each obligation: verdict, code, file and row, what had to hold, what decided it, how often it stands there."""
    counts = Counter((p.verdict, p.code, p.file or kernel.file, p.row, _cut(p.text), p.rung) for p in kernel.proofs)
    shown = []
    for (verdict, code, file, row, text, rung), number in counts.items():
        if row:
            excerpts.show(file, row, row)
        shown.append([verdict, code, excerpts.number(file), row, text, rung, number])
    return shown


def _cut(text: str) -> str:
    """Conditions of a kernel may be longer than anyone reads."""
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _unknown(kernel: KernelReport, excerpts: Excerpts) -> list[list[Any]]:
    """What stayed open: file and row, the reason, and the rules that it leaves open."""
    root = roots(u.reason for u in kernel.unknown)
    counts: dict[tuple[str, int, str], Counter[str]] = {}
    for unknown in kernel.unknown:
        key = (unknown.file or kernel.file, unknown.row, root[unknown.reason])
        counts.setdefault(key, Counter())[unknown.code] += 1
    shown: list[list[Any]] = []
    for (file, row, reason), codes in sorted(counts.items(), key=lambda item: (item[0][0] != kernel.file, *item[0])):
        if row:
            excerpts.show(file, row, row)
        shown.append([excerpts.number(file), row, reason, _codes(codes)])
    return shown


def _codes(codes: Mapping[str, int]) -> list[list[Any]]:
    return [[code, number] for code, number in sorted(codes.items())]
