"""Long tables are read by parts, and as they are read whole."""

from __future__ import annotations

import pytest

from nkilint.lowering import long_displays

from .test_thinning import outcome

ITEMS = [
    "f(1, b=2)",
    "(1)",
    "*more",
    "'a' 'b'",
    "(1, 2)",
    "[x for x in y]",
    '"é" + z',
    "{1: 2}",
    "((a), (b))",
    "lambda: 1",
]
LINES = "    # a comment, with [one\n" + "".join(f"    {item},  # , {n}\n\n" for n, item in enumerate(ITEMS)) * 3
TEXTS = [
    f"x = [\n{LINES}]\ny = 1\n",
    f"x = {{\n{LINES}}}\n",
    f"if a:\n    x = é([{', '.join(ITEMS)}])\n    y = [{', '.join(ITEMS * 2)}, ]\nz = 2\n",
    "x = [\n" + "    1\n    ,\n" * 9 + "]  # noqa: NKI101\n",
    "x = [(a), (b), (c), (d),]\ny = f'{[1, 2, 3, 4]}'\n",
    "x = [\\\n1, \\\n2, 3, 4, 5]\n",
    "@mark([\n    (1, 2),\n    (3, 4), # x\n    (5, 6),\n    (7, 8)])\ndef f():\n    pass\n",
    "def f():\n    [a, b, c, d] = [1, (yield), 3, (n := 4)]\n",
    f"class A:\n    x: list[int] = [\n{LINES}    ]\n    y = [__a, __b, __c, __d, __e]\n",
]
BROKEN = ["x = [1, 2, 3,\n", "x = [1, 2, 3 4, 5]\n", "x = [1, 2, 3]\ny = = 1\n"]


@pytest.mark.parametrize("text", [*TEXTS, *BROKEN])
def test_nothing_is_read_otherwise(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = outcome(text)
    monkeypatch.setattr(long_displays, "LONG", 0)
    monkeypatch.setattr(long_displays, "MANY", 3)
    for part in (1, 2, 5):
        monkeypatch.setattr(long_displays, "PART", part)
        assert outcome(text) == whole


def test_parts_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "x = [\n" + "    f(a=1, b=(2, 3)),  # one\n" * 10_000 + "]\n"
    short, parts = long_displays.without_displays(text)
    assert len(short) < len(text) / 20
    assert len(parts) == 10_000 // long_displays.PART - 1
    monkeypatch.setattr(long_displays, "LONG", len(text) + 1)
    assert long_displays.without_displays(text) == (text, {})
