"""Versions of the two dialects, as operations and parameters carry them.

A version is `2.21` for Beta 1, whose operations came with SDK releases 2.20 to 2.26, and `0.3` for 0.x. One string
holds at most one of each, separated by a space: `since="2.21 0.3"`. A dialect that the string does not mention has no
bound. A parameter's versions are `since`, or `since..until` where either side may be empty: `..0.3` means that 0.3
no longer takes it.
"""

from __future__ import annotations

from ..operations.form import BETA1, NKI, Operation

LATEST = {BETA1: "2.26", NKI: "0.6"}


def version_key(version: str) -> tuple[int, ...]:
    """A key by which versions sort: `0.10` after `0.9`."""
    return tuple(int(part) for part in version.split("."))


def bound_in(text: str, dialect: str) -> str:
    """The part of `text` that speaks of `dialect`, or the empty string."""
    prefix = "0." if dialect == NKI else "2."
    return next((part for part in text.split() if part.startswith(prefix)), "")


def within(since: str, until: str, dialect: str, version: str) -> bool:
    """Whether `version` lies in the bounds; without a version of this dialect everything that the newest one has."""
    at = version_key(bound_in(version, dialect) or LATEST[dialect])
    first, last = bound_in(since, dialect), bound_in(until, dialect)
    return (not first or at >= version_key(first)) and (not last or at < version_key(last))


def removed(operation: Operation, dialect: str, version: str = "") -> bool:
    """Whether earlier versions of the dialect had the operation."""
    last = bound_in(operation.until, dialect)
    return bool(last) and version_key(bound_in(version, dialect) or LATEST[dialect]) >= version_key(last)


def available(operation: Operation, dialect: str, version: str = "") -> bool:
    """Whether this version of the dialect has the operation."""
    if operation.signature(dialect) is None:
        return False
    return within(operation.since, operation.until, dialect, version)


def deprecated(operation: Operation, dialect: str, version: str = "") -> bool:
    """Whether this version of the dialect discourages the operation."""
    return bool(bound_in(operation.deprecated, dialect)) and within(operation.deprecated, "", dialect, version)


def parameter_available(operation: Operation, name: str, dialect: str, version: str = "") -> bool:
    """Whether this version of the dialect takes the parameter `name`."""
    since, _, until = operation.parameter_versions.get(name, "").partition("..")
    return within(since, until, dialect, version)
