"""What a renderer may use besides the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from nkilint_rules.words.records import dataclass

from .places import shown_path
from .style import Style


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how a report is printed. `lines` gives the text of a file, by line; none if it has no text.
    `rule_pages` is the address of a rule's page, with `{code}` for its code."""

    folder: Path
    lines: Callable[[str], Sequence[str]]
    style: Style
    seconds: float
    rule_pages: str = ""
    all_places: bool = False  # warnings that say the same of one kernel are not told together

    def named(self, file: str) -> str:
        """How a report calls `file`."""
        return shown_path(file, self.folder)
