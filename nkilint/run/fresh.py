"""A run of which nothing is known yet: analysed, repaired on paper and confirmed, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.base.source import source_lines
from nkilint.base.store import Entries, Memory, Store
from nkilint.confirm import confirm
from nkilint.fixes.proposing import with_fixes
from nkilint.project.affected import Touched

from .engine import check
from .incremental import Incremental
from .outcome import Runner
from .processes import lowered_in_processes


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
    known = Memory() if store is None else store

    def check_again(texts: Mapping[str, bytes]) -> Report:
        runner = Incremental(known, jobs, elsewhere)
        return check(paths, options, overlay={**overlay, **texts}, progress=progress, runner=runner)

    return check_again


def repaired(report: Report, overlay: Mapping[str, bytes]) -> Report:
    """`report` with what would repair its findings."""
    return with_fixes(report, source_lines(overlay))


def alone(
    paths: Sequence[Path],
    options: Options,
    overlay: Mapping[str, bytes],
    progress: Callable[[int, int, str], None] | None,
    touched: Touched | None,
) -> Report:
    """The report on `paths`, made in this process; nothing is kept."""
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
    return confirm(report, options, paths, overlay, store=store, jobs=jobs)
