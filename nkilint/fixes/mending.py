"""Repairs files until nothing more can be repaired, and keeps only what the analysis and runs agree with.

A repair is kept if its finding is gone afterwards, no other has come, no kernel has more open questions, and none does
something else where it is run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any

from nkilint.base import whole
from nkilint.base.findings import Diagnostic, Report
from nkilint.base.source import Overlay, SourceError, decode, encode, read_bytes, source_lines
from nkilint_rules.words.records import dataclass

from .edits import Edit, Fix, applied
from .proposing import fixes_for

Check = Callable[[Mapping[str, bytes]], Report]
Texts = Mapping[str, bytes]
Differ = Callable[[Texts, Texts, Sequence[Diagnostic]], Collection[str]]
"""From texts before and after the repair of findings: the kernels that runs show to do something else."""
ROUNDS = 200


def nothing_differs(before: Texts, after: Texts, gone: Sequence[Diagnostic]) -> Collection[str]:
    """Nothing is run."""
    return ()


@dataclass(frozen=True, slots=True)
class Mended:
    """`report` says what is left, `files` what they hold when mended, `originals` what they held, by path; `counts`
    are the findings that were repaired in each file, and `assuming` the files and titles of repairs that rest on what
    was assumed."""

    report: Report
    files: Mapping[str, bytes]
    originals: Mapping[str, bytes]
    counts: Mapping[str, int]
    assuming: Sequence[tuple[str, str]] = ()

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
    texts: Texts = MappingProxyType({}),
    differ: Differ = nothing_differs,
) -> Mended:
    """Repair what can be repaired in files that `may_change`; `check` analyses with texts that differ from the disk, as
    `texts` do from the start."""
    mending = _Mending(check, may_change, unsafe, differ, dict(texts))
    for _ in range(ROUNDS):
        if not mending.step() and not mending.retry():
            break
    originals = mending.originals
    files = {file: mending.texts[file] for file in originals if file in mending.texts}
    changed = {file: data for file, data in files.items() if data != originals[file]}
    return Mended(mending.report, changed, originals, mending.counts, mending.assuming)


@dataclass
class _Mending:
    """The state between two steps. Each step leaves fewer findings, or refuses repairs.

    A repair that is `refused` may do after others; one that runs are against is `harmful` and will not.
    """

    check: Check
    may_change: Callable[[str], bool]
    unsafe: bool
    differ: Differ
    texts: dict[str, bytes] = field(default_factory=dict)
    originals: dict[str, bytes] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    assuming: list[tuple[str, str]] = field(default_factory=list)
    refused: set[tuple[Any, ...]] = field(default_factory=set)
    harmful: set[tuple[Any, ...]] = field(default_factory=set)
    taken: int = 0  # since repairs were refused for the first time, or all were tried again

    def __post_init__(self) -> None:
        self.report = self.check(self.texts)

    def step(self) -> bool:
        """Apply repairs that go together; false if there are none. What speaks against some of them is found by file:
        first without all repairs of the files concerned, then with one repair of each of these at a time."""
        repairs = list(_apart(self._candidates()))
        if not repairs:
            return False
        blamed = self._take(repairs)
        if blamed:
            self._take([r for r in repairs if r.file not in blamed])
            self._take_singly([r for r in repairs if r.file in blamed])
        return True

    def _take_singly(self, repairs: Sequence[_Repair]) -> None:
        """Refuse repairs until one of each file can be taken: the places of the others are known no more."""
        waiting: dict[str, list[_Repair]] = {}
        for repair in reversed(repairs):
            waiting.setdefault(repair.file, []).append(repair)
        while waiting:
            together = [left.pop() for left in waiting.values()]
            bad = self._bad(together)
            self.refused.update(self._name(r) for r in bad)
            waiting = {r.file: waiting[r.file] for r in bad if waiting[r.file]}

    def _bad(self, repairs: Sequence[_Repair]) -> Sequence[_Repair]:
        """Take what can be taken of repairs in different files; the others."""
        blamed = self._take(repairs)
        if len(repairs) > 1 and len(blamed) == len(repairs):  # nobody knows which of them is to blame
            return [bad for repair in repairs for bad in self._bad([repair])]
        bad = [r for r in repairs if r.file in blamed]
        if bad:
            good = [r for r in repairs if r.file not in blamed]
            blamed = self._take(good)
            bad += [r for r in good if r.file in blamed]
        return bad

    def retry(self) -> bool:
        """Try again what was refused before other repairs were made; false if there is nothing of the kind."""
        again = bool(self.refused and self.taken)
        self.refused.clear()
        self.taken = 0
        return again

    def _candidates(self) -> Iterator[_Repair]:
        lines = source_lines(self.texts)
        for finding in self.report.diagnostics:
            if not self.may_change(finding.at.file):
                continue
            fixes = fixes_for(finding, self.report.kernels, lines(finding.at.file))
            for fix in sorted(fixes, key=lambda f: f.safe):
                name = self._name(_Repair(finding, fix))
                if (self.unsafe or fix.safe) and name not in self.refused and name not in self.harmful:
                    yield _Repair(finding, fix)
                    break

    def _take(self, repairs: Sequence[_Repair]) -> set[str]:
        """Take repairs that nothing speaks against; else none, and the files whose repairs something does."""
        if not repairs:
            return set()
        texts, report = self._tried(repairs)
        blamed = _blamed(self.report, report, repairs)
        if blamed:
            return blamed
        before = {**{file: self.originals[file] for file in texts if file in self.originals}, **self.texts}
        differing = self.differ(before, texts, [r.finding for r in repairs])
        if differing:
            bad = [r for r in repairs if r.finding.kernel in differing] or repairs
            self.harmful.update(self._name(r) for r in bad)
            return {r.file for r in bad}
        self.assuming += [(r.file, r.fix.title) for r in repairs if r.fix.assuming]
        self.texts, self.report = texts, report
        self.counts.update(r.file for r in repairs)
        self.taken += len(repairs)
        return set()

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


def _blamed(before: Report, after: Report, repairs: Sequence[_Repair]) -> set[str]:
    """The files whose repairs something speaks against; all, where it is not in one that is repaired."""
    files = {r.file for r in repairs}
    moved = {file: _rows([e for r in repairs if r.file == file for e in r.fix.edits]) for file in files}
    was, now = Counter(_key(d, {}) for d in before.diagnostics), Counter(_key(d, moved) for d in after.diagnostics)
    found = {d.at.file for d in after.failures} if len(after.failures) > len(before.failures) else set()
    found |= {file for _, file, *_ in now - was}
    gone = was - now
    repaired = Counter(_key(r.finding, {}) for r in repairs)
    found |= {file for key, number in repaired.items() if gone[key] < number for file in (key[1],)}
    open_before, open_after = _open(before), _open(after)
    found |= {key[0] for key in open_before.keys() ^ open_after.keys()}
    found |= {key[0] for key, number in open_before.items() if open_after.get(key, 0) > number}
    return found if found <= files else files


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
            held = read_bytes(file, Overlay())
            if held == data:
                continue  # by another name of the file
            if held != mended.originals[file]:
                problems[file] = "changed while it was analysed; run again"
                continue
            place = os.path.realpath(file)
            mode = os.stat(place).st_mode & 0o7777
            if not mode & 0o222 or not os.access(place, os.W_OK):  # its folder may let it be replaced all the same
                problems[file] = "cannot be written: it is read-only"
                continue
            whole.write(place, data, mode=mode)
        except SourceError as error:
            problems[file] = error.message
        except OSError as error:
            problems[file] = f"cannot be written: {(error.strerror or str(error)).lower()}"
    return problems
