"""Where a report goes, and in which formats."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nkilint.base import whole
from nkilint.base.config import ConfigError
from nkilint.base.findings import Report
from nkilint.base.source import source_lines
from nkilint.report.formats import Format
from nkilint.report.rendering import render
from nkilint.report.setting import Setting
from nkilint.report.style import Style, style_for
from nkilint.report.summary import statistics_text, summary_text

from .streams import reason

DEFAULT: Format = "full"
UNENCODABLE = "backslashreplace"  # names of files may hold bytes that are no text; JSON reads this as it was
_FOR_PEOPLE = ("full", "concise")
_LINES = (*_FOR_PEOPLE, "github")  # formats that other output on the same stream does not spoil


@dataclass(frozen=True, slots=True)
class Output:
    """One format, printed to a file or, without one, on standard output."""

    format: Format
    file: Path | None = None


def chosen(arguments: argparse.Namespace) -> tuple[Output, ...]:
    """The outputs asked for; a file belongs to the format before it, or else to the one after it."""
    found: list[Output] = []
    early: Path | None = None
    for item in arguments.outputs or ():
        if not isinstance(item, Path):
            found.append(Output(item, early))
            early = None
        elif found and found[-1].file is None:
            found[-1] = Output(found[-1].format, item)
        elif early is None:
            early = item
        else:
            raise ConfigError(f"`{early}` and `{item}` have one --output-format between them; give each its own")
    if early is not None and found:
        raise ConfigError(f"`{early}` has no --output-format; give it one")
    found = found or [Output(DEFAULT, early)]
    printed = [o.format for o in found if o.file is None]
    if len(printed) > 1 and not set(printed) <= set(_LINES):
        raise ConfigError(f"{' and '.join(printed)} would share standard output; give one an --output-file")
    return tuple(found)


def write(
    report: Report,
    outputs: Sequence[Output],
    overlay: Mapping[str, bytes],
    seconds: float,
    *,
    statistics: bool,
    rule_pages: str = "",
    color: str = "auto",
    all_places: bool = False,
) -> bool:
    """Print the findings and the summary; false if an output file cannot be written."""
    lines = source_lines(overlay)
    parted = ""
    for output in outputs:
        style = Style() if output.file else style_for(sys.stdout, color)
        text = render(report, output.format, Setting(Path.cwd(), lines, style, seconds, rule_pages, all_places))
        if statistics and output.format in _FOR_PEOPLE:
            text += ("\n" if text else "") + statistics_text(report)
        if output.file is None:
            _print(text, for_people=output.format in _LINES)
            parted = "\n" if text and output.format in _FOR_PEOPLE else parted
        elif not written(output.file, text):
            return False
    sys.stderr.write(parted + summary_text(report, seconds))
    return True


def _print(text: str, *, for_people: bool) -> None:
    """What tools read is UTF-8 wherever it is printed."""
    if for_people:
        sys.stdout.write(text)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", UNENCODABLE))
    sys.stdout.flush()


def written(file: Path, text: str) -> bool:
    """Write a file, whole or not at all, or say why that cannot be done."""
    try:
        if file.exists() and not file.is_file():  # a device, or a pipe
            file.write_text(text, encoding="utf-8", errors=UNENCODABLE)
        else:
            mode = file.stat().st_mode & 0o7777 if file.exists() else whole.mode_of_new_files()
            whole.write(os.path.realpath(file), text.encode("utf-8", UNENCODABLE), mode=mode)
    except OSError as error:
        print(f"{file}: cannot be written: {reason(error)}", file=sys.stderr)
        return False
    return True
