"""Reductions, statistics, normalisation and scans against float64, over all their types."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import neuronxcc.nki as nki1
import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from .numerics import LOSS, by_language, close, exactly, returned, types, values, written

Reference = Callable[..., Any]

REDUCTIONS: dict[str, Reference] = {
    "sum": np.sum, "max": np.max, "min": np.min, "mean": np.mean, "var": np.var, "prod": np.prod,
}  # fmt: skip
OPERATORS: dict[str, Reference] = {"add": np.sum, "maximum": np.max, "minimum": np.min, "multiply": np.prod}
ACCUMULATED: dict[str, np.ufunc] = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}

few = settings(max_examples=4)


def magnitude(name: str, x: Any) -> Any:
    """What a reduction's loss in float32 is relative to."""
    wide = np.abs(x.astype(np.float64))
    if name in ("multiply", "prod"):
        return np.maximum(wide, 1).prod(axis=1, keepdims=True)
    return (wide * wide if name == "var" else wide).sum(axis=1, keepdims=True)


@types
@pytest.mark.parametrize("name", REDUCTIONS)
@few
@given(data=st.data())
def test_reductions_of_the_language(name: str, dtype: str, data: Any) -> None:
    x = data.draw(values(dtype))
    exact = REDUCTIONS[name](x.astype(np.float64), axis=1, keepdims=True)
    for found in by_language(name, x, axis=1, keepdims=True):
        close(found, exact, dtype, scale=magnitude(name, x))


@types
@pytest.mark.parametrize("name", OPERATORS)
@few
@given(data=st.data())
def test_tensor_reduce(name: str, dtype: str, data: Any) -> None:
    x = data.draw(values(dtype, low=-2.0, high=2.0))
    exact = OPERATORS[name](x.astype(np.float64), axis=1, keepdims=True)
    scale = magnitude(name, x)
    found = returned(lambda tile: nisa1.tensor_reduce(getattr(nl1, name), tile, axis=[1], dtype=nl1.float32), x)
    close(found, exact, "float32", scale=scale)
    found = written(lambda dst, tile: nisa.tensor_reduce(dst, getattr(nl, name), tile, axis=1), (4, 1), x.dtype, x)
    close(found, exact, dtype, scale=scale)
    found = written(
        lambda dst, tile: nisa.tensor_reduce(dst, getattr(nl, name), tile, axis=1, negate=True), (4, 1), x.dtype, x
    )
    close(found, -exact, dtype, scale=scale)


@types
@few
@given(data=st.data())
def test_reductions_over_several_axes(dtype: str, data: Any) -> None:
    x = data.draw(values(dtype, (4, 3, 5)))
    wide = x.astype(np.float64)
    found = returned(lambda tile: nl1.sum(tile, axis=[1, 2]), x)
    close(found.reshape(4, 1), wide.sum((1, 2)).reshape(4, 1), dtype, scale=np.abs(wide).sum((1, 2)).reshape(4, 1))


@types
@pytest.mark.parametrize("name", ["add", "maximum"])
@few
@given(data=st.data())
def test_reductions_over_partitions(name: str, dtype: str, data: Any) -> None:
    x = data.draw(values(dtype))
    wide = x.astype(np.float64)
    op = np.add if name == "add" else np.max
    exact, scale = OPERATORS[name](wide, axis=0, keepdims=True), np.abs(wide).sum(0, keepdims=True)
    found = returned(lambda tile: nisa1.tensor_partition_reduce(op, tile, dtype=nl1.float32), x)
    close(found, exact, "float32", scale=scale)

    def reduce(dst: Any, tile: Any) -> None:
        nisa.tensor_partition_reduce(dst, getattr(nl, name), tile)

    close(written(reduce, (1, 6), x.dtype, x), exact, dtype, scale=scale)


@types
@few
@given(data=st.data())
def test_activation_and_tensor_scalar_reduce(dtype: str, data: Any) -> None:
    x = data.draw(values(dtype, low=-2.0, high=2.0))
    exact = np.exp(x.astype(np.float64))

    def both(tile: Any) -> Any:
        total = nl1.ndarray((4, 1), dtype=nl1.float32, buffer=nl1.sbuf)
        powers = nisa1.activation_reduce(nl1.exp, tile, reduce_op=np.add, reduce_res=total, dtype=nl1.float32)
        return nl1.add(powers, total)

    totals = exact.sum(1, keepdims=True)
    close(returned(both, x), exact + totals, "float32", scale=exact + totals)

    def powers_and_total(dst: Any, tile: Any) -> None:
        nisa.activation_reduce(dst[:, 0:6], nl.exp, tile, nl.add, dst[:, 6:7])

    found = written(powers_and_total, (4, 7), np.float32, x)
    close(found, np.concatenate([exact, totals], axis=1), "float32", 4 * LOSS)

    def shifted(tile: Any) -> Any:
        total = nl1.ndarray((4, 1), dtype=nl1.float32, buffer=nl1.sbuf)
        moved = nisa1.tensor_scalar_reduce(
            data=tile, op0=np.multiply, operand0=2.0, reduce_op=np.add, reduce_res=total, dtype=nl1.float32
        )
        return nl1.add(moved, total)

    doubled = 2 * x.astype(np.float64)
    close(returned(shifted, x), doubled + doubled.sum(1, keepdims=True), "float32", scale=4 * magnitude("sum", x))

    def doubles_and_total(dst: Any, tile: Any) -> None:
        nisa.tensor_scalar_reduce(dst[:, 0:6], tile, nl.multiply, 2.0, nl.add, dst[:, 6:7])

    found = written(doubles_and_total, (4, 7), np.float32, x)
    exact = np.concatenate([doubled, doubled.sum(1, keepdims=True)], axis=1)
    close(found, exact, "float32", scale=4 * magnitude("sum", x))


@types
@few
@given(data=st.data())
def test_statistics_of_batches(dtype: str, data: Any) -> None:
    x = data.draw(values(dtype))
    wide = x.astype(np.float64)
    exact = np.concatenate([wide.mean(1, keepdims=True), wide.var(1, keepdims=True)], axis=1)
    found = returned(lambda tile: nisa1.bn_aggr(nisa1.bn_stats(tile, dtype=nl1.float32)), x)
    close(found, exact, "float32", 4 * LOSS, scale=magnitude("var", x) + 1)

    def statistics(dst: Any, tile: Any) -> None:
        of_halves = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
        nisa.bn_stats(of_halves, tile)
        nisa.bn_aggr(dst, of_halves)

    close(written(statistics, (4, 2), np.float32, x), exact, "float32", 4 * LOSS, scale=magnitude("var", x) + 1)


@types
@few
@given(data=st.data())
def test_softmax_and_norms(dtype: str, data: Any) -> None:
    x = data.draw(values(dtype))
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(1, keepdims=True))
    for found in by_language("softmax", x, axis=1):
        close(found, powers / powers.sum(1, keepdims=True), dtype, 4 * LOSS)
    weight = data.draw(values(dtype, (4, 6)))
    exact = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-3) * weight.astype(np.float64)
    for found in by_language("rms_norm", x, weight, axis=[1], n=6, epsilon=1e-3):
        close(found, exact, dtype)


@types
@pytest.mark.parametrize("first", ["multiply", "add", "maximum"])
@pytest.mark.parametrize("second", ["add", "subtract", "minimum"])
@settings(max_examples=2)
@given(data=st.data())
def test_scans(first: str, second: str, dtype: str, data: Any) -> None:
    a, b = data.draw(values(dtype, low=-1.0, high=1.0)), data.draw(values(dtype, low=-1.0, high=1.0))
    state = np.full(4, 0.5)
    exact = np.empty((4, 6))
    for i in range(6):
        step = getattr(np, first)(a[:, i].astype(np.float64), state)
        state = getattr(np, second)(step, b[:, i].astype(np.float64))
        exact[:, i] = state
    op0, op1 = getattr(np, first), getattr(np, second)
    found = returned(
        lambda x, y: nisa1.tensor_tensor_scan(x, y, initial=0.5, op0=op0, op1=op1, dtype=nl1.float32), a, b
    )
    close(found, exact, "float32", 8 * LOSS, scale=14.0)
    op0, op1 = getattr(nl, first), getattr(nl, second)
    found = written(lambda dst, x, y: nisa.tensor_tensor_scan(dst, x, y, 0.5, op0, op1), (4, 6), a.dtype, a, b)
    close(found, exact, dtype, 8 * LOSS, scale=14.0)


@types
@pytest.mark.parametrize("name", ACCUMULATED)
@few
@given(data=st.data())
def test_cumulative_operations(name: str, dtype: str, data: Any) -> None:
    x = data.draw(values(dtype, low=-1.0, high=1.0))
    exact = ACCUMULATED[name].accumulate(x.astype(np.float64) * 2, axis=1)

    def compute(dst: Any, tile: Any) -> None:
        nisa.tensor_scalar_cumulative(dst, tile, nl.multiply, getattr(nl, name), 2.0,
                                      reduce_cmd=nisa.reduce_cmd.reset_reduce)  # fmt: skip

    scale = np.maximum.accumulate(np.maximum(np.abs(x.astype(np.float64)) * 2, 1).cumprod(1), axis=1) + 12
    close(written(compute, (4, 6), nl.float32, x), exact, "float32", scale=scale)


@types
@few
@given(data=st.data())
def test_the_eight_largest(dtype: str, data: Any) -> None:
    x = data.draw(values(dtype, (4, 12)))
    exact = -np.sort(-x.astype(np.float64), axis=1)[:, :8]
    np.testing.assert_array_equal(returned(lambda tile: nisa1.max8(src=tile), x).astype(np.float64), exact)


MASKED = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np

p, f, one = nl.arange(128)[:, None], nl.arange(64)[None, :], nl.arange(1)[None, :]
m = (p < 100) & (f < 50)


def reduced(operation, *operands, **more):
    sums = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    operation(*operands, **more, reduce_res=sums[p, one], mask=m)
    return sums[0:100]


@nki.jit
def kernel(x):
    t = nl.load(x[p, f], mask=m)
    found = {call}
    out = nl.ndarray(found.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, found)
    return out
"""


@pytest.mark.parametrize(
    ("call", "exact"),
    [
        ("nl.sum(t, axis=1, mask=m)[0:100]", lambda v: v.sum(1, keepdims=True)),
        ("nl.var(t, axis=1, mask=m)[0:100]", lambda v: v.var(1, keepdims=True)),
        ("nisa.tensor_partition_reduce(np.add, t, mask=m)[0:1, 0:50]", lambda v: v.sum(0, keepdims=True)),
        ("nl.softmax(t, axis=1, mask=m)[0:100, 0:50]", lambda v: np.exp(v) / np.exp(v).sum(1, keepdims=True)),
        (
            "nisa.bn_aggr(nisa.bn_stats(t, mask=m), mask=p < 100)[0:100]",
            lambda v: np.stack([v.mean(1), v.var(1)], axis=1),
        ),
        (
            "nl.rms_norm(t, t, axis=[1], n=50, epsilon=0.0, mask=m)[0:100, 0:50]",
            lambda v: v / np.sqrt((v**2).mean(1, keepdims=True)) * v,
        ),
        ("reduced(nisa.activation_reduce, np.exp, t, reduce_op=np.add)", lambda v: np.exp(v).sum(1, keepdims=True)),
        (
            "reduced(nisa.tensor_scalar_reduce, data=t, op0=np.multiply, operand0=2.0, reduce_op=np.add)",
            lambda v: 2 * v.sum(1, keepdims=True),
        ),
    ],
)
def test_a_mask_leaves_elements_out_of_a_reduction(call: str, exact: Any) -> None:
    x = np.random.default_rng(0).random((128, 64), np.float32)
    source = MASKED.format(call=call)
    scope: dict[str, Any] = {}
    linecache.cache["masked.py"] = (len(source), None, source.splitlines(True), "masked.py")
    exec(compile(source, "masked.py", "exec"), scope)
    found = nki1.simulate_kernel(scope["kernel"], x)
    close(found, exact(x[:100, :50].astype(np.float64)), "float32", 64 * LOSS)


@few
@given(data=st.data())
def test_cumulative_operations_of_beta_1(data: Any) -> None:
    x = np.array([data.draw(st.permutations(range(12))) for _ in range(4)], np.float32)

    def summed(t: Any) -> Any:
        tile = nl1.ndarray(t.shape, dtype=nl1.float32, buffer=nl1.sbuf)
        nisa1.tensor_scalar_cumulative(dst=tile, src=t, op0=np.multiply, op1=np.add, imm0=2.0)
        return tile

    exactly(returned(summed, x), np.cumsum(2 * x, axis=1))


@few
@given(data=st.data())
def test_all_of_a_row(data: Any) -> None:
    x = data.draw(arrays(np.int32, (4, 6), elements=st.sampled_from([0, 1, 1, 1])))
    for found in by_language("all", x, axis=1):
        exactly(np.asarray(found).reshape(4).astype(bool), x.all(axis=1))
