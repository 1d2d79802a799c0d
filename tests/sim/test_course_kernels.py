"""Kernels of the kind that courses hand out give what numpy and torch give, however they are launched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np
import pytest

from . import convolution_harness as harness
from .kernels import convolution, layers, matmuls, vectors

RNG = np.random.default_rng(1)

LAUNCHES: dict[str, Callable[..., Any]] = {
    "jit": lambda kernel, *args: kernel(*args),
    "baremetal": lambda kernel, *args: nki.baremetal(kernel)(*args),
    "simulate_kernel": lambda kernel, *args: nki.simulate_kernel(kernel, *args),
}

launched = pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES)


def uniform(*shape: int) -> Any:
    return RNG.random(shape, np.float32)


@launched
@pytest.mark.parametrize(("kernel", "size"), [
    (vectors.add_at_once, 128), (vectors.add_tiled, 6400), (vectors.add_streamed, 4 * 65536),
])  # fmt: skip
def test_vectors_are_added(launch: Any, kernel: Any, size: int) -> None:
    a, b = uniform(size), uniform(size)
    np.testing.assert_array_equal(launch(kernel, a, b), a + b)


def test_a_vector_longer_than_the_partitions_is_refused() -> None:
    with pytest.raises(IndexError, match="NKI101"):
        vectors.add_at_once(uniform(256), uniform(256))


@launched
@pytest.mark.parametrize("kernel", [matmuls.tiled, matmuls.hoisted, matmuls.blocked, matmuls.blocked_everywhere])
def test_matmuls(launch: Any, kernel: Any) -> None:
    a, b = uniform(512, 256), uniform(512, 1024)
    np.testing.assert_allclose(launch(kernel, a, b), a.T @ b, rtol=1e-5)


@pytest.mark.parametrize("kernel", [matmuls.tiled, matmuls.blocked_everywhere])
def test_matmuls_of_narrow_floats(kernel: Any) -> None:
    a, b = (nl.static_cast(uniform(512, n), nl.bfloat16) for n in (256, 1024))
    found = kernel(a, b)
    assert found.dtype == a.dtype
    np.testing.assert_allclose(found.astype(np.float32), a.astype(np.float32).T @ b.astype(np.float32), rtol=1e-2)


@launched
@pytest.mark.parametrize("shape", [(128, 128), (256, 384), (200, 130), (1, 7)])
def test_transposition(launch: Any, shape: tuple[int, int]) -> None:
    x = uniform(*shape)
    np.testing.assert_array_equal(launch(layers.transpose, x), x.T)


def softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "relu": lambda x: np.maximum(x, 0), "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "softmax": softmax,
}  # fmt: skip


@launched
@pytest.mark.parametrize("act", ACTIVATIONS)
def test_bias_and_activation(launch: Any, act: str) -> None:
    x, bias = uniform(300, 64) - 0.5, uniform(1, 64) - 0.5
    np.testing.assert_allclose(launch(layers.bias_add_act, x, bias, act), ACTIVATIONS[act](x + bias), rtol=2e-5)


@launched
def test_forward_and_predict(launch: Any) -> None:
    x, w1, w2 = uniform(256, 256) - 0.5, uniform(256, 512) - 0.5, uniform(512, 512) - 0.5
    b1, b2 = uniform(1, 512) - 0.5, uniform(1, 512) - 0.5
    expected = softmax(np.maximum(x @ w1 + b1, 0) @ w2 + b2)
    np.testing.assert_allclose(launch(layers.forward, x, w1, b1, w2, b2), expected, rtol=1e-3, atol=1e-6)
    classes = launch(layers.predict, x, w1, b1, w2, b2)
    assert classes.dtype == np.uint32
    np.testing.assert_array_equal(classes[:, 0], expected.argmax(1))


def test_forward_agrees_with_torch() -> None:
    torch = pytest.importorskip("torch")
    x, w1, w2 = (torch.rand(s) - 0.5 for s in ((128, 128), (128, 512), (512, 512)))
    b1, b2 = (torch.rand(1, 512) - 0.5 for _ in range(2))
    expected = torch.softmax(torch.relu(x @ w1 + b1) @ w2 + b2, dim=1)
    assert torch.allclose(layers.forward(x, w1, b1, w2, b2), expected, rtol=1e-3, atol=1e-6)
    assert torch.equal(layers.predict(x, w1, b1, w2, b2)[:, 0].long(), expected.argmax(1))


# (images, channels in, channels out, height, width, taps, pool)
CASES = [(2, 128, 128, 12, 18, 3, 1), (1, 256, 256, 18, 34, 3, 2), (1, 128, 256, 9, 9, 2, 2), (2, 128, 128, 8, 8, 1, 1)]


@launched
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("case", CASES)
def test_convolution_with_pooling(launch: Any, dtype: Any, case: Any) -> None:
    images, weights, bias, pool = harness.inputs(case, dtype)
    found = launch(convolution.conv2d_maxpool, images, weights, bias, pool)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, harness.expected(images, weights, bias, pool), **harness.TOLERANCE[dtype])


@pytest.fixture(scope="module", params=[np.float32, np.float16])
def large(request: pytest.FixtureRequest) -> Any:
    """A dtype, the arguments of a convolution of 256 x 256 pixels as torch tensors, and what torch makes of them."""
    torch = pytest.importorskip("torch")
    *arrays, pool = harness.inputs((1, 128, 128, 256, 256, 3, 2), request.param)
    tensors = [torch.from_numpy(x) for x in arrays]
    reference = torch.nn.functional.max_pool2d(torch.nn.functional.conv2d(*(t.float() for t in tensors)), pool)
    return request.param, (*tensors, pool), reference.numpy()


@launched
def test_convolution_of_a_large_image_agrees_with_torch(launch: Any, large: Any) -> None:
    dtype, arguments, reference = large
    found = launch(convolution.conv2d_maxpool, *arguments)
    assert found.numpy().dtype == dtype
    np.testing.assert_allclose(found.float().numpy(), reference, **harness.TOLERANCE[dtype])


def test_the_harness_runs_as_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert harness.main(["--pool", "2", "--dtype", "float16", "--bench"]) == 0
    said = capsys.readouterr()
    assert "matches" in said.out
    assert "latency: nan" in said.out
