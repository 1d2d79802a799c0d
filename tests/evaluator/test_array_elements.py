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
    *("np.square(np.array([2**20, 3], dtype=np.int32))[0]", "np.maximum(a, 100)[0]", "np.sort(m)[1, 0]", "a.mean()"),
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
    *("np.array([f.real, f.imag])", "np.ascontiguousarray(m.real, dtype=np.float32)", "np.array([[1, 2.5]])"),
    *("m.mT", "a @ a", "m @ m", "m @ m[0]", "m[0] @ m", "np.ones((2, 3, 4)) @ np.ones((4, 5))"),
    *("np.ones((2, 3)) @ np.ones((3, 5))", "np.matmul(np.ones((2, 1, 3, 4)), np.ones((5, 4, 6)))", "np.dot(m, m)"),
    "np.dot(np.ones((2, 3, 4)), np.ones((4, 5)))",
    *("np.einsum('bij,kj->bik', np.ones((2, 3, 4)), np.ones((5, 4)))", "np.einsum('ij->ji', m)", "np.outer(a, f)"),
    *("m[:, [0, 1, 1]]", "m[[0]]", "m[a[:1] * 0]", "m[m > 1]", "m[:, a > 3]", "m[0, [1]]", "np.eye(8)[a]", "-m"),
    *("m[1:, [0]]", "np.repeat(m, 3, axis=1)", "m.repeat(3, 0)", "np.repeat(m, 2)", "np.tile(m, (3, 1))"),
    *("np.tile(m, (2, 1, 1))", "np.tile(a, 2)", "np.pad(m, 1)", "np.pad(m, (1, 2))", "np.pad(m, ((0, 1), (2, 0)))"),
    *("np.pad(a, ((1, 2),))", "np.concatenate([m, m], axis=1)", "np.concatenate((m, m))", "np.hstack([m, m])"),
    *("np.vstack([a, a])", "np.hstack([a, f])", "np.stack([m, m], axis=-1)", "np.vstack([m, m])"),
    *("np.concatenate([m, a])", "np.stack([a, a])", "np.transpose(m[None])", "np.transpose(m[None], (1, 0, 2))"),
    *("np.transpose(m[None], axes=(1, 0, 2))", "np.reshape(m, -1)", "np.moveaxis(m[None], 0, -1)"),
    *("np.expand_dims(m, -1)", "np.squeeze(m[None])", "np.swapaxes(m[None], 0, 2)", "m[None].sum(axis=0)"),
    *("m[None].max(axis=(0, 1))", "np.sum(m, axis=1, keepdims=True)", "np.mean(m[None], axis=-1)"),
    *("m.sum(axis=(0, 1), keepdims=True)", "np.argmax(m, axis=1)", "np.argsort(-m, axis=1)"),
    *("np.sort(m, axis=None)", "np.cumsum(m, axis=0)", "np.cumsum(m)", "np.flip(m, 1)"),
    *("np.take_along_axis(m, m * 0, 1)", "np.maximum(m, a[:2])", "np.broadcast_to(a, (3, 4))", "np.roll(m, 1)"),
    *("np.random.permutation(5)", "np.random.permutation(m)", "np.array([a, 1], dtype=object)"),
    *("np.array(str, dtype=object)", "np.array([np.float32(1)], dtype=np.float32)"),
]


@pytest.mark.parametrize("expression", MADE)
def test_shapes_are_those_that_numpy_gives(expression: str) -> None:
    text = seen(f"({expression}).shape")
    try:
        found = computed(expression).shape
    except (AttributeError, IndexError, ValueError):  # of a version of numpy, or of shapes that do not fit
        return
    assert text.startswith("unknown: ") or eval(text) == found
