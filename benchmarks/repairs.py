"""Repairs whole folders on paper, and counts what came of it.

python benchmarks/repairs.py [--unsafe-fixes] [--jobs 2] NAME=FOLDER...

Each file that changes has to parse, to stay as it is when repaired again, and to have no finding that it had not
before; its kernels have to do the same wherever they can be run. Prints the table of docs/repairs.md.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]

from tables import rows  # noqa: E402

from nkilint.base.findings import Report  # noqa: E402
from nkilint.base.options import Options  # noqa: E402
from nkilint.base.source import decode  # noqa: E402
from nkilint.cli.fix import differing, mended  # noqa: E402
from nkilint.run.fresh import repeated  # noqa: E402
from nkilint.run.unlike import Change, compared  # noqa: E402

HEADER = (
    "| kernels of | findings repaired | files changed | do not parse | change again | new findings "
    "| kernels in them | run | inputs | differ |"
)
PATHS = [Path(".")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unsafe-fixes", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDER")
    arguments = parser.parse_args()
    tables = rows(HEADER, arguments.folders, lambda: measured(arguments.unsafe_fixes, arguments.jobs))
    wrong = sum(numbers[k] for numbers in tables for k in (2, 3, 4, 8))
    return int(wrong > 0)


def measured(unsafe: bool, jobs: int) -> list[int]:
    """The numbers of one row, for the working folder."""
    options = Options(root=Path.cwd())
    check = repeated(PATHS, replace(options, confirm=False), overlay={}, jobs=jobs)
    differ = differing(PATHS, options, {}, jobs)
    first = mended(PATHS, {}, options, check, None, unsafe=unsafe, differ=differ)
    again = mended(PATHS, first.files, options, check, None, unsafe=unsafe, differ=differ)
    change = Change({file: first.originals[file] for file in first.files}, first.files)
    runs = compared(PATHS, options, change, jobs=jobs) if first.files else []
    for each in runs:
        if each.differs:
            print(f"{each.file}::{each.kernel}: {each.differs}", file=sys.stderr)
    for file in again.files:
        if again.files[file] != first.files.get(file):
            print(f"{file}: changes again", file=sys.stderr)
    return [
        first.count,
        len(first.files),
        sum(not _parses(file, data) for file, data in first.files.items()),
        len(again.files),
        len(list((_findings(first.report) - _findings(check({}))).elements())),
        len(runs),
        sum(each.runs > 0 for each in runs),
        sum(each.runs for each in runs),
        sum(bool(each.differs) for each in runs),
    ]


def _parses(file: str, data: bytes) -> bool:
    try:
        ast.parse(decode(data, file))
    except (SyntaxError, ValueError):
        return False
    return True


def _findings(report: Report) -> Counter[tuple[str, str, str | None]]:
    return Counter((d.at.file, d.code, d.kernel) for d in (*report.diagnostics, *report.failures))


if __name__ == "__main__":
    sys.exit(main())
