"""The choices that hold for a whole run, in one frozen value."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from nkilint_rules.rule import Severity
from nkilint_rules.words.records import dataclass

from .source import document_of

Conditional = Literal["warning", "info"]
Confirm = Literal[True, False, "sandboxed"]  # the last: only where the system contains what is run


@dataclass(frozen=True, slots=True)
class Options:
    """How to check. `select` and `ignore` hold prefixes of codes; the longer prefix wins, and `ignore` on a tie.

    `kernels` maps `FILE::NAME`, with the file's absolute path, to specifications of its inputs as they would
    stand in a comment: `a: bf16[M, K], M % 128 == 0`.
    """

    target: str = ""  # empty: the default, or what a kernel asks for
    nki_version: str = ""  # empty: the newest of the dialect
    select: tuple[str, ...] = ("NKI",)
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()  # glob patterns, relative to `root`
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # prefixes of codes by pattern
    severity: Mapping[str, Severity] = field(default_factory=dict)  # by prefix of codes; the longer one wins
    baseline: Path | None = None
    search_paths: tuple[Path, ...] = ()  # folders that imports are looked for in, besides those of the project
    conditional: Conditional = "warning"
    rule_pages: str = ""  # address, with `{code}` in it
    strict: bool = False
    confirm: Confirm = True
    exception_texts: bool = False  # show what exceptions of a confirmed kernel say, which may be anything it can read
    kernels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    root: Path = Path()  # folder of the configuration file
    configuration: Path | None = field(default=None, compare=False)  # the file itself
    prelude: str = ""  # statements that stand unseen at the head of every module of the project
    proofs: bool = False  # keep the text of every obligation, as `explain` needs it
    whole_traces: bool = True  # ask about lifetimes, races and coverage too
    solver_budget: int = 200_000  # z3 resource units for one query
    work_budget: int = 1_000_000  # units of work for each stage of verifying a kernel, of a few microseconds
    step_budget: int = 200_000  # lowered nodes evaluated for one kernel instance
    confirm_budget: int = 400_000_000  # steps for confirming the findings of a run
    confirm_steps: int = 10_000_000  # for one run of the simulator
    confirm_memory: int = 2_048  # MiB for one run
    confirm_elements: int = 16_000_000  # elements that the inputs of one run have together
    confirm_seconds: int = 60  # for one run that escapes the other limits

    def selects(self, code: str, file: str | Path | None = None) -> bool:
        """Whether findings with `code` are reported, in `file` if one is given."""
        chosen, left_out = _longest(code, self.select), _longest(code, self.ignore)
        if chosen <= left_out:
            return False
        if file is None or not self.per_file_ignores:
            return True
        patterns = (pattern for pattern, codes in self.per_file_ignores.items() if _longest(code, codes))
        return not self._matches(file, patterns)

    def excludes(self, file: str | Path) -> bool:
        """Whether `file`, or a folder above it, matches a pattern of `exclude`."""
        return bool(self.exclude) and self._matches(file, self.exclude)

    def _matches(self, file: str | Path, patterns: Iterable[str]) -> bool:
        """Whether one of `patterns` fits `file` or a folder above it, below `root`."""
        path, root = real(document_of(str(file))), real(self.root)
        if not path.is_relative_to(root):
            return False
        inner = path.relative_to(root)
        places = [place.as_posix() for place in (inner, *inner.parents)]
        return any(fnmatchcase(place, pattern.rstrip("/")) for pattern in patterns for place in places)

    def severity_of(self, code: str, severity: Severity) -> Severity:
        """How loud findings with `code` are that would be as loud as `severity`."""
        fitting = [prefix for prefix in self.severity if code.startswith(prefix)]
        return self.severity[max(fitting, key=len)] if fitting else severity

    def specifications(self, file: str | Path, kernel: str) -> tuple[str, ...]:
        """What the configuration says about the inputs of `kernel`."""
        return self.kernels.get(f"{real(document_of(str(file))).as_posix()}::{kernel}", ())


def real(path: str | Path) -> Path:
    """Where a path leads, as far as it does: links in a circle are none."""
    return Path(os.path.realpath(path))


def _longest(code: str, prefixes: Iterable[str]) -> int:
    return max((len(p) for p in prefixes if code.startswith(p)), default=0)
