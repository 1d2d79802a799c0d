"""A run as the command line makes it: remembered if nothing has changed, else only what is not known, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nkilint.base import interruption
from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.base.source import source_lines

if TYPE_CHECKING:
    from nkilint.base.store import Entries, Store
    from nkilint.project.affected import Touched

    from .incremental import Incremental
    from .outcome import Runner


def run(
    paths: Sequence[Path],
    options: Options,
    *,
    overlay: Mapping[str, bytes],
    progress: Callable[[int, int, str], None] | None = None,
    touched: Touched | None = None,
    store: Store | None = None,
    jobs: int = 1,
    elsewhere: Runner | None = None,
) -> Report:
    """The report on `paths`, with repairs; `touched` limits it to what a change touches, and `elsewhere` verifies."""
    if store is None and jobs == 1 and elsewhere is None:
        return repaired(_plain(paths, options, overlay, progress, touched), overlay)
    from . import remembered as recall

    whole = touched is None and not overlay
    if store is not None and whole:
        known = recall.recall(store, paths, options)
        if known is not None:
            return known
    began = recall.began()
    report, runner = incremental(
        paths,
        options,
        overlay=overlay,
        progress=progress,
        touched=touched,
        store=store,
        jobs=jobs,
        elsewhere=elsewhere,
    )
    complete = not runner.faulty and not interruption.noted()
    if touched is None and store is not None and whole and runner.project is not None and complete:
        recall.remember(store, paths, options, runner.project, began, report)
    if store is not None:
        store.prune()
    return report


def incremental(
    paths: Sequence[Path],
    options: Options,
    *,
    overlay: Mapping[str, bytes],
    progress: Callable[[int, int, str], None] | None = None,
    touched: Touched | None = None,
    store: Entries | None = None,
    jobs: int = 1,
    elsewhere: Runner | None = None,
) -> tuple[Report, Incremental]:
    """The report on `paths`, with repairs, and what verified the kernels that `store` does not know."""
    from .engine import check
    from .incremental import Incremental
    from .processes import lowered_in_processes

    runner = Incremental(store, jobs, elsewhere)
    choose = None if touched is None else touched.choose
    lower = lowered_in_processes(jobs) if jobs > 1 else None
    report = check(paths, options, overlay=overlay, progress=progress, choose=choose, runner=runner, lower=lower)
    if touched is not None:
        report = touched.only(report)
    return _confirmed(repaired(report, overlay), paths, options, overlay, store, jobs), runner


def repeated(
    paths: Sequence[Path],
    options: Options,
    *,
    overlay: Mapping[str, bytes],
    progress: Callable[[int, int, str], None] | None = None,
    store: Store | None = None,
    jobs: int = 1,
    elsewhere: Runner | None = None,
) -> Callable[[Mapping[str, bytes]], Report]:
    """Analyses `paths` again and again, with other texts over `overlay`; what is as before is not done twice."""
    from nkilint.base.store import Memory

    from .incremental import Incremental

    known = Memory() if store is None else store

    def check_again(texts: Mapping[str, bytes]) -> Report:
        from .engine import check

        runner = Incremental(known, jobs, elsewhere)
        return check(paths, options, overlay={**overlay, **texts}, progress=progress, runner=runner)

    return check_again


def repaired(report: Report, overlay: Mapping[str, bytes]) -> Report:
    """`report` with what would repair its findings."""
    if not report.diagnostics:
        return report
    from nkilint.fixes import with_fixes

    return with_fixes(report, source_lines(overlay))


def _plain(
    paths: Sequence[Path],
    options: Options,
    overlay: Mapping[str, bytes],
    progress: Callable[[int, int, str], None] | None,
    touched: Touched | None,
) -> Report:
    from .engine import check

    choose = None if touched is None else touched.choose
    report = check(paths, options, overlay=overlay, progress=progress, choose=choose)
    return _confirmed(report if touched is None else touched.only(report), paths, options, overlay, None, 1)


def _confirmed(
    report: Report,
    paths: Sequence[Path],
    options: Options,
    overlay: Mapping[str, bytes],
    store: Entries | None,
    jobs: int,
) -> Report:
    if not options.confirm or not report.diagnostics:
        return report
    from nkilint.confirm import confirm

    return confirm(report, options, paths, overlay, store=store, jobs=jobs)
