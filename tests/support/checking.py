"""Runs the verifier on source text or files and compares what it finds with what is expected.

Expectations stand in the source as comments at the end of a line, several of them separated by two spaces:

    # expect: NKI103                          a finding on this line; `NKI103 @ x[:, 0:513]` says at which text
    # expect-warning: NKI301 M % 128 == 0     one that only some inputs meet, with its precondition
    # revealed: float32[128, 512] @ sbuf      what `reveal(...)` on this line is given, ` | ` between several times
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from nkilint.base.findings import Diagnostic, Report
from nkilint.base.ir import Span
from nkilint.base.options import Options
from nkilint.evaluator.kernels.requests import Request, Run
from nkilint.evaluator.state.trace import Event
from nkilint.evaluator.values.containers import DictValue, GrownItems, ListValue, RangeValue
from nkilint.evaluator.values.dtypes import SymbolicDType
from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.evaluator.values.objects import Instance
from nkilint.evaluator.values.tensors import View
from nkilint.run import engine, verification
from nkilint_rules.rule import Example, Severity
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import DType

from .example_source import FILE, is_whole_file, source_of

# --- running ---


def report_on(source: str, name: str = FILE, more: Mapping[str, str] | None = None, **options: Any) -> Report:
    """The report on one file that need not exist; `more` are files beside it."""
    overlay = {file: text.encode() for file, text in {**(more or {}), name: source}.items()}
    return engine.check([Path(name)], Options(**options), overlay=overlay)


def check(code: str, *expected: str, dialect: str = BETA1, target: str = "trn2", **options: Any) -> Report:
    """The findings on a piece of a kernel (see `Example`) have exactly the codes expected, in order, and the first one
    stands between the marks ⟦ and ⟧, if there are any."""
    example = Example(code, dialect=dialect, target=target)
    source, span = source_of(example)
    report = as_of_a_piece(report_on(source, target=target, **options), example)
    told = "\n".join([*map(shown, report.findings), source])
    assert [d.code for d in report.findings] == list(expected), told
    if span is not None:
        assert quoted(source, report.findings[0].at) == quoted(source, span), told
        assert report.findings[0].at == span, told
    return report


def as_of_a_piece(report: Report, example: Example) -> Report:
    """The report without what is only told because a piece of a kernel ends before anything uses what it computes."""
    if is_whole_file(example.code):
        return report
    kept = tuple(d for d in report.diagnostics if not (d.code == "NKI210" and d.severity is Severity.INFO))
    return replace(report, diagnostics=kept)


def shown(d: Diagnostic) -> str:
    """A finding on one line."""
    return f"{d.at.file}:{d.at.row}:{d.at.column}: {d.severity} {d.code} {d.message}"


def quoted(source: str, at: Span) -> str:
    """The text of a span, on one line."""
    lines = source.splitlines()[at.row - 1 : at.end_row]
    lines[-1] = lines[-1][: at.end_column - 1]
    lines[0] = lines[0][at.column - 1 :]
    return " ".join(" ".join(lines).split())


@contextmanager
def evaluations() -> Iterator[list[tuple[Request, Run]]]:
    """Collects the evaluations that a check makes, but for those that only say which errors are open."""
    found: list[tuple[Request, Run]] = []
    original = verification.evaluate_kernel

    def evaluate(request: Request, *rest: Any) -> Run:
        run = original(request, *rest)
        before = (run.unsupposed, *rest[6:7])  # those that it goes on from
        found[:] = [(known, other) for known, other in found if not any(other is each for each in before)]
        if not request.opened:
            found.append((request, run))
        return run

    with mock.patch.object(verification, "evaluate_kernel", evaluate):
        yield found


def revealed(source: str, name: str = FILE, **options: Any) -> dict[int, list[str]]:
    """What the values handed to `reveal` are, by row; each once, in order."""
    with evaluations() as found:
        report_on(source, name, **options)
    return reveals(found)


def reveals(found: list[tuple[Request, Run]]) -> dict[int, list[str]]:
    rows: dict[int, dict[str, None]] = {}
    for request, run in found:
        if request.launch is None:
            for event in reveal_events(run):
                rows.setdefault(event.site.at.row, {}).setdefault(text_of(event.arguments["value"]))
    return {row: list(texts) for row, texts in rows.items()}


def reveal_events(run: Run) -> list[Event]:
    return [event for event in run.trace.events if event.kind == "reveal"]


def text_of(value: Any) -> str:
    """A value of the evaluator, as `# revealed:` comments spell it."""
    if isinstance(value, View):
        problem = f" ({value.problem})" if value.problem else ""
        return f"{value.dtype}[{_texts(value.shape)}] @ {value.memory}{problem}"
    if isinstance(value, InputTensor):
        return text_of(value.cell["view"]) if "view" in value.cell else f"parameter {value.name}"
    if isinstance(value, Unknown):
        return f"unknown: {value.reason}"
    if isinstance(value, Grid):
        return f"grid[{_texts(value.shape)}]: {text_of(value.value)}"
    if isinstance(value, (ListValue, DictValue)) and isinstance(value.cell["items"], Unknown):
        return text_of(value.cell["items"])
    if isinstance(value, ListValue):
        items = value.cell["items"]
        return f"[{_grown(items)}]" if isinstance(items, GrownItems) else f"[{_texts(items)}]"
    if isinstance(value, tuple):
        return f"({_texts(value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, DictValue) and value.kind == "dict":
        return "{" + ", ".join(f"{text_of(k)}: {text_of(v)}" for k, v in value.items.items()) + "}"
    if isinstance(value, DictValue):
        return "{" + _texts(value.items) + "}"
    if isinstance(value, slice):
        return ":".join("" if p is None else text_of(p) for p in (value.start, value.stop, value.step))
    if isinstance(value, RangeValue):
        return f"{value.kind}({_texts((value.start, value.stop, value.step))})"
    if isinstance(value, Instance):
        return f"a {value.cls.name}"
    if isinstance(value, (DType, SymbolicDType)):
        return str(value)
    if isinstance(value, (str, int, float)) or value is None:
        return repr(value)
    return str(value) if type(value).__module__.startswith("nkilint.symbolic") else f"a {type(value).__name__}"


def _texts(values: Any) -> str:
    return ", ".join(text_of(v) for v in values)


def _grown(items: GrownItems) -> str:
    added = f"*[{_grown(items.added)}]" if isinstance(items.added, GrownItems) else _texts(items.added)
    before = "".join(text_of(item) + ", " for item in items.before)
    return f"{before}{added} for {items.index} in {items.trips}"


# --- expectations in comments ---


@dataclass(frozen=True, slots=True, order=True)
class Expected:
    """A finding that a comment announces; `text` is the source it stands at, where the comment says it."""

    row: int
    code: str
    precondition: str | None = None
    text: str | None = None

    def __str__(self) -> str:
        asked = f" {self.precondition}" if self.precondition else ""
        return f"{self.row}: # expect: {self.code}{asked}{f' @ {self.text}' if self.text else ''}"


_MARK = re.compile(r"#\s+(expect|expect-warning|revealed):\s+(.*?)(?=\s{2,}#\s|$)")


def expectations(source: str) -> tuple[list[Expected], dict[int, list[str]]]:
    """The findings and the revealed values that the comments of a file announce."""
    findings: list[Expected] = []
    values: dict[int, list[str]] = {}
    for row, line in enumerate(source.splitlines(), 1):
        for kind, content in _MARK.findall(line):
            if kind == "revealed":
                values[row] = content.strip().split(" | ")
                continue
            head, _, text = content.strip().partition(" @ ")
            code, _, precondition = head.partition(" ")
            findings.append(Expected(row, code, precondition or None, text or None))
    return sorted(findings, key=lambda e: (e.row, e.code)), values


def compare(file: Path, report: Report, revealed: Mapping[int, list[str]]) -> None:
    """Everything that the file's comments announce is found, and nothing else."""
    source = file.read_text(encoding="utf-8")
    announced, values = expectations(source)
    texts = {e.row: e.text for e in announced if e.text is not None}
    found = [
        Expected(d.at.row, d.code, d.precondition, quoted(source, d.at) if d.at.row in texts else None)
        for d in report.findings
    ]
    told = "\n".join([*map(shown, report.findings), "", "as the file has to announce it:", *map(str, found)])
    assert sorted(found, key=lambda e: (e.row, e.code)) == announced, told
    assert revealed == {row: texts for row, texts in values.items() if texts != ["never"]}
