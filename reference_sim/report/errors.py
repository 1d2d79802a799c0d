"""Findings of a run, the exception that carries one, and where they are recorded."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .sites import Site, SourcePlace, here, iterations_here, place


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation seen on a run.

    `related` names other places that have part in it, `iterations` the loop variables at the time, outermost first,
    `program` the place in the launch grid.
    """

    code: str
    message: str
    at: SourcePlace
    help: str = ""
    related: tuple[tuple[str, SourcePlace], ...] = ()
    severity: str = "error"
    iterations: tuple[tuple[str, int], ...] = ()
    program: tuple[int, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.at}: {self.code} {self.message}"]
        lines += [f"  {where}: note: {text}" for text, where in self.related]
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The finding as the JSON report has it."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "help": self.help,
            "filename": self.at.file,
            "row": self.at.row,
            "function": self.at.function,
            "iterations": dict(self.iterations),
            "program": list(self.program),
            "related": [{"message": t, "filename": p.file, "row": p.row} for t, p in self.related],
        }

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Finding:
        """The finding that `as_json` told, without the functions of its related places."""
        return cls(
            told["code"],
            told["message"],
            SourcePlace(told["filename"], told["row"], told["function"]),
            told["help"],
            tuple((r["message"], SourcePlace(r["filename"], r["row"], "")) for r in told["related"]),
            told["severity"],
            tuple(told["iterations"].items()),
            tuple(told["program"]),
        )


class NkiError(IndexError):
    """A kernel broke a rule. `code` is the rule's; the text begins with the kernel's own line."""

    __module__ = "reference_sim"  # where it is public, in tracebacks and pickles too

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding

    @property
    def code(self) -> str:
        return self.finding.code

    def __reduce__(self) -> tuple[Any, ...]:
        return (NkiError, (self.finding,))


class CannotSimulate(RuntimeError):
    """Something that this simulator does not do; the text names the operation and says why."""

    __module__ = "reference_sim"

    def __init__(self, operation: str, reason: str) -> None:
        super().__init__(f"{operation} cannot be simulated: {reason}")
        self.operation, self.reason = operation, reason

    def __reduce__(self) -> tuple[Any, ...]:
        return (CannotSimulate, (self.operation, self.reason))


@dataclass
class Findings:
    """What the runs of a process found, in order, each place and code once; `passed` stopped nothing."""

    items: list[Finding] = field(default_factory=list)
    passed: list[Finding] = field(default_factory=list)
    seen: set[tuple[str, SourcePlace, str]] = field(default_factory=set)

    def add(self, finding: Finding, stops: bool) -> None:
        """Record a finding that stops the run, or one that it goes on with."""
        key = (finding.code, finding.at, finding.message)
        if key in self.seen:
            return
        self.seen.add(key)
        self.items.append(finding)
        if not stops:
            self.passed.append(finding)

    def clear(self) -> None:
        self.items.clear()
        self.passed.clear()
        self.seen.clear()

    def copy(self) -> Findings:
        """These findings, whatever is added to them later."""
        return Findings(list(self.items), list(self.passed), set(self.seen))

    def set_aside(self) -> Findings:
        """Start without findings; those so far are given back."""
        outer = Findings(self.items, self.passed, self.seen)
        self.put_back(Findings())
        return outer

    def put_back(self, outer: Findings) -> None:
        """Go on with findings that were set aside."""
        self.items, self.passed, self.seen = outer.items, outer.passed, outer.seen


FINDINGS = Findings()


def finding_at(
    code: str, message: str, severity: str, site: Site, related: Iterable[tuple[str, Site]] = (), help: str = ""
) -> Finding:
    """A finding at `site`, or at the line the kernel is in."""
    notes: Sequence[tuple[str, SourcePlace]] = tuple(
        (text, place(where)) for text, where in related if where is not None
    )
    if site is not None:
        return Finding(code, message, place(site), help, tuple(notes), severity)
    return Finding(code, message, place(here()), help, tuple(notes), severity, iterations=iterations_here())


def say_once(text: str, _said: set[str] = set()) -> None:  # noqa: B006
    """Print a remark on stderr, the same one only once in a process."""
    if text not in _said:
        _said.add(text)
        print(f"reference_sim: {text}", file=sys.stderr)
