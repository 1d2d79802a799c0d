"""What is known about one kernel, as text: contract, assumptions, instances, obligations, and what stayed open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from nkilint.base.findings import (
    OBLIGATION_VERDICTS,
    Diagnostic,
    KernelReport,
    KernelVerdict,
    ObligationVerdict,
    Proof,
    roots,
    unconditioned,
)
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis

from .places import assignments, confirmation_text, shown_path, shown_place, witness_text
from .style import Style
from .summary import counted

_COLOURS: dict[KernelVerdict, str] = {
    "verified": "green",
    "violated": "red",
    "conditional": "yellow",
    "incomplete": "cyan",
}

_FIRST: tuple[ObligationVerdict, ...] = ("violated", "conditional", "unknown", "proved")


def explanation(kernel: KernelReport, folder: Path, style: Style, findings: Iterable[Diagnostic] = ()) -> str:
    """Everything that the analysis can say about `kernel`; `findings` may hold some about others."""
    found = [f for f in findings if f.kernel == kernel.name and f.home in (None, kernel.at)]
    title = f"{shown_path(kernel.file, folder)}::{kernel.name}"
    verdict = style.paint(kernel.verdict, "bold", _COLOURS[kernel.verdict])
    parts = [
        f"{style.paint(title, 'bold')} (line {kernel.at.row}, {kernel.dialect}): {verdict}\n",
        _section(style, "Contract: proved for all inputs with", kernel.contract),
        _section(style, "Violated", _violated(folder, found)),
        _section(style, "Outside of the contract", _outside(folder, found)),
        _section(style, "Advice", _advice(folder, found)),
        _section(style, "Assumptions", kernel.assumptions),
        _section(style, "Instances", _instances(kernel, folder)),
        _obligations(kernel, style),
        _section(style, "Unknown", _unknown(kernel, folder)),
    ]
    return "\n".join(part for part in parts if part)


def _section(style: Style, title: str, lines: Iterable[str]) -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"{style.paint(title, 'bold')}\n{body}" if body else ""


def _violated(folder: Path, findings: Iterable[Diagnostic]) -> list[str]:
    """What goes wrong for all inputs that reach it."""
    lines = []
    for finding in findings:
        if finding.verdict == "violated":
            lines += [f"{shown_place(finding.at, folder)}: {finding.code} {finding.message}", *_evidence(finding)]
    return lines


def _outside(folder: Path, findings: Iterable[Diagnostic]) -> list[str]:
    """For each precondition, the smallest input that breaks it, and what happens then."""
    lines = []
    for finding in findings:
        if finding.precondition is None or finding.verdict != "conditional":
            continue
        place = shown_place(finding.at, folder)
        lines.append(f"{finding.precondition}: {place}: {finding.code} {unconditioned(finding)}")
        lines += _evidence(finding)
    return lines


def _advice(folder: Path, findings: Iterable[Diagnostic]) -> list[str]:
    """What no verdict counts; what stayed open is told at length elsewhere."""
    told = [f for f in findings if f.verdict is None and f.code != IncompleteAnalysis.code]
    return [f"{shown_place(f.at, folder)}: {f.code} {f.message}" for f in told]


def _evidence(finding: Diagnostic) -> list[str]:
    told = [witness_text(finding.witness) if finding.witness else "", confirmation_text(finding)]
    return [f"  with {'; '.join(t for t in told if t)}"] if any(told) else []


def _instances(kernel: KernelReport, folder: Path) -> list[str]:
    lines = []
    for instance in kernel.instances:
        place = f"{shown_place(instance.at, folder)}: " if instance.at else ""
        lines.append(f"{place}{kernel.name}({assignments(instance.inputs)}): {instance.verdict}")
    return lines


def _unknown(kernel: KernelReport, folder: Path) -> list[str]:
    """The open obligations; a reason is given once for each line, with the rules that it leaves open."""
    counts: dict[tuple[str, int, str], Counter[str]] = {}
    for place in {(u.file, u.row) for u in kernel.unknown}:
        here = [u for u in kernel.unknown if (u.file, u.row) == place]
        root = roots(u.reason for u in here)
        for open_ in here:
            counts.setdefault((*place, root[open_.reason]), Counter())[open_.code] += 1
    in_order = sorted(counts.items(), key=lambda item: (item[0][0] not in ("", kernel.file), *item[0]))
    return [
        f"{_place(kernel, file, row, folder)}: {_codes(codes)}: {reason}" for (file, row, reason), codes in in_order
    ]


def _place(kernel: KernelReport, file: str, row: int, folder: Path) -> str:
    """Where an obligation stands; the file is given where it is not the kernel's."""
    if not row:
        return "everywhere"
    return f"line {row}" if file in ("", kernel.file) else f"{shown_path(file, folder)}:{row}"


def _codes(counts: Mapping[str, int]) -> str:
    """`NKI101, NKI301 (3 times)`."""
    return ", ".join(code + (f" ({number} times)" if number > 1 else "") for code, number in sorted(counts.items()))


def _obligations(kernel: KernelReport, style: Style) -> str:
    count = kernel.obligations
    by_verdict = ", ".join(f"{getattr(count, v)} {v}" for v in OBLIGATION_VERDICTS if getattr(count, v))
    title = counted(count.total, "obligation") + (f": {by_verdict}" if by_verdict else "")
    rungs = Counter(p.rung for p in kernel.proofs if p.verdict != "unknown")
    if rungs:
        title += "; decided by " + ", ".join(f"{rung} ({n})" for rung, n in sorted(rungs.items()))
    return f"{style.paint(title, 'bold')}\n{_table(kernel.proofs)}"


def _table(proofs: Sequence[Proof]) -> str:
    """One row for each obligation, the proved ones last; repetitions are counted."""
    counts = Counter((_FIRST.index(p.verdict), p.row, p.code, p.text, p.rung) for p in proofs)
    rows = []
    for (verdict, row, code, text, rung), number in sorted(counts.items()):
        shown = text + (f" ({number} times)" if number > 1 else "")
        rows.append((_FIRST[verdict], f"line {row}" if row else "", code, rung, shown))
    widths = [max((len(r[i]) for r in rows), default=0) for i in range(4)]
    return "".join(
        "  " + "  ".join([*(cell.ljust(w) for cell, w in zip(r, widths, strict=False)), r[4]]).rstrip() + "\n"
        for r in rows
    )
