"""What a run is compared with: the findings of a baseline."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..baseline import Baseline, Entry
    from ..findings import Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="report only findings that are not in this file")
    parser.add_argument("--write-baseline", action="store_true", help="write what is found to the --baseline file")


def baseline(arguments: argparse.Namespace) -> Baseline | None:
    """The baseline to compare with."""
    from ..config import ConfigError

    if arguments.write_baseline and arguments.baseline is None:
        raise ConfigError("--write-baseline needs --baseline FILE")
    if arguments.baseline is None or arguments.write_baseline:
        return None
    from ..baseline import read

    return read(arguments.baseline)


def write(report: Report, arguments: argparse.Namespace, overlay: Mapping[str, bytes]) -> int:
    """Write the baseline and give the exit code; files that could not be checked are named and not put off."""
    from ..baseline import text
    from ..report import source_lines
    from ..report.summary import counted
    from .outputs import written

    for failure in report.failures:
        print(f"{failure.at.file}:{failure.at.row}:{failure.at.column}: {failure.message}", file=sys.stderr)
    if not written(arguments.baseline, text(report, arguments.baseline, source_lines(overlay))):
        return 2
    print(f"{arguments.baseline}: {counted(len(report.diagnostics), 'finding')} written", file=sys.stderr)
    return 2 if report.failures else 0


def compared(
    report: Report, known: Baseline | None, arguments: argparse.Namespace, overlay: Mapping[str, bytes]
) -> Report:
    """The report without what is known; entries that have gone are counted on standard error."""
    if known is None:
        return report
    from ..baseline import compare
    from ..report import source_lines
    from ..report.summary import counted

    remaining, missing = compare(report, known, source_lines(overlay))
    gone = [e for e in missing if _was_checked(known, e, arguments.paths)]
    if gone:
        print(
            f"{known.file}: {counted(len(gone), 'finding')} of it no longer there; --write-baseline renews it",
            file=sys.stderr,
        )
    return remaining


def _was_checked(known: Baseline, entry: Entry, paths: Sequence[str]) -> bool:
    """Whether the run would have found `entry` again."""
    place = known.place(entry)
    return any(place.is_relative_to(Path(path).resolve()) for path in paths)
