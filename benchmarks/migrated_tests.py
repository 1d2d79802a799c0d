"""The vendor's own tests of Beta 1 on the simulator, before and after `nkilint migrate`: which pass, and which no more.

    python benchmarks/migrated_tests.py --sdk CLONE_OF_AWS_NEURON_SDK --samples CLONE_OF_NKI_SAMPLES \
        [--without FILE ...] [--seconds N] [--write] [NAME ...]

Takes the tests of each version out of the clones, with the kernels that they import, runs them, migrates tests and
kernels together, decides what DECIDED says, as a person has to, and runs them once more. Their imports need numpy and
scipy. FILE is a file of tests that takes too long; NAME chooses some of the versions. `--write` puts the table into
docs/migration.md.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aws_tests import VERSIONS, Outcome, Version, checkout, run_tests
from tables import between

from nkilint.base.options import Options
from nkilint.fixes.mending import write
from nkilint.migrate.outcomes import migrate
from nkilint.migrate.steps import VERSIONS as DIALECTS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "migration.md"
BEGIN, END = "<!-- tests -->\n", "<!-- end of tests -->\n"
KERNELS = {"v2.24.0": (), "samples 0898a77": ("src/nki_samples/reference",)}
"""By version, the folders of kernels that its tests import."""

DECIDED = ("nl.static_cast(", "_cast(", "\n\ndef _cast(array, dtype):\n    return array.astype(dtype)\n")
"""What is left to a person in the tests themselves, what stands there then, and what that needs at the end of the file:
no page tells of `nl.static_cast`, here of arrays of numpy."""


def tested(version: Version, files: Path, seconds: int) -> dict[str, Outcome]:
    """What comes of each test, by its name and its number among the parameters, which print as their dtypes do."""
    found: dict[str, Outcome] = {}
    numbers: Counter[str] = Counter()
    for outcome in run_tests(version, files, seconds):
        print(f"{version.name}: {outcome.state} {outcome.name} {outcome.text}", file=sys.stderr, flush=True)
        name, bracket, _ = outcome.name.partition("[")
        found[f"{name}[{numbers[name]}]" if bracket else name] = outcome
        numbers[name] += 1
    return found


def both(version: Version, clone: Path, folder: Path, options: argparse.Namespace) -> list[dict[str, Outcome]]:
    """What comes of each test of the old files, and of the migrated ones."""
    files = checkout(clone, replace(version, scripts=()), folder)
    (files / ".git").mkdir(exist_ok=True)  # where imports are found from, as in a clone
    for name in options.without:
        for file in (p for root in version.tests for p in (files / root).rglob(name)):
            file.unlink()
    before = tested(version, files, options.seconds)
    paths = [files / root for root in (*version.tests, *KERNELS[version.name])]
    refused = write(migrate(paths, Options(), DIALECTS[0], DIALECTS[-1], verified=False).mended())
    assert not refused, refused
    for file in (p for root in version.tests for p in (files / root).rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if DECIDED[0] in text:
            file.write_text(text.replace(*DECIDED[:2]) + DECIDED[2], encoding="utf-8")
    return [before, tested(version, files, options.seconds)]


def table(found: dict[str, Sequence[dict[str, Outcome]]]) -> str:
    """How many pass, and what those say that pass no more."""
    lines = ["| tests of | there are | pass before | of these pass after |", "|---|---:|---:|---:|"]
    more = []
    for name, (before, after) in found.items():
        passed = [test for test, outcome in before.items() if outcome.state == "passed"]
        kept = [test for test in passed if test in after and after[test].state == "passed"]
        lines.append(f"| {name} | {len(before)} | {len(passed)} | {len(kept)} |")
        for test in (t for t in passed if t not in kept):
            said = after[test].text if test in after else next((o.text for o in after.values() if _is_of(o, test)), "")
            more.append(f"- `{test}`: {_FOLDERS.sub('', said)}")
    return (
        "\n".join([*lines, *(["", "Of those that pass no more, the first words:", "", *more] if more else [])]) + "\n"
    )


_FOLDERS = re.compile(r"/\S*/(?=[^/\s:]+:\d)")  # before the name of a file and a line


def _is_of(outcome: Outcome, test: str) -> bool:
    """Whether an outcome is that of a whole file, which cannot be imported, or takes too long."""
    return outcome.name == test.partition("::")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sdk", type=Path, help="a clone of aws-neuron/aws-neuron-sdk")
    parser.add_argument("--samples", type=Path, help="a clone of aws-neuron/nki-samples")
    parser.add_argument("--without", action="append", default=[], metavar="FILE", help="leave out a file of tests")
    parser.add_argument("--seconds", type=int, default=900, help="how long a file of tests may take")
    parser.add_argument("--write", action="store_true", help="write the table into docs/migration.md")
    parser.add_argument("names", nargs="*", metavar="NAME", help="versions; all by default")
    options = parser.parse_args()
    clones = {"sdk": options.sdk, "samples": options.samples}
    found: dict[str, Sequence[dict[str, Outcome]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for version in VERSIONS:
            clone, chosen = clones[version.clone], version.name in (options.names or KERNELS)
            if version.name in KERNELS and chosen and clone is not None:
                found[version.name] = both(version, clone, Path(folder), options)
    text = table(found)
    print(text)
    if options.write:
        between(PAGE, BEGIN, END, lambda _: text)


if __name__ == "__main__":
    main()
