"""Which versions of a dialect have an operation, or take one of its parameters."""

from __future__ import annotations

from ..words.versions import LATEST, bound_in, version_key, within
from .form import Operation


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
