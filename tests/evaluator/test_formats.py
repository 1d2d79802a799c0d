"""What f-strings write in a way of their own: conversions and formats, as Python does."""

from __future__ import annotations

import pytest

from ..support.checking import revealed

KERNEL = """\
import nki

@nki.jit
def kernel(x, n):
    width, name = 4, "né"
    reveal({text})
    return x
"""


@pytest.mark.parametrize(
    "text",
    [
        'f"{3:02d}"',
        'f"{name!r}|{name!s:>3}|{name!a}"',
        'f"{2.5:.2f}{7:{width}}"',
        'f"{width=}{name=}"',
        'f"{width=:3}"',
    ],
)
def test_a_format_is_written(text: str) -> None:
    (shown,) = revealed(KERNEL.replace("{text}", text))[6]
    assert shown == repr(eval(text, {"width": 4, "name": "né"}))


@pytest.mark.parametrize("text", ['f"{n:3}"', 'f"{width:q}"', 'f"{7:{n}}"', 'f"{x!r}"'])
def test_what_is_not_known_is_some_text(text: str) -> None:
    assert revealed(KERNEL.replace("{text}", text))[6] == ["a Text"]
