"""Turns a report into what is printed: text for people, one object for tools."""

from __future__ import annotations

from collections.abc import Callable

from nkilint.base.findings import Report

from .annotations import github_text
from .document import json_text
from .formats import Format
from .gitlab import gitlab_text
from .junit import junit_text
from .sarif import sarif_text
from .setting import Setting
from .text import concise_text, full_text

_RENDERERS: dict[Format, Callable[[Report, Setting], str]] = {
    "full": lambda report, setting: full_text(report, setting.folder, setting.lines, setting.style),
    "concise": lambda report, setting: concise_text(report, setting.folder, setting.style),
    "json": lambda report, setting: json_text(report, setting.folder, setting.seconds),
    "sarif": sarif_text,
    "github": lambda report, setting: github_text(report, setting.folder),
    "gitlab": gitlab_text,
    "junit": junit_text,
}


def render(report: Report, output_format: Format, setting: Setting) -> str:
    """The report in one format, with a line break at its end unless it is empty."""
    return _RENDERERS[output_format](report, setting)
