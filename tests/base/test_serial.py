"""Values survive the way through JSON, and nothing else comes out of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nkilint.base.findings import Diagnostic, Report, Witness
from nkilint.base.ir import Span
from nkilint.base.options import Options
from nkilint.base.serial import NotThis, plain, restored
from nkilint.run.outcome import Outcome
from nkilint_rules.rule import Severity

from ..support.reports_sample import REPORT, TAIL, TOO_WIDE

AT = Span("k.py", 1, 2, 3, 4)
ODD = replace(
    TAIL,
    witness=Witness({"shape": (1, (2, 3)), "list": [1, None], "flag": True, "d": {"a": (1,)}, "x": 0.5}, {}, (1,)),
    fix={"edits": [{"row": 1}]},
)


@pytest.mark.parametrize(
    "value",
    [
        REPORT,
        Report("trn1", (ODD,), known=()),
        Outcome(AT, REPORT.kernels[0], (TOO_WIDE, ODD), frozenset({AT, replace(AT, row=9)}), "part", (TAIL,)),
        Outcome(AT, None),
        Options(root=Path("a"), kernels={"k": ("x", "y")}, severity={"NKI1": Severity.INFO}, baseline=Path("b")),
    ],
)
def test_values_survive(value: Any) -> None:
    text = json.dumps(plain(value))
    assert restored(type(value), json.loads(text)) == value
    assert json.dumps(plain(restored(type(value), json.loads(text)))) == text


def test_other_values_become_what_a_report_would_print() -> None:
    finding = replace(TAIL, witness=Witness({"x": AT}))
    witness = restored(Diagnostic, plain(finding)).witness
    assert witness is not None
    assert witness.inputs == {"x": str(AT)}


@pytest.mark.parametrize(
    "data",
    [None, {}, [], [1, 2, 3, 4, 5], ["k.py", "1", 2, 3, 4], ["k.py", True, 2, 3, 4], ["k.py", 1, 2, 3, 4, 5]],
)
def test_nothing_else_comes_out(data: Any) -> None:
    with pytest.raises(NotThis):
        restored(Span, data)


def test_damage_is_seen_wherever_it_is() -> None:
    whole = plain(REPORT)

    def spoilt(data: Any, depth: int) -> Any:
        """Every copy of `data` with one part, not deeper than `depth`, replaced."""
        yield 3.5
        if isinstance(data, list) and depth:
            for index, item in enumerate(data):
                for other in spoilt(item, depth - 1):
                    yield [*data[:index], other, *data[index + 1 :]]

    for data in spoilt(whole, 2):
        with pytest.raises(NotThis):
            restored(Report, data)
