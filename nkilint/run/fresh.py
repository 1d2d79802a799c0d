"""A run of which nothing is known yet: analysed, repaired on paper and confirmed, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from nkilint import lowering
from nkilint.base.findings import KernelReport, Report
from nkilint.base.ir import Module
from nkilint.base.options import Options
from nkilint.base.source import SourceError, source_lines
from nkilint.base.store import Entries, Memory, Store
from nkilint.fixes.proposing import with_fixes
from nkilint.project.affected import Touched
from nkilint.project.files import Lower, Source

from .engine import check
from .incremental import Incremental
from .outcome import Runner
from .processes import lowered_in_processes

if TYPE_CHECKING:
    from nkilint.confirm import Confirming

Tell = Callable[[Report], None]


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
    tell: Tell | None = None,
) -> tuple[Report, Incremental]:
    """The report on `paths`, with repairs, and what verified the kernels that `store` does not know. `tell` is given
    its parts as they come."""
    runner = Incremental(store, jobs, elsewhere)
    choose = None if touched is None else touched.choose
    lower = lowered_in_processes(jobs) if jobs > 1 else None
    with _confirming(paths, options, overlay, store, jobs) as confirming:

        def finish(part: Report, kernels: Sequence[KernelReport]) -> Report:
            part = with_fixes(part if touched is None else touched.only(part), kernels, source_lines(overlay))
            part = part if confirming is None else confirming.confirmed(part)
            if tell is not None:
                tell(part)
            return part

        given = None if tell is None else finish
        report = check(
            paths, options, overlay=overlay, progress=progress, choose=choose, runner=runner, lower=lower, finish=given
        )
        return (report if given else finish(report, report.kernels)), runner


def _confirming(
    paths: Sequence[Path], options: Options, overlay: Mapping[str, bytes], store: Entries | None, jobs: int
) -> AbstractContextManager[Confirming | None]:
    if not options.confirm:
        return nullcontext()
    from nkilint.confirm import Confirming  # takes long, and is not needed where nothing is run

    return Confirming(options, paths, overlay, store=store, jobs=jobs)


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
    lower = _remembering(lowered_in_processes(jobs) if jobs > 1 else None)

    def check_again(texts: Mapping[str, bytes]) -> Report:
        runner = Incremental(known, jobs, elsewhere)
        return check(paths, options, overlay={**overlay, **texts}, progress=progress, runner=runner, lower=lower)

    return check_again


def _remembering(lower: Lower | None) -> Lower:
    """Lowers files that it has not lowered before."""
    known: dict[str, tuple[Source, Module]] = {}

    def remembered(work: Mapping[str, Source]) -> Mapping[str, Module]:
        new = {path: source for path, source in work.items() if path not in known or known[path][0] != source}
        found = {} if lower is None else dict(lower(new))
        for path in new.keys() - found.keys():
            with suppress(SourceError):  # said where it is read
                found[path] = lowering.lower(*new[path])
        known.update({path: (new[path], module) for path, module in found.items()})
        return {path: known[path][1] for path, source in work.items() if path in known and known[path][0] == source}

    return remembered


def repaired(report: Report, overlay: Mapping[str, bytes]) -> Report:
    """`report` with what would repair its findings."""
    return with_fixes(report, report.kernels, source_lines(overlay))
