"""A migration as a whole: files rewritten, kernels verified, and what came of each."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.base.source import SourceError, decode
from nkilint.base.trees import FUNCTIONS
from nkilint.fixes.mending import Mended
from nkilint_rules.words.records import dataclass

from .rewrites import Reached, Rewritten, rewrite
from .rewriting import Note
from .source import Source
from .steps import steps
from .verification import Verified, verify
from .writing import left_in_modules, serving

STATES = {
    "migrated": "rewritten whole, and shown to do the same",
    "unverified": "rewritten whole; no run could compare it",
    "left": "in part left to a person",
    "failed": "rewritten, and not the same: not written",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one kernel; `notes` are of the lines that it runs through."""

    file: str
    kernel: str
    row: int
    state: str
    notes: tuple[Note, ...] = ()
    runs: int = 0
    close: int = 0
    skipped: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()  # of the inputs that gave the same results
    caller: str = ""  # a kernel that calls it, and gave the same results


@dataclass(frozen=True, slots=True)
class Migration:
    """All files with what became of them, and all kernels."""

    files: tuple[Rewritten, ...]
    kernels: tuple[Outcome, ...]
    refused: Mapping[str, str] = field(default_factory=dict)  # files that are not written, with the reason

    def mended(self) -> Mended:
        """What is to be written."""
        changed = [f for f in self.files if f.after != f.before and f.path not in self.refused]
        empty = Report("", (), (), 0, ())
        return Mended(empty, {f.path: f.after for f in changed}, {f.path: f.before for f in changed}, {})

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        notes = (n for f in self.files for n in f.notes)
        return (
            not self.refused
            and all(k.state in ("migrated", "unverified") for k in self.kernels)
            and not any(n.letter == "P" for n in notes)
        )


def migrate(
    paths: Sequence[Path],
    options: Options,
    before: str,
    after: str,
    *,
    overlay: Mapping[str, bytes] | None = None,
    verified: bool = True,
    strict: bool = False,
    jobs: int = 1,
) -> Migration:
    """The files of `paths` for version `after`; nothing is written."""
    given = {os.path.abspath(name): data for name, data in (overlay or {}).items()}
    files, reached = rewrite(paths, options, given, before, after)
    texts = {**given, **{os.path.abspath(f.path): f.before for f in files if not f.problem}}
    told = {os.path.abspath(f.path): {n.row for n in f.notes if n.letter == "P"} for f in files if not f.problem}
    standing = left_in_modules(paths, texts, told, {file for file, _ in reached})
    left = {key: _notes(rows | standing.get(key[0], set()), files) for key, rows in reached.items()}
    open_ = {key for key, notes in left.items() if any(n.letter == "P" for n in notes)}
    changed = {os.path.abspath(f.path) for f in files if f.after != f.before}
    touched = {key for key, rows in reached.items() if any(file in changed for file, _ in rows)}
    checked: dict[tuple[str, str], Verified] = {}
    if verified and touched - open_:
        new = {**given, **{os.path.abspath(f.path): f.after for f in files if not f.problem}}
        mended = frozenset(code for s in steps() if any(s.name in f.used for f in files) for code in s.mends)
        other = {os.path.abspath(f.path) for f in files if any(s.restates and s.name in f.used for s in steps())}
        restated = {key for key, rows in reached.items() if any(file in other for file, _ in rows)}
        rounding = {os.path.abspath(f.path) for f in files if any(s.rounds and s.name in f.used for s in steps())}
        exact = {key for key, rows in reached.items() if not any(file in rounding for file, _ in rows)}
        only = touched - open_
        found = verify(paths, options, texts, new, mended=mended, restated=restated, exact=exact, only=only, jobs=jobs)
        checked = {(v.file, v.kernel): v for v in found}
    kernels = tuple(
        _outcome(key, _row(key, reached[key], files), left[key], checked.get(key), key in open_)
        for key in sorted(touched)
    )
    kernels = tuple(_with_caller(k, kernels, reached) for k in kernels)
    refused = _refused(files, kernels, strict)
    if refused:
        stand = {k.file for k in kernels if _stands(k, kernels, reached)}
        refused = _with_neighbours(refused, paths, texts, files, stand)
    return Migration(tuple(files), kernels, refused)


def _row(key: tuple[str, str], rows: frozenset[tuple[str, int]], files: Sequence[Rewritten]) -> int:
    """Where a kernel stands, with its decorators: it may run through lines above, and through other files."""
    path, name = key
    own = {row for file, row in rows if file == path}
    data = next((f.before for f in files if os.path.abspath(f.path) == path), b"")
    with suppress(SourceError, SyntaxError, ValueError, RecursionError):
        found = [n for n in ast.walk(Source(path, decode(data, path)).tree) if isinstance(n, FUNCTIONS)]
        leaf = name.rpartition(".")[2]
        begins = [min([n.lineno, *(d.lineno for d in n.decorator_list)]) for n in found if n.name == leaf]
        return min(row for row in begins if row in own)
    return min(own)


def _with_neighbours(
    refused: Mapping[str, str],
    paths: Sequence[Path],
    texts: Mapping[str, bytes],
    files: Sequence[Rewritten],
    standing: Collection[str],
) -> dict[str, str]:
    """Files that are not written, with those that serve only these; what they miss of what is written is told."""
    shown = {os.path.abspath(f.path): f.path for f in files if f.after != f.before}
    gone = [os.path.abspath(path) for path in refused if os.path.abspath(path) in shown]
    serve, miss = serving(paths, texts, list(shown), gone, standing)
    found = {shown[f]: f"it serves `{os.path.basename(user)}`, which is not" for f, user in serve.items()}
    for path, why in refused.items():
        other = miss.get(os.path.abspath(path))
        found[path] = (
            why if other is None else f"{why}, and it hangs together with `{os.path.basename(other)}`, which is"
        )
    return found


def _stands(kernel: Outcome, kernels: Sequence[Outcome], reached: Reached) -> bool:
    """Whether a kernel is a reason to write its file: not where it only serves one that fails."""
    if kernel.state == "failed":
        return False
    others = (k for k in kernels if k.state == "failed")
    own = {place for place in reached[kernel.file, kernel.kernel] if place[0] == kernel.file}
    used = any(own & reached[k.file, k.kernel] for k in others)
    return not (used and (kernel.state == "unverified" or kernel.caller))


def _with_caller(kernel: Outcome, kernels: Sequence[Outcome], reached: Reached) -> Outcome:
    """What only other kernels run is compared with them."""
    if kernel.state != "unverified" or kernel.skipped:
        return kernel
    own, row = set(), kernel.row
    while (kernel.file, row) in reached[kernel.file, kernel.kernel]:  # the rows of the function itself
        own.add((kernel.file, row))
        row += 1
    for other in kernels:
        if other.state == "migrated" and other is not kernel and own & reached[other.file, other.kernel]:
            return replace(
                kernel, state="migrated", runs=other.runs, close=other.close, dtypes=other.dtypes, caller=other.kernel
            )
    return kernel


def _notes(rows: frozenset[tuple[str, int]], files: Sequence[Rewritten]) -> tuple[Note, ...]:
    """The notes at lines that a kernel runs through."""
    return tuple(n for f in files for n in f.notes if (os.path.abspath(f.path), n.row) in rows)


def _outcome(
    key: tuple[str, str], row: int, notes: tuple[Note, ...], verified: Verified | None, is_open: bool
) -> Outcome:
    plain = Outcome(*key, row, "left" if is_open else "unverified", notes)
    if verified is None or is_open:
        return plain
    state = "failed" if verified.problems else "migrated" if verified.runs else "unverified"
    return replace(
        plain,
        state=state,
        runs=verified.runs,
        close=verified.close,
        dtypes=tuple(sorted(verified.dtypes)),
        skipped=tuple(dict.fromkeys(verified.skipped)),
        problems=tuple(dict.fromkeys(verified.problems)),
        advice=tuple(dict.fromkeys(verified.advice)),
    )


def _refused(files: Sequence[Rewritten], kernels: Sequence[Outcome], strict: bool) -> dict[str, str]:
    """Files that are not written: a kernel in them would do something else, or all was asked for."""
    found: dict[str, str] = {}
    for each in files:
        own = [k for k in kernels if k.file == os.path.abspath(each.path)]
        failed = [k.kernel for k in own if k.state == "failed"]
        if failed:
            found[each.path] = f"{', '.join(f'`{name}`' for name in failed)} would not do the same"
        elif strict and any(n.letter == "P" for n in each.notes):
            found[each.path] = "something in it is left to a person"
    return found
