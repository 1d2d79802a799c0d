"""Methods and fields of a project's own classes that are index grids or masks: they go where nothing reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_small_forms import HEAD, migrated

KERNEL = """\
class Rows:
    size = 128

    @staticmethod
    def of(t):
        return t * 128 + nl.arange(128)[:, None]

    @classmethod
    def columns(cls, f):  # of all
        return nl.arange(f)[None, :]


class Tiles:
    def __init__(self, x):
        self.n, self.f = x.shape
        self.first = nl.arange(128)[:, None]

    def bound(self, t):
        return t * 128 + self.first < self.n

    def load(self, x, t):
        return nl.load(x[t * 128 + self.first, Rows.columns(self.f)], mask=self.bound(t))

    def mask(self, t):
        return self.bound(t)


@nki.jit
def kernel(x):
    n, f = x.shape
    out = nl.ndarray((n, f), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = Tiles(x)
    for t in nl.affine_range((n + 127) // 128):
        a = tiles.load(x, t)
        nl.store(out[Rows.of(t), Rows.columns(f)], a, mask=tiles.mask(t))
    return out
"""


def test_they_go(tmp_path: Path) -> None:
    result = migrated(tmp_path, HEAD + KERNEL, True)
    text = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], text
    assert "class Rows:\n    size = 128\n\n\nclass Tiles:\n" in text
    assert "        self.n, self.f = x.shape\n\n    def load(self, x, t):\n" in text
    assert "        return load_tile\n\n\n@nki.jit\n" in text
    assert "def bound" not in text


def test_one_that_is_read_stays(tmp_path: Path) -> None:
    more = 'def chosen(tiles, name="mask"):\n    return getattr(tiles, name)\n'
    result = migrated(tmp_path, f"{HEAD}{KERNEL}\n\n{more}")
    assert "def mask(self, t):" in result.files[0].after.decode()
    assert [k.state for k in result.kernels] == ["left"]


def test_a_class_of_nothing_else_goes(tmp_path: Path) -> None:
    text = KERNEL.replace("    size = 128\n", '    """Index grids."""\n')
    result = migrated(tmp_path, HEAD + text)
    assert "class Rows" not in result.files[0].after.decode()
    assert [k.state for k in result.kernels] == ["unverified"]


def test_a_class_that_is_read_stays_as_it_is(tmp_path: Path) -> None:
    text = KERNEL.replace("    size = 128\n\n", "") + "\n\nKINDS = [Rows]\n"
    assert "class Rows:\n    @staticmethod\n" in migrated(tmp_path, HEAD + text).files[0].after.decode()


@pytest.mark.parametrize(
    ("more", "called", "stays"),
    [("", "i, j, inside = tiles.places(t)", False), (", self.n", "i, j, inside, _ = tiles.places(t)", True)],
    ids=["grids alone", "a size, too"],
)
def test_several_grids_that_a_method_gives(more: str, called: str, stays: bool, tmp_path: Path) -> None:
    text = f"""\
class Tiles:
    def __init__(self, n):
        self.n = n

    def places(self, t):
        i = t * 128 + nl.arange(128)[:, None]
        j = nl.arange(64)[None, :]
        return i, j, i < self.n{more}


@nki.jit
def kernel(x):
    n = x.shape[0]
    assert x.shape[1] == 64
    out = nl.ndarray((n, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = Tiles(n)
    for t in nl.affine_range((n + 127) // 128):
        {called}
        nl.store(out[i, j], nl.load(x[i, j], mask=inside), mask=inside)
    return out
"""
    result = migrated(tmp_path, HEAD + text, not stays)
    assert ("def places" in result.files[0].after.decode()) == stays
    assert [k.state for k in result.kernels] == ["left" if stays else "migrated"]
