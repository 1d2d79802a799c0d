"""Colours for terminals, and the decision whether to use them."""

from __future__ import annotations

import os
import shutil
from typing import TextIO

from nkilint_rules.rule import Severity
from nkilint_rules.words.records import dataclass

_CODES = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_SEVERITIES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


@dataclass(frozen=True, slots=True)
class Style:
    """Paints pieces of text, or leaves them plain. `links` says that the terminal may follow some, `width` how many
    columns it has; 0 is as many as there are."""

    colour: bool = False
    links: bool = False
    width: int = 0

    def paint(self, text: str, *names: str) -> str:
        """`text` in the given colours; empty text stays empty."""
        if not self.colour or not text:
            return text
        return f"\033[{';'.join(_CODES[n] for n in names)}m{text}\033[0m"

    def link(self, text: str, address: str) -> str:
        """`text` as a link, where the terminal may follow it."""
        return f"\033]8;;{address}\033\\{text}\033]8;;\033\\" if self.links and address else text

    def severity(self, text: str, severity: Severity) -> str:
        return self.paint(text, "bold", _SEVERITIES[severity])


def style_for(stream: TextIO, chosen: str = "auto") -> Style:
    """Colour on terminals that are not `dumb`, and where `FORCE_COLOR` is set, unless `NO_COLOR` is. What is `chosen`
    counts for more: "always" or "never"."""
    terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
    forced = os.environ.get("FORCE_COLOR", "") not in ("", "0")
    colour = {"always": True, "never": False}.get(chosen, (terminal or forced) and not os.environ.get("NO_COLOR"))
    return Style(colour, colour and terminal, shutil.get_terminal_size().columns if terminal else 0)
