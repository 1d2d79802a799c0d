"""The attacks by name, as `attacks.txt` has them."""

from __future__ import annotations

from pathlib import Path

_TEXT = (Path(__file__).parent / "attacks.txt").read_text(encoding="utf-8")


def _attack(paragraph: str) -> tuple[str, str]:
    name, _, code = paragraph.partition("\n")
    return name, code.strip("\n")


ALL = dict(_attack(paragraph) for paragraph in _TEXT.split("\n## ")[1:])
