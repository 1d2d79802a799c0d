"""Keys of dicts and members of sets that are objects, and equal to what they are made of."""

from __future__ import annotations

from typing import Any


class Key:
    """An object among keys: equal to the number, the text or the tuple that it is equal to in Python. Where keys are
    looked at, the object is `shown`."""

    __slots__ = ("known_by", "object")

    def __init__(self, value: Any, known_by: Any) -> None:
        self.object, self.known_by = value, known_by

    def __hash__(self) -> int:
        return hash(self.known_by)

    def __eq__(self, other: object) -> bool:
        return bool(self.known_by == (other.known_by if isinstance(other, Key) else other))


def shown(key: Any) -> Any:
    """What a key is to who looks at it."""
    if isinstance(key, tuple):
        parts = tuple(map(shown, key))
        return key if all(a is b for a, b in zip(key, parts, strict=True)) else parts
    return key.object if isinstance(key, Key) else key
