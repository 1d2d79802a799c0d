"""The generated pages are those that the code gives."""

from __future__ import annotations

from pathlib import Path

from nkilint import __version__
from nkilint.base.config import KEYS, load
from nkilint.fixes.proposing import PROPOSALS
from nkilint.report.pages import SETTINGS, files, index, main, page
from nkilint_rules.catalogue import rules
from nkilint_rules.dataflow.partial_output import PartialOutput


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


def test_pages_tell_of_every_repair() -> None:
    """Those that the repairs know are those that the rulebook tells of."""
    told = {code for code, rule in rules().items() if rule.repair}
    assert told == {*PROPOSALS, PartialOutput.code}


def test_a_page_begins_with_what_there_is_to_know_and_an_example() -> None:
    lines = page(PartialOutput).splitlines()
    assert lines[4:8] == [
        "- Severity: error",
        "- Namespace: `neuronxcc.nki` and `nki`",
        f"- Since: nkilint {PartialOutput.since}",
        f"- Repair by `--fix`: {PartialOutput.repair}; a condition under which all is well becomes an assertion",
    ]
    headings = [line for line in lines if line.startswith("## ")]
    assert (headings[0], headings[-1]) == ("## Example", "## More examples")
    for rule in rules().values():
        numbers, newest = ([int(n) for n in v.split(".")] for v in (rule.since, __version__))
        assert [0, 1, 0] <= numbers <= newest


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
