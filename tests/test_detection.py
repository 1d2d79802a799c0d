"""The kernels of the detection benchmark are in order, and its operators change just what they say."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.run import engine

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import detection
from mutations import OPERATORS

SUBJECTS = list(detection.subjects())


def test_kernels_are_verified(root: Path) -> None:
    report = engine.check([root / "benchmarks" / "kernels"], Options())
    assert [d.message for d in report.findings] == []
    assert {k.verdict for k in report.kernels} == {"verified"}
    assert len(report.kernels) == len(SUBJECTS) >= 40


@pytest.mark.parametrize("operator", OPERATORS)
def test_operator_changes_one_place(operator: str) -> None:
    changed = [mutant for subject in SUBJECTS for mutant in detection.mutants(subject, 1, [operator])]
    assert changed
    for mutant in changed:
        before, after = mutant.subject.source.splitlines(), mutant.source.splitlines()
        assert len(before) == len(after)
        different = {row for row, (a, b) in enumerate(zip(before, after, strict=True), 1) if a != b}
        assert different
        assert different <= set(mutant.rows)
        ast.parse(mutant.source)
