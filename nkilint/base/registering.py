"""Functions found by what they are for: tables that decorators fill in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Key = TypeVar("Key")
Entry = TypeVar("Entry")


def entered(table: dict[Key, Entry], keys: Iterable[Key]) -> Callable[[Entry], Entry]:
    """Make the decorated function the entry of each of `keys`."""

    def register(entry: Entry) -> Entry:
        table.update(dict.fromkeys(keys, entry))
        return entry

    return register
