"""The operations of the API, one module for each family; importing them all fills `operation.OPERATIONS`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..words.dialects import BETA1, NKI
from ..words.modules import modules
from .form import OPERATIONS, Operation

_HERE = sys.modules[__name__]


@cache
def load_operations() -> dict[str, Operation]:
    """All operations by name, in the order of their names."""
    for _ in modules(_HERE):
        pass
    return dict(sorted(OPERATIONS.items()))


@cache
def load_constants() -> Mapping[str, Mapping[str, Any]]:
    """All constants by dialect and name: what the modules hold as `CONSTANTS`."""
    constants: dict[str, dict[str, Any]] = {BETA1: {}, NKI: {}}
    for module in modules(_HERE):
        for dialect, names in getattr(module, "CONSTANTS", {}).items():
            constants[dialect].update(names)
    return constants


def lookup(dialect: str, name: str) -> Operation | None:
    """The operation that `name` (`language.load`, `jit`, `tensor.reshape`) is in a dialect, of any version."""
    operation = load_operations().get(name)
    return operation if operation is not None and operation.signature(dialect) is not None else None
