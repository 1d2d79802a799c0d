"""The nearest known word to one that is misspelt, and which words are near."""

from __future__ import annotations

from difflib import get_close_matches

SHORTEST = 4  # letters of a word that may be a misspelt one


def suggestion(word: str, known: list[str]) -> str:
    """`; did you mean ...?` with the nearest known word, or nothing."""
    folded = {k.lower(): k for k in known}
    near = get_close_matches(word.lower(), list(folded), n=1, cutoff=0.6)
    return f"; did you mean `{folded[near[0]]}`?" if near else ""


def is_near(name: str, other: str) -> bool:
    """Whether one letter more or less, another one, or two in the other order make a word another one; digits count."""
    if len(name) < SHORTEST:
        return False
    if len(name) > len(other):
        name, other = other, name
    start = next((i for i, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), len(name))
    if len(other) > len(name):
        return name[start:] == other[start + 1 :] and not other[start].isdigit()
    swapped = name[start : start + 2][::-1] == other[start : start + 2] and name[start + 2 :] == other[start + 2 :]
    replaced = name[start + 1 :] == other[start + 1 :] and not (name[start] + other[start]).isdigit()
    return swapped or replaced
