"""Findings for people: with excerpts, or a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from nkilint.base.findings import Diagnostic, Related, Report
from nkilint_rules.rule import Severity

from .excerpt import excerpt
from .places import confirmation_text, headline, legible, shown_path, shown_place, witness_text
from .style import Style
from .together import OTHERWISE, SAME

FEW = 6  # places whose lines are listed in one line


def concise_text(report: Report, folder: Path, style: Style) -> str:
    """One line for each finding."""
    return "".join(_title(finding, folder, style) + _elsewhere(finding) + "\n" for finding in report.findings)


def full_text(report: Report, folder: Path, lines: Callable[[str], Sequence[str]], style: Style) -> str:
    """Each finding with its piece of source, the other places, help and witness; an empty line between two."""
    return "\n".join(_block(finding, folder, lines, style) for finding in report.findings)


def _title(finding: Diagnostic, folder: Path, style: Style) -> str:
    code = style.severity(finding.code, finding.severity)
    loudness = "" if finding.severity is Severity.ERROR else f" {finding.severity}:"
    place = legible(shown_place(finding.at, folder)).replace("\n", "\\n")
    shown = style.link(style.paint(place, "bold"), (folder / finding.at.file).as_uri() if style.links else "")
    return f"{shown}: {code}{loudness} {legible(headline(finding))}"


def _block(finding: Diagnostic, folder: Path, lines: Callable[[str], Sequence[str]], style: Style) -> str:
    gutter = len(str(max([finding.at.end_row, *(r.at.end_row for r in finding.related)])))

    def note(word: str, text: str) -> str:
        first, *rest = legible(text).split("\n")
        lead = " " * (gutter + 1)
        more = [f"{lead}{' ' * (len(word) + 4)}{line}".rstrip() for line in rest]
        return "\n".join([f"{lead}{style.paint('=', 'bold', 'blue')} {style.paint(word + ':', 'bold')} {first}", *more])

    shown = [_title(finding, folder, style)]
    shown += excerpt(finding.at, lines(finding.at.file), gutter, style, finding.label, _colour(finding))
    for message, places in _grouped(finding.related):
        if message == OTHERWISE:
            shown.append(note("note", f"{len(places)} {message}"))
            continue
        if len(places) > 1:
            shown.append(note("note", f"{_rows(places, finding.at.file, folder)}: {message}"))
            continue
        shown.append(note("note", f"{shown_place(places[0].at, folder)}: {message}"))
        shown += excerpt(places[0].at, lines(places[0].at.file), gutter, style, colour="blue")
    if finding.help:
        shown.append(note("help", finding.help))
    evidence = [witness_text(finding.witness) if finding.witness else "", confirmation_text(finding)]
    if any(evidence):
        shown.append(note("witness", "; ".join(e for e in evidence if e)))
    return "".join(line + "\n" for line in shown)


def _elsewhere(finding: Diagnostic) -> str:
    """Where the same is said."""
    more = sum(related.message == OTHERWISE for related in finding.related)
    if more:
        return f" (and {more} more like it)"
    places = [related for related in finding.related if related.message == SAME]
    if not places:
        return ""
    return (
        f" (and {_rows(places, finding.at.file, Path())})"
        if len(places) <= FEW
        else f" (and {len(places)} more places)"
    )


def _grouped(related: Iterable[Related]) -> list[tuple[str, list[Related]]]:
    """Places of one file with one message together."""
    groups: dict[tuple[str, str], list[Related]] = {}
    for place in related:
        groups.setdefault((place.message, place.at.file), []).append(place)
    return [(message, places) for (message, _), places in groups.items()]


def _rows(places: Iterable[Related], file: str, folder: Path) -> str:
    """`lines 3, 7 and 9`, with the file where it is another one."""
    rows = [str(row) for row in dict.fromkeys(place.at.row for place in places)]
    other = next((place.at.file for place in places if place.at.file != file), "")
    shown = f"line {rows[0]}" if len(rows) == 1 else f"lines {', '.join(rows[:-1])} and {rows[-1]}"
    return f"{shown} of {shown_path(other, folder)}" if other else shown


def _colour(finding: Diagnostic) -> str:
    return {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}[finding.severity]
