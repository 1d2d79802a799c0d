"""Streams that tests take for terminals."""

from __future__ import annotations

import io


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True
