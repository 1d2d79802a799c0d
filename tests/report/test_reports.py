"""Reports in every format, whole; `--update-golden` writes them anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nkilint.base.findings import Related, Report, UnknownObligation
from nkilint.base.ir import Span
from nkilint.base.source import source_lines
from nkilint.report.excerpt import excerpt, width
from nkilint.report.explain import explanation
from nkilint.report.formats import FORMATS, Format
from nkilint.report.pages import json_format
from nkilint.report.places import shown_path
from nkilint.report.rendering import render
from nkilint.report.setting import Setting
from nkilint.report.style import Style
from nkilint.report.summary import statistics_text, summary_text
from nkilint_rules.rule import Severity

from ..support.reports_sample import KERNELS, REPORT, SOURCES, TOO_WIDE

Golden = Callable[[str, str], None]
FOLDER = Path("/work")


PLAIN = Style()


def setting(style: Style = PLAIN) -> Setting:
    return Setting(FOLDER, source_lines(SOURCES), style, 1.25)


@pytest.mark.parametrize("output_format", ["full", "concise", "json"])
def test_formats(output_format: Format, golden: Golden) -> None:
    suffix = "json" if output_format == "json" else "txt"
    golden(f"report_{output_format}.{suffix}", render(REPORT, output_format, setting()))


def test_colour(golden: Golden) -> None:
    golden("report_colour.txt", render(REPORT, "full", setting(Style(colour=True))))


def test_explanation(golden: Golden) -> None:
    golden("explain.txt", "\n".join(explanation(k, FOLDER, Style()) for k in KERNELS))


def test_summary_and_statistics(golden: Golden) -> None:
    golden("summary.txt", summary_text(REPORT, 1.25) + statistics_text(REPORT))


def test_nothing_found() -> None:
    report = Report("trn1")
    assert [render(report, f, setting()) for f in ("full", "concise")] == ["", ""]
    assert summary_text(report, 0.04) == "no Python files found, 0.0 s\nno findings\n"
    assert statistics_text(report) == ""


def test_places_with_one_message_are_one_note() -> None:
    same = [("kernels/mlp.py", 10), ("kernels/mlp.py", 13), ("kernels/mlp.py", 13), ("kernels/wide.py", 3)]
    related = [
        Related("the same condition", Span(file, row, column, row, 9)) for column, (file, row) in enumerate(same)
    ]
    other = Related("the same condition", Span("kernels/wide.py", 5, 1, 5, 9))

    def notes(*places: Related) -> list[str]:
        report = Report("trn2", (replace(TOO_WIDE, related=places),))
        return [line[11:] for line in render(report, "full", setting()).splitlines() if line.startswith("   = note: ")]

    assert notes(*related) == ["lines 10 and 13: the same condition", "kernels/wide.py:3:3: the same condition"]
    assert notes(related[3], other) == ["lines 3 and 5 of kernels/wide.py: the same condition"]
    assert notes(*related[1:3]) == ["line 13: the same condition"]


def test_order_does_not_depend_on_the_order_of_finding() -> None:
    shuffled = replace(REPORT, diagnostics=REPORT.diagnostics[::-1], kernels=REPORT.kernels[::-1])
    for output_format in FORMATS:
        assert render(shuffled, output_format, setting()) == render(REPORT, output_format, setting())


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ((1, 1, 1, 2), ["  |", "1 | ab", "  | ^ here", "  |"]),
        ((1, 2, 1, 2), ["  |", "1 | ab", "  |  ^ here", "  |"]),
        ((1, 3, 1, 9), ["  |", "1 | ab", "  |   ^ here", "  |"]),
        ((2, 2, 2, 3), ["  |", "1 | ab", "2 |     名x", "  |     ^^ here", "  |"]),
        ((2, 3, 2, 4), ["  |", "1 | ab", "2 |     名x", "  |       ^ here", "  |"]),
        ((9, 1, 9, 1), []),
    ],
)
def test_carets_stand_under_the_text(span: tuple[int, int, int, int], expected: list[str]) -> None:
    assert excerpt(Span("f", *span), ["ab", "\t名x"], 1, Style(), "here") == expected


def test_long_spans_are_shortened() -> None:
    lines = [f"line{i}" for i in range(1, 21)]
    shown = excerpt(Span("f", 2, 1, 19, 7), lines, 2, Style(), "here")
    assert [line for line in shown if line[:2].strip()] == [f"{i:2} | line{i}" for i in (1, 2, 3, 4, 17, 18, 19)]
    assert shown[-2] == "   | ^^^^^^ here"


def test_width() -> None:
    assert [width(t) for t in ("", "a\tb", "é", "e\u0301", "名", "🙂")] == [0, 5, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("file", "shown"),
    [("a/../b.py", "b.py"), ("/work/a.py", "a.py"), ("/elsewhere/a.py", "/elsewhere/a.py"), ("./a.py", "a.py")],
)
def test_paths_are_relative_to_the_folder(file: str, shown: str) -> None:
    assert shown_path(file, FOLDER) == shown


def test_the_json_page_names_every_key() -> None:
    page = json_format()
    for key in ("version", "diagnostics", "end_location", "precondition", "instances", "obligations", "seconds"):
        assert f"| `{key}` |" in page


def test_an_explanation_gives_each_reason_once_for_a_line() -> None:
    open_ = [
        UnknownObligation("NKI301", 3, "`f` is not followed", ""),
        UnknownObligation("NKI701", 3, "result of `load`: `f` is not followed", ""),
        UnknownObligation("NKI301", 3, "`f` is not followed", ""),
        UnknownObligation("NKI702", 4, "result of `load`: `f` is not followed", ""),
    ]
    text = explanation(replace(KERNELS[0], unknown=tuple(open_)), FOLDER, Style())
    assert text[text.index("Unknown\n") :].splitlines() == [
        "Unknown",
        "  line 3: NKI301 (2 times), NKI701: `f` is not followed",
        "  line 4: NKI702: result of `load`: `f` is not followed",
    ]


def test_an_explanation_names_the_file_of_a_helper() -> None:
    open_ = [
        UnknownObligation("NKI301", 3, "`f` is not followed", str(FOLDER / "helpers.py")),
        UnknownObligation("NKI101", 9, "`g` is not followed", KERNELS[0].file),
    ]
    text = explanation(replace(KERNELS[0], unknown=tuple(open_)), FOLDER, Style())
    assert text[text.index("Unknown\n") :].splitlines() == [
        "Unknown",
        "  line 9: NKI101: `g` is not followed",
        "  helpers.py:3: NKI301: `f` is not followed",
    ]


def test_what_is_said_twice_of_one_kernel_is_told_once() -> None:
    warned = replace(TOO_WIDE, severity=Severity.WARNING)
    places = [replace(warned, at=replace(warned.at, row=row, end_row=row)) for row in (3, 5, 9)]
    elsewhere = replace(warned, kernel="another", at=replace(warned.at, row=12, end_row=12))
    errors = [replace(place, severity=Severity.ERROR, at=replace(place.at, column=1)) for place in places]
    report = Report("trn2", (*places, elsewhere, *errors))
    told = render(report, "concise", setting()).splitlines()
    assert len(told) == 5
    assert [line.endswith("(and lines 5 and 9)") for line in told].count(True) == 1
    assert "lines 5 and 9: the same is said of this" in render(report, "full", setting())
    assert len(render(report, "concise", replace(setting(), all_places=True)).splitlines()) == 7
    many = Report("trn2", tuple(replace(warned, at=replace(warned.at, row=row, end_row=row)) for row in range(3, 40)))
    assert render(many, "concise", setting()).endswith("(and 36 more places)\n")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("for i in x:  # all\n    a = i\n", ["1 | for i in x:  # all", "  | ^^^^^^^^^^^"]),
        (
            "with (\n    a\n):\n    b\n",
            ["1 | with (", "  | ^^^^^^", "2 |     a", "  |     ^", "3 | ):", "  | ^^", "4 |     b", "  |     ^"],
        ),
        ("f(a,\n  b)\n", ["1 | f(a,", "  | ^^^^", "2 |   b)", "  |   ^^"]),
    ],
)
def test_of_a_statement_with_a_body_its_head_is_shown(source: str, shown: list[str]) -> None:
    lines = source.splitlines()
    at = Span("k.py", 1, 1, len(lines), len(lines[-1]) + 1)
    assert excerpt(at, lines, 1, Style())[1:-1] == shown
