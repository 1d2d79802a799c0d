"""The formats of a report."""

from __future__ import annotations

from typing import Literal, get_args

Format = Literal["full", "concise", "json", "sarif", "github", "gitlab", "junit", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)
