"""Arrays of numpy whose size is an input, and loops that a `break` ends, against CPython for several sizes."""

from __future__ import annotations

import pytest

from ..support.checking import revealed
from ..support.differential import kernel_source
from ..support.oracle import ask

ARRAYS = """
v = np.arange(n)
w = np.arange(1, n + 1, dtype=np.int32) * m
for i in range(n):
    reveal(int({}))
"""
ELEMENTS = [
    *("v[i]", "w[i]", "(v * m // n)[i]", "(w + n - 1)[i] // n", "(w - v)[i]", "(v % m)[i]", "(1 - v)[i]", "v[-1]"),
    *("w[-1]", "len(v)", "v.shape[0]", "(v * v)[i]", "np.arange(m, n + m)[i]"),
]
"""What has one formula for all elements."""
OTHERS = [
    *(
        "w[n - 1 - i]",
        "w.copy()[0]",
        "v.max()",
        "w.min()",
        "v.sum()",
        "v[i - 1]",
        "v.reshape(n)[i]",
        "v[None][0][i]",
        "v[...][i]",
        "np.flip(v)[i]",
    ),
    *(
        "np.arange(n, 2 * n).reshape((n, 1)).T.flatten()[i]",
        "v.astype(np.float32)[i]",
        "(v * 2.0)[i]",
        "len(np.arange(m, n))",
    ),
    *("np.concatenate((v, w))[i]", "np.sort(v)[i]", "np.arange(0, 2 * n, 2)[i]", "np.outer(v, w).flatten()[i]"),
]
"""What is not known, but may not be said wrongly."""
LEFT = "{}\nreveal(found)"
LOOPS = [
    "found = 0\nfor i in range(n, 0, -1):\n    if i * m <= 6 and i % 2 == 0:\n        found = i\n        break",
    "found = -1\nfor i in range(n):\n    if i * m >= 4:\n        found = i + m\n        break\nelse:\n    found = n",
    "total, found = 0, 0\nfor i in range(n):\n    total += m\n    if total >= 5:\n        found = total\n        break",
    "found, before = 0, 7\nfor i in range(n):\n    found = before\n    if i * m >= 5:\n        break\n    before = i",
    "found = 0\nfor i in range(n):\n    for j in range(m):\n        if i + j == 5:\n            found = j",
    "found = 0\nfor i in range(n):\n    found = i\n    if i * m > 8:\n        found = 1\n        break\n    found += 1",
]


@pytest.mark.parametrize("expression", ELEMENTS)
def test_elements_of_arrays_of_symbolic_size(expression: str) -> None:
    answer = ask(kernel_source(ARRAYS.format(expression)))
    assert answer is not None
    assert (answer.wrong, answer.fault, answer.unknown) == ({}, "", {})
    assert answer.right


@pytest.mark.parametrize("expression", OTHERS)
def test_other_elements_are_not_said_wrongly(expression: str) -> None:
    answer = ask(kernel_source(ARRAYS.format(expression)))
    assert answer is not None
    assert (answer.wrong, answer.fault) == ({}, "")


@pytest.mark.parametrize("loop", LOOPS)
def test_what_a_loop_leaves_that_is_ended(loop: str) -> None:
    answer = ask(kernel_source(LEFT.format(loop)))
    assert answer is not None
    assert (answer.wrong, answer.fault) == ({}, "")


def test_the_iteration_that_ends_a_loop_is_an_integer() -> None:
    source = kernel_source(LEFT.format(LOOPS[0]))
    ((text,),) = revealed(source).values()
    assert "unknown" not in text
