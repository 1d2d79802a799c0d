"""Small host programs about one trap of Python each (tests/data/host_cases.txt), held against CPython.

The number behind a title is of the `reveal`s that are decided, and right; `python -m tests.evaluator.test_host_cases`
writes these numbers anew.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from ..support.host_programs import DIALECTS, IMPORTS
from ..support.oracle import Answer, ask

FILE = Path(__file__).parents[1] / "data/host_cases.txt"


def cases() -> dict[str, tuple[int, str]]:
    """By title: how many are decided, and the text."""
    found = {}
    for text in FILE.read_text(encoding="utf-8").split("\n=== ")[1:]:
        title, _, program = text.partition("\n")
        name, _, count = title.rpartition(": ")
        found[name] = int(count), program
    return found


def answer_to(program: str) -> Answer:
    body, _, module = program.partition("\n---\n")
    kernel = indent(f"n, m = a.shape\n{body.strip()}\nreturn a\n", "    ")
    found = ask(f"{IMPORTS}{DIALECTS['neuronxcc']}\n{module}\n\n@nki.jit\ndef kernel(a):\n{kernel}")
    assert found is not None, "CPython does not take it"
    return found


@pytest.mark.parametrize("title", cases())
def test_what_is_decided_is_right(title: str) -> None:
    count, program = cases()[title]
    found = answer_to(program)
    assert (found.wrong, found.fault) == ({}, "")
    assert len(found.right) == count
    assert found.verdict != "verified" or not found.raised


if __name__ == "__main__":
    head, _, _ = FILE.read_text(encoding="utf-8").partition("\n=== ")
    parts = [f"{name}: {len(answer_to(text).right)}\n{text}" for name, (_, text) in cases().items()]
    FILE.write_text("\n=== ".join([head, *parts]), encoding="utf-8")
