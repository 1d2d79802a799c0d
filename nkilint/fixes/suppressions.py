"""Comments that silence findings: taken away where they silence nothing, put in where somebody wants one."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence

from nkilint.base.findings import Diagnostic

from .edits import Edit, Fix

_UNUSED = re.compile(r"`(?:noqa: |nkilint: ignore\[)(NKI\d+)")
_OWN = re.compile(r"#\s*nkilint:\s*ignore\[([^\]]*)\]", re.IGNORECASE)
_OTHER = re.compile(r"#\s*noqa:\s*([A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+)*)", re.IGNORECASE)


def remove_unused(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    """The comment without the code that it needn't name; without any comment where none is left."""
    at = finding.at
    line = lines[at.row - 1]
    directive = line[at.column - 1 : at.end_column - 1]
    named = _UNUSED.search(finding.message)
    codes = re.findall(r"[A-Z]+[0-9]+", directive.partition(":")[2], re.IGNORECASE)
    left = [c for c in codes if named is None or c.upper() != named[1]]
    if left and len(left) < len(codes):
        first, last = directive.upper().find(codes[0].upper()), directive.upper().rfind(codes[-1].upper())
        text = directive[:first] + ", ".join(left) + directive[last + len(codes[-1]) :]
        return Fix("leave out the code", (Edit(at.row, at.column, at.row, at.end_column, text),))
    rest = line[at.end_column - 1 :]
    before = line[: at.column - 1]
    if rest.strip():
        after = rest.lstrip()
        kept = after if after.startswith("#") else "# " + after
        return Fix("remove the suppression", (Edit(at.row, at.column, at.row, len(line) + 1, kept),))
    if before.strip():
        return Fix("remove the suppression", (Edit(at.row, len(before.rstrip()) + 1, at.row, len(line) + 1, ""),))
    if at.row < len(lines):
        return Fix("remove the suppression", (Edit(at.row, 1, at.row + 1, 1, ""),))
    return Fix("remove the suppression", (Edit(at.row, 1, at.row, len(line) + 1, ""),))


def suppress_here(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    """A comment that silences the finding, on the first of its lines that can take one."""
    title = f"suppress {finding.code} on this line"
    comments = _comments(lines)
    if comments is None:
        return None
    for row in range(finding.at.row, finding.at.end_row + 1):
        line = lines[row - 1]
        end = len(line) + 1
        if row in comments:
            column = comments[row]
            if column is None:
                continue  # the line ends inside a string, or goes on in the next
            for pattern in (_OWN, _OTHER):
                known = pattern.search(line, column)
                if known is not None:
                    place = known.end(1) + 1
                    return Fix(title, (Edit(row, place, row, place, f", {finding.code}"),))
            return Fix(title, (Edit(row, end, row, end, f"  # nkilint: ignore[{finding.code}]"),))
        edit = Edit(row, len(line.rstrip()) + 1, row, end, f"  # nkilint: ignore[{finding.code}]")
        return Fix(title, (edit,))
    return None


def _comments(lines: Sequence[str]) -> dict[int, int | None] | None:
    """By row, the offset of the comment in it, or None where no comment can stand at the end."""
    found: dict[int, int | None] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.start[1]
            elif token.start[0] != token.end[0]:
                found.update((row, None) for row in range(token.start[0], token.end[0]))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return None
    for row, line in enumerate(lines, 1):
        if line.rstrip().endswith("\\") and row not in found:
            found[row] = None
    return found
