"""Conditions of which each part stands in many others cost what they are, not what they would be written out."""

from __future__ import annotations

from typing import Any

from nkilint.prover.context import Context
from nkilint.prover.ladder import Ladder
from nkilint.symbolic import Opaque


def test_a_part_that_stands_in_many_others_is_asked_about_once() -> None:
    goal: Any = Opaque("first", "unknown")
    for number in range(40):
        left, right = Opaque(f"left {number}", "unknown"), Opaque(f"right {number}", "unknown")
        goal = (goal & left) | (goal & right)
    assert Ladder(Context([])).rung_of(goal) is None
