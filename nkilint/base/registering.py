"""Functions found by what they are for: tables that decorators fill in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Key = TypeVar("Key")
Entry = TypeVar("Entry")


def entered(table: dict[Key, Entry], keys: Iterable[Key]) -> Callable[[Entry], Entry]:
    """Make the decorated function the entry of each of `keys`, which have none yet."""

    def register(entry: Entry) -> Entry:
        for key in keys:
            if key in table:
                raise ValueError(f"{key} is entered twice")
            table[key] = entry
        return entry

    return register
