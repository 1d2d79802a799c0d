"""Unions of types as values."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class TypeUnion:
    """`int | str`: any of these types, of which None is one."""

    kinds: tuple[Any, ...]
