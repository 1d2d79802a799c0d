"""Random numbers. The engines' generators are not documented bit for bit: what is kept is the distribution, and that
the same seed gives the same sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reference_sim.machine.dtypes import F32, HOST, Array

from .registry import effect, values

if TYPE_CHECKING:
    from ..operands import Operands


def _probability(operands: Operands, name: str, rank: int) -> Array:
    return np.asarray(operands.column(name, rank), F32)


def _dropout(operands: Operands, data: str, probability: str) -> Array:
    """Zeros in place of some elements; what is no probability drops none, as the vendor's test has it."""
    x = operands.f32(data)
    chance = _probability(operands, probability, x.ndim)
    dropped = (operands.program.random.random(x.shape, F32) < chance) & (chance <= 1)
    return np.where(dropped, np.float32(0), x)


@values("language.dropout")
def dropout(operands: Operands) -> Array:
    return _dropout(operands, "x", "rate")


@values("isa.dropout")
def engine_dropout(operands: Operands) -> Array:
    return _dropout(operands, "data", "prob")


@effect("language.random_seed")
def random_seed(operands: Operands) -> None:
    seed = operands.array("seed")
    operands.program.random = np.random.default_rng(int(np.asarray(seed).reshape(-1)[0]) & 0xFFFFFFFF)


@effect("isa.set_rng_seed", "isa.rand_set_state")
def set_rng_seed(operands: Operands) -> None:
    state = np.asarray(operands.array("src_seeds")).reshape(-1).astype(np.uint64)
    operands.program.random = np.random.default_rng([int(word) for word in state])
    operands.program.registers["random_state"] = state.astype(np.uint32)


@effect("isa.rand_get_state")
def rand_get_state(operands: Operands) -> None:
    target = operands.dst
    words = operands.program.random.integers(0, 2**32, target.shape, np.uint64)
    operands.program.random = np.random.default_rng([int(word) for word in words.reshape(-1)])
    operands.write("dst", words.astype(np.uint32))


@values("isa.rng")
def rng(operands: Operands) -> Array:
    target = operands.dst
    bits = operands.program.random.integers(0, 2**32, target.shape, np.uint64)
    low = bits.astype(np.uint32).astype(np.dtype(f"u{target.element.itemsize}"))
    return low.view(HOST[target.element])


@values("isa.rand2")
def rand2(operands: Operands) -> Array:
    shape = operands.dst.shape
    low, high = _probability(operands, "min", len(shape)), _probability(operands, "max", len(shape))
    return low + (high - low) * operands.program.random.random(shape, F32)
