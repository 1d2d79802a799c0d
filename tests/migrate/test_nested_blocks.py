"""Blocks of tiles that are chosen by one subscript after the other."""

from __future__ import annotations

from pathlib import Path

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

NESTED = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    assert x.shape == (3, 128, 16)
    out = nl.ndarray((128, 16), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = nl.ndarray((3, 2, nl.par_dim(128), 16), dtype=x.dtype, buffer=nl.sbuf)
    for b in nl.affine_range(3):
        for h in range(2):
            tiles[b][h] = nl.load(x[b])
            tiles[b, h] = nl.multiply(tiles[b][h], float(h + 1))
    acc = nl.zeros((128, 16), dtype=nl.float32, buffer=nl.sbuf)
    for b in nl.sequential_range(3):
        acc[...] = nl.add(acc, tiles[b][0])
        acc[...] = nl.add(acc, tiles[b, 1])
    nl.store(out, acc)
    return out
"""


def test_blocks_are_chosen_one_after_the_other(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(NESTED)
    result = migrate([file], Options(), "B1", "0.6")
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert "tiles[b][h][...] = nl.load(x[b])" in after
    assert "data2=tiles[b][0]" in after
