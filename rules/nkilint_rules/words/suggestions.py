"""The nearest known word to one that is misspelt."""

from __future__ import annotations

from difflib import get_close_matches


def suggestion(word: str, known: list[str]) -> str:
    """`; did you mean ...?` with the nearest known word, or nothing."""
    folded = {k.lower(): k for k in known}
    near = get_close_matches(word.lower(), list(folded), n=1, cutoff=0.6)
    return f"; did you mean `{folded[near[0]]}`?" if near else ""
