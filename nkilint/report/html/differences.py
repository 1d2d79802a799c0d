"""A repair as a patch of the lines that it changes."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from nkilint.fixes.edits import Edit, applied


def difference(edits: Sequence[Mapping[str, Any]], lines: Sequence[str], name: str) -> str:
    """The patch that `edits`, as they stand in a report, make of a file."""
    text = "\n".join(lines)
    changed = applied([_edit(edit) for edit in edits], text)
    patch = difflib.unified_diff(text.split("\n"), changed.split("\n"), name, name, lineterm="", n=2)
    return "\n".join(patch)


def _edit(entry: Mapping[str, Any]) -> Edit:
    begin, end = entry["location"], entry["end_location"]
    return Edit(begin["row"], begin["column"], end["row"], end["column"], entry["content"])
