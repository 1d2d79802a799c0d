"""Masks that helpers get, and hand to functions that they get: what is computed element by element does without."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.migrate.outcomes import Migration

from .test_small_forms import HEAD, migrated

KERNEL = """\
@nki.jit
def kernel(x):
    n, f = x.shape
    out = nl.ndarray((n, f), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range((n + 127) // 128):
        ip = t * 128 + nl.arange(128)[:, None]
        jf = nl.arange(f)[None, :]
        a = nl.load(x[ip, jf], mask=ip < n)
        b = {0}
        nl.store(out[ip, jf], b, mask=ip < n)
    return out
"""


def of(path: Path, helpers: str, call: str) -> Migration:
    return migrated(path, f"{HEAD}{helpers}\n\n\n{KERNEL.format(call)}", verified=True)


@pytest.mark.parametrize(
    ("helper", "call", "after", "called"),
    [
        (
            "def each(fn, tile, mask):\n    return fn(tile, mask=mask)",
            "each(nl.exp, a, ip < n)",
            "def each(fn, tile):\n    return fn(tile)",
            "each(nl.exp, a)",
        ),
        (
            "def square(tile, mask=None):\n    return nl.square(tile, mask=mask)",
            "square(a, mask=ip < n)",
            "def square(tile):\n    return nl.square(tile)",
            "square(a)",
        ),
        (
            "def sums(one, other, mask):\n    return nl.add(nl.exp(one, mask=mask), other, mask=mask)",
            "sums(a, a, ip < n)",
            "def sums(one, other):\n    return nl.add(nl.exp(one), other",
            "sums(a, a)",
        ),
    ],
    ids=["function", "helper", "two operands"],
)
def test_they_go(helper: str, call: str, after: str, called: str, tmp_path: Path) -> None:
    result = of(tmp_path, helper, call)
    text = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], text
    assert after in text
    assert f"b = {called}\n" in text


@pytest.mark.parametrize(
    ("helper", "call", "why"),
    [
        (
            "def each(fn, tile, mask):\n    b = nl.copy(tile)\n    b[...] = fn(tile, mask=mask)\n    return b",
            "each(nl.exp, a, ip < n)",
            "a mask on `fn`, which is an operation that takes none any more",
        ),
        (
            "def each(fn, tile, mask):\n    return fn(tile, axis=0, mask=mask)",
            "each(nl.sum, a, ip < n)",
            "a mask on `fn`, which is an operation that takes none any more",
        ),
        (
            "def each(fns, tile, mask):\n    for fn in fns:\n        tile = fn(tile, mask=mask)\n    return tile",
            "each([nl.exp, nl.tanh], a, ip < n)",
            "`fn` is not known, and no operation takes a mask any more",
        ),
    ],
    ids=["into a part", "over the mask", "of a list"],
)
def test_what_may_matter_is_left(helper: str, call: str, why: str, tmp_path: Path) -> None:
    result = of(tmp_path, helper, call)
    assert f"    # nkilint: migrate: {why}\n" in result.files[0].after.decode()
    assert [k.state for k in result.kernels] == ["left"]
