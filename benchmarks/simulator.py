"""How long the simulator takes, as ratios to plain numpy doing the same maths in the same run.

`python benchmarks/simulator.py --write` puts the table into docs/simulator.md. Numbers of a busy machine say little.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path[0:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "rules")]

import reference_sim  # noqa: E402
from reference_sim.report.strictness import Strictness  # noqa: E402
from reference_sim.running.settings import SETTINGS  # noqa: E402

reference_sim.install()

import neuronxcc.nki as nki  # noqa: E402
import neuronxcc.nki.isa as nisa  # noqa: E402
import neuronxcc.nki.language as nl  # noqa: E402
from tables import between  # noqa: E402

from tests.sim.kernels.convolution import conv2d_maxpool  # noqa: E402

Case = tuple[str, Callable[[], Any], Callable[[], Any], float, float]

PAGE = Path(__file__).parents[1] / "docs/simulator.md"
BEGIN, END = "<!-- speed -->\n", "<!-- /speed -->\n"
HEADING = "## Speed\n\nAgainst plain numpy in the same run (`python benchmarks/simulator.py --write`):\n\n"


@nki.jit
def matmul(lhs_t: Any, rhs: Any) -> Any:
    """A matmul in tiles of 128 x 128 x 512."""
    (k, m), (_, n) = lhs_t.shape, rhs.shape
    out = nl.ndarray((m, n), dtype=lhs_t.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(m // 128):
        for j in nl.affine_range(n // 512):
            total = nl.zeros((128, 512), nl.float32, buffer=nl.psum)
            for c in nl.affine_range(k // 128):
                a = nl.load(lhs_t[c * 128 : (c + 1) * 128, i * 128 : (i + 1) * 128])
                b = nl.load(rhs[c * 128 : (c + 1) * 128, j * 512 : (j + 1) * 512])
                total += nisa.nc_matmul(a, b)
            nl.store(out[i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512], nl.copy(total, dtype=out.dtype))
    return out


@nki.jit
def softmax(x: Any) -> Any:
    """Softmax of rows, 128 at a time."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // 128):
        tile = nl.load(x[i * 128 : (i + 1) * 128, :])
        shifted = nl.subtract(tile, nl.max(tile, axis=1, keepdims=True))
        powers = nl.exp(shifted)
        total = nl.sum(powers, axis=1, keepdims=True)
        nl.store(out[i * 128 : (i + 1) * 128, :], nl.multiply(powers, nl.reciprocal(total)))
    return out


@nki.jit
def rmsnorm(x: Any, w: Any) -> Any:
    """RMS normalisation of rows, 128 at a time."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    weight = nl.load(w.reshape((1, x.shape[1]))).broadcast_to((128, x.shape[1]))
    for i in nl.affine_range(x.shape[0] // 128):
        tile = nl.load(x[i * 128 : (i + 1) * 128, :])
        mean = nl.sum(nl.square(tile), axis=1, keepdims=True) / x.shape[1]
        scaled = nl.multiply(tile, nl.rsqrt(mean + 1e-6))
        nl.store(out[i * 128 : (i + 1) * 128, :], nl.multiply(scaled, weight))
    return out


def plain_softmax(x: Any) -> Any:
    """The same in numpy."""
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def plain_rmsnorm(x: Any, w: Any) -> Any:
    """The same in numpy."""
    return x / np.sqrt(np.square(x).mean(axis=1, keepdims=True) + np.float32(1e-6)) * w


def plain_convolution(images: Any, weights: Any, bias: Any) -> Any:
    """The same in numpy: one product for each element of the filter."""
    batch, _, height, width = images.shape
    out_channels, _, rows, columns = weights.shape
    found = np.zeros((batch, out_channels, height - rows + 1, width - columns + 1), np.float32)
    for r in range(rows):
        for c in range(columns):
            part = images[:, :, r : r + found.shape[2], c : c + found.shape[3]]
            found += np.tensordot(weights[:, :, r, c], part, axes=(1, 1)).transpose(1, 0, 2, 3)
    return found + bias[:, None, None]


def timed(function: Callable[[], Any], repeats: int = 3) -> float:
    """The shortest of some runs, in seconds."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def cases() -> list[Case]:
    """Name, the kernel, numpy, and the ratios that are promised without checks and with them."""
    rng = np.random.default_rng(0)
    a, b = (rng.random((2048, 2048), np.float32) for _ in range(2))
    x, w = rng.random((4096, 4096), np.float32), rng.random(4096, np.float32)
    images, filters = rng.random((16, 128, 128, 128), np.float32), rng.random((128, 128, 3, 3), np.float32)
    bias, unlimited = rng.random(128, np.float32), float("inf")
    return [
        ("matmul 2048 x 2048 x 2048", lambda: matmul(a, b), lambda: a.T @ b, 2, 4),
        ("softmax 4096 x 4096", lambda: softmax(x), lambda: plain_softmax(x), 4, 8),
        ("rmsnorm 4096 x 4096", lambda: rmsnorm(x, w), lambda: plain_rmsnorm(x, w), 4, 8),
        (
            "conv2d 16 x 128 x 128 x 128, 3 x 3",
            lambda: conv2d_maxpool(images, filters, bias),
            lambda: plain_convolution(images, filters, bias),
            unlimited,
            unlimited,
        ),
    ]


def dispatch() -> float:
    """Microseconds of an operation on a tile so small that only its dispatch counts, checks on."""
    seconds: list[float] = []

    @nki.jit
    def kernel(x: Any) -> Any:
        tile = nl.load(x)
        rounds = 2000
        start = time.perf_counter()
        for _ in range(rounds):
            total = nl.add(tile, tile)
        seconds.append((time.perf_counter() - start) / rounds)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, total)
        return out

    for _ in range(5):
        kernel(np.ones((2, 2), np.float32))
    return min(seconds) * 1e6


@nki.jit
def convolution_by_columns(images: Any, weights: Any, bias: Any) -> Any:
    """A convolution of one image as it is first written: an output pixel at a time, each operand a column."""
    _, height, width = images.shape
    channels, _, rows, columns = weights.shape
    out = nl.ndarray((channels, height - rows + 1, width - columns + 1), dtype=images.dtype, buffer=nl.shared_hbm)
    offset = nl.load(bias)
    for y in nl.affine_range(height - rows + 1):
        for x in nl.affine_range(width - columns + 1):
            total = nl.zeros((channels, 1), nl.float32, buffer=nl.psum)
            for r in nl.affine_range(rows):
                for c in nl.affine_range(columns):
                    column = nl.load(images[:, y + r, x + c : x + c + 1])
                    total += nl.matmul(nl.load(weights[:, :, r, c]), column)
            nl.store(out[:, y, x : x + 1], nl.add(total, offset))
    return out


def by_columns(checks: bool, size: int = 40) -> float:
    """Microseconds of CPU time of an operation in such a convolution; it has four for each tap and three a pixel."""
    rng = np.random.default_rng(0)
    images, weights = rng.random((32, size + 2, size + 2), np.float32), rng.random((32, 32, 3, 3), np.float32)
    bias = rng.random((32, 1), np.float32)
    SETTINGS["strictness"] = Strictness(checks=checks)
    began = time.process_time()
    convolution_by_columns(images, weights, bias)
    return (time.process_time() - began) / (size * size * (9 * 4 + 3)) * 1e6


def main(arguments: list[str]) -> int:
    """Print a table, for `--write` into the documentation too; 1 where a ratio is larger than promised."""
    late = 0
    lines = ["| kernel | numpy | no checks | ratio | checks | ratio |", "| --- | --- | --- | --- | --- | --- |"]
    for name, kernel, plain, limit_off, limit_on in cases():
        SETTINGS["strictness"] = Strictness()
        np.testing.assert_allclose(kernel(), plain(), rtol=2e-4)
        base = timed(plain)
        SETTINGS["strictness"] = Strictness(checks=False)
        off = timed(kernel)
        SETTINGS["strictness"] = Strictness()
        on = timed(kernel)
        late += off > limit_off * base or on > limit_on * base
        lines.append(f"| {name} | {base:.3f} s | {off:.3f} s | {off / base:.2f} | {on:.3f} s | {on / base:.2f} |")
    spent = dispatch()
    lines += ["", f"An operation on a tiny tile takes {spent:.0f} microseconds with checks."]
    plain, checked = by_columns(False), by_columns(True)
    lines += [f"In a convolution over single columns it takes {plain:.0f} without checks, {checked:.0f} with them."]
    print("\n".join(lines))
    if "--write" in arguments:
        between(PAGE, BEGIN, END, lambda _: HEADING + "\n".join(lines) + "\n")
    return int(late > 0 or spent > 20 or checked > 60)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
