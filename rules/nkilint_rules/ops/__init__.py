"""The operations of the API, one module for each family; importing them all fills `operation.OPERATIONS`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ..operation import OPERATIONS, Operation


@cache
def load_operations() -> dict[str, Operation]:
    """All operations by name, in the order of their names."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(OPERATIONS.items()))


def lookup(dialect: str, name: str) -> Operation | None:
    """The operation that `name` (`language.load`, `jit`, `tensor.reshape`) is in a dialect, of any version."""
    operation = load_operations().get(name)
    return operation if operation is not None and operation.signature(dialect) is not None else None
