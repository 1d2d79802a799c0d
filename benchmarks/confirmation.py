"""What confirmation makes of the errors in whole folders: `python benchmarks/confirmation.py NAME=FOLDER...`.

An error that the run on the simulator does not show stays an error, for one of two readers is wrong then. Prints the
table of docs/soundness.md, and names each finding of which the two say something different.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]

from tables import rows  # noqa: E402

from nkilint.base.findings import Diagnostic  # noqa: E402
from nkilint.base.options import Options  # noqa: E402
from nkilint.confirm import confirm  # noqa: E402
from nkilint.run.engine import check  # noqa: E402
from nkilint_rules.rule import Severity  # noqa: E402

HEADER = "| kernels of | errors | confirmed | not run | not reproduced | errors no more | warnings | information then |"
PATHS = [Path(".")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDER")
    arguments = parser.parse_args()
    lost = sum(numbers[4] for numbers in rows(HEADER, arguments.folders, lambda: measured(arguments.jobs)))
    return int(lost > 0)


def measured(jobs: int) -> list[int]:
    """The numbers of one row, for the working folder."""
    options = Options(root=Path.cwd())
    without = check(PATHS, options)
    found = confirm(without, options, PATHS, {}, jobs=jobs)
    pairs = list(zip(without.diagnostics, found.diagnostics, strict=True))
    errors = [pair for pair in pairs if pair[0].severity is Severity.ERROR]
    warnings = [pair for pair in pairs if pair[0].severity is Severity.WARNING]
    for before, after in pairs:
        if before.severity is not after.severity or after.confirmation == "not-reproduced":
            told(before, after)
    outcomes = [after.confirmation for _, after in errors]
    return [
        len(errors),
        *(outcomes.count(kind) for kind in ("confirmed", "not-run", "not-reproduced")),
        sum(after.severity is not Severity.ERROR for _, after in errors),
        len(warnings),
        sum(after.severity is not Severity.WARNING for _, after in warnings),
    ]


def told(before: Diagnostic, after: Diagnostic) -> None:
    """One line about a finding that the run does not show."""
    at = f"{os.path.relpath(before.at.file)}:{before.at.row}"
    change = f"{before.severity.value} to {after.severity.value}" if before.severity is not after.severity else "error"
    print(f"{at} {before.code} {change}: {before.message} ({after.confirmation_reason})", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
