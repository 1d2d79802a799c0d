"""`--fix`: what of the findings can be repaired is, and the rest is reported."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nkilint.base.findings import Report
    from nkilint.base.options import Options
    from nkilint.fixes.mending import Mended
    from nkilint.report.baseline import Baseline


def add_arguments(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--fix", action="store_true", help="repair what can be repaired, and report the rest")
    parser.add_argument(
        "--unsafe-fixes", action="store_true", help="also make repairs that may change what a kernel computes"
    )
    parser.add_argument(
        "--diff-only", action="store_true", help="print what --fix would change, and change nothing; exit with 1 if so"
    )


def wanted(arguments: argparse.Namespace) -> bool:
    """Whether something is to be repaired; ConfigError if that does not go with the rest of the command."""
    from nkilint.base.config import ConfigError

    chosen = bool(arguments.fix or arguments.diff_only)
    if arguments.unsafe_fixes and not chosen:
        raise ConfigError("--unsafe-fixes needs --fix or --diff-only")
    if chosen and arguments.write_baseline:
        raise ConfigError("--fix repairs what --write-baseline puts off; leave out one of them")
    return chosen


def mended(
    paths: Sequence[Path],
    overlay: Mapping[str, bytes],
    options: Options,
    check: Callable[[Mapping[str, bytes]], Report],
    known: Baseline | None,
    *,
    unsafe: bool,
) -> Mended:
    """The files repaired, as far as `check` approves of it; nothing is written yet. What is `known` is left alone."""
    from nkilint.base.source import Overlay, python_files, source_lines
    from nkilint.fixes.mending import mend
    from nkilint.report.baseline import compare

    files, _ = python_files(map(str, paths), Overlay(overlay))
    given = {os.path.abspath(file) for file in files if not options.excludes(file)}

    def check_new(texts: Mapping[str, bytes]) -> Report:
        report = check(texts)
        return report if known is None else compare(report, known, source_lines(texts))[0]

    return mend(check_new, lambda file: os.path.abspath(file) in given, unsafe=unsafe, texts=overlay)


def after(result: Mended, overlay: Mapping[str, bytes]) -> dict[str, bytes]:
    """What is not on disk, as it is after the repairs."""
    repaired = {os.path.abspath(file): data for file, data in result.files.items()}
    return {name: repaired.get(os.path.abspath(name), data) for name, data in overlay.items()}


def tried(report: Report, *, unsafe: bool) -> Report:
    """What is left after a repair, without repairs of which the analysis did not approve."""
    return replace(
        report,
        diagnostics=tuple(
            replace(d, fix=None) if d.fix is not None and (unsafe or d.fix["safe"]) else d for d in report.diagnostics
        ),
    )


def write(result: Mended, overlay: Mapping[str, bytes]) -> bool:
    """Write the files that are on disk; what could not be written is said on standard error."""
    from nkilint.fixes.mending import write as replace_files

    elsewhere = {os.path.abspath(name) for name in overlay}
    on_disk = {file: data for file, data in result.files.items() if os.path.abspath(file) not in elsewhere}
    problems = replace_files(replace(result, files=on_disk))
    for problem in problems:
        print(problem, file=sys.stderr)
    return not problems


def told(result: Mended, done: str) -> str:
    """`3 findings repaired in 2 files`."""
    from nkilint.report.summary import counted

    return f"{counted(result.count, 'finding')} {done} in {counted(len(result.files), 'file')}\n"


def difference(result: Mended) -> str:
    """What would change, as a patch."""
    from nkilint.base.source import decode
    from nkilint.report.places import shown_path

    text: list[str] = []
    for file, data in sorted(result.files.items()):
        name = shown_path(file, Path.cwd())
        before, after = (decode(d, file).splitlines(keepends=True) for d in (result.originals[file], data))
        for line in difflib.unified_diff(before, after, name, name):
            text.append(line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n")
    return "".join(text)
