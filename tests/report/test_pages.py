"""The generated pages are those that the code gives."""

from __future__ import annotations

from pathlib import Path

from nkilint.base.config import KEYS, load
from nkilint.report.pages import SETTINGS, files, index, main
from nkilint_rules.catalogue import rules


def test_pages_are_up_to_date(root: Path) -> None:
    wanted = files()
    stale = [name for name, text in wanted.items() if not _holds(root / "docs" / name, text)]
    left_over = [f.name for f in (root / "docs/rules").glob("NKI*.md") if f"rules/{f.name}" not in wanted]
    assert (stale, left_over) == ([], []), "run `make docs`"


def _holds(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


def test_index_links_every_rule() -> None:
    text = index(list(rules().values()))
    assert all(f"[{code}]({code}.md)" in text for code in rules())


def test_settings_shown_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(SETTINGS, encoding="utf-8")
    options = load(file)
    assert (options.target, options.strict) == ("trn2", True)
    assert all(f"`{key}`" in files()["configuration.md"] for key in KEYS)


def test_pages_of_rules_that_are_gone_are_removed(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/NKI000.md").write_text("", encoding="utf-8")
    (tmp_path / "rules/notes.md").write_text("", encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    found = {str(f.relative_to(tmp_path)) for f in tmp_path.rglob("*.md")}
    assert found == {*files(), "rules/notes.md"}
