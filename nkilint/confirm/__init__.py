"""Runs the witnesses of findings in the reference simulator, and says of each finding what came of it.

Nothing of a kernel is executed in this process: that happens in others, within limits.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nkilint_rules.rule import Severity

from ..findings import Diagnostic, Report, Trial
from ..options import Options
from ..project import Project
from ..serial import NotThis, plain, restored
from ..store import Entries, digest
from .shrinking import smaller
from .sizes import elements, lacks_dtype, mentions
from .tasks import Account, Task
from .verdict import Opinion, opinion
from .workers import in_parallel

Run = Callable[[Task], Account]

_KIND = "confirmations"
_LOUD = (Severity.ERROR, Severity.WARNING)
NO_RUN = "no run shows what this rule is about"
HOST = "it stands outside of any kernel"


def confirm(
    report: Report,
    options: Options,
    paths: Sequence[Path],
    overlay: Mapping[str, bytes],
    *,
    store: Entries | None = None,
    jobs: int = 1,
) -> Report:
    """The report with the confirmations of its errors and warnings; what is not reproduced becomes an info."""
    session = _Session(options, paths, overlay, store)
    found: dict[int, Opinion] = {}
    pieces = []
    for number, finding in enumerate(report.diagnostics):
        if finding.severity not in _LOUD or finding.verdict is None:
            continue
        if finding.trial is None:
            found[number] = Opinion("not-run", NO_RUN if finding.kernel is not None else HOST)
            continue
        known = session.known(finding, finding.trial)
        if known is not None:
            found[number] = known
            continue

        def piece(run: Run, number: int = number, finding: Diagnostic = finding) -> None:
            found[number] = session.opinion(finding, run)

        pieces.append(piece)
    in_parallel(pieces, jobs)
    diagnostics = (_with(d, found[n]) if n in found else d for n, d in enumerate(report.diagnostics))
    return replace(report, diagnostics=tuple(diagnostics))


def _with(finding: Diagnostic, what: Opinion) -> Diagnostic:
    severity = Severity.INFO if what.confirmation == "not-reproduced" else finding.severity
    return replace(finding, confirmation=what.confirmation, confirmation_reason=what.reason, severity=severity)


class _Session:
    """The confirmations of one run."""

    def __init__(
        self, options: Options, paths: Sequence[Path], overlay: Mapping[str, bytes], store: Entries | None
    ) -> None:
        self.options, self.store = options, store
        self.project = Project([str(p) for p in paths], overlay)
        self.overlay = {os.path.abspath(k): v.decode("utf-8", "surrogateescape") for k, v in overlay.items()}
        self.end = time.monotonic() + options.confirm_budget
        self._digests: dict[str, str] = {}

    # --- what is known ---

    def known(self, finding: Diagnostic, trial: Trial) -> Opinion | None:
        """What came of an equal run on equal files."""
        data = None if self.store is None else self.store.get(_KIND, self._key(finding, trial))
        try:
            if data is None or any(self._digest(path) != known for path, known in data["files"].items()):
                return None
            return restored(Opinion, data["opinion"])
        except (NotThis, KeyError, TypeError, AttributeError):
            return None

    def _remember(self, finding: Diagnostic, trial: Trial, what: Opinion, files: Mapping[str, str]) -> None:
        if self.store is not None:
            paths = files or {path: self._digest(path) for path in (trial.file, os.path.abspath(finding.at.file))}
            self.store.put(_KIND, self._key(finding, trial), {"opinion": plain(what), "files": dict(paths)})

    def _key(self, finding: Diagnostic, trial: Trial) -> str:
        options = self.options
        budgets = (options.confirm_seconds, options.confirm_memory, options.confirm_elements)
        return digest(plain(trial), finding.code, plain(finding.at), self._roots(trial), budgets, finding.message)

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            try:
                held = self.overlay.get(path)
                data = Path(path).read_bytes() if held is None else held.encode("utf-8", "surrogateescape")
            except OSError:
                data = b""
            self._digests[path] = hashlib.sha256(data).hexdigest()
        return self._digests[path]

    # --- runs ---

    def opinion(self, finding: Diagnostic, run: Run) -> Opinion:
        """What comes of the witness, or of smaller inputs where that is too large."""
        trial = finding.trial
        assert trial is not None
        if time.monotonic() > self.end:
            return Opinion("not-run", f"the {self.options.confirm_budget} s for confirming findings are over")
        files: dict[str, str] = {}
        count, limit = elements(trial.arguments), self.options.confirm_elements
        if count <= limit:
            what, large = self._tried(finding, trial, run, files)
        else:
            what, large = Opinion("not-run", f"its inputs have {count} elements; up to {limit} are run"), True
        if large:
            for other in smaller(trial, min(limit, count // 2)):
                with_less, _ = self._tried(finding, other, run, files)
                if with_less.confirmation == "confirmed":
                    reason = f"with smaller inputs: {_shown(other)}"
                    what = replace(with_less, reason="; ".join(r for r in (reason, with_less.reason) if r))
                    break
        self._remember(finding, trial, what, files)
        return what

    def _tried(self, finding: Diagnostic, trial: Trial, run: Run, files: dict[str, str]) -> tuple[Opinion, bool]:
        """What the runs of a trial say, in each way that what it leaves open can be; whether it was too large."""
        first: Opinion | None = None
        large = False
        for dtype, truth in _ways(trial):
            task = self._task(finding, trial, dtype, truth)
            account = run(task)
            files.update(account.files)
            what = opinion(finding, task, account)
            large = large or account.too_large
            first = first or what
            if what.settled or account.problem:
                return (what if what.settled else first), large
        assert first is not None
        return first, large

    def _task(self, finding: Diagnostic, trial: Trial, dtype: str, truth: bool) -> Task:
        options = self.options
        return Task(
            trial=trial,
            module=self.project.dotted(trial.file)[0],
            roots=self._roots(trial),
            file=os.path.abspath(finding.at.file),
            row=finding.at.row,
            dtype=dtype,
            truth=truth,
            seconds=float(options.confirm_seconds),
            memory=options.confirm_memory << 20,
            overlay=self.overlay,
        )

    def _roots(self, trial: Trial) -> tuple[str, ...]:
        return self.project.search_path(os.path.dirname(trial.file))


def _ways(trial: Trial) -> list[tuple[str, bool]]:
    """Dtypes for what has none, and truths of what nothing fixes; the likeliest first."""
    truths = (True, False) if mentions(trial.arguments, "either") else (True,)
    dtypes = ("float32", "int32", "bfloat16") if lacks_dtype(trial.arguments) else ("float32",)
    return [(dtype, truth) for dtype in dtypes for truth in truths]


def _shown(trial: Trial) -> str:
    """The arguments of a trial as a report shows them."""
    return ", ".join(f"{name}={_argument(value)}" for name, value in trial.arguments.items())


def _argument(value: Any) -> str:
    if not isinstance(value, Mapping):
        return repr(value)
    ((kind, content),) = value.items()
    if kind == "array":
        return f"{content[0]}[{', '.join(map(str, content[1]))}]"
    if isinstance(content, list):
        return f"[{', '.join(_argument(item) for item in content)}]"
    return str(content)
