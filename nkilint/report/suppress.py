"""Silences findings where a comment in the source asks for it, and reports comments that silence nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from nkilint.base.findings import Diagnostic, Report, diagnostic
from nkilint.base.ir import Comment, Span
from nkilint.base.options import Options
from nkilint_rules.catalogue import rules
from nkilint_rules.tool.unused_suppression import UnusedSuppression
from nkilint_rules.words.records import dataclass

from .configured import configured

_DIRECTIVE = re.compile(
    r"#\s*(?:(?P<noqa>noqa)\b(?::\s*(?P<listed>[A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+)*))?"
    r"|nkilint:\s*(?P<ignore>ignore)\b(?:\[(?P<codes>[^\]]*)\])?"
    r"|nkilint:\s*(?P<skip>skip-file)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Suppression:
    """One directive. `codes` empty means all; `row` is the line it silences, None the whole file."""

    word: str
    at: Span
    row: int | None
    codes: tuple[str, ...]

    def silences(self, finding: Diagnostic) -> bool:
        in_place = self.row is None or finding.at.row <= self.row <= finding.at.end_row
        return in_place and (not self.codes or finding.code in self.codes)


def suppressions(file: str, comments: Iterable[Comment], lines: Sequence[str]) -> Iterator[Suppression]:
    """The directives in a file's comments.

    `# noqa` stands on the line it silences; `# nkilint: ignore` may also stand alone on the line before.
    """
    for comment in comments:
        start = max(lines[comment.row - 1].rfind(comment.text), 0)
        for found in _DIRECTIVE.finditer(comment.text):
            column = start + found.start() + 1
            at = Span(file, comment.row, column, comment.row, column + len(found[0]))
            if found["skip"]:
                yield Suppression("skip-file", at, None, ())
            elif found["noqa"]:
                yield Suppression("noqa", at, comment.row, _split(found["listed"]))
            else:
                yield Suppression("ignore", at, _line_meant(comment.row, lines), _split(found["codes"]))


def _split(codes: str | None) -> tuple[str, ...]:
    return tuple(c.upper() for c in re.split(r"[\s,]+", codes or "") if c)


def _line_meant(row: int, lines: Sequence[str]) -> int:
    """The comment's own line, or the next line of code where it stands alone."""
    if not lines[row - 1].lstrip().startswith("#"):
        return row
    for later in range(row, len(lines)):
        text = lines[later].strip()
        if text and not text.startswith("#"):
            return later + 1
    return row


def suppress(
    report: Report,
    comments: Mapping[str, Sequence[Comment]],
    lines: Mapping[str, Sequence[str]],
    options: Options,
    is_whole: Callable[[str], bool],
) -> Report:
    """`report` without what its sources silence, with a finding for each suppression that was not needed.

    `comments` and `lines` hold every file that was read, by the path its findings carry. What is needed in a file of
    which not all is known yet is not known either.
    """
    found = [s for file in sorted(comments) for s in suppressions(file, comments[file], lines[file])]
    by_file: dict[str, list[Suppression]] = {}
    for suppression in found:
        by_file.setdefault(suppression.at.file, []).append(suppression)
    kept: list[Diagnostic] = []
    silenced: list[Diagnostic] = []
    used: set[tuple[Suppression, str]] = set()
    for finding in report.diagnostics:
        fitting = [s for s in by_file.get(finding.at.file, ()) if s.silences(finding)]
        used.update((s, finding.code) for s in fitting)
        (silenced if fitting else kept).append(finding)
    if options.selects(UnusedSuppression.code):
        kept += [d for s in found if is_whole(s.at.file) for d in _unused(s, used, options)]
    return configured(replace(report, diagnostics=tuple(kept), suppressed=report.suppressed + tuple(silenced)), options)


def _unused(suppression: Suppression, used: set[tuple[Suppression, str]], options: Options) -> Iterator[Diagnostic]:
    """What `suppression` holds that no finding needed; other tools' codes and bare `noqa` are left alone."""
    if suppression.word == "noqa":
        codes = tuple(c for c in suppression.codes if c.startswith("NKI"))
        template = "noqa: {}"
    else:
        codes = suppression.codes
        template = "nkilint: ignore[{}]"
    for code in codes:
        if code not in rules():
            yield diagnostic(UnusedSuppression.unknown(directive=template.format(code)), suppression.at)
        elif (suppression, code) not in used and options.selects(code, suppression.at.file):
            yield diagnostic(UnusedSuppression.message(directive=template.format(code)), suppression.at)
    if suppression.word == "ignore" and not codes and not any(s == suppression for s, _ in used):
        yield diagnostic(UnusedSuppression.message(directive="nkilint: ignore"), suppression.at)
