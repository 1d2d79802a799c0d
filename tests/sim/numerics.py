"""What the tests of numerics share: kernels around one operation, and how far a result may be from the exact one.

References compute in float64. A result may differ by the rounding of its own type, and by what an operation in float32
may lose before: `LOSS` says how many units in the last place of float32 that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import ml_dtypes
import neuronxcc.nki as nki1
import neuronxcc.nki.language as nl1
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nkilint_rules.operations import load_operations
from nkilint_rules.words.dialects import BETA1, NKI
from reference_sim import Strictness
from reference_sim.running.settings import SETTINGS

FLOATS = {
    "float32": np.dtype(np.float32),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float16": np.dtype(np.float16),
    "float8_e4m3": np.dtype(ml_dtypes.float8_e4m3),
    "float8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
INTEGERS = {name: np.dtype(name) for name in ("int8", "int16", "int32", "uint8", "uint16", "uint32")}

types = pytest.mark.parametrize("dtype", FLOATS)
few_types = pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
every_type = pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
LOWEST = float(np.finfo(np.float32).min)

HALF_ULP = {
    "float32": 2.0**-24,
    "bfloat16": 2.0**-9,
    "float16": 2.0**-12,
    "float8_e4m3": 2.0**-5,
    "float8_e5m2": 2.0**-4,
}
"""Half a unit in the last place of a number of each type, relative to it, doubled once for the rounding of ties."""

SMALLEST = {
    "float32": 2.0**-149,
    "bfloat16": 2.0**-133,
    "float16": 2.0**-24,
    "float8_e4m3": 2.0**-9,
    "float8_e5m2": 2.0**-16,
}
"""The distance between the numbers next to zero."""

LOSS = 8 * 2.0**-24
"""What float32 may lose in an operation: eight half units in the last place."""


def close(found: Any, exact: Any, name: str, loss: float = LOSS, scale: Any = None) -> None:
    """`found`, of the type `name`, is `exact` but for its rounding; `scale` is what the loss is relative to."""
    x, y = np.asarray(found).astype(np.float64), np.asarray(exact, np.float64)
    assert x.shape == y.shape
    size = np.abs(y) if scale is None else np.maximum(np.abs(y), scale)
    allowed = 2 * HALF_ULP[name] * np.abs(y) + loss * size + SMALLEST[name]
    largest = float(ml_dtypes.finfo(FLOATS[name]).max)
    beyond = np.abs(y) + allowed > largest  # too large for the type, or so near that rounding decides
    same = (np.abs(x - y) <= allowed) | (np.isnan(x) & np.isnan(y)) | (x == y) | beyond
    assert same.all(), (x[~same][:4], y[~same][:4])


def exactly(found: Any, exact: Any) -> None:
    """`found` is `exact`, element by element."""
    np.testing.assert_array_equal(np.asarray(found).astype(np.float64), np.asarray(exact).astype(np.float64))


def values(name: str, shape: tuple[int, ...] = (4, 6), low: float = -8.0, high: float = 8.0) -> st.SearchStrategy[Any]:
    """Arrays of a float type between two bounds that float32 has; what is next to zero is zero."""
    elements = st.floats(low, high, width=32).map(lambda v: v if abs(v) > 2.0**-30 else 0.0)
    return arrays(np.float32, shape, elements=elements).map(lambda a: a.astype(FLOATS[name]))


def whole(name: str, shape: tuple[int, ...] = (4, 6)) -> st.SearchStrategy[Any]:
    """Arrays of an integer type, within 24 bits."""
    limits = np.iinfo(INTEGERS[name])
    elements = st.integers(max(int(limits.min), -(2**20)), min(int(limits.max), 2**20))
    return arrays(INTEGERS[name], shape, elements=elements)


def drawn(data: Any, dtype: str, shape: tuple[int, ...] = (4, 6)) -> Any:
    """Values of a type."""
    return data.draw(values(dtype, shape) if dtype in FLOATS else whole(dtype, shape))


@contextmanager
def exact_types(target: str = "trn2", checks: bool = True) -> Iterator[None]:
    """Narrow floats are held exactly, in Beta 1 too; shadow memory is not what these tests are about."""
    before = SETTINGS["strictness"]
    SETTINGS["strictness"] = Strictness(precise=True, target=target, checks=checks)
    try:
        yield
    finally:
        SETTINGS["strictness"] = before


def returned(compute: Callable[..., Any], *inputs: Any) -> Any:
    """What an operation of Beta 1 returns for tiles of these values, loaded and stored as they are."""

    @nki1.jit
    def kernel(*tensors: Any) -> Any:
        tile = compute(*[nl1.load(tensor) for tensor in tensors])
        out = nl1.ndarray(tile.shape, dtype=tile.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, tile)
        return out

    with exact_types():
        return kernel(*inputs)


def loaded(tensors: Sequence[Any]) -> list[Any]:
    """Tiles of 0.x with what these tensors in HBM hold."""
    tiles = []
    for tensor in tensors:
        tile = nl.ndarray(tensor.shape, dtype=tensor.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=tensor)
        tiles.append(tile)
    return tiles


def computed(compute: Callable[..., Any], *inputs: Any, target: str = "trn2", checks: bool = True) -> Any:
    """What a function of the language returns in 0.x, for tiles of these values."""

    @nki.jit
    def kernel(*tensors: Any) -> Any:
        result = compute(*loaded(tensors))
        if nl.is_psum(result.buffer):
            result = nl.copy(result)
        out = nl.ndarray(result.shape, dtype=result.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=result)
        return out

    with exact_types(target, checks):
        return kernel(*inputs)


SIMULATED_ONLY = frozenset({"divide", "fmod", "mod"})
"""Functions of 0.x that no hardware has, which the rules say (NKI206)."""


def by_language(name: str, *inputs: Any, **options: Any) -> Iterator[Any]:
    """What the function of `nki.language` of this name gives, in each dialect that has it."""
    operation = load_operations()[f"language.{name}"]
    if operation.signature(BETA1) is not None:
        yield returned(lambda *tiles: getattr(nl1, name)(*tiles, **options), *inputs)
    if operation.signature(NKI) is not None:
        function = getattr(nl, name)
        yield computed(lambda *tiles: function(*tiles, **options), *inputs, checks=name not in SIMULATED_ONLY)


def written(
    compute: Callable[..., Any],
    shape: Sequence[int],
    dtype: Any,
    *inputs: Any,
    buffer: Any = None,
    target: str = "trn2",
) -> Any:
    """What an operation of 0.x writes to a destination of this shape and type: `compute(dst, *tiles)`."""

    @nki.jit
    def kernel(*tensors: Any) -> Any:
        target = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf if buffer is None else buffer)
        compute(target, *loaded(tensors))
        copied = target
        if buffer is not None:
            copied = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=copied, src=target)
        out = nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=copied)
        return out

    with exact_types(target):
        return kernel(*inputs)
