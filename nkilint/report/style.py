"""Colours for terminals, and the decision whether to use them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO

from nkilint_rules.rule import Severity

_CODES = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_SEVERITIES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


@dataclass(frozen=True, slots=True)
class Style:
    """Paints pieces of text, or leaves them plain."""

    colour: bool = False

    def paint(self, text: str, *names: str) -> str:
        """`text` in the given colours; empty text stays empty."""
        if not self.colour or not text:
            return text
        return f"\033[{';'.join(_CODES[n] for n in names)}m{text}\033[0m"

    def severity(self, text: str, severity: Severity) -> str:
        return self.paint(text, "bold", _SEVERITIES[severity])


def style_for(stream: TextIO) -> Style:
    """Colour on terminals, unless `NO_COLOR` is set or the terminal is `dumb`."""
    return Style(stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")
