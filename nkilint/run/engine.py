"""The one entry that the command line and the editor share: from files to a report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from nkilint.base import garbage, interruption
from nkilint.base.findings import Report
from nkilint.base.ir import Module, Span
from nkilint.base.options import Options
from nkilint.project.callers import called_by_kernels
from nkilint.project.discovery import Kernel, discover
from nkilint.project.files import Lower, Project

from .outcome import Outcome, Runner, Setting, Verify, one_by_one
from .parts import Finish, Parts
from .session import Session
from .verification import verify_or_fail

Progress = Callable[[int, int, str], None]
Choose = Callable[[Project, Sequence[Module], Sequence[Kernel]], Sequence[Kernel]]
RECURSION = 5_000  # frames: deeply nested helpers are followed, not crashed on


def check(
    paths: Sequence[Path],
    options: Options,
    *,
    overlay: Mapping[str, bytes] | None = None,
    progress: Progress | None = None,
    choose: Choose | None = None,
    runner: Runner = one_by_one,
    lower: Lower | None = None,
    finish: Finish | None = None,
) -> Report:
    """Verify every kernel in `paths`; `overlay` holds the contents of files that differ from the disk.

    `choose` gets the kernels that are there and gives those to verify, `runner` verifies them. `lower` reads the files.
    `finish` is given the report in parts, each as soon as it is whole, and what it makes of them is the report.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    session: Session | None = None
    try:
        with interruption.heard():
            project = Project([str(p) for p in paths], overlay or {}, options.search_paths, options.prelude)
            session = Session(project, options)
            setting, chosen, verify = _prepared(session, progress or _silent, choose, lower)
    except KeyboardInterrupt:
        if session is None or not (interruption.noted() and session.found):
            raise
        report = session.report((), (), lambda file: False)
        return report if finish is None else finish(report, ())
    with garbage.kept():
        parts = None if finish is None else Parts(session, setting, chosen, finish)
        outcomes = runner(setting, chosen, verify)
    if interruption.noted() and not (session.found or any(o.report or o.faults for o in outcomes)):
        raise interruption.Interrupted
    if parts is not None:
        return parts.whole(outcomes)
    whole = all(o.report is not None for o in outcomes)
    called = frozenset[Span]().union(*(o.called for o in outcomes))
    return session.report(outcomes, called, lambda file: whole)


def _prepared(
    session: Session, progress: Progress, choose: Choose | None, lower: Lower | None
) -> tuple[Setting, Sequence[Kernel], Verify]:
    """The files read, and their kernels found with what calls them: those to verify, and how."""
    project, options = session.project, session.options
    files = [file for file in project.targets() if not options.excludes(file)]
    if lower is not None:
        project.read_ahead(files, lower)
    for number, file in enumerate(files):
        progress(number, len(files), f"files; {file}")
        session.read(file)
    modules = list(session.read_modules.values())
    discovered = discover(session.imports, modules)
    kernels = session.kernels = discovered.kernels
    for site in discovered.launches:
        session.sites.setdefault(id(site.kernel.function), []).append(site)
    session.check_imports()
    session.check_texts()
    session.check_compiled(discovered.compiled)
    session.check_specifications(kernels)
    session.inner = called_by_kernels(kernels, [session.imports.scope(module) for module in modules])
    launches = session.launches(kernels)
    chosen = kernels if choose is None else choose(project, modules, kernels)

    def verify(kernel: Kernel) -> Outcome:
        return verify_or_fail(session, kernel, launches.get(id(kernel.function), []))

    return Setting(project, modules, kernels, session.inner_places, options, progress), chosen, verify


def _silent(done: int, total: int, what: str) -> None:
    """Progress that nobody wants to hear of."""
