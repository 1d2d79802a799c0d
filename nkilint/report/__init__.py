"""Turns a report into what is printed: text for people, one object for tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ..base.findings import Report
from .places import shown_path
from .style import Style
from .text import concise_text, full_text

Format = Literal["full", "concise", "json", "sarif", "github", "gitlab", "junit"]
FORMATS: tuple[Format, ...] = get_args(Format)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a renderer may use besides the report. `lines` gives the text of a file, by line; none if it has no text.
    `rule_pages` is the address of a rule's page, with `{code}` for its code."""

    folder: Path
    lines: Callable[[str], Sequence[str]]
    style: Style
    seconds: float
    rule_pages: str = ""

    def named(self, file: str) -> str:
        """How a report calls `file`."""
        return shown_path(file, self.folder)


def render(report: Report, output_format: Format, setting: Setting) -> str:
    """The report in one format, with a line break at its end unless it is empty."""
    if output_format == "full":
        return full_text(report, setting.folder, setting.lines, setting.style)
    if output_format == "concise":
        return concise_text(report, setting.folder, setting.style)
    return _for_tools(report, output_format, setting)


def _for_tools(report: Report, output_format: Format, setting: Setting) -> str:
    """Each format imports what it alone needs."""
    if output_format == "json":
        from .document import json_text

        return json_text(report, setting.folder, setting.seconds)
    if output_format == "github":
        from .annotations import github_text

        return github_text(report, setting.folder)
    if output_format == "gitlab":
        from .gitlab import gitlab_text

        return gitlab_text(report, setting)
    if output_format == "junit":
        from .junit import junit_text

        return junit_text(report, setting)
    from .sarif import sarif_text

    return sarif_text(report, setting)
