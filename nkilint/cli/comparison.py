"""What a run is compared with: a git revision, the findings of a baseline."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nkilint.base.config import ConfigError
from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.base.source import source_lines
from nkilint.report.baseline import Baseline, Entry, compare, entries, read, text
from nkilint.report.places import shown_path
from nkilint.report.summary import counted

from .outputs import written

if TYPE_CHECKING:
    from nkilint.project.affected import Touched


def baseline(arguments: argparse.Namespace, options: Options) -> Baseline | None:
    """The baseline to compare with."""
    file = _file(arguments, options)
    if arguments.write_baseline and file is None:
        raise ConfigError("--write-baseline needs --baseline FILE")
    if arguments.write_baseline and arguments.diff is not None:
        raise ConfigError("--write-baseline writes what a whole run finds; leave out --diff")
    if file is None or arguments.write_baseline:
        return None

    return read(file)


def _file(arguments: argparse.Namespace, options: Options) -> Path | None:
    return arguments.baseline or options.baseline


def touched(arguments: argparse.Namespace) -> Touched | None:
    """What has changed since the revision asked for."""
    if arguments.diff is None:
        return None

    # only --diff needs git: other runs start faster without
    from nkilint.project.affected import Touched
    from nkilint.project.changes import ChangesError, since

    start = Path(arguments.paths[0])
    folder = start if start.is_dir() else start.parent
    try:
        return Touched(since(arguments.diff, folder if folder.is_dir() else Path()))
    except ChangesError as error:
        raise ConfigError(f"--diff: {error}") from None


def write(report: Report, arguments: argparse.Namespace, options: Options, overlay: Mapping[str, bytes]) -> int:
    """Write the baseline and give the exit code; files that could not be checked are named and not put off."""
    file = _file(arguments, options)
    assert file is not None
    for failure in report.failures:
        print(f"{failure.at.file}:{failure.at.row}:{failure.at.column}: {failure.message}", file=sys.stderr)
    if not written(file, text(report, file, source_lines(overlay))):
        return 2
    print(
        f"{shown_path(str(file), Path.cwd())}: {counted(len(report.diagnostics), 'finding')} written", file=sys.stderr
    )
    return 2 if report.failures else 0


def remaining(part: Report, known: Baseline | None, overlay: Mapping[str, bytes]) -> Report:
    """A part of a report without what is known."""
    return part if known is None else compare(part, known, source_lines(overlay))[0]


def compared(
    report: Report, known: Baseline | None, arguments: argparse.Namespace, overlay: Mapping[str, bytes]
) -> Report:
    """The report without what is known; entries that have gone are counted on standard error."""
    if known is None:
        return report

    remaining, missing = compare(report, known, source_lines(overlay))
    gone = [e for e in missing if _was_checked(known, e, arguments.paths)]
    if gone and arguments.diff is None:
        place, number = shown_path(str(known.file), Path.cwd()), counted(len(gone), "finding")
        print(f"{place}: {number} of it no longer there; --write-baseline renews it", file=sys.stderr)
    return remaining


def untouched(whole: Report, wanted: Report, known: Baseline | None, overlay: Mapping[str, bytes]) -> Baseline:
    """What is known, and every finding of `whole` that is not `wanted`."""
    file = Path("baseline.json") if known is None else known.file
    places = {(d.code, d.at, d.kernel) for d in wanted.diagnostics}
    found = zip(
        sorted(whole.diagnostics, key=lambda d: d.order), entries(whole, file, source_lines(overlay)), strict=True
    )
    others = tuple(entry for d, entry in found if (d.code, d.at, d.kernel) not in places)
    return Baseline(file, (*(() if known is None else known.entries), *others))


def _was_checked(known: Baseline, entry: Entry, paths: Sequence[str]) -> bool:
    """Whether the run would have found `entry` again."""
    place = known.place(entry)
    return any(place.is_relative_to(Path(path).resolve()) for path in paths)
