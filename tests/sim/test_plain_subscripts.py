"""Subscripts of plain slices and integers have a short way, which gives what the long way gives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from nkilint_rules.words.dtypes import FLOAT32
from nkilint_rules.words.memory import HBM, SBUF
from reference_sim.machine.memory import Storage, pointer
from reference_sim.tensors.slices import basic, plain_slices
from reference_sim.tensors.tensor import Tensor

SIZES = (6, 5, 4)


def tensor(memory: str, rank: int) -> Tensor:
    array = np.zeros(SIZES[:rank], np.float32)
    return Tensor(array, Storage(array, FLOAT32, memory), FLOAT32)


def key_of(chance: random.Random, size: int) -> Any:
    start, stop = sorted(chance.choices(range(size + 1), k=2))
    slices = slice(start, stop), slice(None, stop), slice(start, None), slice(None), slice(0, size, 2)
    return chance.choice((*slices, chance.randrange(size), -1))


def described(view: Tensor) -> tuple[Any, ...]:
    return view.sizes, view.array.strides, pointer(view.array) if view.size else 0, view.start, view.blocks


@pytest.mark.parametrize("memory", [HBM, SBUF])
def test_both_ways_give_the_same_view(memory: str) -> None:
    chance = random.Random(7)
    short = 0
    for _ in range(600):
        whole = tensor(memory, chance.choice((1, 2, 3)))
        keys = tuple(key_of(chance, size) for size in whole.sizes)
        found = plain_slices(whole, keys)
        if found is None:
            continue
        short += 1
        other = basic(whole, keys)
        assert described(found) == described(other), keys
        assert (found.part is None) <= (other.part is None), keys
    assert short > 100


LONG = ((0, slice(0, 7)), (6, slice(None)), (0, 0), (slice(3, 1), 0), (True, slice(None)))


@pytest.mark.parametrize("key", LONG, ids=repr)
def test_what_is_not_plain_goes_the_long_way(key: Any) -> None:
    assert plain_slices(tensor(HBM, 2), key) is None
