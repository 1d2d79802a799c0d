"""`nkilint check`: verify every kernel in the given files."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from . import comparison, effort, fixing, outputs, settings

if TYPE_CHECKING:
    from ..baseline import Baseline
    from ..findings import KernelReport, Report
    from ..options import Options
    from ..outcome import Runner
    from ..touched import Touched

HELP = "verify the kernels in files and folders"
DESCRIPTION = "Verify every NKI kernel in the given files and folders."
STDIN = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, or - for standard input")
    parser.add_argument("--stdin-filename", metavar="FILE", help="the name that standard input goes by")
    outputs.add_arguments(parser)
    settings.add_arguments(parser)
    fixing.add_arguments(parser)
    comparison.add_arguments(parser)
    effort.add_arguments(parser)
    parser.add_argument("--select", action="append", metavar="CODES", help="report only codes with these prefixes")
    parser.add_argument("--ignore", action="append", metavar="CODES", help="leave out codes with these prefixes")
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 on warnings and on incompletely analysed kernels too"
    )
    parser.add_argument("--no-confirm", action="store_true", help="do not run findings in the reference simulator")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    parser.add_argument("--statistics", action="store_true", help="print the number of findings by rule")


def run(arguments: argparse.Namespace) -> int:
    from ..config import ConfigError

    try:
        wanted, options = outputs.chosen(arguments), _options(arguments)
        fixes, elsewhere = fixing.wanted(arguments), effort.elsewhere(arguments)
        known, touched = comparison.baseline(arguments, options), comparison.touched(arguments)
    except ConfigError as error:
        settings.complain(error)
        return 2
    started = time.monotonic()
    if fixes:
        return _fixed(arguments, options, known, wanted, started)
    try:
        report, overlay = _checked(arguments, options, touched, elsewhere)
    except ConfigError as error:  # no cluster answers
        settings.complain(error)
        return 2
    seconds = time.monotonic() - started
    if arguments.write_baseline:
        return comparison.write(report, arguments, options, overlay)
    report = comparison.compared(report, known, arguments, overlay)
    if not outputs.write(report, wanted, overlay, seconds, statistics=arguments.statistics):
        return 2
    return exit_code(report, strict=options.strict, exit_zero=arguments.exit_zero)


def _fixed(
    arguments: argparse.Namespace,
    options: Options,
    known: Baseline | None,
    wanted: Sequence[outputs.Output],
    started: float,
) -> int:
    """Repair files, or show how they would be repaired."""
    from .. import running
    from .progress import Progress

    paths = [Path(path) for path in dict.fromkeys(arguments.paths)]
    store, jobs = effort.store(arguments, options), effort.jobs(arguments)
    with Progress(sys.stderr) as progress:
        unconfirmed = replace(options, confirm=False)
        check = running.repeated(paths, unconfirmed, progress=progress, store=store, jobs=jobs)
        result = fixing.mended(arguments, options, check, known)
    if arguments.diff_only:
        sys.stdout.write(fixing.difference(result))
        sys.stderr.write(fixing.told(result, "would be repaired"))
        return 2 if result.report.failures else int(bool(result.files) and not arguments.exit_zero)
    written = fixing.write(result)
    report, _ = _checked(arguments, options, None)
    report = comparison.compared(report, known, arguments, {})
    printed = outputs.write(report, wanted, {}, time.monotonic() - started, statistics=arguments.statistics)
    sys.stderr.write(fixing.told(result, "repaired"))
    if not (written and printed):
        return 2
    return exit_code(report, strict=options.strict, exit_zero=arguments.exit_zero)


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
    from ..config import checked_codes

    first = arguments.paths[0]
    start = Path(arguments.stdin_filename or ".") if first == STDIN else Path(first)
    options = settings.options(arguments, start)
    confirm = options.confirm and not arguments.no_confirm
    options = replace(options, strict=options.strict or arguments.strict, confirm=confirm)
    if arguments.select:
        options = replace(options, select=checked_codes(_codes(arguments.select)))
    if arguments.ignore:
        options = replace(options, ignore=options.ignore + checked_codes(_codes(arguments.ignore)))
    return options


def _codes(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip() for item in given for code in item.split(",") if code.strip())


def _checked(
    arguments: argparse.Namespace, options: Options, touched: Touched | None, elsewhere: Runner | None = None
) -> tuple[Report, dict[str, bytes]]:
    from .. import running
    from .progress import Progress

    overlay: dict[str, bytes] = {}
    paths: list[Path] = []
    for path in dict.fromkeys(arguments.paths):
        if path == STDIN:
            name = arguments.stdin_filename or STDIN
            overlay[name] = sys.stdin.buffer.read()
            path = name
        paths.append(Path(path))
    with Progress(sys.stderr) as progress:
        report = running.run(
            paths,
            options,
            overlay=overlay,
            progress=progress,
            touched=touched,
            store=effort.store(arguments, options),
            jobs=effort.jobs(arguments),
            elsewhere=elsewhere,
        )
    return report, overlay
