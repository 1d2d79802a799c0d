"""Arrays of the host's frameworks, recognised without importing any of them, and given back as what came in."""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes
import numpy as np

from reference_sim.report.errors import CannotSimulate

from .dtypes import Array

_BITS = {"bfloat16": ("int16", ml_dtypes.bfloat16), "float8_e4m3fn": ("uint8", ml_dtypes.float8_e4m3fn),
         "float8_e5m2": ("uint8", ml_dtypes.float8_e5m2)}  # fmt: skip


def kind_of(value: Any) -> str:
    """`numpy`, `torch`, `jax`, or nothing for what is no array."""
    if isinstance(value, np.ndarray):
        return "numpy"
    root = type(value).__module__.partition(".")[0]
    if root == "torch" and hasattr(value, "detach"):
        return "torch"
    if root in ("jax", "jaxlib") and hasattr(value, "__array__"):
        return "jax"
    return ""


def to_numpy(value: Any, kind: str) -> Array:
    """The array's elements, in the framework's own memory where it allows that."""
    if kind == "torch":
        if value.device.type != "cpu":
            raise CannotSimulate("a kernel", f"a torch tensor is on the device {value.device}; move it to the CPU")
        plain = value.detach()
        name = str(plain.dtype).rpartition(".")[2]
        if name in _BITS:
            carrier, real = _BITS[name]
            torch = sys.modules["torch"]
            return np.asarray(plain.view(getattr(torch, carrier)).numpy()).view(real)
        return plain.numpy()
    if kind == "jax" and isinstance(value, sys.modules["jax"].core.Tracer):
        raise CannotSimulate("a kernel", "it is called inside of a jax transformation, where arrays hold no values")
    return np.asarray(value)


def from_numpy(array: Array, kind: str) -> Any:
    """A host array as the framework's own."""
    if kind == "torch":
        torch = sys.modules["torch"]
        for name, (carrier, real) in _BITS.items():
            if array.dtype == np.dtype(real):
                bits = np.ascontiguousarray(array).view(np.dtype(carrier))
                return torch.from_numpy(bits.copy()).view(getattr(torch, name))
        return torch.from_numpy(np.array(array))
    if kind == "jax":
        return sys.modules["jax"].numpy.asarray(array)
    return array
