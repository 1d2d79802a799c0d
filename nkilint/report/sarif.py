"""The report in SARIF 2.1.0, for code scanning services and viewers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import cleandoc
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from nkilint import __version__
from nkilint.base.findings import Diagnostic, Report
from nkilint.base.fingerprints import fingerprints
from nkilint.base.ir import Span
from nkilint.base.serial import json_text
from nkilint.base.source import notebook_of
from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Rule, Severity

from .pages import page
from .places import confirmation_text, headline, witness_text
from .setting import Setting

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "nkilintFinding/v1"
ROOT = "%SRCROOT%"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(report: Report, setting: Setting) -> str:
    return json_text(log(report, setting))


def log(report: Report, setting: Setting) -> dict[str, Any]:
    """One run. What the sources silence is in it as suppressed, what a baseline holds as unchanged."""
    groups: list[tuple[Sequence[Diagnostic], dict[str, Any]]] = [(report.findings, {})]
    if report.known is not None:
        groups = [(report.findings, {"baselineState": "new"}), (report.known, {"baselineState": "unchanged"})]
    groups.append((report.suppressed, {"suppressions": [{"kind": "inSource"}]}))
    described = _Rules(d for findings, _ in groups for d in findings)
    results = []
    for findings, more in groups:
        named = zip(findings, fingerprints(findings, setting.named, setting.lines), strict=True)
        results += [{**_result(d, f, described, setting), **more} for d, f in named]
    driver = {
        "name": "nkilint",
        "version": __version__,
        "semanticVersion": __version__,
        **({"informationUri": pages.replace("{code}", "index")} if (pages := setting.rule_pages) else {}),
        "rules": [_descriptor(code, d, setting.rule_pages) for code, d in described.first.items()],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"nkilint/{report.target}/"},
        "invocations": [{"executionSuccessful": not report.failures}],
        "originalUriBaseIds": {ROOT: {"description": {"text": "the folder that nkilint was run in"}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


class _Rules:
    """The codes that findings carry, in order, each with its number and one of its findings."""

    def __init__(self, findings: Iterable[Diagnostic]) -> None:
        found: dict[str, Diagnostic] = {}
        for finding in findings:
            found.setdefault(finding.code, finding)
        self.first = dict(sorted(found.items()))
        self.number: Mapping[str, int] = {code: number for number, code in enumerate(self.first)}


def _descriptor(code: str, finding: Diagnostic, pages: str) -> dict[str, Any]:
    """A rule with its page; one that the catalogue does not know goes by its finding."""
    rule = rules().get(code)
    if rule is None:
        return {"id": code, "name": finding.name, "shortDescription": {"text": finding.name}}
    return {
        "id": code,
        "name": rule.name(),
        "shortDescription": {"text": cleandoc(rule.__doc__ or rule.name()).splitlines()[0]},
        "help": _help(rule),
        **({"helpUri": pages.replace("{code}", code)} if pages else {}),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": sorted(rule.dialects)},
    }


def _help(rule: type[Rule]) -> dict[str, str]:
    """The page once: viewers that cannot show it get its first line."""
    return {"text": cleandoc(rule.__doc__ or rule.name()).splitlines()[0], "markdown": page(rule)}


def _result(finding: Diagnostic, fingerprint: str, described: _Rules, setting: Setting) -> dict[str, Any]:
    place: dict[str, Any] = {"physicalLocation": _physical(finding.at, setting)}
    if finding.kernel:
        place["logicalLocations"] = [{"name": finding.kernel, "kind": "function"}]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": described.number[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": "\n".join(_lines(finding))},
        "locations": [place],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": r.message}, "physicalLocation": _physical(r.at, setting)}
            for number, r in enumerate(finding.related)
        ]
    if finding.fix is not None:
        result["fixes"] = [_fix(finding.fix, finding.at.file, setting)]
    properties = dict(_properties(finding))
    if properties:
        result["properties"] = properties
    return result


def _fix(fix: Mapping[str, Any], file: str, setting: Setting) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": {
                "startLine": edit["location"]["row"],
                "startColumn": edit["location"]["column"],
                "endLine": edit["end_location"]["row"],
                "endColumn": edit["end_location"]["column"],
            },
            "insertedContent": {"text": edit["content"]},
        }
        for edit in fix["edits"]
    ]
    changes = [{"artifactLocation": _artifact(file, setting), "replacements": replacements}]
    return {"description": {"text": fix["title"]}, "artifactChanges": changes, "properties": {"safe": fix["safe"]}}


def _lines(finding: Diagnostic) -> Iterator[str]:
    yield headline(finding)
    if finding.help:
        yield f"help: {finding.help}"
    evidence = [witness_text(finding.witness) if finding.witness else "", confirmation_text(finding)]
    if any(evidence):
        yield "witness: " + "; ".join(e for e in evidence if e)


def _properties(finding: Diagnostic) -> Iterator[tuple[str, Any]]:
    if finding.verdict:
        yield "verdict", finding.verdict
        yield "confirmation", finding.confirmation
    if finding.precondition:
        yield "precondition", finding.precondition
    if finding.witness:
        witness = finding.witness
        yield "witness", {"inputs": dict(witness.inputs), "loops": dict(witness.loops), "element": witness.element}


def _physical(at: Span, setting: Setting) -> dict[str, Any]:
    region = {"startLine": at.row, "startColumn": at.column, "endLine": at.end_row, "endColumn": at.end_column}
    return {"artifactLocation": _artifact(at.file, setting), "region": region}


def _artifact(file: str, setting: Setting) -> dict[str, str]:
    path = setting.named(notebook_of(file))
    if PurePath(path).is_absolute():
        return {"uri": PurePath(path).as_uri()}
    return {"uri": quote(os.fsencode(path)), "uriBaseId": ROOT}
