"""Reports for other tools: each format whole, its escapes, and fingerprints that survive moved lines."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from nkilint import __version__
from nkilint.catalogue import rules
from nkilint.findings import Diagnostic, Report
from nkilint.fingerprints import fingerprints
from nkilint.ir import Span
from nkilint.pages import page
from nkilint.report import Format, Setting, render
from nkilint.report.style import Style
from nkilint.source import source_lines

from .reports_sample import MLP, OPEN, REPORT, SOURCES, TAIL, TOO_WIDE, UNREADABLE

FOLDER = Path("/work")
SETTING = Setting(FOLDER, source_lines(SOURCES), Style(), 1.25)
WITH_BASELINE = replace(REPORT, known=(TAIL,), diagnostics=(OPEN, TOO_WIDE))


def written(report: Report, output_format: Format, setting: Setting = SETTING) -> str:
    return render(report, output_format, setting)


@pytest.fixture
def valid_sarif() -> Callable[[str], Any]:
    """Reads SARIF and holds it against the schema."""
    schema = json.loads((Path(__file__).parent / "data" / "sarif-2.1.0.json").read_text(encoding="utf-8"))

    def read(text: str) -> Any:
        log = json.loads(text)
        Draft4Validator(schema).validate(log)
        return log["runs"][0]

    return read


@pytest.mark.parametrize(("output_format", "suffix"), [("github", "txt"), ("gitlab", "json"), ("junit", "xml")])
def test_formats(output_format: Format, suffix: str, golden: Callable[[str, str], None]) -> None:
    golden(f"report_{output_format}.{suffix}", written(REPORT, output_format))


def test_sarif(golden: Callable[[str, str], None], valid_sarif: Callable[[str], Any]) -> None:
    run = valid_sarif(written(WITH_BASELINE, "sarif"))
    driver = run["tool"]["driver"]
    assert (driver["version"], driver["semanticVersion"]) == (__version__, __version__)
    for rule in driver["rules"]:
        known = rules().get(rule["id"])
        if known is not None:
            assert rule["help"]["markdown"] == page(known)
    driver.clear()
    golden("report_sarif.json", json.dumps(run, indent=2, ensure_ascii=False) + "\n")


def test_sarif_names_the_rule_by_number(valid_sarif: Callable[[str], Any]) -> None:
    run = valid_sarif(written(REPORT, "sarif"))
    codes = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert codes == sorted(codes)
    assert all(codes[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    assert run["invocations"] == [{"executionSuccessful": False}]


def test_sarif_of_nothing(valid_sarif: Callable[[str], Any]) -> None:
    run = valid_sarif(written(Report("trn1"), "sarif"))
    assert run["results"] == run["tool"]["driver"]["rules"] == []
    assert run["invocations"] == [{"executionSuccessful": True}]


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("a b/ä#.py", {"uri": "a%20b/%C3%A4%23.py", "uriBaseId": "%SRCROOT%"}),
        ("/work/k.py", {"uri": "k.py", "uriBaseId": "%SRCROOT%"}),
        ("/else where/k.py", {"uri": "file:///else%20where/k.py"}),
    ],
)
def test_paths_in_sarif(path: str, location: dict[str, str], valid_sarif: Callable[[str], Any]) -> None:
    finding = replace(TOO_WIDE, at=Span(path, 1, 1, 1, 2))
    run = valid_sarif(written(Report("trn2", (finding,)), "sarif"))
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == location


def test_github_escapes() -> None:
    finding = replace(TAIL, message="100% of `a`:\nb", help="", at=Span("a,b:c.py", 1, 1, 2, 1), name="n")
    assert written(Report("trn2", (finding,)), "github") == (
        "::warning file=a%2Cb%3Ac.py,line=1,endLine=2,title=NKI709 n::"
        "100%25 of `a`:%0Ab; holds only if `K %25 128 == 0`\n"
    )


def test_junit_holds_every_character() -> None:
    finding = replace(TOO_WIDE, message="\x00 <&\"' \x1b 名 🙂", kernel="\x07")
    suites = ElementTree.fromstring(written(Report("trn2", (finding,)), "junit"))
    failure = suites.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "� <&\"' � 名 🙂"


def test_junit_counts() -> None:
    suites = ElementTree.fromstring(written(replace(REPORT, failures=(UNREADABLE,)), "junit"))
    assert {k: suites.get(k) for k in ("tests", "failures", "errors")} == {"tests": "3", "failures": "1", "errors": "1"}
    assert [case.get("name") for case in suites.iter("testcase")] == ["NKI001", "mlp", "wide"]


def names(source: str, *findings: Diagnostic) -> list[str]:
    return fingerprints(findings, SETTING.named, source_lines({"kernels/mlp.py": source.encode()}))


def moved(finding: Diagnostic, rows: int, columns: int = 0) -> Diagnostic:
    at = finding.at
    place = Span(at.file, at.row + rows, at.column + columns, at.end_row + rows, at.end_column + columns)
    return replace(finding, at=place, message="other words")


def test_fingerprints_survive_moved_lines() -> None:
    before = names(MLP, TOO_WIDE, TAIL)
    assert len(set(before)) == 2
    assert names("\n# more\n\n" + MLP, moved(TOO_WIDE, 3), moved(TAIL, 3)) == before
    assert names(MLP.replace("        acc", "            acc"), moved(TOO_WIDE, 0, 4), TAIL) == before
    assert names(MLP, TAIL, TOO_WIDE) == before[::-1]


def test_fingerprints_tell_findings_apart() -> None:
    other_row = MLP.replace("0:640]", "0:641]")
    assert names(other_row, TOO_WIDE) != names(MLP, TOO_WIDE)
    others = [replace(TOO_WIDE, code="NKI101"), replace(TOO_WIDE, kernel="j"), moved(TOO_WIDE, 0, 1)]
    assert len({*names(MLP, TOO_WIDE), *names(MLP, *others)}) == 4


def test_equal_findings_are_numbered_from_the_top() -> None:
    source = MLP + MLP
    rows = MLP.count("\n")
    first, second = names(source, TOO_WIDE, moved(TOO_WIDE, rows))
    assert first != second
    assert names(source, moved(TOO_WIDE, rows), TOO_WIDE) == [second, first]
    assert names(MLP, TOO_WIDE) == [first]


def test_fingerprint_without_source() -> None:
    assert len(names("", UNREADABLE)[0]) == 32
