"""Scripts, tests and tools around kernels: names, calls and comparisons in main functions, fixtures and benchmarks."""

import argparse
import json
import os
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np
import pytest

SIZES = ((128, 512), (256, 1024))
RESULTS = Path("results")


# nkilint: x: float32[128, 64]
@nki.jit
def doubled(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.multiply(nl.load(x), 2.0))
    return out


@dataclass
class Record:
    name: str
    seconds: float
    passed: bool = True

    def line(self, width=20, *, sep=" "):
        return f"{self.name:<{width}}{sep}{self.seconds:.3f}"


class Cache:
    def __init__(self, folder, limit=16):
        self.folder, self.limit = folder, limit
        self.items = OrderedDict()

    def get(self, key, default=None):
        return self.items.get(key, default)

    def put(self, key, value):
        self.items[key] = value


    def put_all(self, items):
        for key in items:
            self.put(key)  # expect: NKI809

    def drop(self, key):
        return self.items.pop(key, None)

    def take(self, key):
        return self.drop(key, None)  # expect: NKI809


class DiskCache(Cache):
    def put_many(self, items):
        for key, value in items.items():
            self.put(key=key, value=value)
            self.visit(key, value)

    def flush(self, force):
        for key, value in self.items.items():
            (self.folder / key).write_text(json.dumps(value))
        return force


@contextmanager
def timed(name):
    start = time.perf_counter()
    yield
    print(name, time.perf_counter() - start)


def reference(x, *, axis=-1, keepdims=False):
    return x.sum(axis=axis, keepdims=keepdims)


# --- found ---


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int)
    args = parser.parse_args()
    run(doubled, np.zeros((args.rows, 64)))  # expect: NKI808


def chosen_by_name(name):
    if name == "small":
        shape = SIZES[0]
    elif name == "large":
        print("large")
    return np.zeros(shape)  # expect-warning: NKI808


def first_that_passes(records):
    for record in records:
        if record.passed:
            best = record
            break
    return best.line()  # expect-warning: NKI808


def written(records, path):
    with open(path, "w") as file:
        for record in records:
            file.write(record.line(30, "|"))
    return fil  # expect: NKI808


def summed(records):
    for record in records:
        total += record.seconds  # expect: NKI808
    return total


@pytest.fixture
def cache(tmp_path):
    made = Cache(tmp_path, limit=4, size=3)  # expect: NKI809
    yield made


def flushed(folder):
    cache = DiskCache(folder)
    cache.put("a", 1)
    cache.flush()  # expect: NKI809


def recorded(name, start):
    record = Record(name, time.time() - start, seconds=3.0)  # expect: NKI809
    return record


def lines_of(name):
    record = Record(name, 1.0)
    return record.line(20, "|")  # expect: NKI809


def of_a_base(folder):
    cache = DiskCache(folder, 4, 5)  # expect: NKI809
    return cache


def compared(x):
    want = reference(x, axis=0)
    got = reference(x, axes=1)  # expect: NKI809
    np.testing.assert_allclose(want, want)  # expect-warning: NKI810
    return got


def in_parallel(inputs):
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(doubled, x) for x in inputs]
    return [f.result() for f in future]  # expect: NKI808


def tried(count):
    for attempt in range(count):
        try:
            return doubled(np.zeros((128, 64)))
        except RuntimeError as error:
            print(attempt, error)
    raise error  # expect: NKI808


def with_a_default(shape, make=lambda s: np.zeros(s, dtype=kind)):  # expect: NKI808
    return make(shape)


def decided(rows):
    if rows > 128:
        raise ValueError(rows)
        rows = 128  # expect-warning: NKI810
    return rows


def either_way(rows):
    if rows > 128:
        return "tiled"
    else:
        return "whole"
    return None  # expect-warning: NKI810


def guarded(a, b):
    if a.shape[0] == a.shape[0] and a.dtype == b.dtype:  # expect-warning: NKI810
        return a + b
    return None


def lazily(path):
    try:
        import yaml
    except ImportError:
        print("no yaml")
    return yaml.safe_load(path)  # expect-warning: NKI808


def from_the_environment():
    with timed("all"):
        if os.environ.get("ROWS"):
            rows = int(os.environ["ROWS"])
    return np.zeros((rows, 64))  # expect-warning: NKI808


# --- silent ---


def main_that_runs():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=128)
    args = parser.parse_args()
    with timed("doubled"):
        result = doubled(np.zeros((args.rows, 64)))
    print(result.shape)


def chosen_by_name_or_refused(name):
    if name == "small":
        shape = SIZES[0]
    elif name == "large":
        shape = SIZES[1]
    else:
        raise KeyError(name)
    return np.zeros(shape)


def first_that_passes_or_none(records):
    for record in records:
        if record.passed:
            best = record
            break
    else:
        return None
    return best.line()


def first_that_passes_or_fails(records):
    best = next(r for r in records if r.passed)
    return best.line(width=10, sep="|")


def summed_well(records):
    total = 0.0
    for record in records:
        total += record.seconds
    return total


@pytest.fixture
def small_cache(tmp_path):
    made = Cache(tmp_path, limit=4)
    yield made
    made.put("a", 1)


def flushed_well(folder):
    cache = DiskCache(folder=folder)
    cache.put("a", value=1)
    return cache.flush(True), cache.get("a"), cache.items.get("a", 0, *())


def patched(folder, monkeypatch):
    cache = DiskCache(folder)
    monkeypatch.setattr(cache, "flush", lambda: None)
    return cache


def replaced_later(folder):
    cache = DiskCache(folder)
    if folder.exists():
        cache = {}
    return cache.get("a", 1, 2) if isinstance(cache, Cache) else cache


def in_parallel_well(inputs):
    with ThreadPoolExecutor() as pool:
        futures = {pool.submit(doubled, x): i for i, x in enumerate(inputs)}
    return [(i, f.result()) for f, i in futures.items()]


def tried_well(count):
    last = None
    for _ in range(count):
        try:
            return doubled(np.zeros((128, 64)))
        except RuntimeError as error:
            last = error
    raise RuntimeError("failed") from last


def lazily_well(path):
    try:
        import yaml
    except ImportError:
        yaml = None
    return None if yaml is None else yaml.safe_load(path)


def from_the_environment_well():
    rows = int(os.environ.get("ROWS", "128"))
    if rows > 128:
        tiles = rows // 128
    if rows > 128:
        return tiles
    return 1


def compared_well(x):
    want, got = reference(x, axis=0), reference(x, axis=-1)
    np.testing.assert_allclose(want, got)
    return want.shape == got.shape or want is want.T


if __name__ == "__main__":
    main_that_runs()
