"""What an iteration leaves to the next one: Beta 1 traced the body of a loop once."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    n, first, tiles = 1, True, []
    for t in nl.{0}(4):
        a = nl.load(x[:, t * 16:t * 16 + 16])
{1}
        nl.store(out[:, t * 16:t * 16 + 16], nl.multiply(a, n))
    return out
"""


def left(path: Path, loop: str, *lines: str) -> list[str]:
    file = path / "k.py"
    file.write_text(KERNEL.format(loop, "\n".join(f"        {line}" for line in lines)))
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    return [n.text.partition(" ")[0] for n in result.files[0].notes if n.letter == "P"]


@pytest.mark.parametrize("loop", ["affine_range", "sequential_range"])
@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["n += 1"], "`n`"),
        (["n = n + 1"], "`n`"),
        (["if first:", "    a = nl.multiply(a, 2.0)", "    first = False"], "`first`"),
        (["if t == 2:", "    n = 3"], "`n`"),
        (["tiles.append(a)", "a = nl.multiply(a, len(tiles))"], "`tiles`"),
    ],
)
def test_what_changed_once_is_told_of(loop: str, lines: list[str], name: str, tmp_path: Path) -> None:
    assert left(tmp_path, loop, *lines) == [name]


@pytest.mark.parametrize(
    "lines",
    [
        ["n = 3", "n += 1"],
        ["n = t + 1", "n = n * 2"],
        ["if t == 2:", "    n = 3", "else:", "    n = 4"],
        ["tiles = []", "tiles.append(a)", "n = len(tiles)"],
        ["m = 2 if t == 0 else 3", "a = nl.multiply(a, m)"],
        ["if t == 0:", "    k = 2", "    a = nl.multiply(a, k)"],
        ["for s in nl.affine_range(2):", "    n = s + 2", "    a = nl.multiply(a, n)"],
        ["for s in nl.affine_range(2):", "    first = s > 0", "    n = 3 if first else 4"],
    ],
)
def test_what_each_iteration_sets_is_not(lines: list[str], tmp_path: Path) -> None:
    assert not left(tmp_path, "affine_range", *lines)


def test_loops_that_were_unrolled_are_not_told_of(tmp_path: Path) -> None:
    assert not left(tmp_path, "static_range", "n += 1", "tiles.append(a)")
