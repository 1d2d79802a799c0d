"""Symbolic integers: normal forms, bounds and printing, and that all readings of an operator agree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nkilint.prover import Prover, Verdict
from nkilint.prover.solver import QUERY, Solver
from nkilint.symbolic import Sym, Var, start_afresh, sym
from nkilint.symbolic.atoms import Int, bounds
from nkilint.symbolic.division import floor_div, modulo
from nkilint.symbolic.evaluation import atoms_in, choosing, evaluate, holds, variables
from nkilint.symbolic.integers import choose, itself, power
from nkilint.symbolic.substitution import substitute
from nkilint.symbolic.work import spent
from nkilint_rules.words.conditions import Unknown, maximum, minimum

NAMES = ("a", "b", "c")
LOW, HIGH = -6, 9


def variables_by_name() -> dict[str, Sym]:
    return {name: sym(name, low=LOW if name != "c" else 1, high=HIGH) for name in NAMES}


def _number(tree: Any, numbers: dict[str, int]) -> int:
    """The meaning of a tree, without symbols."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return numbers[tree]
    op, *operands = tree
    values = [_number(operand, numbers) for operand in operands]
    return {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "*": lambda x, y: x * y,
        "//": lambda x, y: x // y,
        "%": lambda x, y: x % y,
        "min": min,
        "max": max,
        "if": lambda x, y, u, v: u if x >= y else v,
        "2**": lambda x: 2 ** min(x, 12) if x >= 0 else 0,
    }[op](*values)


def symbolic(tree: Any, names: dict[str, Sym]) -> Any:
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return names[tree]
    op, *operands = tree
    values = [symbolic(operand, names) for operand in operands]
    return {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "*": lambda x, y: x * y,
        "//": floor_div,
        "%": modulo,
        "min": minimum,
        "max": maximum,
        "if": lambda x, y, u, v: choose(x >= y, u, v),
        "2**": lambda x: power(minimum(x, 12)),
    }[op](*values)


LEAVES = st.one_of(st.sampled_from(NAMES), st.integers(-5, 7))
DIVISORS = st.one_of(st.integers(1, 6), st.just("c"))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "min", "max"]), inner, inner),
        st.tuples(st.just("*"), inner, LEAVES),
        st.tuples(st.sampled_from(["//", "%"]), inner, DIVISORS),
        st.tuples(st.just("if"), inner, inner, inner, inner),
        st.tuples(st.just("2**"), inner),
    ),
    max_leaves=7,
)
NUMBERS = st.fixed_dictionaries({"a": st.integers(LOW, HIGH), "b": st.integers(LOW, HIGH), "c": st.integers(1, HIGH)})


@given(TREES, NUMBERS)
@settings(max_examples=400, deadline=None)
def test_ints_and_intervals_agree(tree: Any, numbers: dict[str, int]) -> None:
    start_afresh()
    names = variables_by_name()
    value = symbolic(tree, names)
    expected = _number(tree, numbers)
    env = {names[name].as_atom: number for name, number in numbers.items()}
    assert evaluate(value, env) == expected  # type: ignore[arg-type]
    low, high = bounds(value)
    assert low <= expected <= high
    replaced = substitute(value, {names["a"].as_atom: numbers["a"]})  # type: ignore[dict-item]
    assert evaluate(replaced, env) == expected  # type: ignore[arg-type]


def test_a_power_and_the_next_are_one_symbol() -> None:
    start_afresh()
    d, n = sym("d", "loop", 0, 8), sym("n")
    assert str(power(d + 1) - 2 * power(d)) == "0"
    assert str(power(d + 3)) == "8*2**d"
    assert str(power(n + 1) - 2 * power(n)) == "0"
    assert power(d).bounds == (1, 256)


def test_models_with_large_powers_are_exact_or_none() -> None:
    start_afresh()
    n = sym("n", "input", 0)
    solver = Solver(10**7)
    assert solver.satisfiable([power(n) == 1 << 12, n != 12]) is False
    assert solver.satisfiable([power(n) == 3 << 40]) is None
    assert solver.satisfiable([power(n) >= 1 << 40, n < 20]) is False


def test_what_an_answer_took_is_counted() -> None:
    start_afresh()
    a, b, c = (sym(name, "input", 2, 10**6) for name in "abc")

    def work(*conditions: Any) -> float:
        solver, before = Solver(10**6), spent()
        assert solver.satisfiable(conditions) is not None
        return spent() - before

    assert QUERY <= work(a < b) < 2 * QUERY
    assert work(a * a + b * b == c * c, a < b, a * b > 1000, a + b + c == 1000) > 2 * QUERY


def test_bounds_of_a_share_of_a_constant() -> None:
    """`127 // share` times a share that is itself a division and one: taken apart, it does not come back."""
    start_afresh()
    rows, programs = sym("rows", low=1), sym("programs", low=1)
    share = floor_div(rows - 1, programs) + 1
    left = 127 - share * floor_div(127, share)
    for value in (left - programs - 30 * share, share - left - 127, floor_div(127, share) + programs - 5):
        low, high = bounds(value)
        for point in ({rows.variable: 7, programs.variable: 3}, {rows.variable: 900, programs.variable: 2}):
            assert low <= evaluate(value, point) <= high


def test_comparisons_without_common_factors() -> None:
    start_afresh()
    n, m, h, k = sym("n", low=0), sym("m", low=0), sym("h", low=1), sym("k", low=0)
    assert str(n * h * h == m * h * h) == str(n == m)
    assert str(n * h * 2 >= m * h * 2) == str(n >= m)
    assert str(n * h > m * h) == str(n > m)
    assert str(h * n != h) == str(n != 1)
    assert "k" in str(n * k == m * k)  # may be zero
    assert "h" in str(n * h >= m * h + 2)


@given(TREES, NUMBERS)
@settings(max_examples=60, deadline=None)
def test_z3_agrees(tree: Any, numbers: dict[str, int]) -> None:
    start_afresh()
    names = variables_by_name()
    value = symbolic(tree, names)
    fixed = [names[name] == number for name, number in numbers.items()]
    solver = Solver(10**7)
    open_ = (None,) if "2**" in str(tree) else ()  # powers that a model takes beyond what is stated of them
    assert solver.satisfiable([*fixed, value == _number(tree, numbers)]) in (True, *open_)
    assert solver.satisfiable([*fixed, value != _number(tree, numbers)]) in (False, *open_)


@given(TREES, TREES, st.sampled_from([">=", ">", "<=", "<", "==", "!="]), NUMBERS)
@settings(max_examples=300, deadline=None)
def test_conditions_mean_what_they_compare(left: Any, right: Any, relation: str, numbers: dict[str, int]) -> None:
    start_afresh()
    names = variables_by_name()
    compare = {
        ">=": lambda x, y: x >= y,
        ">": lambda x, y: x > y,
        "<=": lambda x, y: x <= y,
        "<": lambda x, y: x < y,
        "==": lambda x, y: x == y,
        "!=": lambda x, y: x != y,
    }[relation]
    condition = compare(symbolic(left, names), symbolic(right, names))
    expected = compare(_number(left, numbers), _number(right, numbers))
    env: dict[Var, int] = {names[name].as_atom: number for name, number in numbers.items()}  # type: ignore[misc]
    assert holds(condition, env) == expected
    opposite = (not condition) if isinstance(condition, bool) else ~condition
    assert holds(opposite, env) != expected


@given(TREES, TREES, st.sampled_from(["<=", "==", "!="]), NUMBERS)
@settings(max_examples=300, deadline=None)
def test_printed_conditions_are_python_with_that_meaning(
    left: Any, right: Any, relation: str, numbers: dict[str, int]
) -> None:
    start_afresh()
    names = variables_by_name()
    a, b = symbolic(left, names), symbolic(right, names)
    condition = a <= b if relation == "<=" else a == b if relation == "==" else a != b
    scope = {**numbers, "ceil": lambda x: x}
    env: dict[Var, int] = {names[name].as_atom: number for name, number in numbers.items()}  # type: ignore[misc]
    text = str(condition)
    if "ceil(" not in text:
        assert bool(eval(text, {"min": min, "max": max}, scope)) == holds(condition, env)


def _m() -> Sym:
    return sym("M", low=1)


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda m, n: m % 128 == 0, "M % 128 == 0"),
        (lambda m, n: m % 128 != 0, "M % 128 != 0"),
        (lambda m, n: (m + 1) % 128 == 0, "M % 128 == 127"),
        (lambda m, n: m % n == 0, "M % N == 0"),
        (lambda m, n: (m * n) % 128 == 0, "(M*N) % 128 == 0"),
        (lambda m, n: m % 128 == n % 128, "M % 128 == N % 128"),
        (lambda m, n: m // 2 % 128 == 0, "M // 2 % 128 == 0"),
        (lambda m, n: (m * n) // 2 % 64 != 0, "(M*N) // 2 % 64 != 0"),
        (lambda m, n: m // 2 % 128 == 1, "M // 2 % 128 == 1"),
        (lambda m, n: m // 2 % 128 == n, "N + 128*(M // 256) == M // 2"),
        (lambda m, n: m <= 128, "M <= 128"),
        (lambda m, n: m >= 128, "M >= 128"),
        (lambda m, n: m < n, "M < N"),
        (lambda m, n: n + 1 <= m, "N < M"),
        (lambda m, n: m == n, "M == N"),
        (lambda m, n: m != n, "M != N"),
        (lambda m, n: m == 2 * n + 1, "M == 2*N + 1"),
        (lambda m, n: m // 128 * 128 <= n, "M // 128 * 128 <= N"),
        (lambda m, n: m // 128 <= 4, "M <= 639"),
        (lambda m, n: m // 128 <= n, "M // 128 <= N"),
        (lambda m, n: m // 128 >= n, "128*N <= M"),
        (lambda m, n: m // 128 == 4, "M // 128 == 4"),
        (lambda m, n: -(-m // 128) <= 4, "M <= 512"),
        (lambda m, n: -(-m // 128) <= n, "M <= 128*N"),
        (lambda m, n: -(-m // 128) >= n, "N <= ceil(M / 128)"),
        (lambda m, n: m.minimum(128) <= n, "min(M, 128) <= N"),
        (lambda m, n: m.minimum(n) == m, "M <= N"),
        (lambda m, n: m.minimum(n) != m, "N < M"),
        (lambda m, n: n + m.minimum(128) == n + 128, "M >= 128"),
        (lambda m, n: n * m.maximum(n + 3) == n * m, "N + 3 <= M"),
        (lambda m, n: m.minimum(n + 1) == n, "N == min(M, N + 1)"),
        (lambda m, n: (m % 128 == 0) & (n <= 512), "M % 128 == 0 and N <= 512"),
        (lambda m, n: (m % 128 == 0) | (n <= 512), "M % 128 == 0 or N <= 512"),
        (lambda m, n: m % 128 + n <= 512, "M % 128 + N <= 512"),
        (lambda m, n: m % 128 <= n, "M % 128 <= N"),
    ],
)
def test_conditions_read_like_python(build: Any, text: str) -> None:
    start_afresh()
    assert str(build(_m(), sym("N", low=1))) == text


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda m, n: choose(m <= 128, m, 128), "min(M, 128)"),
        (lambda m, n: choose(m < 128, m, 128), "min(M, 128)"),
        (lambda m, n: choose(m > 128, 128, m), "min(M, 128)"),
        (lambda m, n: choose(m > n, m, n), "max(M, N)"),
        (lambda m, n: choose(2 * m >= 2 * n, m, n), "max(M, N)"),
        (lambda m, n: choose(m < 127, m, 128), "(M if M <= 126 else 128)"),
        (lambda m, n: choose(m == n, m, n), "(M if M == N else N)"),
        (lambda m, n: choose(m <= n, m, 128), "(M if M <= N else 128)"),
    ],
)
def test_a_choice_by_size_is_a_minimum_or_maximum(build: Any, text: str) -> None:
    start_afresh()
    value = build(_m(), sym("N", low=1))
    assert str(value) == text


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda m: m % 128 >= 0, True),
        (lambda m: m % 128 <= 127, True),
        (lambda m: m % 128 >= 128, False),
        (lambda m: m // 4 * 4 + m % 4 == m, True),
        (lambda m: (m * 128) % 64 == 0, True),
        (lambda m: (m * 128 + 1) % 64 == 0, False),
        (lambda m: m * m // m == m, True),
        (lambda m: -(-m // 4) * 4 >= m, True),
        (lambda m: m // 4 // 8 == m // 32, True),
    ],
)
def test_normal_forms_decide(build: Any, expected: bool) -> None:
    start_afresh()
    assert build(_m()) is expected


def test_unknown_absorbs() -> None:
    start_afresh()
    reason = Unknown("no idea")
    assert (_m() + reason) is reason
    assert (_m() <= reason) is reason
    assert ((_m() <= 3) & reason) is reason


def test_there_is_no_truth_value() -> None:
    start_afresh()
    with pytest.raises(TypeError, match="no truth value"):
        bool(_m() <= 128)
    with pytest.raises(TypeError, match="no truth value"):
        bool(_m())


def test_variables_in_order() -> None:
    start_afresh()
    m, n = _m(), sym("N", low=1)
    i = sym("i", "loop", 0, m // 128 - 1)
    found = variables(i * n < 5)
    assert sorted(v.name for v in found) == ["N", "i"]
    assert [v.name for v in variables(i < 5, through_bounds=True)] == ["M", "i"]


def test_equal_values_have_equal_keys() -> None:
    start_afresh()
    m = _m()
    values: list[Int] = [m % 128, m - 128 * (m // 128), m + 0 - (m // 128) * 128]
    assert len({v.key for v in values if isinstance(v, Sym)}) == 1


@pytest.mark.parametrize("step", [1, 5, 63])
@pytest.mark.parametrize("const", [-2, -1, 0, 1])
def test_two_divisions_that_differ_by_one_are_one_remainder(step: int, const: int) -> None:
    n = sym("n", low=0)
    for forward in (True, False):
        first, second = (n // 64, (n + step) // 64) if forward else ((n + step) // 64, n // 64)
        found = first - second + const >= 0
        for number in range(130):
            a, b = (number // 64, (number + step) // 64) if forward else ((number + step) // 64, number // 64)
            put = holds(found, {n.variable: number})
            assert put is (a - b + const >= 0)


def test_whole_tiles_are_asked_for_in_one_form() -> None:
    n = sym("n", low=1)
    assert str((n + 63) // 64 <= n // 64) == str(n % 64 == 0)


def test_a_divisor_without_values_bounds_nothing() -> None:
    """A range may turn out to be empty: its lower end lies above its upper one."""
    n = sym("n", "input", 0, 100)
    nothing = sym("nothing", "loop", 1, 0)
    assert (n // nothing).bounds == (float("-inf"), float("inf"))


def test_atoms_come_after_those_that_they_are_built_of() -> None:
    n = sym("n", low=1)
    i = sym("i", "loop", 0, floor_div(n, 4) - 1)
    size = choose(n >= 8, floor_div(i, 2), minimum(i, 3))
    condition = (size >= 1) & (i >= 2)
    found = [str(atom) for atom in map(itself, atoms_in([condition, size]))]
    assert found == ["i", "i // 2", "min(i, 3)", "n", "(i // 2 if n >= 8 else min(i, 3))"]
    assert [str(c) for c in choosing([condition, True])] == [str(condition), "n >= 8"]
    assert "n // 4" not in found
    assert "n // 4" in [str(itself(atom)) for atom in atoms_in([condition], through_bounds=True)]


def test_a_quotient_by_zero_is_a_number_of_its_own_for_each_dividend() -> None:
    a, b, d = sym("a"), sym("b"), sym("d", low=None)
    at_zero = {d.as_atom: 0}
    found = [substitute(x // d, at_zero) for x in (a, b)]  # type: ignore[arg-type]
    assert found[0].key != found[1].key
    assert found[0].key == substitute((a // d) * 1, at_zero).key  # type: ignore[arg-type]
    assert substitute(b + 2 * (a // d) >= b, at_zero).key == (2 * found[0] >= 0).key  # type: ignore[arg-type]


def test_ends_that_no_float_reaches() -> None:
    start_afresh()
    n, m = sym("n", "input", 1), sym("m", "input", 0, 10**400)
    assert bounds(n * 10**400)[1] == float("inf")
    assert bounds(n * m) == (0, float("inf"))
    assert Prover().decide(n * 10**400 + m >= 10**400, [n * 10**400 - m >= 0]).verdict is Verdict.PROVED
