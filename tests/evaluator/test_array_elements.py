"""Elements of arrays of numpy that the host computes: what is said of them is what numpy itself gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..support.checking import revealed

ARRAYS = {"a": "np.array([3, 600, 9, -4])", "f": "np.array([1.5, 2.5, -1.5])", "m": "np.array([[1, 2], [3, 4]])"}
KNOWN = [
    *("np.negative(a)[1]", "np.square(a)[1]", "np.abs(a)[3]", "np.sqrt(np.abs(a))[2]", "np.add(a, 1)[0]"),
    *("np.multiply(a, a)[1]", "np.subtract(1, a)[3]", "np.mean(a)", "np.mean([128, 64])", "np.argmax(a)"),
    *(
        "np.argmin(a)",
        "np.sort(a)[0]",
        "list(np.argsort(a))",
        "np.unique(np.array([2, 2, 1]))[1]",
        "np.flip(a)[0]",
        "np.negative(f)[0]",
    ),
    *("list(np.ndindex(2, 2))", "list(np.ndindex((3,)))", "np.power(2, 3)", "int(np.array(7))", "np.argmax(m)"),
]
DOUBTED = [
    *("np.clip(a, 0, 5)[1]", "np.where(a > 5, a, 0)[0]", "np.round(f)[0]", "np.power(a, 2)[1]", "np.tril(m)[0, 1]"),
    *("np.ceil(f)[0]", "np.floor(f)[2]", "(a / 2)[0]", "(a * 0.5)[1]", "np.sqrt(a)[1]", "np.exp(a)[1]"),
    *("np.square(np.array([2**20, 3], dtype=np.int32))[0]", "np.maximum(a, 100)[0]", "np.sort(m)[1]", "a.mean()"),
    *("np.add(m, np.array([1, 2]))[1, 0]", "np.mean(m, axis=0)[0]", "np.mean(f)", "np.sort(f)[0]"),
    *("np.argsort(np.array([2, 1, 2]))[1]", "np.argsort(m)[0, 1]", "np.argsort(-a)[0]"),
]


def seen(expression: str) -> str:
    lines = [f"    {name} = {value}" for name, value in ARRAYS.items()]
    head = "import neuronxcc.nki as nki\nimport numpy as np\n\n\n@nki.jit\ndef kernel(x):\n"
    source = head + "\n".join([*lines, f"    reveal({expression})", "    return x", ""])
    ((text,),) = revealed(source).values()
    return text


def computed(expression: str) -> Any:
    names: dict[str, Any] = {"np": np}
    names.update({name: eval(value, names) for name, value in ARRAYS.items()})
    with np.errstate(all="ignore"):
        found = eval(expression, names)
    return found.item() if isinstance(found, np.generic) else found


@pytest.mark.parametrize("expression", KNOWN)
def test_what_is_known_is_what_numpy_gives(expression: str) -> None:
    assert eval(seen(expression)) == computed(expression)


@pytest.mark.parametrize("expression", DOUBTED)
def test_what_is_not_known_is_not_said(expression: str) -> None:
    text = seen(expression)
    assert text.startswith("unknown: ") or eval(text) == computed(expression)


MADE = [
    *("np.array([a, a])", "np.asarray([m, m], dtype=np.float32)", "np.array(range(3))", "np.array([True, False])"),
    *("np.array([f.real, f.imag])", "np.ascontiguousarray(m.real, dtype=np.float32)", "np.array([[1, 2.5]])", "m.mT"),
    *("np.array([a, 1], dtype=object)", "np.array(str, dtype=object)", "np.array([np.float32(1)], dtype=np.float32)"),
]


@pytest.mark.parametrize("expression", MADE)
def test_shapes_are_those_that_numpy_gives(expression: str) -> None:
    text = seen(f"({expression}).shape")
    found = computed(expression) if "mT" not in expression else np.array([[1, 3], [2, 4]])
    assert text.startswith("unknown: ") or eval(text) == found.shape
