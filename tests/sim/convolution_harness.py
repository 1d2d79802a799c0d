"""A harness as courses hand them out: data, a reference, the comparison, and a benchmark with percentiles."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from typing import Any

import neuronxcc.nki as nki
import numpy as np

from .kernels.convolution import conv2d_maxpool

TOLERANCE: dict[Any, dict[str, float]] = {
    np.float32: {"rtol": 1e-4, "atol": 1e-3},
    np.float16: {"rtol": 2e-3, "atol": 2e-2},
}


def inputs(case: Sequence[int], dtype: Any) -> tuple[Any, Any, Any, int]:
    """Images, weights, bias and pool size of a case."""
    count, channels_in, channels_out, height, width, taps, pool = case
    rng = np.random.default_rng(0)
    images = rng.random((count, channels_in, height, width), np.float32)
    weights = rng.random((channels_out, channels_in, taps, taps), np.float32) - 0.5
    bias = rng.random(channels_out, np.float32)
    return images.astype(dtype), weights.astype(dtype), bias.astype(dtype), pool


def expected(images: Any, weights: Any, bias: Any, pool: int) -> Any:
    """The convolution as numpy does it."""
    taps = weights.shape[2:]
    windows = np.lib.stride_tricks.sliding_window_view(images.astype(np.float32), taps, axis=(2, 3))
    found = np.einsum("nchwrs,kcrs->nkhw", windows, weights.astype(np.float32), optimize=True)
    found = found + bias.astype(np.float32)[:, None, None]
    count, channels, height, width = found.shape
    return found.reshape(count, channels, height // pool, pool, width // pool, pool).max((3, 5))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pool", type=int, default=1)
    parser.add_argument("--dtype", default="float32", choices=("float32", "float16"))
    parser.add_argument("--bench", action="store_true")
    options = parser.parse_args(arguments)
    logging.disable(logging.OFF)  # type: ignore[attr-defined]
    dtype = getattr(np, options.dtype)
    case = inputs((1, 128, 128, 18, 18, 3, options.pool), dtype)
    found = nki.baremetal(conv2d_maxpool)(*case)
    same = np.allclose(found, expected(*case), **TOLERANCE[dtype])
    print("matches" if same else "differs")
    if options.bench:
        bench = nki.benchmark(warmup=5, iters=20, save_neff_name="convolution.neff")(conv2d_maxpool)
        bench(*case)
        print(f"latency: {bench.benchmark_result.nc_latency.get_latency_percentile(99)}")
    logging.disable(logging.NOTSET)
    return 0 if same else 1
