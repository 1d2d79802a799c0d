"""Where a report goes, and in which formats."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nkilint.base import whole
from nkilint.base.config import ConfigError
from nkilint.base.findings import Order, Report
from nkilint.base.ir import Span
from nkilint.base.source import source_lines
from nkilint.report.formats import IN_PARTS, Format
from nkilint.report.rendering import ending, render
from nkilint.report.setting import Setting
from nkilint.report.style import Style, style_for
from nkilint.report.summary import statistics_text, summary_text
from nkilint_rules.words.records import dataclass

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


class Printer:
    """Prints a report to all outputs: its parts where they come one by one, and what is left of it at the end."""

    def __init__(
        self, outputs: Sequence[Output], overlay: Mapping[str, bytes], arguments: argparse.Namespace, rule_pages: str
    ) -> None:
        self._outputs, self._lines, self._rule_pages = outputs, source_lines(overlay), rule_pages
        self._color, self._all_places = arguments.color, arguments.all_places
        self._statistics = arguments.statistics
        self._findings, self._kernels = set[Order](), set[Span]()
        self._begun = False

    @property
    def takes_parts(self) -> bool:
        """Whether something is printed of parts."""
        printed = [output for output in self._outputs if output.file is None]
        return len(printed) == 1 and self._streams(printed[0])

    @staticmethod
    def _streams(output: Output) -> bool:
        return output.file is None and output.format in IN_PARTS

    def _setting(self, output: Output, seconds: float) -> Setting:
        style = Style() if output.file else style_for(sys.stdout, self._color)
        return Setting(Path.cwd(), self._lines, style, seconds, self._rule_pages, self._all_places)

    def part(self, part: Report, clear: Callable[[], None] = lambda: None) -> None:
        """Print a part of the report; `clear` makes way for it."""
        part = self._untold(part)
        for output in filter(self._streams, self._outputs):
            text = render(part, output.format, self._setting(output, 0.0))
            if text:
                clear()
                _print(self._after(output, text), for_people=output.format in _LINES)
                self._begun = True

    def _untold(self, report: Report) -> Report:
        """What was not printed before, which from now on it was."""
        fresh = replace(
            report,
            diagnostics=tuple(d for d in report.diagnostics if d.order not in self._findings),
            failures=tuple(d for d in report.failures if d.order not in self._findings),
            kernels=tuple(k for k in report.kernels if k.at not in self._kernels),
        )
        self._findings |= {d.order for d in fresh.findings}
        self._kernels |= {k.at for k in fresh.kernels}
        return fresh

    def _after(self, output: Output, text: str) -> str:
        """A text where it stands after what was printed before."""
        return "\n" + text if text and self._begun and output.format == "full" else text

    def write(self, report: Report, seconds: float) -> bool:
        """Print what is left of the findings, and the summary; false if an output file cannot be written."""
        left = self._untold(report) if self._findings or self._kernels else report
        parted = ""
        for output in self._outputs:
            setting = self._setting(output, seconds)
            streams = self._streams(output)
            text = render(left if streams else report, output.format, setting)
            text = (self._after(output, text) if streams else text) + ending(report, output.format, setting)
            if self._statistics and output.format in _FOR_PEOPLE:
                text += ("\n" if text or self._begun else "") + statistics_text(report)
            if output.file is None:
                _print(text, for_people=output.format in _LINES)
                shown = text or self._begun
                parted = "\n" if shown and output.format in _FOR_PEOPLE else parted
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
