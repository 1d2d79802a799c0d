"""A kernel's values as the rulebook speaks of them."""

from __future__ import annotations

from enum import Enum
from types import FunctionType
from typing import Any

import ml_dtypes
import numpy as np

from nkilint_rules.words.names import Named
from reference_sim.machine.buffers import MemoryRegion
from reference_sim.machine.dtypes import element_type
from reference_sim.tensors.tensor import View

_NUMPY_FUNCTIONS = ("builtin_function_or_method", "_ArrayFunctionDispatcher")


def in_words(value: Any) -> Any:
    """A kernel's value as the rulebook speaks of it."""
    kind = type(value)
    if kind in (int, float, str, bool) or value is None:
        return value
    if hasattr(value, "storage"):
        return View(value)
    if isinstance(value, Enum):
        return value.value if isinstance(value, MemoryRegion) else Named(f"isa.{kind.__name__}.{value.name}")
    name = getattr(value, "operator_name", None)
    if name is not None:
        return Named(name)
    if isinstance(value, (np.ufunc, FunctionType)) or kind.__name__ in _NUMPY_FUNCTIONS:
        module = getattr(value, "__module__", None) or "numpy"
        return Named(f"{module.split('.')[0]}.{value.__name__}")
    if isinstance(value, np.dtype) or (isinstance(value, type) and _is_element(value)):
        return value if value is bool else element_type(value)
    if isinstance(value, (np.float32, np.float64)):
        return float(value)
    if isinstance(value, (np.int32, np.int64)):
        return int(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(in_words, value))
    return value


def _is_element(value: type) -> bool:
    return issubclass(value, (np.generic, bool)) or value.__module__ == ml_dtypes.__name__


def signature_of(value: Any) -> Any:
    """A hashable summary of a value: two calls with equal summaries satisfy the same requirements."""
    kind = type(value)
    if kind in (int, float, str, bool) or value is None:
        return kind, value
    if isinstance(value, type):
        return value
    summary = getattr(value, "signature", None)
    if summary is not None:
        return summary()
    if kind in (list, tuple):
        return kind, tuple(map(signature_of, value))
    shape = getattr(value, "shape", None)
    if shape is not None and not isinstance(value, np.generic):
        return kind, tuple(shape)
    try:
        hash(value)
    except TypeError:
        return kind, id(value)
    return kind, value
