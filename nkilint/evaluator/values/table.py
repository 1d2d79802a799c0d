"""What an operation of Python does to a value, by the value's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Entry = TypeVar("Entry", bound=Callable[..., Any])


class Table:
    """One operation. A type without an entry of its own has that of its nearest base with one, else `otherwise`."""

    def __init__(self, otherwise: Callable[..., Any]) -> None:
        self.otherwise = otherwise
        self.entries: dict[type, Callable[..., Any]] = {}
        self._found: dict[type, Callable[..., Any]] = {}

    def of(self, *kinds: type) -> Callable[[Entry], Entry]:
        """Make the decorated function the entry of these types."""

        def register(entry: Entry) -> Entry:
            for kind in kinds:
                assert kind not in self.entries, f"two entries for {kind.__name__}"
                self.entries[kind] = entry
            self._found.clear()
            return entry

        return register

    def entry(self, kind: type) -> Callable[..., Any]:
        found = self._found.get(kind)
        if found is None:
            bases = (base for base in kind.__mro__ if base in self.entries)
            found = next((self.entries[base] for base in bases), self.otherwise)
            self._found[kind] = found
        return found

    def __call__(self, machine: Any, value: Any, *rest: Any) -> Any:
        return self.entry(type(value))(machine, value, *rest)


class PairTable:
    """An operation on two values: of their entries the one of the higher rank decides, the left one where they tie."""

    def __init__(self, otherwise: Callable[..., Any]) -> None:
        self._table = Table(otherwise)
        self.otherwise = otherwise
        self._ranks: dict[Any, int] = {}

    def of(self, *kinds: type, rank: int) -> Callable[[Entry], Entry]:
        """Make the decorated function the entry of these types."""

        def register(entry: Entry) -> Entry:
            self._ranks[entry] = rank
            return self._table.of(*kinds)(entry)

        return register

    @property
    def entries(self) -> dict[type, Callable[..., Any]]:
        return self._table.entries

    def entry(self, left: type, right: type) -> Callable[..., Any]:
        a, b = self._table.entry(left), self._table.entry(right)
        return a if self._ranks.get(a, 0) >= self._ranks.get(b, 0) else b
