"""Kernels whose places are computed by numpy, and whose result a helper makes: they do the same afterwards."""

from __future__ import annotations

from pathlib import Path

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Outcome, migrate

HEAD = "import neuronxcc.nki as nki\nimport neuronxcc.nki.isa as nisa\nimport neuronxcc.nki.language as nl\n"
POOLED = """\
import numpy as np


@nki.jit
def pooled(x, parts):
    rows, columns = x.shape
    assert 0 < parts <= columns and rows <= 128
    out = nl.ndarray((rows, parts), dtype=x.dtype, buffer=nl.shared_hbm)
    first = np.arange(parts) * columns // parts
    after = (np.arange(1, parts + 1) * columns + parts - 1) // parts
    tile = nl.load(x)
    most = int((after - first).max())
    part = nl.zeros((128, most), dtype=x.dtype, buffer=nl.sbuf)
    i = nl.arange(rows)[:, None]
    for p in nl.static_range(parts):
        width = after[p] - first[p]
        j = nl.arange(width)[None, :]
        part[i, j] = nl.copy(tile[i, j + first[p]], mask=j + first[p] < columns)
        total = nl.sum(part[0:rows, 0:width], axis=[1])
        nl.store(out[0:rows, p:p + 1], nl.divide(total, width))
    return out


pooled(np.ones((8, 10), np.float32), 3)
pooled(np.ones((8, 10), np.float32), 10)
"""
TURNED = """\
import numpy as np


def copied(x, order):
    order[0], order[1] = order[1], order[0]
    sizes = [x.shape[d] for d in sorted(range(2), key=order.__getitem__)]
    held = nl.ndarray(sizes, dtype=x.dtype, buffer=nl.hbm)
    other = nl.ndarray(sizes, dtype=x.dtype, buffer=nl.hbm)
    nl.store(other, nl.load(x))
    nl.store(held, nl.load(other))
    return held


@nki.jit
def turned(x):
    assert x.shape == (128, 64)
    made = copied(x, [1, 0])
    return made.reshape((64, 128))


turned(np.ones((128, 64), np.float32))
"""


def migrated(path: Path, text: str) -> tuple[Outcome, str]:
    file = path / "k.py"
    file.write_text(HEAD + text)
    result = migrate([file], Options(), "B1", "0.6")
    return result.kernels[0], result.files[0].after.decode()


def test_places_that_numpy_computes(tmp_path: Path) -> None:
    kernel, text = migrated(tmp_path, POOLED)
    assert (kernel.state, kernel.problems) == ("migrated", ())
    assert "arange(rows)" not in text


def test_a_helper_makes_what_the_kernel_returns(tmp_path: Path) -> None:
    kernel, text = migrated(tmp_path, TURNED)
    assert (kernel.state, kernel.problems) == ("migrated", ())
    assert [line.strip() for line in text.split("\n") if "hbm" in line or "first" in line or "second" in line] == [
        "first, second = order[1], order[0]",
        "order[0] = first",
        "order[1] = second",
        "held = nl.ndarray(sizes, dtype=x.dtype, buffer=nl.shared_hbm)",
        "other = nl.ndarray(sizes, dtype=x.dtype, buffer=nl.hbm)",
    ]
