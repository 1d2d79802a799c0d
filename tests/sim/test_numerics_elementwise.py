"""Elementwise operations and activations against float64, over all their types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .numerics import FLOATS, INTEGERS, LOSS, by_language, close, computed, returned, types, values, whole, written

Reference = Callable[..., Any]

erf = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softplus(x: Any) -> Any:
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


def gelu(x: Any) -> Any:
    return x / 2 * (1 + erf(x / math.sqrt(2)))


def bell(x: Any) -> Any:
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def tanh_gelu(x: Any) -> Any:
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def sigmoid_gelu_dx(x: Any) -> Any:
    s = sigmoid(1.702 * x)
    return s + 1.702 * x * s * (1 - s)


# name: reference, the interval that the values are from
UNARY: dict[str, tuple[Reference, float, float]] = {
    "exp": (np.exp, -8, 8), "log": (np.log, 0.125, 8), "sqrt": (np.sqrt, 0, 8), "rsqrt": (lambda x: x**-0.5, 0.125, 8),
    "reciprocal": (lambda x: 1 / x, 0.125, 8), "square": (np.square, -8, 8), "abs": (np.abs, -8, 8),
    "negative": (np.negative, -8, 8), "sign": (np.sign, -8, 8), "ceil": (np.ceil, -8, 8), "floor": (np.floor, -8, 8),
    "trunc": (np.trunc, -8, 8), "relu": (lambda x: np.maximum(x, 0), -8, 8), "sigmoid": (sigmoid, -8, 8),
    "tanh": (np.tanh, -8, 8), "softplus": (softplus, -8, 8), "silu": (lambda x: x * sigmoid(x), -8, 8),
    "silu_dx": (lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x))), -8, 8), "gelu": (gelu, -8, 8),
    "gelu_dx": (lambda x: (1 + erf(x / math.sqrt(2))) / 2 + x * bell(x), -8, 8), "gelu_apprx_tanh": (tanh_gelu, -8, 8),
    "gelu_apprx_sigmoid": (lambda x: x * sigmoid(1.702 * x), -8, 8), "gelu_apprx_sigmoid_dx": (sigmoid_gelu_dx, -8, 8),
    "mish": (lambda x: x * np.tanh(softplus(x)), -8, 8), "erf": (erf, -8, 8),
    "erf_dx": (lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x), -4, 4), "sin": (np.sin, -3, 3),
    "cos": (np.cos, -3, 3), "tan": (np.tan, -1, 1), "arctan": (np.arctan, -8, 8),
}  # fmt: skip
# Where intermediate results are larger than the final one, what float32 loses is relative to them.
CANCELLING = frozenset({
    "silu", "silu_dx", "gelu", "gelu_dx", "gelu_apprx_tanh", "gelu_apprx_sigmoid", "gelu_apprx_sigmoid_dx", "mish",
    "softplus", "erf_dx", "cos", "sin", "sigmoid", "exp", "log",
})  # fmt: skip

BINARY: dict[str, Reference] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
}  # fmt: skip
COMPARISONS: dict[str, Reference] = {
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal, "logical_and": np.logical_and,
    "logical_or": np.logical_or, "logical_xor": np.logical_xor,
}  # fmt: skip
BITWISE: dict[str, Reference] = {
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
}  # fmt: skip

few = settings(max_examples=4)


def scale_of(name: str) -> float | None:
    return 8.0 if name in CANCELLING else None


@types
@pytest.mark.parametrize("name", UNARY)
@few
@given(data=st.data())
def test_functions_of_one_operand(name: str, dtype: str, data: Any) -> None:
    reference, low, high = UNARY[name]
    x = data.draw(values(dtype, low=low, high=high))
    for found in by_language(name, x):
        assert found.dtype == x.dtype
        close(found, reference(x.astype(np.float64)), dtype, scale=scale_of(name))


@types
@pytest.mark.parametrize("name", ["exp", "gelu", "tanh", "sigmoid", "relu", "square", "sqrt", "copy"])
@few
@given(data=st.data())
def test_activations_scale_and_shift(name: str, dtype: str, data: Any) -> None:
    reference = (lambda x: x) if name == "copy" else UNARY[name][0]
    low = 0.125 if name == "sqrt" else -2.0
    x, bias = data.draw(values(dtype, low=low, high=2.0)), data.draw(values("float32", (4, 1), 0.0, 2.0))
    exact = reference(x.astype(np.float64) * 1.5 + bias)
    found = returned(lambda tile, b: nisa1.activation(getattr(nl1, name), tile, bias=b, scale=1.5), x, bias)
    close(found, exact, dtype, scale=8.0 + np.abs(exact))
    found = written(
        lambda dst, tile, b: nisa.activation(dst, getattr(nl, name), tile, bias=b, scale=1.5), (4, 6), x.dtype, x, bias
    )
    close(found, exact, dtype, scale=8.0 + np.abs(exact))


@types
@pytest.mark.parametrize("name", BINARY)
@few
@given(data=st.data())
def test_arithmetic(name: str, dtype: str, data: Any) -> None:
    x, y = data.draw(values(dtype)), data.draw(values(dtype))
    exact = BINARY[name](x.astype(np.float64), y.astype(np.float64))
    for found in by_language(name, x, y):
        close(found, exact, dtype)
    op, op1 = getattr(nl, name), getattr(np, name)
    close(returned(lambda a, b: nisa1.tensor_tensor(a, b, op1), x, y), exact, dtype)
    close(written(lambda dst, a, b: nisa.tensor_tensor(dst, a, b, op), (4, 6), x.dtype, x, y), exact, dtype)
    column = y[:, :1].astype(np.float32)
    wide = BINARY[name](x.astype(np.float64), column.astype(np.float64))
    close(returned(lambda a, b: nisa1.tensor_scalar(a, op1, b), x, column), wide, dtype)
    close(written(lambda dst, a, b: nisa.tensor_scalar(dst, a, op, b), (4, 6), x.dtype, x, column), wide, dtype)


@types
@few
@given(data=st.data())
def test_two_operators_in_one_instruction(dtype: str, data: Any) -> None:
    x, y = data.draw(values(dtype)), data.draw(values(dtype))
    column = data.draw(values("float32", (4, 1)))
    wide, other = x.astype(np.float64), y.astype(np.float64)
    exact = (column - wide) * other
    found = returned(
        lambda a, c, b: nisa1.scalar_tensor_tensor(
            data=a, op0=np.subtract, operand0=c, reverse0=True, op1=np.multiply, operand1=b
        ),
        *(x, column, y),
    )
    close(found, exact, dtype, scale=(np.abs(column) + np.abs(wide)) * np.abs(other))

    def both(dst: Any, a: Any, c: Any, b: Any) -> None:
        nisa.scalar_tensor_tensor(dst, a, nl.subtract, c, nl.multiply, b, reverse0=True)

    found = written(both, x.shape, x.dtype, x, column, y)
    close(found, exact, dtype, scale=(np.abs(column) + np.abs(wide)) * np.abs(other))

    def scaled(dst: Any, a: Any, c: Any) -> None:
        nisa.tensor_scalar(dst, a, nl.multiply, 2.0, op1=nl.subtract, operand1=c, reverse1=True)

    found = written(scaled, x.shape, x.dtype, x, column)
    close(found, column - 2 * wide, dtype, scale=np.abs(column) + 2 * np.abs(wide))


@types
@few
@given(data=st.data())
def test_functions_of_the_fourth_generation(dtype: str, data: Any) -> None:
    x, column = data.draw(values(dtype, low=-2.0, high=2.0)), data.draw(values("float32", (4, 1), -2.0, 2.0))
    wide = x.astype(np.float64)

    def staged(dst: Any, a: Any, c: Any) -> None:
        nisa.activate2(dst, nl.tanh, a, 0.5, c, nl.multiply, nl.subtract)

    exact = np.tanh(0.5 * wide - column)
    close(written(staged, x.shape, x.dtype, x, column, target="trn3"), exact, dtype, scale=4.0)

    def shifted(dst: Any, a: Any, c: Any) -> None:
        total = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.exponential(dst[:, 0:6], a, c, total, nisa.reduce_cmd.reset_reduce)
        nisa.tensor_copy(dst[:, 6:7], total)

    exact = np.exp(wide - column)
    exact = np.concatenate([exact, exact.sum(axis=1, keepdims=True)], axis=1)
    close(written(shifted, (4, 7), np.float32, x, column, target="trn3"), exact, "float32", 4 * LOSS)


@types
@few
@given(data=st.data())
def test_magnitudes_and_remainders(dtype: str, data: Any) -> None:
    x = data.draw(values(dtype))
    y = data.draw(values(dtype, low=0.5)) * data.draw(st.sampled_from([-1, 1]))
    y = y.astype(x.dtype)
    wide, other = x.astype(np.float64), y.astype(np.float64)
    for name in ("mod", "fmod"):
        for found in by_language(name, x, y):
            close(found, getattr(np, name)(wide, other), dtype, scale=8.0)
    for name, chosen in (("abs_max", abs(wide) > abs(other)), ("abs_min", abs(wide) < abs(other))):
        op = getattr(nl, name)
        found = written(
            lambda dst, a, b, op=op: nisa.tensor_tensor(dst, a, b, op), (4, 6), x.dtype, x, y, target="trn3"
        )
        close(found, np.where(chosen, wide, other), dtype)
        close(computed(getattr(nl, name), x, y, target="trn3"), np.where(chosen, wide, other), dtype)
    for found in by_language("logical_not", x):
        np.testing.assert_array_equal(found.astype(bool), wide == 0)


@types
@few
@given(data=st.data())
def test_division_and_powers(dtype: str, data: Any) -> None:
    x, y = data.draw(values(dtype)), data.draw(values(dtype, low=0.5))
    wide, other = x.astype(np.float64), y.astype(np.float64)
    for found in by_language("divide", x, y):
        close(found, wide / other, dtype)
    for found in by_language("power", np.abs(x), y):
        close(found, np.abs(wide) ** other, dtype, 64 * LOSS)
    close(returned(nisa1.reciprocal, y), 1 / other, dtype)
    close(written(lambda dst, a: nisa.reciprocal(dst, a), y.shape, y.dtype, y), 1 / other, dtype)


@types
@pytest.mark.parametrize("name", COMPARISONS)
@few
@given(data=st.data())
def test_comparisons(name: str, dtype: str, data: Any) -> None:
    x, y = data.draw(values(dtype, low=-1.0, high=1.0)), data.draw(values(dtype, low=-1.0, high=1.0))
    x, y = np.round(x.astype(np.float32)).astype(x.dtype), np.round(y.astype(np.float32)).astype(y.dtype)
    exact = COMPARISONS[name](x.astype(np.float64), y.astype(np.float64))
    for found in by_language(name, x, y):
        np.testing.assert_array_equal(found.astype(np.float64), exact)
    op = getattr(nl, name)
    found = written(lambda dst, a, b: nisa.tensor_tensor(dst, a, b, op), (4, 6), nl.float32, x, y)
    np.testing.assert_array_equal(found, exact)


@pytest.mark.parametrize("dtype", INTEGERS)
@few
@given(data=st.data())
def test_integers_are_exact_and_saturate(dtype: str, data: Any) -> None:
    x, y = data.draw(whole(dtype)), data.draw(whole(dtype))
    limits = np.iinfo(INTEGERS[dtype])
    for name, reference in BINARY.items():
        if name == "multiply":
            continue
        exact = np.clip(reference(x.astype(np.int64), y.astype(np.int64)), limits.min, limits.max)
        for found in by_language(name, x, y):
            np.testing.assert_array_equal(found, exact)
    for name, reference in BITWISE.items():
        for found in by_language(name, x, y):
            np.testing.assert_array_equal(found, reference(x, y))
    for found in by_language("invert", x):
        np.testing.assert_array_equal(found, np.invert(x))
    for found in by_language("logical_not", x):
        np.testing.assert_array_equal(found.astype(bool), x == 0)


@pytest.mark.parametrize("dtype", INTEGERS)
@few
@given(data=st.data())
def test_shifts_of_integers(dtype: str, data: Any) -> None:
    limits = np.iinfo(INTEGERS[dtype])
    x = data.draw(whole(dtype))
    by = data.draw(whole(dtype)) % 4
    bits = x.view(f"uint{8 * x.itemsize}")  # zeros come in from the left
    exact = np.right_shift(bits, by.astype(bits.dtype)).view(x.dtype)
    for found in by_language("right_shift", x, by):
        np.testing.assert_array_equal(found, exact)
    low = np.clip(x.astype(np.int64), limits.min // 16, limits.max // 16).astype(x.dtype)
    for found in by_language("left_shift", low, by):
        np.testing.assert_array_equal(found, np.left_shift(low, by))


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", [*FLOATS, *INTEGERS])
@few
@given(data=st.data())
def test_casts_round_to_nearest_even(source: str, target: str, data: Any) -> None:
    x = data.draw(values(source, low=-200.0, high=200.0))
    wide = x.astype(np.float64)
    for found in (
        *by_language("copy", x, dtype=getattr(nl, target)),
        returned(lambda tile: nisa1.tensor_copy(tile, dtype=getattr(nl1, target)), x),
        written(lambda dst, tile: nisa.tensor_copy(dst, tile), (4, 6), getattr(nl, target), x),
    ):
        if target in FLOATS:
            close(found, wide, target, 0.0)
        else:
            limits = np.iinfo(INTEGERS[target])
            np.testing.assert_array_equal(found.astype(np.float64), np.clip(np.rint(wide), limits.min, limits.max))


@types
@few
@given(data=st.data())
def test_where_and_select(dtype: str, data: Any) -> None:
    x, y = data.draw(values(dtype)), data.draw(values(dtype))
    chosen = (x.astype(np.float32) > 0).astype(np.uint8)
    exact = np.where(chosen, x.astype(np.float64), y.astype(np.float64))
    for found in by_language("where", chosen, x, y):
        np.testing.assert_array_equal(found.astype(np.float64), exact)
