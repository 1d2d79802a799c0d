"""Paths on which names are not bound (NKI808), calls of the file's own classes (NKI809), and checks that say nothing (NKI810)."""

import contextlib
import logging
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Optional

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np
import pytest

log = logging.getLogger(__name__)
STEPS = (1, 2, 4)
Sizes = namedtuple("Sizes", ["batch", "heads", "depth"])


class Tile(NamedTuple):
    rows: int
    columns: int = 512


@dataclass(frozen=True)
class Plan:
    tile: Tile
    steps: int
    names: list = field(default_factory=list)
    total: int = field(init=False, default=0)


class Bench:
    def __init__(self, shape, dtype=np.float32):
        self.shape, self.dtype = shape, dtype

    def run(self, fn, /, repeat=1, *, warm=0):
        return fn(repeat, warm)


# found


def from_a_with(path):
    with contextlib.suppress(OSError):
        size = len(open(path).read())
    return size  # expect: NKI808


def from_a_while(queue):
    while queue:
        item = queue.pop()
    return item  # expect: NKI808


def after_deletion(values):
    total = sum(values)
    del total
    return total  # expect: NKI808


def handled(path):
    try:
        text = open(path).read()
    except OSError as error:
        log.warning("%s", error)
        text = ""
    return text, error  # expect: NKI808


def comprehension_leaks(rows):
    sums = [sum(row) for row in rows]
    return sums, row  # expect: NKI808


def in_a_default(shape=DEFAULT_SHAPE):  # expect: NKI808
    return shape


def in_an_annotation_evaluated(values):
    limit: int
    return values[:limit]  # expect: NKI808


class Uses:
    size = 3

    def grown(self):
        return size + 1  # expect: NKI808


def tile():
    return Tile(columns=256)  # expect: NKI809


def plan():
    return Plan(Tile(128), 4, total=3)  # expect: NKI809


def bench(fn):
    return Bench((1, 2)).run(fn=fn)  # expect: NKI809


def bench_again(fn):
    return Bench((1, 2)).run(fn, 1, 2)  # expect: NKI809


def compares(got, want):
    assert np.allclose(got, got)  # expect: NKI810
    return want


def compares_with_itself(got):
    return np.array_equal(got, got)  # expect: NKI810


def max_of_itself(a, b):
    if a.shape[0] != a.shape[0]:  # expect: NKI810
        raise ValueError(b)


def unreachable(values):
    for v in values:
        continue
        print(v)  # expect: NKI810
    raise ValueError("none")
    return values  # expect: NKI810


@pytest.mark.parametrize("m", [SMALL, 128])  # expect: NKI808
def test_sizes(m):
    assert m


# silent


def from_an_elif(kind):
    if kind == "a":
        scale = 1.0
    elif kind == "b":
        scale = 2.0
    return scale


def from_a_match(kind):
    match kind:
        case "a":
            scale = 1.0
        case "b":
            scale = 2.0
    return scale


def from_a_with_that_does_not_suppress(path):
    with open(path) as handle:
        size = len(handle.read())
    return size


def from_a_while_true(queue):
    while True:
        item = queue.pop()
        if item:
            break
    return item


def from_all_branches(kind):
    if kind == "a":
        scale = 1.0
    elif kind == "b":
        scale = 2.0
    else:
        raise ValueError(kind)
    return scale


def from_a_full_match(kind):
    match kind:
        case "a":
            scale = 1.0
        case _:
            scale = 2.0
    return scale


def deleted_in_a_branch(values):
    total = sum(values)
    if not values:
        del values
        return total
    return total, values


def handled_inside(path):
    try:
        text = open(path).read()
    except OSError as error:
        log.warning("%s", error)
        raise
    return text


def comprehension_keeps(rows):
    row = rows[0]
    return [sum(row) for row in rows], row


def annotated(values):
    limit: Optional[int] = None
    return values[:limit]


class UsesItself:
    size = 3

    def grown(self):
        return self.size + 1


def sizes_by_name():
    return Sizes(1, 8, depth=64)._replace(batch=2)


def tiles():
    return Tile(128), Tile(rows=128, columns=1)


def plans():
    return replace(Plan(Tile(128), steps=4), steps=3)


def benches(fn):
    return Bench((1, 2)).run(fn, warm=2)


def nan_check(x):
    return x != x


def nan_check_of_array(x):
    return np.isnan(x) | (x.value != x.value)


def set_and_else(values):
    for v in values:
        if v:
            break
    else:
        v = None
    return v


def reachable(values):
    for v in values:
        if v:
            continue
        print(v)
    return values


def determinism(fn, x):
    assert np.array_equal(fn(x), fn(x))


def walrus(values):
    if (n := len(values)) > 3:
        return n
    return n + 1


def try_else():
    try:
        import torch
    except ImportError:
        torch = None
    return torch


def deferred():
    return later_defined()


def later_defined():
    return 1


def last_of_a_list():
    values = [1, 2]
    for value in values:
        last = value
    return last


def last_of_the_steps():
    for step in STEPS:
        last = step
    return last


class Kinds:
    names = ("a", "b")

    def last(self):
        for name in self.names:
            found = name
        return found


def root_first(root):
    queue = [root]
    while queue:
        node = queue.pop()
        queue.extend(node.children)
    return node


def last_of_pairs(a, b):
    pairs = list(zip(a, b))
    for pair in pairs:
        last = pair
    return last
