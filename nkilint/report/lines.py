"""Turns a report into lines of JSON: what is found in each file, its kernels, and at the end the run in numbers."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from nkilint.base.findings import Report

from .document import document
from .setting import Setting


def render(report: Report, setting: Setting) -> str:
    """The lines of a report, or of a part of one."""
    found = document(report, setting.folder, setting.seconds)
    lines = [
        *(((entry.filename, 0), {"diagnostic": asdict(entry)}) for entry in found.diagnostics),
        *(((entry.filename, 1), {"kernel": asdict(entry)}) for entry in found.kernels),
    ]
    order = {name: number for number, name in enumerate(_files(report, setting))}
    return "".join(_line(entry) for _, entry in sorted(lines, key=lambda line: (order[line[0][0]], line[0][1])))


def ending(report: Report, setting: Setting) -> str:
    """The last line, for the whole report."""
    found = document(report, setting.folder, setting.seconds)
    return _line({"version": found.version, "target": found.target, "summary": asdict(found.summary)})


def _files(report: Report, setting: Setting) -> list[str]:
    """The files that lines are about, in their order."""
    files = {d.at.file for d in report.findings} | {k.file for k in report.kernels}
    return list(dict.fromkeys(setting.named(file) for file in sorted(files)))


def _line(entry: dict[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False, default=str) + "\n"
