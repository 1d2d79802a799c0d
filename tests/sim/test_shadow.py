"""What shadow memory knows of elements after many writes, against a plain array of truth values."""

from __future__ import annotations

import random
from typing import Any

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np
import pytest

import reference_sim
from nkilint_rules.words.dtypes import FLOAT32
from reference_sim.machine.geometry import repeats
from reference_sim.machine.memory import Storage
from reference_sim.observers.protocol import follow
from reference_sim.observers.shadow import Shadow, undefined_in
from reference_sim.tensors.tensor import Tensor


def _key(chance: random.Random, size: int, may_be_integer: bool) -> Any:
    if may_be_integer and chance.random() < 0.3:
        return chance.randrange(size)
    start = chance.randrange(size)
    stop = chance.randint(start, size)
    return chance.choice([slice(start, stop), slice(None, stop), slice(start, None), slice(None)])


@pytest.mark.parametrize("seed", range(40))
def test_marks_follow_writes_of_any_parts(seed: int) -> None:
    chance = random.Random(seed)
    shape = (3, 4, 5)[: chance.randint(2, 3)]
    storage = Storage(np.zeros(shape, np.float32), FLOAT32, "hbm")
    whole, shadow, expected = Tensor(storage.array, storage, FLOAT32), Shadow(True), np.ones(shape, bool)
    follow(storage, shadow)
    for _ in range(30):
        keys = tuple(_key(chance, size, axis < len(shape) - 2) for axis, size in enumerate(shape))
        shadow.note(whole[keys], None, None)
        expected[keys] = False
        if chance.random() < 0.3:
            seen = undefined_in(whole)
            assert np.array_equal(np.zeros(shape, bool) if seen is None else seen, expected)
    assert (shadow.undefined is None) == (not expected.any())


def test_columns_one_after_the_other_are_one_part_in_the_end() -> None:
    storage = Storage(np.zeros((4, 64), np.float32), FLOAT32, "hbm")
    whole, shadow = Tensor(storage.array, storage, FLOAT32), Shadow(True)
    for column in range(64):
        assert not shadow.is_defined
        shadow.note(whole[:, column : column + 1], None, None)
    assert shadow.undefined is None
    assert shadow.is_defined


@pytest.mark.parametrize(
    ("strides", "sizes"),
    [((8, 1), (4, 8)), ((8, 1, 1), (4, 4, 2)), ((8, 2, 1), (4, 4, 2)), ((4, 1), (7, 8)), ((0, 1), (4, 8))],
)
def test_what_patterns_write_twice_is_counted_once(strides: tuple[int, ...], sizes: tuple[int, ...]) -> None:
    storage = Storage(np.zeros((4, 8), np.float32), FLOAT32, "hbm")
    array = np.lib.stride_tricks.as_strided(storage.array, sizes, [4 * stride for stride in strides])
    shadow, expected = Shadow(True), np.ones((4, 8), bool)
    np.lib.stride_tricks.as_strided(expected, sizes, strides)[...] = False
    follow(storage, shadow)
    shadow.note(Tensor(array, storage, FLOAT32), None, None)
    seen = shadow.undefined
    assert np.array_equal(np.zeros((4, 8), bool) if seen is None else seen, expected)
    places = np.lib.stride_tricks.as_strided(np.arange(32), sizes, [8 * stride for stride in strides])
    assert repeats(array) == (np.unique(places).size < places.size)


def test_what_a_sum_in_place_is_made_of_is_not_taken_for_what_the_next_operation_writes() -> None:
    @nki.jit
    def kernel(x):  # type: ignore[no-untyped-def]
        output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
        unwritten = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.psum)
        for _ in nl.static_range(2):
            total += nl.matmul(unwritten, unwritten, transpose_x=True)
        nl.store(output, value=nl.load(x))
        return output

    x = np.ones((128, 128), np.float32)
    seen = reference_sim.observe(kernel, [x], target="trn2")
    assert seen.findings == ()
    assert np.array_equal(seen.results, x)
