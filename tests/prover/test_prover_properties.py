"""What the prover says of random small obligations agrees with trying all inputs, iterations and elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from nkilint.prover import Prover, Verdict
from nkilint.symbolic import Var, start_afresh, sym
from nkilint.symbolic.atoms import Int, bounds
from nkilint.symbolic.conditions import conjunction, disjunction
from nkilint.symbolic.evaluation import evaluate, holds, variables

BOX = 9  # inputs from 1 to this are tried

Numbers = Mapping[Var, int]


@dataclass
class Case:
    goal: Any
    facts: list[Any]

    def inputs(self) -> list[Var]:
        return [v for v in self.variables() if v.kind == "input"]

    def variables(self) -> list[Var]:
        return list(variables(self.goal, *self.facts, through_bounds=True))


def _points(case: Case, inputs: Numbers) -> Iterator[Numbers]:
    """All values of the other variables within bounds that meet the facts."""

    def extend(numbers: dict[Var, int], left: Sequence[Var]) -> Iterator[Numbers]:
        if not left:
            if all(holds(fact, numbers) for fact in case.facts):
                yield numbers
            return
        variable = left[0]
        assert variable.low is not None
        assert variable.high is not None
        for value in range(evaluate(variable.low, numbers), evaluate(variable.high, numbers) + 1):
            yield from extend({**numbers, variable: value}, left[1:])

    yield from extend(dict(inputs), [v for v in case.variables() if v.kind != "input"])


def _outcomes(case: Case) -> Iterator[tuple[Numbers, bool]]:
    """The inputs of the box that reach the obligation, and whether they meet it."""
    inputs = case.inputs()
    for values in product(*map(_box, inputs)):
        numbers = dict(zip(inputs, values, strict=True))
        results = [holds(case.goal, point) for point in _points(case, numbers)]
        if results:
            yield numbers, all(results)


def _box(variable: Var) -> range:
    """The values of an input that are tried."""
    low, high = bounds(variable.low or 1)[0], bounds(variable.high or BOX)[1]
    return range(int(low), int(high) + 1)


# --- random obligations ---

SIZES = st.integers(1, 4)


@st.composite
def cases(draw: Any, symbolic_tile: bool = True) -> Case:
    start_afresh()
    high = draw(st.sampled_from([None, None, BOX]))
    m, n = sym("M", low=1, high=high), sym("N", low=1, high=high)
    tile: Int = draw(st.sampled_from([1, 2, 3, 4, 4, "T"] if symbolic_tile else [2, 3, 4]))  # type: ignore[assignment]
    if tile == "T":
        tile = sym("T", low=1, high=high)
    count = draw(st.sampled_from(["floor", "ceil", "number", "other"]))
    trips = {"floor": m // tile, "ceil": -(-m // tile), "number": draw(SIZES), "other": n}[count]
    i = sym("i", "loop", 0, trips - 1)
    extent = draw(st.sampled_from(["tile", "number", "rest", "triangle"]))
    sizes = {"tile": tile, "number": draw(SIZES), "rest": (m - i * tile).minimum(tile), "triangle": i + 1}
    p = sym("p", "axis", 0, sizes[extent] - 1)
    form = i * tile + p
    j = sym("j", "loop", 0, draw(SIZES) * draw(st.sampled_from([1, n])) - 1)
    atoms: list[Int] = [m, n, i, p, form, form + 1, m // 2, n - 1, draw(st.integers(0, 6)), 2 * m, m * n, j, i + j]

    def condition() -> Any:
        left, right = draw(st.sampled_from(atoms)), draw(st.sampled_from(atoms))
        relation = draw(st.sampled_from(["<", "<=", "<", "==", "!="]))
        if isinstance(left, int) and isinstance(right, int):
            return True
        return {"<": lambda: left < right, "<=": lambda: left <= right, "==": lambda: left == right,
                "!=": lambda: left != right}[relation]()  # fmt: skip

    kinds = ["tiled", "mask", "equal", "most", "constant", "any", "odd", "start", "linked", "causal"]
    facts = draw(st.lists(st.sampled_from(kinds), max_size=2, unique=True))
    chosen = {
        "tiled": lambda: m % tile == 0,
        "mask": lambda: form < m,
        "equal": lambda: m == n,
        "most": lambda: m <= 4,
        "constant": lambda: n == draw(SIZES),
        "any": condition,
        "odd": lambda: m % 4 == 1,
        "start": lambda: i * tile < m,
        "linked": lambda: form + j < m,
        "causal": lambda: j <= form,
    }
    shape = draw(st.sampled_from(["bound", "bound", "limit", "divides", "any", "any", "and", "or", "aligned"]))
    goals = {
        "bound": lambda: form < draw(st.sampled_from([m, n])),
        "limit": lambda: draw(st.sampled_from([m, n, m * n])) <= draw(SIZES),
        "divides": lambda: draw(st.sampled_from([m, n, m * n])) % draw(SIZES) == 0,
        "any": condition,
        "aligned": lambda: draw(st.sampled_from([i, j, form, i * 2])) % draw(SIZES) == 0,
        "and": lambda: conjunction([condition(), condition()]),
        "or": lambda: disjunction([condition(), condition()]),
    }
    return Case(goals[shape](), [chosen[fact]() for fact in facts])


@st.composite
def divisions(draw: Any) -> Case:
    """Obligations on quotients by numbers of either sign, which are known not to be zero."""
    start_afresh()
    kind = draw(st.sampled_from(["input", "axis"]))
    d, m, p = sym("d", kind, -4, 4), sym("M", low=1, high=6), sym("p", "axis", -3, 5)
    divisor = draw(st.sampled_from([d, d, 2 * d, m - 7, d * m]))
    atoms: list[Int] = [d, m, p, draw(st.integers(-3, 3))]
    atoms += [part for a in (m, p, 5, p - m) for part in (a // divisor, a % divisor, a // divisor * divisor)]

    def condition() -> Any:
        left, right = draw(st.sampled_from(atoms)), draw(st.sampled_from(atoms))
        if isinstance(left, int) and isinstance(right, int):
            return True
        return draw(st.sampled_from([left <= right, left < right, left == right]))

    sign = draw(st.sampled_from([d != 0, d != 0, d >= 1, d <= -1]))
    more = draw(st.lists(st.sampled_from([d <= 2, m >= 2, p >= 0, p < m]), max_size=1))
    return Case(condition(), [sign, *more])


def _show(case: Case, decision: Any) -> str:
    ranges = [f"{v.name} in [{v.low}, {v.high}]" for v in case.variables()]
    return f"{case.goal} under {case.facts} with {', '.join(ranges)}: {decision}"


@given(cases() | divisions())
@settings(max_examples=175, deadline=None)
def test_decisions_agree_with_trying_everything(case: Case) -> None:
    decision = Prover().decide(case.goal, case.facts)
    outcomes = list(_outcomes(case))
    shown = _show(case, decision)
    whole = all(bounds_known(v) for v in case.inputs())
    if decision.verdict is Verdict.PROVED:
        assert all(met for _, met in outcomes), shown
    elif decision.verdict is Verdict.VIOLATED:
        assert not any(met for _, met in outcomes), shown
        assert outcomes or not whole, shown
    if decision.verdict in (Verdict.VIOLATED, Verdict.CONDITIONAL):
        model = dict(decision.model)
        assert model.keys() >= variables(case.goal, *case.facts).keys(), shown
        assert all(holds(fact, model) for fact in case.facts), shown
        assert not holds(case.goal, model), shown
        assert all(evaluate(v.low or 0, model) <= model[v] for v in model), shown
        assert all(v.high is None or model[v] <= evaluate(v.high, model) for v in model), shown
    if decision.verdict is Verdict.CONDITIONAL:
        found = {met for _, met in outcomes}
        assert not whole or found == {True, False} or (decision.is_open_condition and found == {False}), shown
        if decision.precondition is not None:
            for numbers, met in outcomes:
                if decision.exact:
                    assert holds(decision.precondition, numbers) == met, shown
                elif holds(decision.precondition, numbers):
                    assert met, shown


@given(cases() | divisions())
@settings(max_examples=60, deadline=None)
def test_branches_agree_with_trying_everything(case: Case) -> None:
    answer = Prover().implied(case.goal, case.facts)
    results = {
        holds(case.goal, point)
        for values in product(*map(_box, case.inputs()))
        for point in _points(case, dict(zip(case.inputs(), values, strict=True)))
    }
    if answer is not None:
        assert results <= {answer}, _show(case, answer)


def bounds_known(variable: Var) -> bool:
    return bounds(variable.high)[1] <= BOX if variable.high is not None else False


@st.composite
def input_conditions(draw: Any) -> tuple[list[Any], list[Any]]:
    start_afresh()
    m, n, t = sym("M", low=1), sym("N", low=1), sym("T", low=1)
    sizes: list[Int] = [m, n, t, m // 2, -(-n // 3), m % 4, n - 1, m * t, draw(SIZES), draw(SIZES)]

    def condition() -> Any:
        kind = draw(st.sampled_from(["<=", "==", "divides", "or", "and"]))
        if kind == "divides":
            return draw(st.sampled_from([m, n, t, m + 1])) % draw(SIZES) == draw(st.integers(0, 1))
        if kind in ("or", "and"):
            parts = [draw(st.sampled_from([m, n])) <= draw(SIZES), draw(st.sampled_from([n, t])) % draw(SIZES) == 0]
            return disjunction(parts) if kind == "or" else conjunction(parts)
        left, right = draw(st.sampled_from(sizes)), draw(st.sampled_from(sizes))
        return left <= right if kind == "<=" else left == right

    count = draw(st.integers(1, 4))
    return [c for c in (condition() for _ in range(count)) if c is not False], [m <= 6, condition()]


@given(input_conditions())
@settings(max_examples=60, deadline=None)
def test_contracts_say_no_more_and_no_less(given_conditions: tuple[list[Any], list[Any]]) -> None:
    conditions, facts = given_conditions
    contract = Prover().contract(conditions, facts)
    names = list(variables(*conditions, *facts, *contract))
    for values in product(*[range(1, BOX + 1) for _ in names]):
        numbers = dict(zip(names, values, strict=True))
        if all(holds(fact, numbers) for fact in facts):
            before, after = (all(holds(c, numbers) for c in cs) for cs in (conditions, contract))
            assert before == after, f"{conditions} under {facts} became {contract}, which differs at {numbers}"
