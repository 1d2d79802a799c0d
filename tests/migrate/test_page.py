"""The page of a migration: kernels with their outcomes, reasons by line, and what changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.cli import main
from nkilint.migrate.outcomes import migrate
from nkilint.migrate.page import page

from .test_migration import CHOSEN, HEAD, MASKED


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html.partition("<body>")[2]))


@pytest.fixture
def html(tmp_path: Path) -> str:
    (tmp_path / "scaled.py").write_text(MASKED)
    (tmp_path / "chosen.py").write_text(CHOSEN.replace("as nki\n", "as nki  # <script>&amp;\n"))
    return page(migrate([tmp_path], Options(), "B1", "0.6"), tmp_path)


def test_kernels_stand_there_with_their_outcomes_and_reasons(html: str) -> None:
    told = text_of(html)
    assert "2 kernels, 1 migrated, 1 left" in told
    assert "scaled migrated the same results on" in told
    assert "chosen left 1 place left to you Left to you line 12: the mask i == 3 is no bound of an index" in told
    assert told.index("chosen.py:6") < told.index("scaled.py:6")  # what is left to do comes first
    assert html.count("class='added'") > 5


def test_nothing_of_a_source_is_read_as_html(html: str) -> None:
    assert "<script" not in html
    assert "# &lt;script&gt;&amp;amp;" in html
    anchors = set(re.findall(r"href='#([^']*)'", html))
    assert len(anchors) == 2
    assert anchors == set(re.findall(r"id='(k[^']*)'", html))


def test_what_is_not_written_says_why(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(CHOSEN)
    result = migrate([tmp_path], Options(), "B1", "0.6", strict=True)
    assert "Not written: something in it is left to a person" in text_of(page(result, tmp_path))


def test_files_without_kernels_make_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.py").write_text(HEAD.removesuffix("@nki.jit\n"))
    main(["migrate", str(tmp_path), "--to", "0.6", "--output-format", "html"])
    assert "There is no kernel to migrate." in capsys.readouterr().out
