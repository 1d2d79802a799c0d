"""The formats of a report."""

from __future__ import annotations

from typing import Literal, get_args

Format = Literal["full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)
IN_PARTS: tuple[Format, ...] = ("full", "concise", "github", "jsonl")
"""Those of which a part is the beginning of the whole."""
