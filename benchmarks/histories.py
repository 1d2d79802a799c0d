"""What the commits of a repository change for nkilint: `python benchmarks/histories.py CLONE [BEFORE..AFTER ...]`.

Both sides of each commit that changes Python files are checked, or of the pairs that are given: the files that differ,
in the whole tree of that side, with the default target and without runs; with `--matching` those whose paths a regular
expression finds. What another side told of a kernel is not asked again. Printed is what is said of one side only,
without the rows, which change by themselves. What of it is the doing of the commit is for a reader to judge, as in
docs/histories.md.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

CHECK = [sys.executable, "-m", "nkilint", "--no-config", "--no-confirm", "--jobs", "1"]
Said = Counter[tuple[str, str, str]]


def git(clone: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=True).stdout


def commits(clone: Path) -> Iterator[tuple[str, str]]:
    """Each commit of the history with its parent, the first one left out, oldest first."""
    for line in git(clone, "log", "--reverse", "--format=%h %p").decode().splitlines():
        commit, *parents = line.split()
        if parents:
            yield parents[0], commit


def changed(clone: Path, before: str, after: str, wanted: re.Pattern[str]) -> tuple[list[str], list[str]]:
    """The Python files that differ, as they are called before and after."""
    listed = git(clone, "diff", "--name-status", "--no-renames", before, after, "--", "*.py").decode()
    states = [line.split("\t") for line in listed.splitlines() if wanted.search(line)]
    return [name for state, name in states if state != "A"], [name for state, name in states if state != "D"]


def said_of(clone: Path, commit: str, files: Sequence[str], folder: Path, seconds: float) -> Said:
    """What is said of files of a commit: file, code with severity, and message."""
    if not files:
        return Counter()
    tree, kept = folder / "tree", folder / "kept"
    shutil.rmtree(tree, ignore_errors=True)  # always the same folder, so what is kept of a kernel fits again
    with tarfile.open(fileobj=io.BytesIO(git(clone, "archive", commit))) as archive:
        archive.extractall(tree, filter="data")
    command = [*CHECK, "--cache-dir", str(kept), "--output-format", "json", *files]
    run = subprocess.run(command, cwd=tree, capture_output=True, timeout=seconds, check=False)
    found = json.loads(run.stdout)["diagnostics"]
    return Counter((d["filename"], f"{d['code']} {d['severity']}", d["message"]) for d in found)


def compare(
    clone: Path, pair: tuple[str, str], files: tuple[list[str], list[str]], folder: Path, seconds: float
) -> None:
    """Print what is said of one side only."""
    try:
        before, after = (said_of(clone, c, f, folder, seconds) for c, f in zip(pair, files, strict=True))
    except subprocess.TimeoutExpired:
        print(f"not checked: more than {seconds:.0f} s", flush=True)
        return
    for sign, one_sided in (("-", before - after), ("+", after - before)):
        for (file, code, message), count in sorted(one_sided.items()):
            print(f"{sign} {file}: {code}{f' ({count} times)' if count > 1 else ''}: {message}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("pairs", nargs="*", metavar="BEFORE..AFTER")
    parser.add_argument("--matching", type=re.compile, default=re.compile(""), metavar="PATTERN")
    parser.add_argument("--seconds", type=float, default=1800, help="how long the check of a side may take")
    arguments = parser.parse_args()
    clone: Path = arguments.clone
    pairs = [(before, after) for before, _, after in (p.partition("..") for p in arguments.pairs)]
    pairs = pairs or list(commits(clone))
    with tempfile.TemporaryDirectory() as folder:
        for before, after in pairs:
            files = changed(clone, before, after, arguments.matching)
            if any(files):
                print(f"\n{git(clone, 'log', '-1', '--format=%h %s', after).decode().strip()}", flush=True)
                compare(clone, (before, after), files, Path(folder), arguments.seconds)


if __name__ == "__main__":
    main()
