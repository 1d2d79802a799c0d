"""What one `nkilint check` is to do: its options and outputs, the run, and what is said of the result."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nkilint.base import interruption
from nkilint.base.config import ConfigError, checked_address, checked_codes
from nkilint.base.findings import KernelReport, Report
from nkilint.base.options import Options
from nkilint.report.baseline import Baseline
from nkilint.run.command import run
from nkilint.run.documents import Documents
from nkilint_rules.rule import Severity
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.records import dataclass

from . import comparison, effort, outputs, settings, streams
from .progress import Progress

if TYPE_CHECKING:
    from nkilint.project.affected import Touched
    from nkilint.run.outcome import Runner

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Task:
    """What one command is to check, and with what: `overlay` holds standard input, by the name it goes by."""

    arguments: argparse.Namespace
    options: Options
    outputs: Sequence[outputs.Output]
    known: Baseline | None
    elsewhere: Runner | None
    overlay: Mapping[str, bytes]
    documents: Documents
    started: float

    @property
    def paths(self) -> Sequence[Path]:
        """The files and folders to check."""
        return self.documents.paths

    @property
    def texts(self) -> Mapping[str, bytes]:
        """What is checked and not on disk: standard input, and what documents hold of Python."""
        return {**self.overlay, **self.documents.overlay}

    @property
    def shown(self) -> Mapping[str, bytes]:
        """What excerpts are taken from that is not on disk."""
        return {**self.overlay, **self.documents.shown}

    def over(self, overlay: Mapping[str, bytes]) -> Task:
        """The same with another standard input, and with documents as they are now."""
        return replace(self, overlay=overlay, documents=_documents(self.arguments, overlay, self.options))


def task_of(arguments: argparse.Namespace) -> Task:
    """The task that the command line sets."""
    options = _options(arguments)
    wanted, known, elsewhere = (
        outputs.chosen(arguments),
        comparison.baseline(arguments, options),
        effort.elsewhere(arguments),
    )
    overlay = {_named(arguments, STDIN): _standard_input()} if STDIN in arguments.paths else {}
    documents = _documents(arguments, overlay, options)
    return Task(arguments, options, wanted, known, elsewhere, overlay, documents, time.monotonic())


def _documents(arguments: argparse.Namespace, overlay: Mapping[str, bytes], options: Options) -> Documents:
    return Documents([Path(_named(arguments, path)) for path in dict.fromkeys(arguments.paths)], overlay, options)


def _standard_input() -> bytes:
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise ConfigError(f"standard input cannot be read: {streams.reason(error)}") from None


def _named(arguments: argparse.Namespace, path: str) -> str:
    """The name that a path of the command line goes by."""
    return arguments.stdin_filename or STDIN if path == STDIN else path


def complete() -> None:
    """Go no further with a report that lacks what an interrupted run did not come to."""
    if interruption.noted():
        raise KeyboardInterrupt


def printer(task: Task) -> outputs.Printer:
    """What prints the report of a task."""
    return outputs.Printer(task.outputs, task.shown, task.arguments, task.options.rule_pages)


def told(task: Task, report: Report, printer: outputs.Printer) -> int:
    """Print what is new in a report, and give the exit code."""
    arguments = task.arguments
    report = comparison.compared(report, task.known, arguments, task.shown)
    if not printer.write(report, time.monotonic() - task.started):
        return 2
    return exit_code(report, strict=task.options.strict, exit_zero=arguments.exit_zero)


def exit_code(report: Report, *, strict: bool, exit_zero: bool) -> int:
    """2 if something could not be checked at all, 1 if there is something to object to, else 0."""
    if report.failures:
        return 2
    if exit_zero:
        return 0
    objections = report.count(Severity.ERROR) > 0
    if strict:
        objections = (
            objections
            or report.count(Severity.WARNING) > 0
            or any(k.verdict == "incomplete" or k.obligations.unknown for k in _unexcused(report))
            or any(d.confirmation == "not-reproduced" for d in report.findings)
        )
    return int(objections)


def _unexcused(report: Report) -> list[KernelReport]:
    """The kernels whose incomplete analysis is not in the baseline."""
    known = {(d.at.file, d.kernel) for d in report.known or () if d.code == IncompleteAnalysis.code}
    return [k for k in report.kernels if (k.file, k.name) not in known]


def _options(arguments: argparse.Namespace) -> Options:
    first = arguments.paths[0]
    start = Path(arguments.stdin_filename or ".") if first == STDIN else Path(first)
    options = settings.options(arguments, start)
    confirm = False if arguments.no_confirm else options.confirm
    proofs = "html" in (arguments.outputs or ())
    options = replace(options, strict=options.strict or arguments.strict, confirm=confirm, proofs=proofs)
    if arguments.rule_pages:
        options = replace(options, rule_pages=checked_address(arguments.rule_pages))
    if arguments.select:
        options = replace(options, select=checked_codes(_codes(arguments.select)))
    if arguments.ignore:
        options = replace(options, ignore=options.ignore + checked_codes(_codes(arguments.ignore)))
    return options


def _codes(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip() for item in given for code in item.split(",") if code.strip())


def report_of(task: Task, touched: Touched | None, printer: outputs.Printer | None = None) -> Report:
    """What is found; `printer` prints of it what it takes in parts."""
    with Progress(sys.stderr) as progress:

        def tell(part: Report) -> None:
            if printer is not None:
                part = task.documents.home(part, part=True)
                printer.part(comparison.remaining(part, task.known, task.shown), progress.clear)

        report = run(
            task.paths,
            task.options,
            overlay=task.texts,
            progress=progress,
            touched=touched,
            store=effort.store(task.arguments, task.options),
            jobs=effort.jobs(task.arguments),
            elsewhere=task.elsewhere,
            tell=tell if printer is not None and printer.takes_parts else None,
        )
    return task.documents.home(report)
