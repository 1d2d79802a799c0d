"""Names findings so that they are recognised again after lines have moved."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence

from .findings import Diagnostic

Lines = Callable[[str], Sequence[str]]


def fingerprints(findings: Sequence[Diagnostic], named: Callable[[str], str], lines: Lines) -> list[str]:
    """A fingerprint for each finding, in the same order; `named` gives a file the name it goes by.

    It is made of the rule, the file, the kernel and the source at fault, blanks aside: neither the line's number nor
    the wording counts. Equal findings are numbered from the top of the file.
    """
    subjects = [_subject(d, named, lines) for d in findings]
    seen: Counter[str] = Counter()
    found = [""] * len(findings)
    for index in sorted(range(len(findings)), key=lambda i: findings[i].order):
        subject = subjects[index]
        digest = hashlib.sha256(f"{subject}\0{seen[subject]}".encode("utf-8", "replace"))
        found[index] = digest.hexdigest()[:32]
        seen[subject] += 1
    return found


def _subject(finding: Diagnostic, named: Callable[[str], str], lines: Lines) -> str:
    at = finding.at
    text = lines(at.file)[at.row - 1 : at.end_row]
    marked = _marked(text, at.column, at.end_column)
    return "\0".join([finding.code, named(at.file), finding.kernel or "", _plain(" ".join(text)), _plain(marked)])


def _marked(text: Sequence[str], column: int, end_column: int) -> str:
    """The part of the lines between two columns."""
    if not text:
        return ""
    *before, last = text
    first, *middle = [*before, last[: end_column - 1]]
    return " ".join([first[column - 1 :], *middle])


def _plain(text: str) -> str:
    return " ".join(text.split())
