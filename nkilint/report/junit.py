"""The report as JUnit XML: a suite for each file, a test case for each kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from nkilint.base.findings import Diagnostic, KernelReport, Report
from nkilint_rules.rule import Severity

from .places import headline
from .setting import Setting
from .style import Style
from .text import full_text

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, setting: Setting) -> str:
    """Kernels without errors pass; warnings and advice stand in their output.

    Findings outside the kernels are a case by their code. A file that could not be checked is an error.
    """
    root = Element("testsuites", name="nkilint", time=f"{setting.seconds:.3f}")
    failures = {id(d) for d in report.failures}
    files = sorted({d.at.file for d in report.findings} | {k.file for k in report.kernels})
    for file in files:
        suite = SubElement(root, "testsuite", name=_clean(setting.named(file)))
        for name, findings in _cases(file, report.findings, report.kernels):
            _case(suite, name, findings, failures, setting)
        _count(suite, [suite])
    _count(root, root)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _cases(
    file: str, findings: Sequence[Diagnostic], kernels: Sequence[KernelReport]
) -> Iterable[tuple[str, list[Diagnostic]]]:
    """The kernels of a file, then what else was found in it, each with its findings."""
    own = sorted((k for k in kernels if k.file == file), key=lambda k: (k.at.row, k.name))
    cases: dict[str, list[Diagnostic]] = {k.name: [] for k in own}
    for finding in findings:
        if finding.at.file == file:
            cases.setdefault(finding.kernel or finding.code, []).append(finding)
    return cases.items()


def _case(suite: Element, name: str, findings: list[Diagnostic], failures: set[int], setting: Setting) -> None:
    case = SubElement(suite, "testcase", name=_clean(name), classname=suite.get("name", ""), file=suite.get("name", ""))
    remarks: list[Diagnostic] = []
    for finding in findings:
        if finding.severity is not Severity.ERROR:
            remarks.append(finding)
            continue
        tag = "error" if id(finding) in failures else "failure"
        element = SubElement(case, tag, message=_clean(headline(finding)), type=finding.code)
        element.text = _shown([finding], setting)
        case.set("line", case.get("line", str(finding.at.row)))
    if remarks:
        SubElement(case, "system-out").text = _shown(remarks, setting)


def _shown(findings: list[Diagnostic], setting: Setting) -> str:
    return _clean(full_text(Report("", tuple(findings)), setting.folder, setting.lines, Style()))


def _count(element: Element, suites: Iterable[Element]) -> None:
    cases = [case for suite in suites for case in suite.iter("testcase")]
    element.set("tests", str(len(cases)))
    for tag in ("failure", "error"):
        element.set(f"{tag}s", str(sum(case.find(tag) is not None for case in cases)))


def _clean(text: str) -> str:
    """`text` without the characters that XML cannot hold."""
    return _NOT_XML.sub("�", text)
