"""What is told once in the list of findings, and what is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nkilint.base.findings import Diagnostic, Report
from nkilint.base.ir import Span
from nkilint.report.rendering import render
from nkilint.report.setting import Setting
from nkilint.report.style import Style
from nkilint_rules.rule import Severity

WARNING = Diagnostic(
    "NKI301", "out-of-bounds", Severity.WARNING, "it ends", Span("k.py", 3, 1, 3, 4), kernel="k", verdict="conditional"
)
THERE = replace(WARNING, at=Span("k.py", 8, 1, 8, 4))
ADVICE = replace(WARNING, code="NKI904", severity=Severity.INFO, message="it is old", verdict=None)


def told(*findings: Diagnostic, all_places: bool = False, full: bool = False) -> list[str]:
    setting = Setting(Path.cwd(), lambda file: [], Style(), 0.0, all_places=all_places)
    return render(Report("trn2", findings), "full" if full else "concise", setting).splitlines()


def test_one_place_is_one_cause() -> None:
    """Other words for the same place and rule, and other kernels that come there, are counted."""
    others = (replace(WARNING, message="it ends late"), replace(WARNING, message="it never ends", kernel="other"))
    assert told(WARNING, *others) == ["k.py:3:1: NKI301 warning: it ends (and 2 more like it)"]
    notes = [line.strip() for line in told(WARNING, *others, full=True) if "note" in line]
    assert notes == ["= note: 2 more like it, under other conditions or of other kernels; --all-places lists them"]
    assert len(told(WARNING, *others, all_places=True)) == 3


def test_the_same_words_of_a_kernel_are_told_once() -> None:
    assert told(WARNING, THERE) == ["k.py:3:1: NKI301 warning: it ends (and line 8)"]
    assert len(told(WARNING, replace(THERE, kernel="other"))) == 2


def test_advice_hangs_on_no_kernel() -> None:
    there = replace(ADVICE, at=THERE.at, kernel="other")
    assert told(ADVICE, there) == ["k.py:3:1: NKI904 info: it is old (and line 8)"]


def test_errors_are_told_each() -> None:
    error = replace(WARNING, severity=Severity.ERROR)
    assert len(told(error, replace(error, at=THERE.at))) == 2
