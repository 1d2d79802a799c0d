"""`nkilint check --fix`: what of the findings can be repaired is, and the rest is reported."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nkilint.base import interruption
from nkilint.base.config import ConfigError
from nkilint.base.findings import Diagnostic, Report
from nkilint.base.options import Options
from nkilint.base.source import Overlay, decode, python_files, source_lines
from nkilint.fixes.mending import Differ, Mended, mend, nothing_differs
from nkilint.fixes.mending import write as replace_files
from nkilint.report.baseline import Baseline, compare
from nkilint.report.places import shown_path
from nkilint.report.summary import counted
from nkilint.run.fresh import repeated
from nkilint.run.unlike import Change, compared

from . import comparison, effort, settings
from .advance import advanced, with_advanced
from .progress import Progress
from .tasks import Task, complete, printer, report_of, task_of, told

if TYPE_CHECKING:
    from nkilint.project.affected import Touched


def run(arguments: argparse.Namespace) -> int:
    """Repair files, or show how they would be repaired."""
    try:
        if arguments.write_baseline:
            raise ConfigError("--fix repairs what --write-baseline puts off; leave out one of them")
        return _fixed(task_of(arguments), comparison.touched(arguments))
    except ConfigError as error:
        settings.complain(error)
        return 2


def _fixed(task: Task, touched: Touched | None) -> int:
    """Repair files, or show how they would be repaired; what standard input becomes is printed on standard output."""
    result = _mended(task, touched)
    with interruption.held():
        return _told(task, result)


def _told(task: Task, result: Mended) -> int:
    """Write what is repaired, or show it, and say what is left."""
    if task.arguments.diff_only:
        sys.stdout.write(difference(result))
        sys.stderr.write(repairs_text(result, "would be repaired"))
        return 2 if result.report.failures else int(bool(result.files) and not task.arguments.exit_zero)
    overlay = after(result, task.overlay)
    lost = write(result, task.overlay)
    for data in overlay.values():
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    task = task.over(overlay)
    try:
        report = tried(report_of(task, comparison.touched(task.arguments)), unsafe=task.arguments.unsafe_fixes)
        with redirect_stdout(sys.stderr if overlay else sys.stdout):
            code = told(task, report, printer(task))
    finally:  # it is written whatever comes of the rest
        sys.stderr.write(repairs_text(result.without(lost), "repaired"))
    return 2 if lost else code


def _mended(task: Task, touched: Touched | None) -> Mended:
    options = replace(task.options, confirm=False)
    store, jobs = effort.store(task.arguments, options), effort.jobs(task.arguments)
    known = task.known
    with Progress(sys.stderr) as progress:
        check = repeated(
            task.paths,
            options,
            overlay=task.texts,
            progress=progress,
            store=store,
            jobs=jobs,
            elsewhere=task.elsewhere,
        )
        if touched is not None:
            wanted = report_of(replace(task, options=options), touched)
            known = comparison.untouched(check({}), wanted, known, task.texts)
        differ = differing(task.paths, task.options, task.texts, jobs) if task.options.confirm else nothing_differs
        ahead = advanced(task.paths, options, task.texts, check) if not task.texts else []
        texts = {**task.texts, **{file.path: file.after for file in ahead}}
        unsafe = task.arguments.unsafe_fixes
        result = with_advanced(mended(task.paths, texts, options, check, known, unsafe=unsafe, differ=differ), ahead)
    complete()
    for file, title in result.assuming:
        print(f"{shown_path(file, Path.cwd())}: {title}", file=sys.stderr)
    return task.documents.folded(result)


def differing(paths: Sequence[Path], options: Options, overlay: Mapping[str, bytes], jobs: int) -> Differ:
    """Runs kernels before and after repairs."""

    def differ(before: Mapping[str, bytes], after: Mapping[str, bytes], gone: Sequence[Diagnostic]) -> Collection[str]:
        change = Change({**overlay, **before}, {**overlay, **after}, gone)
        only = {finding.kernel for finding in gone if finding.kernel is not None}
        return {each.kernel for each in compared(paths, options, change, only=only, jobs=jobs) if each.differs}

    return differ


def mended(
    paths: Sequence[Path],
    overlay: Mapping[str, bytes],
    options: Options,
    check: Callable[[Mapping[str, bytes]], Report],
    known: Baseline | None,
    *,
    unsafe: bool,
    differ: Differ = nothing_differs,
) -> Mended:
    """The files repaired, as far as `check` approves of it; nothing is written yet. What is `known` is left alone, and
    what links in a folder lead to outside of it."""
    files, _ = python_files(map(str, paths), Overlay(overlay))
    tops = [os.path.realpath(path) for path in paths]
    given = {os.path.abspath(file) for file in files if not options.excludes(file) and _is_below(file, tops)}

    def check_new(texts: Mapping[str, bytes]) -> Report:
        report = check(texts)
        return report if known is None else compare(report, known, source_lines(texts))[0]

    return mend(check_new, lambda file: os.path.abspath(file) in given, unsafe=unsafe, texts=overlay, differ=differ)


def _is_below(file: str, tops: Sequence[str]) -> bool:
    """Whether a file is one of these, or lies in one of them."""
    real = os.path.realpath(file)
    return any(real == top or real.startswith(os.path.join(top, "")) for top in tops)


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


def write(result: Mended, overlay: Mapping[str, bytes]) -> Collection[str]:
    """Write the files that are on disk; those that could not be written are told on standard error."""
    elsewhere = {os.path.abspath(name) for name in overlay}
    problems = replace_files(result.without([f for f in result.files if os.path.abspath(f) in elsewhere]))
    for file, problem in problems.items():
        print(f"{file}: {problem}", file=sys.stderr)
    return problems.keys()


def repairs_text(result: Mended, done: str) -> str:
    """`3 findings repaired in 2 files`."""
    return f"{counted(result.count, 'finding')} {done} in {counted(len(result.files), 'file')}\n"


def difference(result: Mended) -> str:
    """What would change, as a patch."""
    text: list[str] = []
    for file, data in sorted(result.files.items()):
        name = shown_path(file, Path.cwd())
        before, after = (decode(d, file).splitlines(keepends=True) for d in (result.originals[file], data))
        for line in difflib.unified_diff(before, after, name, name):
            text.append(line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n")
    return "".join(text)
