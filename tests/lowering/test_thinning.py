"""Long files full of blank lines and comments are read as quickly as others, and as others are."""

from __future__ import annotations

import time
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from nkilint.base.source import SourceError
from nkilint.lowering import lower, thinning

GAPS = "\n" * 9 + "# a comment, isn't it\n" * 9
TEXTS = [
    f"x = 1\n{GAPS}y = 2  # noqa: NKI101\n{GAPS}",
    f"{GAPS}if x:\n    y = 1\n{GAPS}    z = 2\n{GAPS}else:\n{GAPS}    pass\n",
    f"text = '''\n{GAPS}'''\n{GAPS}other = \"\"\"{GAPS}\"\"\"\n",
    f"items = [\n{GAPS}    1,\n{GAPS}    2,\n]\n",
    f"x = 1 + \\\n2\n{GAPS}y = f'{{x}}{{\"a\"}}'\n",
    f"def f(a: int, # one\n{GAPS}    b=(1,\n{GAPS} 2)) -> (\n{GAPS}int):\n{GAPS}    return '''{GAPS}'''\n",
    f"# nkilint: skip\n{GAPS}# nkilint: x: float32[2]\n{GAPS}x = 'it isn\\'t # {{}}'\n",
]
BROKEN = [f"x = 1\n{GAPS}y = = 2\n", f"x = 1\n{GAPS}y = (\n{GAPS}", f"x = '''\n{GAPS}", f"if x:\n{GAPS}"]


@pytest.mark.parametrize("text", [*TEXTS, *BROKEN])
def test_nothing_is_read_otherwise(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = outcome(text)
    monkeypatch.setattr(thinning, "LONG", 0)
    assert len(thinning.thinned(text)) < len(text) or "'''" in text
    assert outcome(text) == whole


def outcome(text: str) -> Any:
    try:
        return listed(lower(text, "k.py", "k", ""))
    except SourceError as error:
        return str(error)


def listed(node: Any) -> Any:
    """Nodes as tuples: some are equal to themselves only."""
    if is_dataclass(node):
        return (type(node), *(listed(getattr(node, field.name)) for field in fields(node)))
    return tuple(map(listed, node)) if isinstance(node, tuple) else node


@pytest.mark.parametrize("line", ["\n", "#\n"])
def test_millions_of_lines(line: str) -> None:
    """A few seconds of processor time on a slow machine; the parser alone takes some fifteen."""
    text = "import nki\n" + line * (3_000_000 // len(line)) + "x = 1\n"
    began = time.process_time()
    module = lower(text, "k.py", "k", "")
    assert time.process_time() - began < 5
    assert module.body[-1].at.row == text.count("\n")
