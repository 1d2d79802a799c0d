"""Repairs files until nothing more can be repaired, and keeps only what the analysis agrees with.

A repair is kept if its finding is gone afterwards, no other has come, and no kernel has more open questions.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from nkilint.base import whole
from nkilint.base.findings import Diagnostic, Report
from nkilint.base.source import Overlay, SourceError, decode, encode, read_bytes, source_lines

from .edits import Edit, Fix, applied
from .proposing import fixes_for

Check = Callable[[Mapping[str, bytes]], Report]
ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Mended:
    """`report` says what is left, `files` what they hold when mended, `originals` what they held, by path; `counts`
    are the findings that were repaired in each file."""

    report: Report
    files: Mapping[str, bytes]
    originals: Mapping[str, bytes]
    counts: Mapping[str, int]

    def without(self, files: Collection[str]) -> Mended:
        """The same without what was done to some files."""
        return replace(self, files={file: data for file, data in self.files.items() if file not in files})

    @property
    def count(self) -> int:
        """The findings that were repaired."""
        return sum(self.counts.get(file, 0) for file in self.files)


@dataclass(frozen=True, slots=True)
class _Repair:
    finding: Diagnostic
    fix: Fix

    @property
    def file(self) -> str:
        return self.finding.at.file


def mend(
    check: Check,
    may_change: Callable[[str], bool],
    *,
    unsafe: bool = False,
    texts: Mapping[str, bytes] = MappingProxyType({}),
) -> Mended:
    """Repair what can be repaired in files that `may_change`; `check` analyses with texts that differ from the disk, as
    `texts` do from the start."""
    mending = _Mending(check, may_change, unsafe, dict(texts))
    for _ in range(ROUNDS):
        if not mending.step():
            break
    originals = mending.originals
    files = {file: mending.texts[file] for file in originals if file in mending.texts}
    changed = {file: data for file, data in files.items() if data != originals[file]}
    return Mended(mending.report, changed, originals, mending.counts)


@dataclass
class _Mending:
    """The state between two steps. Each step leaves fewer findings, or refuses repairs."""

    check: Check
    may_change: Callable[[str], bool]
    unsafe: bool
    texts: dict[str, bytes] = field(default_factory=dict)
    originals: dict[str, bytes] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    refused: set[tuple[Any, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.report = self.check(self.texts)

    def step(self) -> bool:
        """Apply repairs that go together; false if there are none."""
        repairs = list(_apart(self._candidates()))
        if not repairs:
            return False
        if self._take(repairs):
            return True
        good = [r for r in repairs if self._is_good(r)]
        if good and not self._take(good):
            self._take(good[:1])
        return True

    def _candidates(self) -> Iterator[_Repair]:
        lines = source_lines(self.texts)
        for finding in self.report.diagnostics:
            if not self.may_change(finding.at.file):
                continue
            fixes = fixes_for(finding, self.report.kernels, lines(finding.at.file))
            for fix in sorted(fixes, key=lambda f: f.safe):
                if (self.unsafe or fix.safe) and self._name(_Repair(finding, fix)) not in self.refused:
                    yield _Repair(finding, fix)
                    break

    def _is_good(self, repair: _Repair) -> bool:
        """Whether a repair is approved by itself; one that is not is never tried again."""
        _, report = self._tried([repair])
        if _approved(self.report, report, [repair]):
            return True
        self.refused.add(self._name(repair))
        return False

    def _take(self, repairs: Sequence[_Repair]) -> bool:
        texts, report = self._tried(repairs)
        if not _approved(self.report, report, repairs):
            if len(repairs) == 1:
                self.refused.add(self._name(repairs[0]))
            return False
        self.texts, self.report = texts, report
        self.counts.update(r.file for r in repairs)
        return True

    def _tried(self, repairs: Sequence[_Repair]) -> tuple[dict[str, bytes], Report]:
        texts = dict(self.texts)
        for file in dict.fromkeys(r.file for r in repairs):
            data = read_bytes(file, Overlay(self.texts))
            self.originals.setdefault(file, data)
            edits = [edit for r in repairs if r.file == file for edit in r.fix.edits]
            texts[file] = encode(applied(edits, decode(data, file)), data)
        return texts, self.check(texts)

    def _name(self, repair: _Repair) -> tuple[Any, ...]:
        """What a repair is recognised by after lines have moved."""
        at = repair.finding.at
        line = source_lines(self.texts)(at.file)[at.row - 1 : at.end_row]
        return (repair.finding.code, at.file, repair.finding.kernel, repair.fix.title, tuple(line))


def _apart(repairs: Iterable[_Repair]) -> Iterator[_Repair]:
    """The repairs that don't touch what one before them touches; of equal edits the first."""
    taken: dict[str, list[Edit]] = {}
    for repair in repairs:
        others = taken.setdefault(repair.file, [])
        if not any(_touch(a, b) for a in repair.fix.edits for b in others):
            others += repair.fix.edits
            yield repair


def _touch(a: Edit, b: Edit) -> bool:
    return (a.row, a.column) <= (b.end_row, b.end_column) and (b.row, b.column) <= (a.end_row, a.end_column)


def _approved(before: Report, after: Report, repairs: Sequence[_Repair]) -> bool:
    if len(after.failures) > len(before.failures):
        return False
    moved = {
        file: _rows([e for r in repairs if r.file == file for e in r.fix.edits]) for file in {r.file for r in repairs}
    }
    was, now = Counter(_key(d, {}) for d in before.diagnostics), Counter(_key(d, moved) for d in after.diagnostics)
    if now - was:
        return False
    gone = was - now
    if any(gone[key] < number for key, number in Counter(_key(r.finding, {}) for r in repairs).items()):
        return False
    open_before, open_after = _open(before), _open(after)
    return open_before.keys() == open_after.keys() and all(open_after[k] <= n for k, n in open_before.items())


def _key(finding: Diagnostic, moved: Mapping[str, Sequence[int]]) -> tuple[Any, ...]:
    """What a finding is recognised by. `moved` gives, by file, the rows that lines had before."""
    at = finding.at
    rows = moved.get(at.file, ())
    row = rows[at.row - 1] if at.row <= len(rows) else at.row + (rows[-1] - len(rows) if rows else 0)
    return (finding.code, at.file, row, finding.kernel, finding.verdict, finding.precondition)


def _rows(edits: Sequence[Edit]) -> list[int]:
    """For each row after `edits`, as far as they reach, the row that it was before."""
    rows = list(range(1, max(e.end_row for e in edits) + 1))
    for edit in sorted(edits, reverse=True):
        added = edit.text.count("\n")
        last = edit.end_row if added or edit.column == 1 else edit.row
        rows[edit.row - 1 : edit.end_row] = [*(min(edit.row + n, edit.end_row) for n in range(added)), last]
    return rows


def _open(report: Report) -> dict[tuple[str, str, int], int]:
    """How many obligations of each kernel are open; kernels of one name are told apart by their order."""
    found: dict[tuple[str, str, int], int] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for kernel in sorted(report.kernels, key=lambda k: (k.file, k.at.row)):
        name = (kernel.file, kernel.name)
        found[(*name, seen[name])] = kernel.obligations.unknown
        seen[name] += 1
    return found


def write(mended: Mended) -> dict[str, str]:
    """Replace the mended files, each at once and whole; the reason for each file that was not."""
    problems: dict[str, str] = {}
    for file, data in mended.files.items():
        try:
            if read_bytes(file, Overlay()) != mended.originals[file]:
                problems[file] = "changed while it was analysed; run again"
                continue
            place = os.path.realpath(file)
            whole.write(place, data, mode=os.stat(place).st_mode & 0o7777)
        except SourceError as error:
            problems[file] = error.message
        except OSError as error:
            problems[file] = f"cannot be written: {(error.strerror or str(error)).lower()}"
    return problems
