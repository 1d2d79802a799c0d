"""Which kernels a change of their text has do something else, as far as runs show it."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from nkilint.base.findings import Diagnostic, Trial
from nkilint.base.options import Options
from nkilint.base.source import SourceError, decode
from nkilint.base.trees import parsed
from nkilint.confirm.tasks import Account
from nkilint.confirm.workers import Run, in_parallel
from nkilint_rules import catalogue
from nkilint_rules.rule import Severity
from nkilint_rules.words.records import dataclass

from .alike import difference, dtypes_of, shown_trial, task, too_large
from .inputs import inputs_of
from .reading import session_of
from .session import Session

Texts = Mapping[str, bytes]


@dataclass(slots=True)
class Compared:
    """One kernel: on how many inputs it ran as it should before the change, and where it does not do the same after."""

    file: str
    kernel: str
    runs: int = 0
    differs: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Two versions of some files; `gone` are findings of the first that runs of the second must not show."""

    before: Texts
    after: Texts
    gone: Sequence[Diagnostic] = ()

    def touches(self) -> set[str]:
        """The files that are not the same program any more; comments and layout are none of it."""
        return {os.path.abspath(f) for f in self.after if not _same_program(self.before.get(f), self.after[f], f)}


def compared(
    paths: Sequence[Path], options: Options, change: Change, *, only: Collection[str] | None = None, jobs: int = 1
) -> list[Compared]:
    """The kernels called `only` this, or all in the files that change; each is run on the calls in the files, on sizes
    that its contract admits, and on others that it takes."""
    touched = change.touches()
    if not touched:
        return []
    quiet = replace(options, confirm=False)
    session, kernels = session_of(paths, quiet, change.before)
    wanted = [k for k in kernels if (k.name in only if only else os.path.abspath(k.module.path) in touched)]
    inputs = inputs_of(session, wanted, quiet, beyond=True)
    found = [Compared(file, kernel) for file, kernel in inputs]
    texts = (_decoded(change.before), _decoded(change.after))
    work = [
        partial(_ran, each, inputs[each.file, each.kernel].trials, change, texts, session, options) for each in found
    ]
    in_parallel(work, jobs)
    return found


def _ran(
    each: Compared,
    trials: Sequence[Trial],
    change: Change,
    texts: tuple[Mapping[str, str], Mapping[str, str]],
    session: Session,
    options: Options,
    run: Run,
) -> None:
    """Run one kernel before and after the change, until something differs."""
    roots = session.project.search_path(os.path.dirname(each.file))
    module = session.project.run_as(each.file)

    def ran(trial: Trial, dtype: str, number: int) -> Account:
        return run(task(trial, module, roots, dtype, options, texts[number]))

    for trial in trials:
        if each.differs or too_large(trial):
            continue
        dtype = dtypes_of(trial)[0]
        old = ran(trial, dtype, 0)
        if not old.problem and old.stopped is None and not _faults(old):
            differs = _differs(old, ran(trial, dtype, 1))
            each.runs += not differs
            each.differs = f"with {shown_trial(trial, dtype)} {differs}" if differs else ""
    for finding in change.gone:
        if each.differs or finding.trial is None or too_large(finding.trial):
            continue
        if (os.path.abspath(finding.trial.file), finding.kernel) == (os.path.abspath(each.file), each.kernel):
            new = ran(finding.trial, dtypes_of(finding.trial)[0], 1)
            if finding.code in _faults(new):
                each.differs = f"with {shown_trial(finding.trial, '')} it still shows {finding.code}"


def _differs(old: Account, new: Account) -> str:
    """What is otherwise than in the first of two runs that nothing was wrong with."""
    if new.problem or new.stopped is not None:
        why = new.problem or f"line {new.stopped.row}: {new.stopped.kind}"  # type: ignore[union-attr]
        return f"it does not run any more: {why}"
    return difference(old.results, new.results).removeprefix("~ ") or ", ".join(_faults(new))


def _faults(account: Account) -> list[str]:
    """The codes of what was seen, without advice."""
    return [s.code for s in account.seen if catalogue.rule(s.code).severity is not Severity.INFO]


def _decoded(texts: Texts) -> dict[str, str]:
    return {os.path.abspath(f): data.decode("utf-8", "surrogateescape") for f, data in texts.items()}


def _same_program(before: bytes | None, after: bytes, file: str) -> bool:
    if before is None:
        return False
    try:
        old, new = (ast.dump(parsed(decode(data, file))) for data in (before, after))
    except (SourceError, SyntaxError, ValueError, RecursionError, MemoryError):
        return before == after
    return old == new
