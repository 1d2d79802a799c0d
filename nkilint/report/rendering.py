"""Turns a report into what is printed: text for people, one object for tools."""

from __future__ import annotations

import importlib
from dataclasses import replace

from nkilint.base.findings import Report

from .formats import Format
from .setting import Setting
from .text import concise_text, full_text
from .together import together

_FOR_TOOLS: dict[Format, str] = {
    "json": "document",
    "jsonl": "lines",
    "sarif": "sarif",
    "github": "annotations",
    "gitlab": "gitlab",
    "junit": "junit",
    "html": "html.page",
}
"""By format, the module here whose `render` makes it."""


def render(report: Report, output_format: Format, setting: Setting) -> str:
    """The report in one format, with a line break at its end unless it is empty."""
    if output_format in ("full", "concise") and not setting.all_places:
        report = replace(report, failures=(), diagnostics=tuple(together(report.findings)))
    if output_format == "full":
        return full_text(report, setting.folder, setting.lines, setting.style)
    if output_format == "concise":
        return concise_text(report, setting.folder, setting.style)
    module = importlib.import_module(f"{__package__}.{_FOR_TOOLS[output_format]}")  # with what it alone needs
    text: str = module.render(report, setting)
    return text


def ending(report: Report, output_format: Format, setting: Setting) -> str:
    """What comes after all parts of a report."""
    if output_format != "jsonl":
        return ""
    from . import lines  # with what it alone needs

    return lines.ending(report, setting)
