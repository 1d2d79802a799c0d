"""Lists that comprehensions make: in place where slices are enough, in loops where operations need tiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


"""
KERNEL = """\
@nki.jit
def listed(x):
    assert x.shape == (128, 256)
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(128)[None, :]
    t = nl.load(x)
    {}
    for k in range(2):
        nl.store(out[p, 128 * k + f], parts[k])
    return out
"""


def migrated(folder: Path, lines: str, verified: bool = True) -> Migration:
    (folder / "k.py").write_text(HEAD + KERNEL.format(lines))
    return migrate([folder], Options(), "B1", "0.6", verified=verified)


@pytest.mark.parametrize(
    ("line", "written"),
    [
        (
            "parts = [nl.load(x[p, 128 * k + f]) for k in range(2)]",
            "    parts = [nl.load(x[0:128, 128 * k:128 * k + 128]) for k in range(2)]\n",
        ),
        (
            "parts = [nisa.reciprocal(t[p, 128 * k + f]) for k in range(2)]",
            """\
    parts = []
    for k in range(2):
        parts_reciprocal = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.reciprocal(dst=parts_reciprocal, data=t[0:128, 128 * k:128 * k + 128])
        parts.append(parts_reciprocal)
""",
        ),
        (
            "parts = [t[p, f], t[p, f]]\n    parts = [nisa.reciprocal(u) for u in parts]",
            """\
    tiles = []
    for u in parts:
        parts_reciprocal = nl.ndarray(u.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.reciprocal(dst=parts_reciprocal, data=u)
        tiles.append(parts_reciprocal)
    parts = tiles
""",
        ),
        (
            "parts = [nl.load(x[p, 128 * k + f], mask=128 * k + f < 200) for k in range(2)]\n"
            "    for n in range(2):\n        nl.store(out[p, 128 * n + f], parts[n], mask=128 * n + f < 200)\n"
            "    parts = [nl.copy(t[p, f]), nl.copy(t[p, f])]",
            """\
    for k in range(2):
        parts_load = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(
            dst=parts_load[:, 0:min(128, 200 - 128 * k)],
            src=x[0:128, 128 * k:128 * k + min(128, 200 - 128 * k)],
        )
        parts.append(parts_load)
""",
        ),
        (
            "rows = [[nisa.reciprocal(t[p, 128 * b + f]) for b in range(2)] for a in range(2)]\n"
            "    parts = [nisa.tensor_copy(row[a]) for a, row in enumerate(rows) if a < 2]",
            """\
    rows = []
    for a in range(2):
        tiles = []
        for b in range(2):
            rows_reciprocal = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
            nisa.reciprocal(dst=rows_reciprocal, data=t[0:128, 128 * b:128 * b + 128])
            tiles.append(rows_reciprocal)
        rows.append(tiles)
    parts = []
    for a, row in enumerate(rows):
        if a < 2:
            parts_tensor_copy = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=parts_tensor_copy, src=row[a])
            parts.append(parts_tensor_copy)
""",
        ),
        (
            "parts = []\n    for u in [nisa.reciprocal(t[p, f]) if b else t[p, f] for b in range(2)]:\n"
            "        parts.append(u)",
            """\
    tiles = []
    for b in range(2):
        if b:
            chosen = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
            nisa.reciprocal(dst=chosen, data=t[0:128, 0:128])
        else:
            chosen = t[0:128, 0:128]
        tiles.append(chosen)
    for u in tiles:
""",
        ),
    ],
    ids=["loads", "operations", "the same name", "masks", "in one another", "choices"],
)
def test_lists_of_tiles_are_made_in_loops(line: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, line)
    assert written in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
    again = migrate([tmp_path], Options(), "B1", "0.6", overlay={str(tmp_path / "k.py"): result.files[0].after})
    assert all(f.after == f.before for f in again.files)


IN_A_LOOP = "where no tile can be made for it: write a loop"


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (
            "n = t[p, f]\n    parts = [nisa.reciprocal(t[p, 128 * n + f]) for n in range(2)]\n    parts[1] = n",
            "`n` stands for something else outside of the comprehension: call it otherwise there",
        ),
        (
            "for n in range(2):\n        parts = [nisa.reciprocal(t[p, 128 * n + f]) for n in range(2)]",
            "`n` stands for something else outside of the comprehension: call it otherwise there",
        ),
        (
            "for k, u in enumerate(nisa.reciprocal(t[p, 128 * n + f]) for n in range(2)):\n        parts = [u, u]",
            f"what it computes stands in a comprehension, {IN_A_LOOP}",
        ),
        (
            "parts = {int(n): nisa.reciprocal(t[p, 128 * n + f]) for n in range(2)}",
            "a key that is called for: a loop would compute it behind what it belongs to",
        ),
        (
            "parts = dict(enumerate([nisa.reciprocal(t[p, m + f]) for m in [128 * n]][0] for n in range(2)))",
            f"what it computes stands in a comprehension, {IN_A_LOOP}",
        ),
    ],
    ids=["another value", "a loop around it", "generator", "key", "inside of a generator"],
)
def test_what_no_loop_can_do_is_left(lines: str, why: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, lines, verified=False)
    assert why in [n.text for n in result.files[0].notes]
    assert [k.state for k in result.kernels] == ["left"]
    assert ".append(" not in result.files[0].after.decode()


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        (
            "parts = tuple(nisa.reciprocal(t[p, 128 * n + f]) for n in range(2))",
            "        tiles.append(parts_reciprocal)\n    parts = tuple(tiles)\n",
        ),
        (
            "parts = list(nisa.reciprocal(t[p, 128 * n + f]) for n in range(4) if n < 2)",
            "            tiles.append(parts_reciprocal)\n    parts = list(tiles)\n",
        ),
        (
            "parts = {n: nisa.reciprocal(t[p, 128 * n + f]) for n in range(2)}",
            "    parts = {}\n    for n in range(2):\n",
        ),
        (
            "made = {f'p{n}': nisa.reciprocal(t[p, 128 * n + f]) for n in range(2)}\n"
            "    parts = [made['p0'], made['p1']]",
            "        made[f'p{n}'] = made_reciprocal\n",
        ),
        (
            "parts = list({n: nisa.reciprocal(t[p, 128 * n + f]) for n in range(2)}.values())",
            "        tiles[n] = parts_reciprocal\n    parts = list(tiles.values())\n",
        ),
    ],
    ids=["tuple", "list", "dictionary", "texts as keys", "part"],
)
def test_tuples_and_dictionaries_are_filled_in_loops(lines: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, lines)
    assert written in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


MASK = "mask=128 * n + f < 200"
STORED = (
    "        nl.store(out[0:128, 128 * n:128 * n + min(128, 200 - 128 * n)], tiles[n][:, 0:min(128, 200 - 128 * n)])\n"
)


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        (
            f"tiles = [nl.load(x[p, 128 * n + f], {MASK}) for n in range(2)]\n"
            f"    for n in range(2):\n        nl.store(out[p, 128 * n + f], tiles[n], {MASK})",
            STORED,
        ),
        (
            "tiles = {'a': t[p, f]}\n    for n in range(2):\n"
            f"        nl.store(out[p, 128 * n + f], nisa.reciprocal(tiles['a'], {MASK}), {MASK})",
            "            data=tiles['a'][:, 0:min(128, 200 - 128 * n)],\n",
        ),
        (
            "tiles = t[p, f], t[p, f]\n"
            f"    for n in range(2):\n        nl.store(out[p, 128 * n + f], tiles[n], {MASK})",
            STORED,
        ),
    ],
    ids=["list", "dictionary", "tuple"],
)
def test_a_mask_shortens_an_item(lines: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, f"{lines}\n    parts = [nl.copy(t[p, f]), nl.copy(t[p, f])]")
    assert written in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
