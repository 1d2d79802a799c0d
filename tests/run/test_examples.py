"""The kernels under examples/: what they promise in `# expect:` comments, and nothing else, is reported."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.run.engine import check
from nkilint_rules.catalogue import rules

from ..support.known import report_of_file

ROOT = Path(__file__).parents[2]
FINDINGS = sorted((ROOT / "examples/findings").glob("*.py"))
CLEAN = sorted(f for folder in ("neuronxcc", "nki") for f in (ROOT / "examples" / folder).glob("*.py"))


def expected(file: Path) -> list[tuple[int, str]]:
    """Rows and codes; a comment that stands alone speaks of the next line."""
    found = []
    for row, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.search(r"# expect: (NKI\d+)$", line)
        if mark:
            found.append((row + line.startswith("# expect"), mark[1]))
    return found


def checked(*files: Path) -> Report:
    return check(list(files), Options(root=ROOT))


@pytest.mark.parametrize("file", FINDINGS, ids=lambda f: f.stem)
def test_each_mark_is_reported_and_nothing_else(file: Path) -> None:
    report, _ = report_of_file(file)
    assert sorted((d.at.row, d.code) for d in report.findings) == expected(file)


@pytest.mark.parametrize("file", CLEAN, ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_clean_kernels_are_verified_for_all_inputs(file: Path) -> None:
    report = checked(file)
    assert report.findings == ()
    assert {k.verdict for k in report.kernels} == {"verified"}
    assert all(not k.contract and not k.obligations.unknown for k in report.kernels)


def test_there_is_an_example_for_each_rule() -> None:
    shown = {code for file in FINDINGS for _, code in expected(file)}
    assert set(rules()) - shown == {"NKI001", "NKI901"}, (
        "a file that does not parse would break the others' tools, and NKI901 waits for a configured version"
    )
