"""The operations of the API, one module for each family; importing them all fills `operation.OPERATIONS`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

from ..words.dialects import BETA1, NKI
from .form import OPERATIONS, Operation


def _modules() -> Iterator[ModuleType]:
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        yield importlib.import_module(f"{__name__}.{module.name}")


@cache
def load_operations() -> dict[str, Operation]:
    """All operations by name, in the order of their names."""
    for _ in _modules():
        pass
    return dict(sorted(OPERATIONS.items()))


@cache
def load_constants() -> Mapping[str, Mapping[str, Any]]:
    """All constants by dialect and name: what the modules hold as `CONSTANTS`."""
    constants: dict[str, dict[str, Any]] = {BETA1: {}, NKI: {}}
    for module in _modules():
        for dialect, names in getattr(module, "CONSTANTS", {}).items():
            constants[dialect].update(names)
    return constants


def lookup(dialect: str, name: str) -> Operation | None:
    """The operation that `name` (`language.load`, `jit`, `tensor.reshape`) is in a dialect, of any version."""
    operation = load_operations().get(name)
    return operation if operation is not None and operation.signature(dialect) is not None else None
