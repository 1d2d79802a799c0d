"""What benchmarks print and put into pages alike: a row a folder, and tables between two marks."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path


def rows(header: str, folders: Sequence[str], measured: Callable[[], list[int]]) -> Iterator[list[int]]:
    """Print a table with what `measured` gives in each working folder, of NAME=FOLDER, and hand the numbers on."""
    print(header)
    print("|---" * header.count(" | ") + "|---|")
    for given in folders:
        name, _, folder = given.partition("=")
        os.chdir(folder)
        began = time.monotonic()
        numbers = measured()
        print(f"| {name} | {' | '.join(map(str, numbers))} |", flush=True)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
        yield numbers


def between(page: Path, begin: str, end: str, change: Callable[[str], str]) -> None:
    """Put what `change` makes of the text between two marks of a page in its place."""
    text = page.read_text(encoding="utf-8")
    first, last = text.index(begin) + len(begin), text.index(end)
    page.write_text(text[:first] + change(text[first:last]) + text[last:], encoding="utf-8")
