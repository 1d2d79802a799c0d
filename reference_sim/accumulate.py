"""In-place operators: `t += x` writes into `t`, and on PSUM it is how Beta 1 accumulates matmuls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nkilint_rules.operation import PSUM

from . import calls, psum, shadow
from .context import program
from .numerics.alu import binary
from .tensor import Tensor, read


def in_place(target: Tensor, other: Any, name: str, language: Callable[..., Any]) -> Tensor:
    """`target op= other`: the result has the type and place of the target."""
    current = program(f"language.{name}")
    current.updated = target
    array = target._array
    source: Any = other._array if isinstance(other, Tensor) else other
    if array is None or (isinstance(other, Tensor) and source is None):
        value = language(target, other)
        calls.assign(target, read(value), None, current)
        return target
    if current.checks:
        shadow.before_in_place(target, other, current)
    if name == "add" and target.storage.memory == PSUM:
        # What nothing has written yet is replaced: the first matmul of a group starts the sum.
        written = psum.begin(target, None, current)
        if written is not True:
            value = source if written is None else np.where(written, binary(name, array, source), source)
            calls.assign(target, value, None, current, matmul=True)
            return target
    plain = isinstance(source, np.ndarray) and source.dtype == array.dtype == np.float32 and source.shape == array.shape
    if plain and name == "add":
        np.add(array, source, out=array)
        if target.storage.memory == PSUM:
            psum.wrote(target, None, current, True)
        if current.checks:
            shadow.wrote(target, None, current)
        return target
    calls.assign(target, binary(name, array, source), None, current)
    return target
