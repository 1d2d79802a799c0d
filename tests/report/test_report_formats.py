"""Reports for other tools: each format whole, its escapes, and fingerprints that survive moved lines."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from nkilint import __version__
from nkilint.base.findings import Diagnostic, Report
from nkilint.base.fingerprints import fingerprints
from nkilint.base.ir import Span
from nkilint.base.options import Options
from nkilint.base.source import source_lines
from nkilint.report.formats import Format
from nkilint.report.pages import page
from nkilint.report.rendering import render
from nkilint.report.setting import Setting
from nkilint.report.style import Style
from nkilint.run.engine import check
from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Severity

from ..support.reports_sample import MLP, OPEN, REPORT, SOURCES, TAIL, TOO_WIDE, UNREADABLE

FOLDER = Path("/work")
SETTING = Setting(FOLDER, source_lines(SOURCES), Style(), 1.25)
WITH_BASELINE = replace(REPORT, known=(TAIL,), diagnostics=(OPEN, TOO_WIDE))


def written(report: Report, output_format: Format, setting: Setting = SETTING) -> str:
    return render(report, output_format, setting)


@pytest.fixture
def valid_sarif() -> Callable[[str], Any]:
    """Reads SARIF and holds it against the schema."""
    schema = json.loads((Path(__file__).parents[1] / "data" / "sarif-2.1.0.json").read_text(encoding="utf-8"))

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


def test_sarif_links_to_the_pages_of_rules(valid_sarif: Callable[[str], Any]) -> None:
    setting = replace(SETTING, rule_pages="https://example.org/rules/{code}/")
    described = valid_sarif(written(REPORT, "sarif", setting))["tool"]["driver"]["rules"]
    assert [rule["helpUri"] for rule in described] == [f"https://example.org/rules/{r['id']}/" for r in described]


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
        "::warning file=a%2Cb%3Ac.py,line=1,endLine=2,title=NKI709 n::100%25 of `a`:%0Ab, unless `K %25 128 == 0`\n"
    )


@pytest.fixture(scope="module")
def findings_of_the_examples() -> Report:
    """One finding of each kind, of real kernels."""
    return check([Path(__file__).parents[2] / "examples" / "findings"], Options(confirm=False))


def test_findings_of_the_examples_as_sarif(findings_of_the_examples: Report, valid_sarif: Callable[[str], Any]) -> None:
    run = valid_sarif(written(findings_of_the_examples, "sarif"))
    found = findings_of_the_examples.findings
    assert [r["ruleId"] for r in run["results"]] == [d.code for d in found]
    assert [len(r.get("relatedLocations", ())) for r in run["results"]] == [len(d.related) for d in found]
    fingerprints = [r["partialFingerprints"]["nkilintFinding/v1"] for r in run["results"]]
    assert len(set(fingerprints)) == len(found)
    for result in run["results"]:
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["startLine"], region["startColumn"]) < (region["endLine"], region["endColumn"])


def test_findings_of_the_examples_as_github_reads_them(findings_of_the_examples: Report) -> None:
    """The grammar of workflow commands, as the runner splits and unescapes them."""
    found = findings_of_the_examples.findings
    lines = written(findings_of_the_examples, "github").splitlines()
    assert len(lines) == len(found)
    for finding, line in zip(found, lines, strict=True):
        command = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        assert command is not None, line
        pairs = [pair.split("=", 1) for pair in command[2].split(",")]
        properties = {key: unescaped(value, "%3A", "%2C") for key, value in pairs}
        assert set(properties) <= {"file", "line", "endLine", "col", "endColumn", "title"}
        assert properties["file"] == SETTING.named(finding.at.file)
        assert int(properties["line"]) == finding.at.row <= int(properties["endLine"]) == finding.at.end_row
        assert unescaped(command[3]).startswith(finding.message)


def unescaped(text: str, *more: str) -> str:
    for code in ("%0D", "%0A", *more, "%25"):
        text = text.replace(code, chr(int(code[1:], 16)))
    return text


def test_findings_of_the_examples_as_gitlab_reads_them(findings_of_the_examples: Report) -> None:
    text = {"type": "string", "minLength": 1}
    line = {"type": "integer", "minimum": 1}
    lines = {"type": "object", "required": ["begin"], "properties": {"begin": line, "end": line}}
    location = {"type": "object", "required": ["path", "lines"], "properties": {"path": text, "lines": lines}}
    issue = {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": text,
            "check_name": text,
            "fingerprint": text,
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": location,
        },
    }
    issues = json.loads(written(findings_of_the_examples, "gitlab"))
    Draft4Validator({"type": "array", "items": issue}).validate(issues)
    assert len({i["fingerprint"] for i in issues}) == len(issues) == len(findings_of_the_examples.findings)


def test_findings_of_the_examples_as_junit(findings_of_the_examples: Report) -> None:
    suites = ElementTree.fromstring(written(findings_of_the_examples, "junit"))
    assert suites.tag == "testsuites"
    for suite in suites:
        assert suite.tag == "testsuite"
        assert all(case.tag == "testcase" and case.get("name") and case.get("classname") for case in suite)
        assert {e.tag for case in suite for e in case} <= {"failure", "error", "system-out"}
    for element in (suites, *suites):
        cases = list(element.iter("testcase"))
        assert int(element.get("tests", "")) == len(cases)
        assert int(element.get("failures", "")) == sum(case.find("failure") is not None for case in cases)
    errors = [d for d in findings_of_the_examples.findings if d.severity is Severity.ERROR]
    assert sorted(f.get("type", "") for f in suites.iter("failure")) == sorted(d.code for d in errors)


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
