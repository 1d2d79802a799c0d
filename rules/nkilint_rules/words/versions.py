"""Versions of the two dialects, as operations and parameters carry them.

A version is `2.21` for Beta 1, whose operations came with SDK releases 2.20 to 2.26, and `0.3` for 0.x. One string
holds at most one of each, separated by a space: `since="2.21 0.3"`. A dialect that the string does not mention has no
bound. A parameter's versions are `since`, or `since..until` where either side may be empty: `..0.3` means that 0.3
no longer takes it.
"""

from __future__ import annotations

from functools import cache

from .dialects import BETA1, NKI

LATEST = {BETA1: "2.26", NKI: "0.6"}
RELEASED = {BETA1: tuple(f"2.{n}" for n in range(20, 27)), NKI: tuple(f"0.{n}" for n in range(2, 7))}
"""The versions that there are: of Beta 1 the releases of the SDK that brought it."""


@cache
def version_key(version: str) -> tuple[int, ...]:
    """A key by which versions sort: `0.10` after `0.9`."""
    return tuple(int(part) for part in version.split("."))


def bound_in(text: str, dialect: str) -> str:
    """The part of `text` that speaks of `dialect`, or the empty string."""
    prefix = "0." if dialect == NKI else "2."
    return next((part for part in text.split() if part.startswith(prefix)), "")


@cache
def within(since: str, until: str, dialect: str, version: str) -> bool:
    """Whether `version` lies in the bounds; without a version of this dialect everything that the newest one has."""
    at = version_key(bound_in(version, dialect) or LATEST[dialect])
    first, last = bound_in(since, dialect), bound_in(until, dialect)
    return (not first or at >= version_key(first)) and (not last or at < version_key(last))
