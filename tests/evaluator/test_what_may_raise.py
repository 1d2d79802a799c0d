"""Expressions that Python raises at for some sizes, though nothing looks at their value: none is verified."""

from __future__ import annotations

import pytest

from ..support.checking import report_on

KERNEL = """\
import collections
import contextlib
import functools
import itertools
import math
import operator
import os
import sys

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[128, N]
@nki.jit
def kernel(x):
    N = x.shape[1]
    value = {}
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=result, src=tile)
    return result
"""

NUMBERS = {
    "math.sqrt(N - 3)": "math.sqrt(N - 1)",
    "math.log(N - 1)": "math.log(N)",
    "math.log2(N // 2)": "math.log2(N / 2)",
    "math.log10(N // 4 - N)": "math.log10(N // 4 + 1)",
    "math.log(N, N)": "math.log(N, N + 1)",
    "math.log(N, 1)": "math.log(N, 2)",
    "math.exp(N)": "math.exp(-N)",
    "math.pow(0, 1 - N)": "math.pow(N, -0.5)",
    "math.pow(2, N)": "math.pow(2, -N)",
    "1 / math.sqrt(N - 1)": "1 / math.sqrt(N)",
    "1 / math.log2(N)": "1 / math.log2(N + 1)",
    "1 / (N / 2 - 1)": "1 / (N / 2 + 1)",
    "1 / ((N - 1) / 2)": "1 / (N / 2)",
    "1.5 / float(N - 1)": "1.5 / float(N)",
    "1 / (math.sqrt(N) - 1.0)": "1 / (math.sqrt(N) * 0.5 + 1e-6)",
    "N // 0.0": "N // 0.5",
    "N % 0.0": "N % 0.5",
    "(N - 1) ** -0.5": "N ** -0.5",
    "2.0 ** N": "0.5 ** N",
    "~(N / 2)": "-(N / 2)",
    "1 / -abs(math.sqrt(N - 1))": "1 / abs(math.sqrt(N))",
    "[1.0 / (math.sqrt(i)) for i in range(N)]": "[1.0 / (math.sqrt(i + 1)) for i in range(N)]",
}
"""What raises for some sizes, or for all, and beside it what never does."""
TEXTS = {
    'f"{N:.2q}"': 'f"{N:.2f}"',
    'f"{N:s}"': 'f"{N!s:s}"',
    'f"{x.shape:>10}"': 'f"{x.shape!s:>10}"',
    'f"{x:10}"': 'f"{x}"',
    'f"{N / 2:d}"': 'f"{N // 2:d}"',
    'f"{N!r:d}"': 'f"{N!r:>8}"',
    'f"{[N]:8}"': 'f"{[N]}"',
    'f"{N > 2:s}"': 'f"{N > 2:d}"',
    '"%d %d" % N': '"%d %d" % (N, N)',
    '"%s" % (N, N)': '"%s %s" % (N, x)',
    '"%d" % str(N)': '"%s" % str(N)',
    '"%s" % x.shape': '"%s x %s" % x.shape',
    '"{} {}".format(N)': '"{} {}".format(N, x.shape)',
    '"{a}".format(b=N)': '"{a}".format(a=N)',
    '"{0.rows}".format(N)': '"{0} {0}".format(N)',
    '"{0[2]}".format(x.shape)': '"{0[1]}".format(x.shape)',
    '"{:>4}".format(x.shape)': '"{:>4}".format(N)',
    '"x".join([N])': '"x".join([str(N)])',
    '"x".join(["b", None, str(N)])': '"x".join(str(i) for i in range(3))',
    '"abc".replace("a", N)': '"abc".replace("a", str(N))',
    'str(N).center(N, "ab")': 'str(N).center(N, "a")',
    '"{:>100000000000}".format(N)': '"at most 16384, got {}".format(N)',
    '"%100000000000d" % N': '"%d of 16384, %d" % (10**12, N)',
    'format(N, "q")': 'format(N, "d")',
    'str(N, "utf8")': "str(N)",
    "chr(N * 100000)": "chr(N % 100)",
    "bin(N / 2)": "bin(N // 2)",
}
OTHERS = {
    '"abc"[N]': '"abc"[N % 3]',
    "(1, 2)[N]": "(1, 2)[N % 2]",
    "x.shape[N]": "x.shape[N // N]",
    "range(N, N, N - 1)": "range(N, N, N + 1)",
    "x.rows": "x.shape",
    "x[0][0][0]": "x[0][0]",
    "x[0, 0][0:1]": "x[0:1, 0:1][0]",
    "x.reshape((128 * N,))[0][0]": "x.reshape((128 * N, 1))[0][0]",
    "1 if x.is_tiled else 2": "1 if hasattr(x, 'is_tiled') else 2",
    "math.ceil(N, 1)": "math.ceil(N)",
    "float(str(N))": "float(N)",
    "sum([str(N)], str(N))": "sum([N], N)",
    'operator.itemgetter("a")({"b": N})': 'operator.itemgetter("b")({"b": N})',
    "[i for i in (3, 4)][N]": "[i for i in (3, 4)][N % 2 - 1]",
}
CALLS = {
    'enumerate([N], "a")': "enumerate([N], 1)",
    "[1, 2][:: N - N]": "[1, 2][::2]",
    "print(N, sep=3)": "print(N, sep=str(N), file=None)",
    "print(N, file=5)": "print(N, flush=True)",
    'dict(a=1, **{"a": N})': 'dict(a=1, **{"b": N})',
    "dict(**{1: N})": 'dict(**{"a": N})',
    "{}.update({1: 2}, {3: 4})": "{}.update({1: 2}, a=4)",
    "max(1, 2, default=3)": "max([1, N], default=3)",
    "functools.partial(5)": "functools.partial(len, [N])()",
    "functools.partial(len)([1], [2])": "functools.partial(len)([1])",
    "itertools.islice([1, 2], 0, 2, 0)": "itertools.islice([1, 2], 0, 2, 1)",
    "list(itertools.product([1], repeat=-1))": "list(itertools.product([1], repeat=2))",
    "collections.deque([1, 2])[0:1]": "list(collections.deque([1, 2]))[0:1]",
    "contextlib.nullcontext(1, 2)": "contextlib.nullcontext(1)",
    "operator.itemgetter(5)([N])": "operator.itemgetter(0)([N])",
    'os.environ["NOWHERE"]': 'os.environ.get("NOWHERE")',
    "sys.argv[N]": "sys.maxsize",
    "os.nothing": "os.name",
    'f"{10**5000}"': 'f"{10**50}"',
}
OBJECTS = {
    "len(Length(2 - N))": "len(Length(N - 1))",
    'len(Length("a"))': "len(Length(3))",
    "1 if Truth(5) else 2": "1 if Truth(N > 5) else 2",
    "bool(Truth(None))": "bool(Truth(True))",
    "str(Written(5))": 'str(Written("a"))',
    'f"{Written(N)}"': 'f"{Written(str(N))}"',
    'int(Number("a"))': "int(Number(N))",
    "print(Written(5))": 'print(Written("a"))',
    "Made(5)": "Made(None)",
    "Mode.A < Mode.B": "Level.A < Level.B",
    'Mode.A <= "b"': 'Mode.A.value <= "b"',
    "Mode[1]": 'Mode["A"]',
}
CLASSES = """
import enum


class Held:
    def __init__(self, held):
        self.held = held


class Length(Held):
    def __len__(self):
        return self.held


class Truth(Held):
    def __bool__(self):
        return self.held


class Written(Held):
    def __str__(self):
        return self.held


class Number(Held):
    def __int__(self):
        return self.held


class Made:
    def __init__(self, given):
        return given


class Mode(enum.Enum):
    A = "a"
    B = "b"


class Level(enum.IntEnum):
    A = 1
    B = 2
"""
ARRAYS = {
    "np.zeros(N - 4)": "np.zeros(N)",
    "np.zeros((3, N - 4)).shape": "np.zeros((3, N + 4)).shape",
    "np.zeros(1.5)": "np.zeros(N // 2)",
    "np.zeros(N) + np.zeros(N + 1)": "np.zeros(N) + np.zeros(N)",
    "np.zeros(3) + np.zeros(N)": "np.zeros((3, N)) * np.zeros(N) + np.zeros((3, 1))",
    "np.zeros(3) == np.zeros(4)": "np.zeros(3) == np.zeros(1)",
    "np.array([1, 2]) + [1, 2, 3]": "np.array([1, 2]) + [1, 2]",
    "np.array([1, 2]) + None": "np.array([1, 2]) + 1.5",
    "np.zeros(12).reshape(5, -1)": "np.zeros(12).reshape(4, -1)",
    "np.zeros(N).reshape(2, -1)": "np.zeros(2 * N).reshape(2, -1)",
    "np.zeros((N, 4)).reshape(N, 2)": "np.zeros((N, 4)).reshape(2, N, 2)",
    "np.zeros(12).reshape(-1, -1)": "np.zeros(12).reshape(-1)",
    "np.zeros((2, 3)).transpose(0, 0)": "np.zeros((2, 3)).transpose(1, 0)",
    "np.zeros((2, 3)).squeeze(0)": "np.zeros((1, 3)).squeeze(0)",
    "np.zeros((2, N)) @ np.zeros((2, N))": "np.zeros((2, N)) @ np.zeros((N, 2))",
    'np.einsum("ij,jk->ik", np.zeros((2, 3)), np.zeros((4, 5)))': (
        'np.einsum("ij,jk->ik", np.zeros((2, 3)), np.zeros((3, 5)))'
    ),
    "np.broadcast_to(np.zeros(3), (4, 5))": "np.broadcast_to(np.zeros(3), (4, 3))",
    "np.array([[1, 2], [3]])": "np.array([[1, 2], [3, 4]])",
    "np.full((2, 2), [1, 2, 3])": "np.full((2, 2), N)",
    "np.eye(N - 4)": "np.eye(N)",
    "np.max(np.arange(N - 1))": "np.max(np.arange(N))",
    "np.int8(300)": "np.int8(100)",
    "np.zeros((3, N))[3]": "np.zeros((3, N))[2]",
    "1 if np.zeros(N) else 2": "1 if np.zeros(N).shape else 2",
}
ARGUMENTS = {
    "np.zeros(3, 4, 5, 6)": "np.zeros((3, 4, 5, 6))",
    "np.zeros(3, fill=4)": 'np.zeros(3, order="C")',
    "np.full(3)": "np.full(3, 4)",
    "np.clip(N, 1)": "np.clip(N, 1, 2)",
    "np.clip(np.zeros(3), low=1)": "np.clip(np.zeros(3), min=1)",
    "np.ceil(N, N, N)": "np.ceil(N)",
    "np.eye()": "np.eye(3, 4, k=1)",
    "np.random.rand(N, size=3)": "np.random.rand(N, 3)",
    "np.random.uniform(0, 1, 2, 3)": "np.random.uniform(0, 1, (2, 3))",
    'np.ones(3, dtype="float23")': 'np.ones(3, dtype="float32")',
    "np.zeros(3, dtype=5)": "np.zeros(3, dtype=int)",
    "np.array([N], 5)": 'np.array([N], "<i4")',
    'np.arange(3, dtype="whole")': "np.arange(3, dtype=np.int64)",
    'np.zeros(3).astype("float23")': 'np.zeros(3).astype("double", copy=False)',
    'np.dtype("whole")': 'np.dtype("int8")',
    "np.zeros(3).reshape()": "np.zeros(3).reshape(3)",
    'np.float32("a")': "np.float32(N)",
    "np.float32(1, 2)": "np.float32(1)",
}
"""Calls of numpy with arguments that no version of it takes."""
GRIDS = {
    "index ^ 1": "index - 1",
    "index << 1": "index * 2",
    "index ** 2": "index // 2",
    "~index": "-index",
    "+index": "2 - index",
    "index & 1": "index % 2",
    "divmod(index, 2)": "(index // 2, index % 2)",
    "(index < 3) + 1": "(index < 3) & (index > 1)",
    "(index < 3) ^ (index > 1)": "(index < 3) | (index > 1)",
    "index.rows": "index.shape",
    "nl.program_id(-1)": "nl.program_id(0)",
    'nl.par_dim("a")': "nl.par_dim(N)",
    "nl.sbuf.rows": "nl.sbuf.name",
}
"""What index grids, and other things of Beta 1, do not have, and beside it what they have."""
BETA1 = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


# nkilint: x: float32[128, N]
@nki.jit
def kernel(x):
    N = x.shape[1]
    index = nl.arange(8)[:, None]
    value = {}
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(result, nl.load(x))
    return result
"""
PUT = {
    "[N] = 1": "[N % 3] = 1",
    "[:] = np.zeros(4)": "[:] = np.zeros(3)",
    "[0] = np.zeros(N)": "[0] = 5",
    " += np.zeros(4)": " += np.zeros(3)",
    " += np.zeros((2, 3))": " += np.zeros(1)",
    '[0] = "a"': "[0] = N",
}
"""What is put into an array of three elements."""
OF_NUMPY = ("1 / np.sqrt(N - 1)", "1.0 / np.log(N)", "N / np.float32(N - 1)", "1 / (np.sqrt(N) - 1)", "np.exp(N)")


def verdict(expression: str, around: str = "", source: str = KERNEL) -> str:
    (kernel,) = report_on(around + source.replace("{}", expression)).kernels
    return kernel.verdict


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        *NUMBERS.items(),
        *TEXTS.items(),
        *OTHERS.items(),
        *CALLS.items(),
        *ARRAYS.items(),
        *ARGUMENTS.items(),
    ],
)
def test_what_raises_is_not_verified(bad: str, good: str) -> None:
    assert (verdict(bad) != "verified", verdict(good)) == (True, "verified")


@pytest.mark.parametrize(("bad", "good"), OBJECTS.items())
def test_what_methods_of_objects_give_is_looked_at(bad: str, good: str) -> None:
    assert (verdict(bad, CLASSES) != "verified", verdict(good, CLASSES)) == (True, "verified")


@pytest.mark.parametrize(("bad", "good"), GRIDS.items())
def test_what_index_grids_do_not_have_is_not_verified(bad: str, good: str) -> None:
    assert (verdict(bad, source=BETA1) != "verified", verdict(good, source=BETA1)) == (True, "verified")


@pytest.mark.parametrize(("bad", "good"), PUT.items())
def test_what_is_put_into_an_array_fits(bad: str, good: str) -> None:
    assert (verdict(f"np.zeros(3)\n    value{bad}") != "verified", verdict(f"np.zeros(3)\n    value{good}")) == (
        True,
        "verified",
    )


@pytest.mark.parametrize("expression", OF_NUMPY)
def test_numpy_divides_by_zero(expression: str) -> None:
    assert verdict(expression) == "verified"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("slots = [0] * 4\n    slots[N] = 1", "conditional"),
        ("slots = [0] * 4\n    slots[N % 4] = 1", "verified"),
        ("slots = [0] * 4\n    slots[N % 8 - 4] = 1", "verified"),
        ("slots = [0] * 4\n    slots[-5] = 1", "violated"),
        ("slots = [0] * N\n    slots[3] = 1", "conditional"),
        ("slots = [0] * (N // 2)\n    for i in range(N):\n        slots[i] = 1", "incomplete"),
        ("slots = [0] * 4\n    slots[::2] = [1] * N", "incomplete"),
        ("slots = [0] * 4\n    slots[::2] = [1] * 2", "verified"),
    ],
)
def test_items_are_put_at_places_that_are_there(statement: str, expected: str) -> None:
    (kernel,) = report_on(KERNEL.replace("value = {}", statement)).kernels
    assert kernel.verdict == expected


def test_what_raises_may_be_handled() -> None:
    source = KERNEL.replace(
        "    value = {}\n",
        "    try:\n        value = math.log2(N - 1)\n        rows = 128\n    except ValueError:\n        rows = {}\n",
    ).replace(
        "nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)", "nl.ndarray((rows, N), dtype=x.dtype, buffer=nl.sbuf)"
    )
    right, wrong = (report_on(source.replace("{}", rows)) for rows in ("128", "129"))
    assert [k.verdict for k in right.kernels] == ["verified"]
    assert [k.verdict for k in wrong.kernels] == ["conditional"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1.0 / float(scale)", "verified"),
        ("1.0 / (1.0 - rate**step)", "verified"),
        ("math.sqrt(float(scale)) / math.log(scale)", "verified"),
        ("1.0 / (float(scale) * N)", "verified"),
        ("1.0 / (scale * (N / 2 - 1))", "incomplete"),
    ],
)
def test_numbers_of_the_caller_are_such_that_nothing_raises(expression: str, expected: str) -> None:
    source = KERNEL.replace("def kernel(x)", "def kernel(x, scale, rate, step)")
    (kernel,) = report_on(source.replace("{}", expression)).kernels
    assert kernel.verdict == expected
