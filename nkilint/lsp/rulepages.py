"""The pages of the rules as files, which editors open by their address."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from nkilint.report.pages import page
from nkilint_rules.catalogue import rules


class RulePages:
    """Writes a page when it is first asked for, and other texts that are to be shown as files."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._addresses: dict[str, str] = {}

    def address(self, code: str) -> str:
        """The address of the page of the rule with this code."""
        if code not in self._addresses:
            rule = rules().get(code)
            self._addresses[code] = self.write(code, page(rule) if rule is not None else "")
        return self._addresses[code]

    def write(self, name: str, text: str) -> str:
        """The address of a new file with this text."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="nkilint-pages-"))
        file = self._folder / f"{name}.md"
        file.write_text(text, encoding="utf-8")
        return file.as_uri()

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
