"""When two results count as the same: bit for bit, but for rounding, or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nkilint.confirm.results import held
from nkilint.run.alike import difference


def told(old: list[float], new: list[float], dtype: Any = np.float32) -> str:
    return difference(held(np.array(old, dtype), {}), held(np.array(new, dtype), {}))


ROUNDED = "~ `result` differs by rounding"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ([1.0, 2.0], [1.0, 2.0], ""),
        ([1.0, 2.0], [1.0, 2.00001], ROUNDED),
        ([1.0, 2.0], [1.0, 2.0001], "element 1 of `result` is 2.0001 instead of 2"),
        ([1.0, 1e-9], [1.0, 2e-9], ROUNDED),  # as a sum that cancels
        ([1.0, 1e-3], [1.0, 1.1e-3], "element 1 of `result` is 0.0011 instead of 0.001"),
        ([np.nan, np.inf], [np.nan, np.inf], ""),
        ([np.inf, 1.0], [np.inf, 2.0], "element 1 of `result` is 2 instead of 1"),
        ([np.inf, 1.0], [1.0, 1.0], "element 0 of `result` is 1 instead of inf"),
        ([1.0, 1.0], [np.inf, 1.0], "element 0 of `result` is inf instead of 1"),
        ([np.nan, 1.0], [1.0, 1.0], "element 0 of `result` is 1 instead of nan"),
        (
            [-3e38, -3e38, -3e38, 1.0, 2.0, 3.0],
            [-3e38, -3e38, -3e38, 1.0, 2.0, 4.0],
            "element 5 of `result` is 4 instead of 3",
        ),
    ],
)
def test_floats(old: list[float], new: list[float], found: str) -> None:
    assert told(old, new) == found


def test_integers_are_equal_or_not() -> None:
    assert told([1, 10**6], [1, 10**6 + 1], np.int32) == "element 1 of `result` is 1e+06 instead of 1e+06"


@pytest.mark.parametrize(("dtype", "small", "large"), [(np.float16, 1e-3, 1e-2), (np.float32, 5e-6, 5e-5)])
def test_narrow_floats_round_more(dtype: Any, small: float, large: float) -> None:
    assert told([1.0, 1.0], [1.0, 1.0 + small], dtype) == ROUNDED
    assert told([1.0, 1.0], [1.0, 1.0 + large], dtype).startswith("element 1 of `result`")


def test_of_large_results_some_elements_of_each_column_are_compared() -> None:
    old = np.ones((1024, 512), np.float32)
    for column in (0, 1, 255, 511):
        new = old.copy()
        new[:, column] = 2
        assert "is 2 instead of 1" in difference(held(old, {}), held(new, {}))
    new = old.copy()
    new[0, 1] = 2
    assert (
        difference(held(old, {}), held(new, {}))
        == "`result` differs, though not in the elements that are told of it, 1 of 3"
    )
    assert difference(held(old, {}), held(old * np.float32(1 + 2e-7), {})) == ROUNDED
