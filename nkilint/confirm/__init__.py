"""Runs the witnesses of findings in the reference simulator, and says of each finding what came of it.

Nothing of a kernel is executed in this process: that happens in others, within limits.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from nkilint_rules.catalogue import rule
from nkilint_rules.rule import Severity
from nkilint_rules.words.records import dataclass

from ..base.findings import Diagnostic, Report, Trial
from ..base.options import Options
from ..base.serial import NotThis, plain, restored
from ..base.store import Entries, digest
from ..project.files import Project
from .shrinking import smaller
from .sizes import elements, lacks_dtype, mentions
from .tasks import Task, as_asked
from .verdict import Opinion, opinion
from .workers import Crew, Run

_KIND = "confirmations"
_LOUD = (Severity.ERROR, Severity.WARNING)
_SMALL = 1_000_000  # elements up to which inputs are not shrunk before they are run
NO_RUN = "no run shows what this rule is about"
HOST = "it stands outside of any kernel"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of the findings that one trial is to show, in order, the steps that took, and what its runs were not
    kept from."""

    opinions: tuple[Opinion, ...]
    steps: int
    open: tuple[str, ...] = ()


class Confirming:
    """Adds to reports the confirmations of their errors and warnings.

    A warning that is not reproduced becomes an info. An error stays what it is: one of two readers is wrong then, and
    that is no reason to pass over it. The parts of a report share what may be spent, and no run is for two files, so
    they come to what the whole would.
    """

    def __init__(
        self,
        options: Options,
        paths: Sequence[Path],
        overlay: Mapping[str, bytes],
        *,
        store: Entries | None = None,
        jobs: int = 1,
    ) -> None:
        self._session = _Session(options, paths, overlay, store)
        self._crew = Crew(jobs)
        self._spent = 0

    def __enter__(self) -> Confirming:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._crew.close()

    def confirmed(self, report: Report) -> Report:
        """The report, or its next part, with what came of its findings."""
        found: dict[int, Opinion] = {}
        uncontained: tuple[str, ...] = ()
        numbers: dict[tuple[str, str], list[int]] = {}
        for number, finding in enumerate(report.diagnostics):
            if finding.severity not in _LOUD or finding.verdict is None:
                continue
            if finding.trial is None:
                found[number] = Opinion("not-run", NO_RUN if finding.kernel is not None else HOST)
            else:
                numbers.setdefault((finding.at.file, digest(plain(finding.trial))), []).append(number)
        groups = list(numbers.values())
        outcomes = self._outcomes([[report.diagnostics[n] for n in group] for group in groups])
        for group, outcome in zip(groups, outcomes, strict=True):
            found.update(zip(group, outcome.opinions, strict=True))
            uncontained = outcome.open or uncontained
        diagnostics = (_with(d, found[n]) if n in found else d for n, d in enumerate(report.diagnostics))
        return replace(report, diagnostics=tuple(diagnostics), uncontained=uncontained)

    def _outcomes(self, groups: Sequence[Sequence[Diagnostic]]) -> list[Outcome]:
        """What comes of each group, until the steps of those before it have used up the budget.

        Groups run in parallel, so some may have run that the budget leaves out: their outcomes do not count.
        """
        session, budget = self._session, self._session.options.confirm_budget
        outcomes: dict[int, Outcome] = {}
        pieces = []
        for number, group in enumerate(groups):
            known = session.remembered(group)
            if known is not None:
                outcomes[number] = known
                continue

            def piece(run: Run, number: int = number, group: Sequence[Diagnostic] = group) -> None:
                if self._spent + sum(o.steps for n, o in list(outcomes.items()) if n < number) <= budget:
                    outcomes[number] = session.outcome(group, run)

            pieces.append(piece)
        self._crew.do(pieces)
        stopped = Opinion("not-run", "the run was interrupted")
        over = Opinion("not-run", f"the {budget} steps for confirming findings are used up")
        found, spent = [], self._spent
        for number, group in enumerate(groups):
            left_out = over if spent > budget else stopped
            known = outcomes.get(number) if spent <= budget else None
            found.append(known or Outcome((left_out,) * len(group), 0))
            spent += outcomes[number].steps if number in outcomes else 0
        self._spent = spent
        return found


def confirm(
    report: Report,
    options: Options,
    paths: Sequence[Path],
    overlay: Mapping[str, bytes],
    *,
    store: Entries | None = None,
    jobs: int = 1,
) -> Report:
    """A whole report with what came of its findings."""
    with Confirming(options, paths, overlay, store=store, jobs=jobs) as confirming:
        return confirming.confirmed(report)


def _with(finding: Diagnostic, what: Opinion) -> Diagnostic:
    lowered = what.confirmation == "not-reproduced" and finding.verdict != "violated"
    severity = Severity.INFO if lowered else finding.severity
    return replace(finding, confirmation=what.confirmation, confirmation_reason=what.reason, severity=severity)


class _Session:
    """The confirmations of one run."""

    def __init__(
        self, options: Options, paths: Sequence[Path], overlay: Mapping[str, bytes], store: Entries | None
    ) -> None:
        self.options, self.store = options, store
        self.project = Project([str(p) for p in paths], overlay, options.search_paths, options.prelude)
        self.overlay = {os.path.abspath(k): v.decode("utf-8", "surrogateescape") for k, v in overlay.items()}
        self._digests: dict[str, str] = {}

    # --- what is remembered ---

    def remembered(self, group: Sequence[Diagnostic]) -> Outcome | None:
        """What came of an equal run on equal files."""
        data = None if self.store is None else self.store.get(_KIND, self._key(group))
        try:
            if data is None or any(self._digest(path) != known for path, known in data["files"].items()):
                return None
            return restored(Outcome, data["outcome"])
        except (NotThis, KeyError, TypeError, AttributeError):
            return None

    def _remember(self, group: Sequence[Diagnostic], what: Outcome, files: Mapping[str, str]) -> None:
        if self.store is not None:
            of_findings = [_trial(group).file, *(os.path.abspath(finding.at.file) for finding in group)]
            paths = files or {path: self._digest(path) for path in of_findings}
            self.store.put(_KIND, self._key(group), {"outcome": plain(what), "files": dict(paths)})

    def _key(self, group: Sequence[Diagnostic]) -> str:
        options, trial = self.options, _trial(group)
        budgets = (options.confirm_steps, options.confirm_seconds, options.confirm_memory, options.confirm_elements)
        findings = [[f.code, plain(f.at), f.message] for f in group]
        how = (options.confirm, options.exception_texts)
        return digest(plain(trial), findings, self._roots(trial), budgets, how, options.prelude)

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

    def outcome(self, group: Sequence[Diagnostic], run: Run) -> Outcome:
        """What comes of the witness, or of smaller inputs where that is large."""
        trial = _trial(group)
        runs = _Runs(self, group, run)
        count, limit = elements([*trial.arguments.values(), *trial.positional]), self.options.confirm_elements
        if count > _SMALL:
            self._shrunk(runs, trial, min(limit, count // 2))
        if not runs.settled and count <= limit:
            runs.add(trial)
            if runs.too_large and count <= _SMALL:
                self._shrunk(runs, trial, count // 2)
        too_many = Opinion("not-run", f"its inputs have {count} elements; up to {limit} are run")
        what = Outcome(tuple(o or too_many for o in runs.opinions), runs.steps, runs.open)
        self._remember(group, what, runs.files)
        return what

    @staticmethod
    def _shrunk(runs: _Runs, trial: Trial, limit: int) -> None:
        """Smaller inputs can confirm findings, and never refute them."""
        for other in smaller(trial, limit):
            if runs.settled:
                break
            runs.add(other, f"with smaller inputs: {_shown(other)}")

    def task(self, group: Sequence[Diagnostic], trial: Trial, dtype: str, truth: bool) -> Task:
        """One run of a trial."""
        options = self.options
        return Task(
            trial=trial,
            module=self.project.run_as(trial.file),
            roots=self._roots(trial),
            marks=tuple((os.path.abspath(f.at.file), f.at.row, (f.code, *rule(f.code).same_as)) for f in group),
            dtype=dtype,
            truth=truth,
            overlay=self.overlay,
            **as_asked(options),
        )

    def _roots(self, trial: Trial) -> tuple[str, ...]:
        return self.project.search_path(os.path.dirname(trial.file))


class _Runs:
    """The runs for findings with one trial, and what they say of each until now."""

    def __init__(self, session: _Session, group: Sequence[Diagnostic], run: Run) -> None:
        self.session, self.group, self.run = session, group, run
        self.opinions: list[Opinion | None] = [None] * len(group)
        self.files: dict[str, str] = {}
        self.steps = 0
        self.open: tuple[str, ...] = ()
        self.too_large = False

    @property
    def settled(self) -> bool:
        """Whether no other run could say more."""
        return all(what is not None and what.settled for what in self.opinions)

    def add(self, trial: Trial, instead: str = "") -> None:
        """Run a trial in each way that what it leaves open can be; `instead` says that it stands for a larger one."""
        for dtype, truth in _ways(trial):
            task = self.session.task(self.group, trial, dtype, truth)
            account = self.run(task)
            self.steps += account.steps
            self.open = account.open
            self.files.update(account.files)
            self.too_large = self.too_large or account.too_large
            for mark, finding in enumerate(self.group):
                self._hear(mark, opinion(finding, mark, task, account), instead)
            if self.settled or account.problem:
                return

    def _hear(self, mark: int, what: Opinion, instead: str) -> None:
        known = self.opinions[mark]
        if instead and what.confirmation == "confirmed":
            what = replace(what, reason="; ".join(r for r in (instead, what.reason) if r))
        elif instead:
            return
        unclear = known is not None and known.confirmation == "not-reproduced" and what.confirmation == "not-run"
        if known is None or (not known.settled and (what.settled or unclear)):
            self.opinions[mark] = what


def _trial(group: Sequence[Diagnostic]) -> Trial:
    """The trial that all of a group have."""
    trial = group[0].trial
    assert trial is not None
    return trial


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
    if kind == "member":
        return ".".join(content)
    if kind == "object":
        return f"{content[0]}({', '.join(f'{name}={_argument(item)}' for name, item in content[1].items())})"
    if isinstance(content, list):
        return f"[{', '.join(_argument(item) for item in content)}]"
    return str(content)
