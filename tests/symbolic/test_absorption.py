"""Comparisons of one quantity in conjunctions and disjunctions: they hold for the same numbers with and without those
that are left out."""

from hypothesis import given
from hypothesis import strategies as st

from nkilint.symbolic.conditions import COMPARISONS, conjunction, disjunction
from nkilint.symbolic.evaluation import holds
from nkilint.symbolic.integers import sym

A = sym("a", "input", None, None)
COMPARED = st.tuples(st.sampled_from((">=", "==", "!=")), st.sampled_from((1, -1, 2, -2)), st.integers(-5, 5))


@given(st.lists(COMPARED, min_size=1, max_size=6), st.integers(-8, 8))
def test_a_junction_means_what_its_parts_mean(compared: list[tuple[str, int, int]], number: int) -> None:
    parts = [COMPARISONS[relation](A * factor + rest) for relation, factor, rest in compared]
    here = {A.variable: number}
    each = [holds(part, here) for part in parts]
    assert holds(conjunction(parts), here) == all(each)
    assert holds(disjunction(parts), here) == any(each)


def test_what_another_part_says_is_left_out() -> None:
    assert str(disjunction([A == 1, A == 2, A != 3])) == "a != 3"
    assert str(conjunction([A >= 5, A >= 1, A != 2])) == "a >= 5"
    assert conjunction([A >= 5, A <= 4]) is False
    assert conjunction([A == 5, A != 5]) is False
    assert disjunction([A >= 5, A <= 4]) is True
    assert disjunction([A != 5, A != 4]) is True
    assert disjunction([A == 5, A != 5]) is True
    assert str(disjunction([A >= 5, A <= 2])) in ("a >= 5 or a <= 2", "a <= 2 or a >= 5")


B = sym("b", "input", None, None)


@given(st.lists(COMPARED, min_size=1, max_size=5), st.integers(-8, 8), st.integers(-8, 8))
def test_sums_are_compared_too(compared: list[tuple[str, int, int]], one: int, other: int) -> None:
    parts = [COMPARISONS[relation]((A - 3 * B) * factor + rest) for relation, factor, rest in compared]
    here = {A.variable: one, B.variable: other}
    each = [holds(part, here) for part in parts]
    assert holds(conjunction(parts), here) == all(each)
    assert holds(disjunction(parts), here) == any(each)
