"""`nkilint check`: verify every kernel in the given files."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..base import interruption
from . import comparison, effort, fixing, outputs, settings, watching

if TYPE_CHECKING:
    from nkilint.base.findings import KernelReport, Report
    from nkilint.base.options import Options
    from nkilint.base.store import Memory
    from nkilint.fixes.mending import Mended
    from nkilint.project.affected import Touched
    from nkilint.report.baseline import Baseline
    from nkilint.run.outcome import Runner

HELP = "verify the kernels in files and folders"
DESCRIPTION = "Verify every NKI kernel in the given files and folders."
EXIT_CODES = (
    "Exits with 0 if there is nothing to object to, 1 if there are errors, 2 if something could not be checked."
)
STDIN = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage, parser.epilog = "nkilint [check] [OPTIONS] PATH...", EXIT_CODES
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, or - for standard input")
    parser.add_argument("--stdin-filename", metavar="FILE", help="the name that standard input goes by")
    checked = parser.add_argument_group("what is checked")
    settings.add_arguments(checked)
    checked.add_argument("--select", action="append", metavar="CODES", help="report only codes with these prefixes")
    checked.add_argument("--ignore", action="append", metavar="CODES", help="leave out codes with these prefixes")
    checked.add_argument("--no-confirm", action="store_true", help="do not run findings in the reference simulator")
    comparison.add_arguments(parser.add_argument_group("only what is new, or changed"))
    reported = parser.add_argument_group("how it is reported")
    outputs.add_arguments(reported)
    reported.add_argument("--statistics", action="store_true", help="print the number of findings by rule")
    reported.add_argument(
        "--strict", action="store_true", help="exit with 1 on warnings and on incompletely analysed kernels too"
    )
    reported.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    fixing.add_arguments(parser.add_argument_group("repairs"))
    speed = parser.add_argument_group("speed")
    effort.add_arguments(speed)
    watching.add_arguments(speed)


@dataclass(frozen=True, slots=True)
class _Task:
    """What one command is to check, and with what: `overlay` holds standard input, by the name it goes by."""

    arguments: argparse.Namespace
    options: Options
    outputs: Sequence[outputs.Output]
    known: Baseline | None
    elsewhere: Runner | None
    paths: Sequence[Path]
    overlay: Mapping[str, bytes]
    started: float


def run(arguments: argparse.Namespace) -> int:
    from nkilint.base.config import ConfigError

    try:
        if watching.wanted(arguments):
            return _watched(arguments)
        make = _fixed if fixing.wanted(arguments) else _checked
        return make(_task(arguments), comparison.touched(arguments))
    except ConfigError as error:
        settings.complain(error)
        return 2


def _task(arguments: argparse.Namespace) -> _Task:
    options = _options(arguments)
    wanted, known, elsewhere = (
        outputs.chosen(arguments),
        comparison.baseline(arguments, options),
        effort.elsewhere(arguments),
    )
    paths = [Path(_named(arguments, path)) for path in dict.fromkeys(arguments.paths)]
    overlay = {_named(arguments, STDIN): sys.stdin.buffer.read()} if STDIN in arguments.paths else {}
    return _Task(arguments, options, wanted, known, elsewhere, paths, overlay, time.monotonic())


def _named(arguments: argparse.Namespace, path: str) -> str:
    """The name that a path of the command line goes by."""
    return arguments.stdin_filename or STDIN if path == STDIN else path


def _checked(task: _Task, touched: Touched | None) -> int:
    """Report what is wrong, or write a baseline of it."""
    report = _report(task, touched)
    if task.arguments.write_baseline:
        _complete()
        return comparison.write(report, task.arguments, task.options, task.overlay)
    return _told(task, report)


def _watched(arguments: argparse.Namespace) -> int:
    """Report what is wrong again and again. What is known of kernels that do not change is kept, on disk or here."""
    from nkilint.base.config import ConfigError
    from nkilint.base.store import Memory

    memory = Memory()
    depended: Collection[str] = ()

    def check() -> tuple[int, Collection[str]]:
        nonlocal depended
        try:
            task = _task(arguments)
            report, depended = _followed(task, comparison.touched(arguments), memory)
        except ConfigError as error:
            settings.complain(error)
            return 2, depended
        return _told(task, report), depended

    return watching.watch([Path(path) for path in arguments.paths], check)


def _followed(task: _Task, touched: Touched | None, memory: Memory) -> tuple[Report, Collection[str]]:
    """A report, and the files that it depends on, those included that are not there."""
    from nkilint.run import command as running

    from .progress import Progress

    with Progress(sys.stderr) as progress:
        report, runner = running.incremental(
            task.paths,
            task.options,
            overlay={},
            progress=progress,
            touched=touched,
            store=effort.store(task.arguments, task.options) or memory,
            jobs=effort.jobs(task.arguments),
            elsewhere=task.elsewhere,
        )
    project = runner.project
    return report, () if project is None else frozenset((*project.read, *project.overlay.probed))


def _fixed(task: _Task, touched: Touched | None) -> int:
    """Repair files, or show how they would be repaired; what standard input becomes is printed on standard output."""
    result = _mended(task, touched)
    if task.arguments.diff_only:
        sys.stdout.write(fixing.difference(result))
        sys.stderr.write(fixing.told(result, "would be repaired"))
        return 2 if result.report.failures else int(bool(result.files) and not task.arguments.exit_zero)
    overlay = fixing.after(result, task.overlay)
    written = fixing.write(result, task.overlay)
    for data in overlay.values():
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    task = replace(task, overlay=overlay)
    report = fixing.tried(_report(task, comparison.touched(task.arguments)), unsafe=task.arguments.unsafe_fixes)
    with redirect_stdout(sys.stderr if overlay else sys.stdout):
        code = _told(task, report)
    sys.stderr.write(fixing.told(result, "repaired"))
    return code if written else 2


def _mended(task: _Task, touched: Touched | None) -> Mended:
    from nkilint.run import command as running

    from .progress import Progress

    options = replace(task.options, confirm=False)
    store, jobs = effort.store(task.arguments, options), effort.jobs(task.arguments)
    known = task.known
    with Progress(sys.stderr) as progress:
        check = running.repeated(
            task.paths,
            options,
            overlay=task.overlay,
            progress=progress,
            store=store,
            jobs=jobs,
            elsewhere=task.elsewhere,
        )
        if touched is not None:
            wanted = _report(replace(task, options=options), touched)
            known = comparison.untouched(check({}), wanted, known, task.overlay)
        result = fixing.mended(task.paths, task.overlay, options, check, known, unsafe=task.arguments.unsafe_fixes)
    _complete()
    return result


def _complete() -> None:
    """Go no further with a report that lacks what an interrupted run did not come to."""
    if interruption.noted():
        raise KeyboardInterrupt


def _told(task: _Task, report: Report) -> int:
    """Print what is new in a report, and give the exit code."""
    arguments = task.arguments
    report = comparison.compared(report, task.known, arguments, task.overlay)
    seconds = time.monotonic() - task.started
    statistics, pages = arguments.statistics, task.options.rule_pages
    if not outputs.write(report, task.outputs, task.overlay, seconds, statistics=statistics, rule_pages=pages):
        return 2
    return exit_code(report, strict=task.options.strict, exit_zero=arguments.exit_zero)


def exit_code(report: Report, *, strict: bool, exit_zero: bool) -> int:
    """2 if something could not be checked at all, 1 if there is something to object to, else 0."""
    from nkilint_rules.rule import Severity

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
    known = {(d.at.file, d.kernel) for d in report.known or () if d.code == "NKI003"}
    return [k for k in report.kernels if (k.file, k.name) not in known]


def _options(arguments: argparse.Namespace) -> Options:
    from nkilint.base.config import checked_address, checked_codes

    first = arguments.paths[0]
    start = Path(arguments.stdin_filename or ".") if first == STDIN else Path(first)
    options = settings.options(arguments, start)
    confirm = False if arguments.no_confirm else options.confirm
    options = replace(options, strict=options.strict or arguments.strict, confirm=confirm)
    if arguments.rule_pages:
        options = replace(options, rule_pages=checked_address(arguments.rule_pages))
    if arguments.select:
        options = replace(options, select=checked_codes(_codes(arguments.select)))
    if arguments.ignore:
        options = replace(options, ignore=options.ignore + checked_codes(_codes(arguments.ignore)))
    return options


def _codes(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip() for item in given for code in item.split(",") if code.strip())


def _report(task: _Task, touched: Touched | None) -> Report:
    from nkilint.run import command as running

    from .progress import Progress

    with Progress(sys.stderr) as progress:
        return running.run(
            task.paths,
            task.options,
            overlay=task.overlay,
            progress=progress,
            touched=touched,
            store=effort.store(task.arguments, task.options),
            jobs=effort.jobs(task.arguments),
            elsewhere=task.elsewhere,
        )
