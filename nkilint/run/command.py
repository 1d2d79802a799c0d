"""A run as the command line makes it: remembered if nothing has changed, else only what is not known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nkilint.base import interruption
from nkilint.base.findings import Report
from nkilint.base.options import Options

from . import remembered as recall

if TYPE_CHECKING:
    from nkilint.base.store import Store
    from nkilint.project.affected import Touched

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
    tell: Callable[[Report], None] | None = None,
) -> Report:
    """The report on `paths`, with repairs; `touched` limits it to what a change touches, and `elsewhere` verifies.

    `tell` is given the parts of a report that is not known yet, in the order of their files, as soon as they are whole.
    """
    whole = touched is None and not overlay
    if store is not None and whole:
        known = recall.recall(store, paths, options)
        if known is not None:
            return known
    from . import fresh  # takes long, and is not needed where the result is known

    began = recall.began()
    report, runner = fresh.incremental(
        paths,
        options,
        overlay=overlay,
        progress=progress,
        touched=touched,
        store=store,
        jobs=jobs,
        elsewhere=elsewhere,
        tell=tell,
    )
    complete = not runner.faulty and not interruption.noted()
    if touched is None and store is not None and whole and runner.project is not None and complete:
        recall.remember(store, paths, options, runner.project, began, report)
    if store is not None:
        store.prune()
    return report
