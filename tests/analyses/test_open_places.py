"""An access of which it is left open where it goes is one question, and not one with each other access."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from nkilint.analyses.questions.accesses import HELD
from nkilint.analyses.questions.pairs import Pair, check_all, pairs_of
from nkilint.prover import Verdict


def compared(*problems: str, proved: bool = False) -> list[tuple[str, str]]:
    """The pairs of accesses with these problems that are asked about."""
    writes: list[Any] = [SimpleNamespace(problem=problem, access=object()) for problem in problems]
    asked: list[tuple[str, str]] = []

    def check(pair: Pair) -> list[Verdict]:
        found = pair.first.problem, pair.second.problem
        asked.append(found)
        return [Verdict.UNKNOWN if any(found) and not proved else Verdict.PROVED]

    check_all(pairs_of(writes, [], {}), check, reads_too=False)
    return asked


def test_an_access_that_goes_nobody_knows_where_is_asked_about_once() -> None:
    assert compared("lost", "", "", "") == [
        ("lost", "lost"), ("", ""), ("", ""), ("", ""), ("", ""), ("", ""), ("", ""),
    ]  # fmt: skip


def test_what_is_apart_wherever_it_goes_is_compared_with_all() -> None:
    assert len(compared("lost", "", "", proved=True)) == 6


def test_an_index_that_a_tensor_holds_may_be_apart_from_some() -> None:
    assert len(compared(HELD, "", "")) == 6
