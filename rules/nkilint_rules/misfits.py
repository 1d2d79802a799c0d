"""Calls that cannot be right whatever their values: those that do not fit a signature, and those that nothing uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .language.call_signature import CallSignature
from .operands.missing_destination import MissingDestination
from .operands.unknown_api import UnknownApi
from .operations.form import Operation
from .operations.signatures import SignatureError
from .rule import Message


def misfit(operation: Operation, error: SignatureError) -> Message:
    """What is wrong with a call, by the rule that it breaks."""
    if error.kind == "missing" and "dst" in error.names:
        return MissingDestination.message(operation=operation.leaf)
    if error.kind == "unexpected":
        return UnknownApi.argument(operation=operation.leaf, argument=error.names[0])
    return CallSignature.message(callee=operation.leaf, problem=str(error))


def only_gives(operation: Operation, dialect: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a call does nothing but give the tile that it returns, which then has to be used."""
    if operation.kind not in ("compute", "matmul"):
        return False
    operands = operation.operands_in(dialect).items()
    return not any(operand.role != "read" and arguments.get(name) is not None for name, operand in operands)
