"""Folders of files that tests look into."""

from __future__ import annotations

from pathlib import Path


def empty_files(folder: Path, *names: str) -> None:
    """Files without a content, in folders that are made for them."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
