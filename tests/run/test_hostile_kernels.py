"""Kernels that nobody would write: what grows without bound is cut off by the work that is counted, on every machine
alike, and is unknown then."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.run.engine import check
from nkilint.symbolic.work import spent

HEAD = """\
import nki
import nki.isa as nisa
import nki.language as nl


def deeper(n, t):
    return deeper(n - 1, [t, t]) if n else t


def both(n):
    return both(n - 1) + both(n - 2) if n > 1 else n


@nki.jit
def kernel(x):
    a, b = x.shape
    output = nl.ndarray((a, b), dtype=x.dtype, buffer=nl.shared_hbm)
    v = a
"""
TAIL = """\
    nisa.dma_copy(dst=output[0:v, :], src=x[0:v, :])
    return output
"""
DOUBLED = """\
    parts, more, text, number, pair = [x], [x], "ab", 3, (x,)
    for _ in range(18):
        parts = parts + parts
        more.extend(more)
        text = text + text
        pair = pair + pair
        number = number * number
"""
BUDGETS = Options(step_budget=40_000, work_budget=200_000)  # a fifth of the usual: what keeps to these keeps to any
MOST = 2_000_000  # units of work: what evaluating, deciding and telling may take, twice over

BODIES = {
    "a polynomial of high degree": "    v = v * b + v * a + 1\n" * 40,
    "squares of squares": "    v = v * v\n" * 40,
    "squares of remainders": "    v = (v % 7) ** 2 + b\n" * 40,
    "squares until what nobody knows": "    while missing < a:\n        v = (v % 7) ** 2\n        missing += 1\n",
    "loops until what nobody knows": "    while True:\n        while True:\n            if missing:\n"
    "                break\n            for i in range:\n                pass\n",
    "maxima of minima": "    v, b = max(v, b) + min(v, b // 2), min(v + 1, b * 2)\n" * 40,
    "choices of choices": "".join(f"    v = v // 2 if v % {k + 2} > 1 else v * 3 + 1\n" for k in range(40)),
    "quotients of quotients": "".join(f"    v = v - (v * {k + 3}) // (b + {k})\n" for k in range(30)),
    "texts of a terabyte": '    text = f"{3:>1000000000000}" + f"{None:>5}" + format(3, ">1000000000000")\n',
    "a recursion without an end": "    deeper(100_000, x)\n",
    "a recursion that branches": "    v = both(40)\n",
    "a loop of a million trips": "    for i in nl.static_range(1_000_000):\n        v = v + i * i\n",
    "loops within loops": "    for i in range(400):\n        for j in range(400):\n            t = [v] * j\n",
    "hundreds of branches": "".join(f"    if a > {3 * k}:\n        v = v + {k}\n" for k in range(300)),
    "a ladder of conditions": "    if a == 0:\n        v = 0\n"
    + "".join(f"    elif a == {k}:\n        v = {k}\n" for k in range(1, 200)),
    "numbers that do not fit": "    v = 10 ** 10 ** 10\n    w = 1 << 10 ** 10\n    t = [0] * 10 ** 11\n",
    "a loop that may never end": "    while v > 1:\n        v = v // 2 if v % 2 == 0 else 3 * v + 1\n",
    "what doubles": DOUBLED,
}


@pytest.mark.parametrize("name", BODIES)
def test_no_kernel_takes_more_than_its_budget(tmp_path: Path, name: str) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(HEAD + BODIES[name] + TAIL, encoding="utf-8")
    before = spent()
    report = check([path], BUDGETS)
    assert (len(report.kernels), report.failures) == (1, ())
    assert spent() - before < MOST
    assert all(len(d.message) < 2_000 for d in report.findings)


@pytest.mark.parametrize("size", ["len(parts)", "len(more)", "len(pair)", "number"])
def test_what_is_too_long_is_unknown(tmp_path: Path, size: str) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(HEAD + DOUBLED + f"    v = {size}\n" + TAIL, encoding="utf-8")
    (kernel,) = check([path], Options()).kernels
    assert kernel.verdict == "incomplete"
    assert any("too l" in unknown.reason for unknown in kernel.unknown), kernel.unknown


HALVES = """
import nki
import nki.isa as nisa
import nki.language as nl


def added(parts):
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    a, b = added(parts[:half]), added(parts[half + 1 :])
    both = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=both, data1=a, data2=b, op=nl.add)
    return both


@nki.jit
def sums(x):
    assert x.shape == (128, 4)
    tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=added([tile[:, i : i + 1] for i in range(4)]))
    return out
"""


def test_a_recursion_that_branches_and_has_no_end_is_followed_once(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(HALVES, encoding="utf-8")
    (kernel,) = check([path], Options()).kernels
    assert kernel.verdict == "incomplete"
    assert kernel.obligations.total < 1_000
    path.write_text(HALVES.replace("half + 1 :", "half:"), encoding="utf-8")
    (kernel,) = check([path], Options()).kernels
    assert kernel.verdict == "verified"
