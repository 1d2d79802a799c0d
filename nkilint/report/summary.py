"""The run in a few lines: counts of kernels, obligations and findings."""

from __future__ import annotations

from collections import Counter

from nkilint.base.findings import KERNEL_VERDICTS, OBLIGATION_VERDICTS, Report
from nkilint_rules.rule import Severity


def counted(number: int, noun: str) -> str:
    """`1 kernel`, `2 kernels`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary_text(report: Report, seconds: float) -> str:
    """What was checked, what came out, and how many obligations stayed open."""
    verdicts = Counter(k.verdict for k in report.kernels)
    kernels = ", ".join(f"{verdicts[v]} {v}" for v in KERNEL_VERDICTS if verdicts[v])
    obligations = report.obligations
    parts = ", ".join(f"{getattr(obligations, v)} {v}" for v in OBLIGATION_VERDICTS if getattr(obligations, v))
    lines = [f"{_found(report)}, {seconds:.1f} s" + (f": {kernels}" if kernels else "")]
    if obligations.total:
        lines.append(f"{counted(obligations.total, 'obligation')}: {parts}")
    lines.append(_findings(report))
    if report.uncontained:
        lines.append(f"what was run for confirmation was not kept from {', '.join(report.uncontained)}")
    return "".join(line + "\n" for line in lines)


def _found(report: Report) -> str:
    """What there was to check."""
    if not report.files and not report.failures:
        return "no Python files found"
    found = f"{counted(len(report.kernels), 'kernel')} in {counted(report.files, 'file')}"
    return f"{found} for {report.target}" if report.kernels else found


def _findings(report: Report) -> str:
    if not report.findings:
        return "no findings" + _suppressed(report)
    counts = [(s, report.count(s)) for s in Severity]
    shown = ", ".join(counted(n, str(s)) if s is not Severity.INFO else f"{n} info" for s, n in counts if n)
    return f"{counted(len(report.findings), 'finding')}: {shown}" + _suppressed(report) + _repairs(report)


def _repairs(report: Report) -> str:
    count = sum(d.fix is not None and bool(d.fix["safe"]) for d in report.findings)
    return f"; --fix has a repair for {count}" if count else ""


def _suppressed(report: Report) -> str:
    counts = [(len(report.suppressed), "suppressed"), (len(report.known or ()), "in the baseline")]
    shown = ", ".join(f"{number} {where}" for number, where in counts if number)
    return f" ({shown})" if shown else ""


def statistics_text(report: Report) -> str:
    """Findings by rule, the most frequent first."""
    counts = Counter((d.code, d.name) for d in report.findings)
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    size = len(str(rows[0][1])) if rows else 0
    return "".join(f"{number:{size}}  {code}  {name}\n" for (code, name), number in rows)
