"""What hosts get of kernels that return objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import reference_sim


class Named(NamedTuple):
    first: Any
    second: Any


@dataclass(frozen=True)
class Pair:
    first: Any
    second: Any


@pytest.mark.parametrize("made", [Named, Pair])
def test_what_they_hold_is_arrays(made: Any) -> None:
    reference_sim.install()
    import nki.isa as nisa  # type: ignore[import-not-found]
    import nki.language as nl  # type: ignore[import-not-found]

    def kernel(x: Any) -> Any:
        output = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=output, src=x)
        return made(output, second=3)

    data = np.arange(512, dtype=np.float32).reshape(128, 4)
    found = reference_sim.observe(kernel, [data], target="trn2").results
    assert isinstance(found, made)
    assert np.array_equal(found.first, data)
    assert found.second == 3
