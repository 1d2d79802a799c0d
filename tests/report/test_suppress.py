"""Comments that silence findings."""

from __future__ import annotations

import pytest

from nkilint.base.findings import Diagnostic, Report
from nkilint.base.ir import Comment, Span
from nkilint.base.options import Options
from nkilint.report.suppress import suppress
from nkilint_rules.rule import Severity

FILE = "k.py"


def silenced(
    source: str, *findings: tuple[str, int, int], options: Options | None = None
) -> tuple[list[str], list[str]]:
    """Findings given as (code, first row, last row): the ones left, as `code:row`, and the messages of NKI002."""
    lines = source.split("\n")
    comments = [Comment(row, line[line.index("#") :]) for row, line in enumerate(lines, 1) if "#" in line]
    diagnostics = tuple(
        Diagnostic(code, "name", Severity.ERROR, "message", Span(FILE, row, 1, end, 2)) for code, row, end in findings
    )
    report = Report("trn2", diagnostics)
    done = suppress(report, {FILE: comments}, {FILE: lines}, options or Options(), lambda file: True)
    assert len(done.suppressed) + len([d for d in done.diagnostics if d.code != "NKI002"]) == len(findings)
    left = [f"{d.code}:{d.at.row}" for d in done.diagnostics if d.code != "NKI002"]
    return left, [
        f"{d.at.row}:{d.at.column}-{d.at.end_column} {d.message}" for d in done.diagnostics if d.code == "NKI002"
    ]


@pytest.mark.parametrize(
    "comment",
    ["# noqa: NKI301", "# noqa", "# NOQA:nki301,E501", "# noqa: E501 NKI301", "# nkilint: ignore[NKI301]",
     "# nkilint: ignore", "# because of that  # nkilint: ignore[NKI301]"],
)  # fmt: skip
def test_a_comment_silences_its_line(comment: str) -> None:
    assert silenced(f"a\nb  {comment}\nc", ("NKI301", 1, 1), ("NKI301", 2, 2)) == (["NKI301:1"], [])


def test_a_comment_silences_what_spans_its_line() -> None:
    assert silenced("f(\n  x)  # noqa: NKI301\ng", ("NKI301", 1, 2), ("NKI301", 3, 3)) == (["NKI301:3"], [])


def test_only_the_codes_named_are_silenced() -> None:
    left, unused = silenced("b  # noqa: NKI301, NKI806", ("NKI301", 1, 1), ("NKI807", 1, 1))
    assert left == ["NKI807:1"]
    assert unused == ["1:4-26 `noqa: NKI806` silences nothing"]


def test_ignore_may_stand_alone_before_the_line_and_noqa_may_not() -> None:
    assert silenced("# nkilint: ignore[NKI301]\n\n# more\nb", ("NKI301", 4, 4)) == ([], [])
    left, unused = silenced("# noqa: NKI301\nb", ("NKI301", 2, 2))
    assert (left, unused) == (["NKI301:2"], ["1:1-15 `noqa: NKI301` silences nothing"])


def test_skip_file() -> None:
    assert silenced("# nkilint: skip-file\nb", ("NKI301", 2, 2), ("NKI806", 1, 1)) == ([], [])


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# noqa", None),
        ("# noqa: E501", None),
        ("# noqa: NKI301", "`noqa: NKI301` silences nothing"),
        ("# noqa: NKI199", "`noqa: NKI199` names no rule"),
        ("# nkilint: ignore", "`nkilint: ignore` silences nothing"),
        ("# nkilint: ignore[E501]", "`nkilint: ignore[E501]` names no rule"),
        ("# nkilint: skip-file", None),
    ],
)
def test_unused_suppressions_are_reported(comment: str, message: str | None) -> None:
    expected = [] if message is None else [f"1:3-{3 + len(comment)} {message}"]
    assert silenced(f"b {comment}") == ([], expected)


def test_codes_that_are_not_selected_are_not_called_unused() -> None:
    assert silenced("b  # noqa: NKI301", options=Options(ignore=("NKI3",))) == ([], [])
    assert silenced("b  # noqa: NKI301", options=Options(ignore=("NKI002",))) == ([], [])
