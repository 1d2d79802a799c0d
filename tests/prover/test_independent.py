"""Conditions in groups that can be judged one by one."""

from __future__ import annotations

import pytest

from nkilint.prover import Prover, Verdict
from nkilint.prover.groups import Groups
from nkilint.symbolic.conditions import Cond, Opaque, disjunction, equal_zero
from nkilint.symbolic.integers import sym

A, B, C, D = (sym(name, "input", 1) for name in "abcd")
FLAG = Opaque("flag", "flag")


def independent(conditions: list[Cond], base: Groups | None = None) -> list[list[Cond]]:
    groups = Groups(base)
    groups.add(conditions)
    return [group.conditions for group in groups]


@pytest.mark.parametrize(
    ("conditions", "sizes"),
    [
        ([A >= 2, B >= 2], [1, 1]),
        ([A >= 2, A >= B], [2]),
        ([A >= 2, C >= D, B >= 3, A * C >= B], [4]),
        ([A >= 2, B >= 3, C >= 4, A + B >= 9], [1, 3]),
        ([A // 4 >= B, B >= C, D >= 2], [1, 2]),
        ([disjunction((FLAG, A >= 2)), disjunction((~FLAG, B >= 2)), C >= 2], [1, 2]),
        ([FLAG, A >= 2], [1, 1]),
        ([], []),
    ],
)
def test_groups_share_neither_variables_nor_opaque_facts(conditions: list[Cond], sizes: list[int]) -> None:
    assert sorted(map(len, independent(conditions))) == sizes


def test_what_facts_about_other_things_exclude_is_never_reached() -> None:
    odd_and_even = [equal_zero(B % 2), equal_zero(B % 4 - 1)]
    decision = Prover().decide(A >= 3, [*odd_and_even, A >= 2])
    assert (decision.verdict, decision.reason != "") == (Verdict.PROVED, True)


def test_facts_about_other_things_that_are_too_hard_leave_unknown_whether_it_is_reached() -> None:
    cubes = [equal_zero(B * B * B + C * C * C - D * D * D), B >= 2, C >= 2]
    assert Prover().decide(A >= 3, [*cubes, A >= 2]).verdict is Verdict.UNKNOWN
    assert Prover().decide(A >= 1, [*cubes, A >= 2]).verdict is Verdict.PROVED


def test_joined_groups_stand_in_one_order_wherever_their_parts_lie_in_memory() -> None:
    orders = set()
    for attempt in range(20):
        names = [sym(f"n{attempt}_{number}", "input", 1) for number in range(0, 40, 8)]  # which meet in a small set
        between = [[sym(f"m{attempt}_{number}_{k}", "input", 1) >= 2 for k in range(7)] for number in range(5)]
        single = [name >= 2 for name in names]
        linked = sum(names, start=0) >= 40
        conditions = [c for own, others in zip(single, between, strict=True) for c in (own, *others)]
        (group,) = [g for g in independent([*conditions, linked]) if len(g) > 1]
        orders.add(tuple((*single, linked).index(condition) for condition in group))
    assert orders == {(0, 1, 2, 3, 4, 5)}


def test_groups_that_go_on_from_others_are_those_of_all_conditions_together() -> None:
    conditions = [A >= 2, B >= 3, disjunction((FLAG, C >= 2)), D >= C, A + B >= 9, ~FLAG, A * C >= B]
    for first in range(len(conditions)):
        base = Groups()
        base.add(conditions[:first])
        later = independent([*conditions[first:], *conditions[:first]], base)
        assert [{c.key for c in g} for g in later] == [{c.key for c in g} for g in independent(conditions)]
        assert sum(len(g.conditions) for g in base) == first  # which stays as it is


def test_what_is_known_of_a_group_is_not_asked_again_until_something_joins_it() -> None:
    asked: list[int] = []

    def ask(group: list[Cond]) -> bool:
        asked.append(len(group))
        return True

    base = Groups()
    base.add([A >= 2, B >= 3])
    assert base.met(ask) is True
    later = Groups(base)
    later.add([A >= C])
    assert later.met(ask) is True
    assert sorted(asked) == [1, 1, 2]
