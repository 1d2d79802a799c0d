"""Conditions that join others which they share are walked as what they are, not as trees."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.conditions import And, Cond, Opaque, Or, truth_by, with_leaves

DEPTH = 16


def shared() -> Cond:
    """A condition whose tree has a million leaves and more."""
    found: Any = Opaque("first", "input")
    for number in range(DEPTH):
        sides = [And([found, Opaque(f"{side}{number}", "input")]) for side in ("one", "other")]
        found = Or(sides)
    return found


def test_a_part_of_many_is_looked_at_once() -> None:
    asked: list[str] = []

    def truth(part: Any) -> None:
        asked.append(part.name)

    assert truth_by(shared(), truth) is None
    assert len(asked) <= 4 * DEPTH


def test_a_part_of_many_is_changed_once() -> None:
    asked: list[str] = []

    def changed(part: Any) -> Any:
        asked.append(part.name)
        return True if part.name.startswith("one") else part

    left = with_leaves(shared(), changed)
    assert len(asked) <= 4 * DEPTH
    assert truth_by(left, lambda part: part.name == "first") is True
