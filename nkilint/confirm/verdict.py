"""What the account of a run says about the finding that it was made for."""

from __future__ import annotations

import re

from nkilint.base.findings import Confirmation, Diagnostic
from nkilint_rules.catalogue import rule
from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.language.failed_assertion import FailedAssertion
from nkilint_rules.rule import Severity
from nkilint_rules.words.records import dataclass

from .sizes import mentions
from .tasks import OVER, Account, Seen, Task


@dataclass(frozen=True, slots=True)
class Opinion:
    """A confirmation with its reason; `settled` says that no other run could change it."""

    confirmation: Confirmation
    reason: str
    settled: bool = False


def opinion(finding: Diagnostic, mark: int, task: Task, account: Account) -> Opinion:
    """Compares by rule and statement; `mark` is the number of the finding's place."""
    seen = _matching(finding, mark, account)
    if seen is not None and finding.severity is Severity.WARNING and rule(seen.code).severity is Severity.INFO:
        return Opinion("not-reproduced", f"the run shows {seen.code} alone: {first_line(seen.message)}", True)
    if seen is not None:
        return Opinion("confirmed", _evidence(finding, seen), True)
    if account.refused:
        return Opinion("not-run", f"the run tried to {account.refused[0]}, which it may not", True)
    if account.problem:
        return Opinion("not-run", account.problem)
    return _otherwise(finding, mark, task, account)


def _matching(finding: Diagnostic, mark: int, account: Account) -> Seen | None:
    about = rule(finding.code)
    for seen in sorted(account.seen, key=lambda s: s.code != finding.code):
        if seen.code in (finding.code, *about.same_as) and (mark in seen.here or rule(seen.code).whole_launch):
            return seen
    stopped = account.stopped
    if about is FailedAssertion and stopped is not None and stopped.kind == "AssertionError":
        places = [(r.at.row, r.at.end_row) for r in finding.related] or [(finding.at.row, finding.at.end_row)]
        if any(first <= stopped.row <= last for first, last in places):
            return Seen(finding.code, stopped.file, stopped.row, stopped.message)
    if about is CallSignature and stopped is not None and stopped.kind == "TypeError" and not stopped.row:
        return Seen(finding.code, finding.at.file, finding.at.row, stopped.message)  # the call itself
    return None


def _evidence(finding: Diagnostic, seen: Seen) -> str:
    """Where and what the simulator saw, as far as the finding does not say it itself."""
    where = [f"{name}={number}" for name, number in seen.iterations.items()]
    if seen.program:
        where.append(f"program ({', '.join(map(str, seen.program))})")
    parts = [", ".join(where), "" if seen.message in finding.message else seen.message.split("\n")[0]]
    return ": ".join(p for p in parts if p)


def _otherwise(finding: Diagnostic, mark: int, task: Task, account: Account) -> Opinion:
    """The run came about and did not show the finding."""
    stopped = account.stopped
    instead = next((s for s in account.seen if mark in s.here), None)
    elsewhere = next((s for s in account.seen if s.code == finding.code), None)
    if instead is not None:
        return Opinion("not-run", f"the simulator reports {instead.code} here: {first_line(instead.message)}")
    if stopped is not None and stopped.kind == "MemoryError":
        return Opinion("not-run", OVER["memory"].format(megabytes=task.memory >> 20))
    if stopped is not None and stopped.kind == "CannotSimulate":
        return Opinion("not-run", first_line(stopped.message))
    if stopped is not None and not stopped.kind.endswith("NkiError"):
        told = ": ".join(part for part in (stopped.kind, first_line(stopped.message)) if part)
        return Opinion("not-run", f"the run stops on line {stopped.row}: {told}")
    if elsewhere is not None:
        return Opinion("not-run", f"the simulator reports it on line {elsewhere.row}: {first_line(elsewhere.message)}")
    if mark not in account.reached and stopped is not None:
        return Opinion("not-run", f"the run stops on line {stopped.row}: {first_line(stopped.message)}")
    if task.trial.open or mentions(task.trial.arguments, "either"):
        return Opinion("not-run", "it depends on more than the witness fixes")
    if mark not in account.reached and not rule(finding.code).whole_run:
        return Opinion("not-run", f"the run does not come to line {finding.at.row}")
    if account.left_out:
        return Opinion("not-run", f"the run leaves out {account.left_out}, which may have part in it")
    if finding.code == OutOfBounds.code and OutOfBounds.would_count_from_the_end(finding.message):
        return Opinion("not-run", "a run takes it from the end of the axis, as Python does")
    beside = _beside(finding, account)
    if beside is not None:
        told = f"{beside.code} on line {beside.row}: {first_line(beside.message)}"
        return Opinion("not-run", f"the simulator tells of the same tensor by {told}")
    return Opinion("not-reproduced", "its run ends without it, so one of the two is wrong; please report it")


def _beside(finding: Diagnostic, account: Account) -> Seen | None:
    """What the run shows of the same tensor by a rule that the same defect breaks."""
    codes, names = rule(finding.code).breaks_besides, _names(finding.message)
    return next((s for s in account.seen if s.code in codes and names & _names(s.message)), None)


def _names(message: str) -> set[str]:
    return set(re.findall("`([^`]+)`", first_line(message)))


def first_line(text: str) -> str:
    """As much of a text as stands on one line."""
    return text.split("\n")[0][:300]
