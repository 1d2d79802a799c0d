"""The accumulator registers of the Scalar and Vector Engines, one for each partition, which outlive an instruction:
what a call does to them, and whether what it writes hangs on what earlier calls left there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words.dialects import BETA1
from ..words.names import Named
from ..words.versions import bound_in, version_key

BEGINS = frozenset({"reset", "reset_reduce", "load_reduce"})
"""Commands after which the registers hold nothing of what earlier calls left there."""

NOT_KNOWN = "?"


def command_of(leaf: str, arguments: Mapping[str, Any], dialect: str, version: str = "") -> str:
    """The command that a call of the operation gives to its engine's registers: empty where it does not use any,
    `NOT_KNOWN` where it is not known, or the pages do not say what it does.

    Operations without the parameter begin anew. The page of Beta 1's `range_select` reduces whatever the command is,
    and is idle by default; before 0.3 that default was not heeded. No page speaks of a running result that is idle.
    """
    if leaf not in _USERS:
        return ""
    command = arguments.get("reduce_cmd", _ANEW)
    if not isinstance(command, Named):
        return NOT_KNOWN
    if command.leaf == "idle" and (leaf == RUNNING or (leaf == "range_select" and _is_vague(dialect, version))):
        return NOT_KNOWN
    return command.leaf


def _is_vague(dialect: str, version: str) -> bool:
    at = bound_in(version, dialect)
    return dialect == BETA1 or (bool(at) and version_key(at) < version_key("0.3"))


def takes(leaf: str, command: str, read_out: bool) -> bool:
    """Whether what a call writes may hang on what earlier calls left: all of a running result, or what is read out."""
    return command not in BEGINS and (leaf == RUNNING or (read_out and leaf in _USERS))


def is_undefined(leaf: str, command: str) -> bool:
    """Whether the registers hold nothing that is defined after a call: idle instructions of the Vector Engine may
    change them, those of the Scalar Engine leave them as they are."""
    return command == "idle" and leaf in _OF_VECTOR


def nowhere(partition: object) -> bool:
    """The partitions of an operand that is not written."""
    return False


RUNNING = "tensor_scalar_cumulative"
_ANEW = Named("isa.reduce_cmd.reset_reduce")
_OF_VECTOR = frozenset({"exponential", "range_select", "select_reduce", "tensor_scalar_reduce", RUNNING})
_OF_SCALAR = frozenset({"activation", "activation_reduce", "activate2"})
_USERS = _OF_SCALAR | _OF_VECTOR
