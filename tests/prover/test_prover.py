"""The prover on obligations as kernels have them: the last good and the first bad one side by side."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from nkilint.prover import Prover, Verdict
from nkilint.prover.solver import PATIENCE
from nkilint.symbolic import Opaque, Sym, start_afresh, sym
from nkilint.symbolic.conditions import conjunction, disjunction
from nkilint.symbolic.integers import choose
from nkilint.symbolic.work import stage
from nkilint_rules.words.conditions import Unknown, ceil_div, maximum, minimum

PROVED, VIOLATED = Verdict.PROVED, Verdict.VIOLATED
CONDITIONAL, UNKNOWN = Verdict.CONDITIONAL, Verdict.UNKNOWN


class Names:
    """The variables of the tables."""

    def __init__(self) -> None:
        start_afresh()
        self.M, self.N, self.K, self.L, self.T, self.n = (sym(x, low=1) for x in ("M", "N", "K", "L", "T", "n"))
        self.p, self.f, self.j = self.axis(128, "p"), self.axis(512, "f"), self.loop(16, "j")
        self.m = sym("m")
        self.c = sym("c", "carried")
        self.d = sym("d", "runtime", 0, 255)

    def loop(self, trips: Any, name: str = "i") -> Any:
        return sym(name, "loop", 0, trips - 1)

    def axis(self, size: Any, name: str) -> Any:
        return sym(name, "axis", 0, size - 1)

    def tiles(self, size: Any = 128) -> Any:
        """The number of a tile of `K`, the last one perhaps ragged."""
        return self.loop(ceil_div(self.K, size))

    def rest(self) -> Any:
        """An element of a tile of `K` that is no larger than what is left."""
        return self.axis(minimum(128, self.K - self.tiles() * 128), "q")

    def program(self, size: Any, name: str = "g") -> Any:
        return sym(name, "program", 0, size - 1)


Row = tuple[Callable[[Names], Any], Callable[[Names], list[Any]], Verdict, str, str]


def _nothing(v: Names) -> list[Any]:
    return []


LIMITS: list[Row] = [
    (lambda v: v.N <= 512, _nothing, CONDITIONAL, "linear", "N <= 512"),
    (lambda v: v.N <= 512, lambda v: [v.N == 512], PROVED, "constant", ""),
    (lambda v: v.N <= 512, lambda v: [v.N == 513], VIOLATED, "constant", ""),
    (lambda v: v.N <= 512, lambda v: [v.N <= 512], PROVED, "facts", ""),
    (lambda v: v.N <= 512, lambda v: [v.N <= 511], PROVED, "interval", ""),
    (lambda v: v.N <= 512, lambda v: [v.N <= 513], CONDITIONAL, "linear", "N <= 512"),
    (lambda v: v.N <= 512, lambda v: [v.N >= 512], CONDITIONAL, "linear", "N <= 512"),
    (lambda v: v.N <= 512, lambda v: [v.N > 512], VIOLATED, "facts", ""),
    (lambda v: v.N <= 512, lambda v: [v.N > 513], VIOLATED, "interval", ""),
    (lambda v: v.N <= 512, lambda v: [v.N == v.M, v.M == 512], PROVED, "constant", ""),
    (lambda v: v.N <= 512, lambda v: [v.N < v.M, v.M < 514], PROVED, "interval", ""),
    (lambda v: v.N <= 512, lambda v: [v.N < v.M, v.M < 515], CONDITIONAL, "linear", "N <= 512"),
    (lambda v: v.N <= 512, lambda v: [v.N % 512 == 0], CONDITIONAL, "linear", "N <= 512"),
    (lambda v: v.N <= 511, lambda v: [v.N % 512 == 0], VIOLATED, "constant", ""),
    (lambda v: minimum(v.N, 512) <= 512, _nothing, PROVED, "constant", ""),
    (lambda v: minimum(v.N, v.M) <= 512, lambda v: [v.M <= 512], PROVED, "interval", ""),
    (lambda v: minimum(v.N, v.M) <= v.N, _nothing, PROVED, "linear", ""),
    (lambda v: v.N // 4 <= 128, lambda v: [v.N <= 515], PROVED, "facts", ""),
    (lambda v: v.N // 4 <= 128, lambda v: [v.N <= 516], CONDITIONAL, "linear", "N <= 515"),
    (lambda v: (v.M >= 128) & (v.N <= 512), _nothing, CONDITIONAL, "linear", "M >= 128 and N <= 512"),
    (lambda v: (v.M >= 128) | (v.N <= 512), _nothing, CONDITIONAL, "linear", "M >= 128 or N <= 512"),
    (lambda v: (v.M >= 2) & (v.M <= 1), _nothing, VIOLATED, "constant", ""),
]

TILING: list[Row] = [
    (lambda v: v.loop(v.K // 128) * 128 + v.p < v.K, _nothing, PROVED, "linear", ""),
    (lambda v: v.loop(v.K // 128) * 128 + v.p + 1 < v.K, _nothing, CONDITIONAL, "linear", "K % 128 != 0"),
    (lambda v: v.loop(v.K // 128 + 1) * 128 + v.p < v.K, _nothing, VIOLATED, "linear", ""),
    (lambda v: v.tiles() * 128 + v.p < v.K, _nothing, CONDITIONAL, "linear", "K % 128 == 0"),
    (lambda v: v.tiles() * 128 + v.p < v.K, lambda v: [v.K % 128 == 0], PROVED, "linear", ""),
    (lambda v: v.tiles() * 128 + v.p < v.K, lambda v: [v.K % 64 == 0], CONDITIONAL, "linear", "K % 128 == 0"),
    (lambda v: v.tiles() * 128 + v.p < v.K, lambda v: [v.K % 128 == 1], VIOLATED, "linear", ""),
    (lambda v: v.loop(v.K // 2048) * 2048 + v.j * 128 + v.p < v.K, _nothing, PROVED, "linear", ""),
    (lambda v: v.loop(v.K // 2048) * 2048 + v.j * 128 + v.p < v.L, lambda v: [v.K == v.L], PROVED, "linear", ""),
    (
        lambda v: v.loop(v.K // 2048) * 2048 + v.j * 128 + v.p < v.L,
        _nothing,
        CONDITIONAL,
        "linear",
        "K // 2048 * 2048 <= L",
    ),
    (lambda v: v.loop(v.K // 128) * 128 + v.p < v.L, lambda v: [v.K % 128 == 0], CONDITIONAL, "linear", "K <= L"),
    (lambda v: v.p < v.K, _nothing, CONDITIONAL, "linear", "K >= 128"),
    (lambda v: v.p < 100, _nothing, VIOLATED, "z3", ""),
    (lambda v: v.p < 128, _nothing, PROVED, "constant", ""),
]

CHOSEN: list[Row] = [
    (lambda v: _rows(v, 128) < v.T * v.L, lambda v: [_size(v) // 128 * 128 <= v.L], PROVED, "linear", ""),
    (
        lambda v: _rows(v, minimum(_size(v), 128)) < v.T * v.L,
        lambda v: [_size(v) >= 128, _size(v) // 128 * minimum(_size(v), 128) <= v.L],
        PROVED,
        "linear",
        "",
    ),
    (lambda v: minimum(v.K // 4, v.loop(v.K // 4) + 1) - v.loop(v.K // 4) == 1, _nothing, PROVED, "linear", ""),
    (lambda v: _products(v) % 2 == 0, lambda v: [v.N % 2 == 0], PROVED, "z3", ""),
]


def _size(v: Any) -> Any:
    """A size that an input chooses."""
    return choose(v.m == 0, v.M, v.N)


def _rows(v: Any, rows: Any) -> Any:
    """An element of the rows of a tile of so many, each of `T` elements."""
    return v.T * (rows * v.loop(_size(v) // 128) + v.axis(rows, "r")) + v.axis(v.T, "t")


def _products(v: Any) -> Any:
    i, ends = v.loop(v.K // 4), minimum(v.N, 4 * v.L)
    return minimum(v.K // 4, i + 1) * ends - i * ends


SYMBOLIC_TILES: list[Row] = [
    (lambda v: v.loop(v.M // v.T) * v.T + v.axis(v.T, "t") < v.M, _nothing, PROVED, "linear", ""),
    (
        lambda v: v.loop(ceil_div(v.M, v.T)) * v.T + v.axis(v.T, "t") < v.M,
        _nothing,
        CONDITIONAL,
        "linear",
        "M % T == 0",
    ),
    (
        lambda v: v.loop(ceil_div(v.M, v.T)) * v.T + v.axis(v.T, "t") < v.M,
        lambda v: [v.M % v.T == 0],
        PROVED,
        "linear",
        "",
    ),
    (
        lambda v: v.loop(v.K // (128 * v.T)) * v.T * 128 + v.axis(v.T, "t") * 128 + v.p < v.K,
        _nothing,
        PROVED,
        "linear",
        "",
    ),
    (
        lambda v: v.loop(v.n) * v.T * 128 + v.axis(v.T, "t") * 128 + v.p < v.K,
        lambda v: [v.n * v.T * 128 == v.K],
        PROVED,
        "linear",
        "",
    ),
    (
        lambda v: v.loop(v.n) * v.T * 128 + v.axis(v.T, "t") * 128 + v.p < v.K,
        _nothing,
        CONDITIONAL,
        "linear",
        "128*T*n <= K",
    ),
    (lambda v: v.program(v.n) * (v.K // v.n) + v.loop(v.K // v.n) < v.K, _nothing, PROVED, "linear", ""),
    (
        lambda v: v.program(v.n) * (v.K // v.n) + v.loop(v.K // v.n) < v.L,
        _nothing,
        CONDITIONAL,
        "linear",
        "K // n * n <= L",
    ),
]

MASKS: list[Row] = [
    (lambda v: v.tiles() * 128 + v.p < v.K,
     lambda v: [v.tiles() * 128 + v.p < v.K], PROVED, "facts", ""),
    (lambda v: v.tiles() * 128 + v.p <= v.K,
     lambda v: [v.tiles() * 128 + v.p < v.K], PROVED, "linear", ""),
    (lambda v: v.tiles() * 128 + v.p < v.L,
     lambda v: [v.tiles() * 128 + v.p < v.K], CONDITIONAL, "linear", "K <= L"),
    (lambda v: v.tiles(v.T) * v.T + v.axis(v.T, "t") < v.L,
     lambda v: [v.tiles(v.T) * v.T + v.axis(v.T, "t") < v.K], CONDITIONAL, "linear", "K <= L"),
    (lambda v: v.tiles() * 128 + v.rest() < v.K,
     _nothing, PROVED, "linear", ""),
    (lambda v: v.tiles() * 128 + v.rest() < v.L,
     _nothing, CONDITIONAL, "linear", "K <= L"),
    (lambda v: v.tiles() * 128 + v.p + v.N <= v.K + 2,
     lambda v: [v.tiles() * 128 + v.p < v.K], CONDITIONAL, "linear", "N <= 3"),
]  # fmt: skip

LINKED: list[Row] = [
    # a mask on the start of a tile alone
    (lambda v: v.tiles() * 128 + v.p < v.K, lambda v: [v.tiles() * 128 < v.K], CONDITIONAL, "linear", "K % 128 == 0"),
    # a mask over more variables than the goal has
    (lambda v: v.loop(8) < v.L, lambda v: [v.loop(8) * 65536 + v.f * 128 + v.p < v.N], CONDITIONAL, "linear",
     "L >= 8 or N <= 65536*L"),
    # causal attention: keys no later than queries
    (lambda v: v.loop(ceil_div(v.K, 512), "k") * 512 + v.f < v.L,
     lambda v: [v.tiles() * 128 + v.p >= v.loop(ceil_div(v.K, 512), "k") * 512 + v.f], CONDITIONAL, "linear",
     "128*ceil(K / 128) <= L"),
    # alignment of every iteration leaves room for one
    (lambda v: v.loop(v.n) % 32 == 0, _nothing, CONDITIONAL, "linear", "n == 1"),
    (lambda v: v.loop(v.n) * 32 % 32 == 0, _nothing, PROVED, "constant", ""),
    (lambda v: (v.loop(v.n) * 16 + v.L) % 32 == 0, _nothing, CONDITIONAL, "linear", "n == 1 and L % 32 == 0"),
    # two iterations that write the same element
    (lambda v: v.loop(v.n, "a") * 128 + v.p != v.loop(v.n, "b") * 128 + v.axis(128, "q"),
     lambda v: [v.loop(v.n, "a") < v.loop(v.n, "b")], PROVED, "linear", ""),
    (lambda v: v.loop(v.n, "a") * 127 + v.p != v.loop(v.n, "b") * 127 + v.axis(128, "q"),
     lambda v: [v.loop(v.n, "a") < v.loop(v.n, "b")], VIOLATED, "z3", ""),
]  # fmt: skip

CHOICES: list[Row] = [
    (lambda v: v.loop(maximum(v.m, 0)) < v.L, _nothing, CONDITIONAL, "linear", "m <= L"),
    (lambda v: v.tiles() * minimum(v.K, 128) + v.axis(minimum(v.K, 128), "t") < v.K, _nothing, CONDITIONAL, "linear",
     "K <= 128 or K % 128 == 0"),
    (lambda v: choose(v.N >= 512, 512, 128) // 128 == 1, _nothing, CONDITIONAL, "linear", "N <= 511"),
    (lambda v: choose(v.N >= 512, 512, 128) <= v.N, lambda v: [v.N >= 128], PROVED, "z3", ""),
    (lambda v: 2 * (v.N // 256) <= v.N // 128, _nothing, PROVED, "linear", ""),
    (lambda v: v.N // 128 <= 2 * (v.N // 256) + 1, _nothing, PROVED, "linear", ""),
    (lambda v: v.N // 128 <= 2 * (v.N // 256), _nothing, CONDITIONAL, "linear", "N // 128 <= 2*(N // 256)"),
]  # fmt: skip

SHAPES: list[Row] = [
    (lambda v: v.K == v.L, _nothing, CONDITIONAL, "linear", "K == L"),
    (lambda v: v.K == v.L, lambda v: [v.K == v.M, v.M == v.L], PROVED, "constant", ""),
    (lambda v: v.M * v.N == v.K * v.L, lambda v: [v.M == v.L, v.N == v.K], PROVED, "constant", ""),
    (lambda v: v.M * v.N == v.K * v.L, _nothing, CONDITIONAL, "linear", "M*N == K*L"),
    (lambda v: v.K % 128 == v.L % 128, lambda v: [v.K % 128 == 0], CONDITIONAL, "linear", "L % 128 == 0"),
    (lambda v: v.K % 128 == 0, lambda v: [v.K % 512 == 0], PROVED, "constant", ""),
    (lambda v: v.K % 512 == 0, lambda v: [v.K % 128 == 0], CONDITIONAL, "linear", "K % 512 == 0"),
    (lambda v: (v.K * v.L) % 128 == 0, lambda v: [v.L % 128 == 0], PROVED, "constant", ""),
    (lambda v: v.K % 4 == 1, lambda v: [v.K % 2 == 0], VIOLATED, "constant", ""),
    (lambda v: v.K // 128 * 128 == v.K, _nothing, CONDITIONAL, "linear", "K % 128 == 0"),
    (lambda v: v.K != v.L, lambda v: [v.K < v.L], PROVED, "linear", ""),
    (lambda v: v.K >= 1, _nothing, PROVED, "constant", ""),
]

UNKNOWABLE: list[Row] = [
    (lambda v: v.c * 128 + v.p < v.K, _nothing, UNKNOWN, "z3", ""),
    (lambda v: v.c * 128 + v.p < v.K, lambda v: [v.c * 128 + 128 <= v.K], PROVED, "linear", ""),
    (lambda v: v.d < 256, _nothing, PROVED, "constant", ""),
    (lambda v: v.d < v.K, _nothing, UNKNOWN, "z3", ""),
    (lambda v: v.d < v.K, lambda v: [v.K >= 256], PROVED, "interval", ""),
    (lambda v: v.d + 1000 < 256, _nothing, VIOLATED, "constant", ""),
    (lambda v: v.N <= 512, lambda v: [Opaque("x[0] > 3", "runtime")], CONDITIONAL, "linear", "N <= 512"),
    (lambda v: v.N <= 512, lambda v: [v.c < v.N], CONDITIONAL, "linear", "N <= 512"),
    (lambda v: v.p < 100, lambda v: [v.p < v.c], UNKNOWN, "z3", ""),
    (lambda v: Opaque("dtype is bf16", "input"), _nothing, CONDITIONAL, "linear", "dtype is bf16"),
    (lambda v: Opaque("flag", "input"), lambda v: [Opaque("flag", "input")], PROVED, "facts", ""),
    (lambda v: Opaque("flag", "input"), lambda v: [Opaque("flag", "input", negated=True)], VIOLATED, "facts", ""),
    (lambda v: Opaque("x[0] > 3", "runtime"), _nothing, UNKNOWN, "z3", ""),
]

UNREACHED: list[Row] = [
    (lambda v: v.N <= 512, lambda v: [v.M > 5, v.M < 5], PROVED, "facts", ""),
    (lambda v: v.p < 100, lambda v: [v.M * v.M == 2], PROVED, "z3", ""),
    (lambda v: v.loop(v.K // 128) > 5, lambda v: [v.K <= 127], PROVED, "interval", ""),
]


@pytest.mark.parametrize(
    ("goal", "facts", "verdict", "rung", "precondition"),
    [*LIMITS, *TILING, *SYMBOLIC_TILES, *CHOSEN, *MASKS, *LINKED, *CHOICES, *SHAPES, *UNKNOWABLE, *UNREACHED],
)
def test_decisions(
    goal: Callable[[Names], Any],
    facts: Callable[[Names], list[Any]],
    verdict: Verdict,
    rung: str,
    precondition: str,
) -> None:
    names = Names()
    decision = Prover().decide(goal(names), facts(names))
    found = "" if decision.precondition is None else str(decision.precondition)
    assert (decision.verdict, decision.rung, found) == (verdict, rung, precondition), decision
    assert (decision.verdict is UNKNOWN) <= bool(decision.reason)
    assert decision.exact


def test_unknown_names_what_it_depends_on() -> None:
    v = Names()
    assert Prover().decide(v.c * 128 + v.p < v.K, []).reason == "it depends on `c`"
    assert Prover().decide(v.p < 100, [v.p < v.c]).reason == "it depends on `c`"
    reason = Prover().decide(sym("index", "runtime") < v.K, []).reason
    assert reason == "it depends on `index`, which only the device knows"


def test_a_spent_budget_is_unknown() -> None:
    v = Names()
    goal = v.M * v.M * v.M + v.N * v.N * v.N != v.K * v.K * v.K
    decision = Prover(2000).decide(goal, [v.M > 1, v.N > 2])
    assert (decision.verdict, decision.reason) == (UNKNOWN, "the solver's budget is spent")


def test_unknown_facts_are_not_dropped_into_certainty() -> None:
    v = Names()
    decision = Prover().decide(v.p < 128, [Unknown("a path that was not modelled")])
    assert decision.verdict is PROVED


# --- branches ---


@pytest.mark.parametrize(
    ("goal", "facts", "expected"),
    [
        (lambda v: v.loop(v.K // 128) * 128 + v.p < v.K, _nothing, True),
        (lambda v: v.K <= 128, lambda v: [v.K == 128], True),
        (lambda v: v.K <= 128, lambda v: [v.K == 129], False),
        (lambda v: v.K <= 128, _nothing, None),
        (lambda v: v.K % 128 == 0, lambda v: [v.K == 256], True),
        (lambda v: v.K % 128 == 0, lambda v: [v.K == 257], False),
        (lambda v: v.loop(v.K // 128) == v.K // 128, _nothing, False),
        (lambda v: v.loop(v.n) == 0, lambda v: [v.n == 1], True),
        (lambda v: disjunction([v.K <= v.M, v.M <= v.N, v.N < v.K]), _nothing, None),
    ],
)
def test_branches(goal: Callable[[Names], Any], facts: Callable[[Names], list[Any]], expected: bool | None) -> None:
    v = Names()
    prover = Prover()
    assert prover.implied(goal(v), facts(v)) is expected
    assert prover.queries == 0


def test_deep_branches_ask_z3() -> None:
    v = Names()
    prover = Prover()
    assert prover.shows(disjunction([v.K <= v.M, v.M <= v.N, v.N < v.K]), [], deep=True)
    assert prover.queries > 0


# --- witnesses ---


@pytest.mark.parametrize(
    ("goal", "facts", "expected"),
    [
        (lambda v: v.N <= 512, _nothing, {"N": 513}),
        (lambda v: v.N // 128 * 128 <= 512, _nothing, {"N": 640}),
        (lambda v: v.N <= 512, lambda v: [v.N % 512 == 0], {"N": 1024}),
        (lambda v: v.K == v.L, _nothing, {"K": 1, "L": 2}),
        (lambda v: v.tiles() * 128 + v.p < v.K, _nothing, {"K": 1, "i": 0, "p": 1}),
        (lambda v: v.tiles() * 128 + v.p < v.K, lambda v: [v.K % 64 == 0], {"K": 64, "i": 0, "p": 64}),
        (lambda v: v.loop(v.K // 128) * 128 + v.p < v.L, lambda v: [v.L >= 128], {"K": 256, "L": 128, "i": 1, "p": 0}),
        (lambda v: v.tiles(v.T) * v.T + v.axis(v.T, "t") < v.K, _nothing, {"K": 1, "T": 2, "i": 0, "t": 1}),
        (lambda v: v.p < 100, _nothing, {"p": 100}),
        (lambda v: v.K % 512 == 0, lambda v: [v.K % 128 == 0], {"K": 128}),
        (lambda v: v.K % 512 == 0, lambda v: [v.K % 128 == 0, v.N == v.K // 128], {"N": 1, "K": 128}),
    ],
)
def test_witnesses(goal: Callable[[Names], Any], facts: Callable[[Names], list[Any]], expected: dict[str, int]) -> None:
    v = Names()
    decision = Prover().decide(goal(v), facts(v))
    assert {variable.name: number for variable, number in decision.model.items()} == expected


def test_what_a_witness_has_nothing_to_do_with_is_looked_at_once() -> None:
    start_afresh()
    sizes = [sym(f"s{n}", low=1) for n in range(40)]
    prover = Prover()
    facts = [size % 2 == 0 for size in sizes]
    for number, size in enumerate(sizes):
        found = prover.witness(size <= 128, facts, [x for other in sizes for x in other.atoms()])
        assert {x.name: n for x, n in found.items()} == {f"s{n}": 130 if n == number else 2 for n in range(40)}
    assert prover.queries < 40 * 40


def test_witness_covers_other_inputs() -> None:
    v = Names()
    other = v.M.as_atom
    assert {x.name: n for x, n in Prover().witness(v.N <= 512, [], [other]).items()} == {"M": 1, "N": 513}


# --- contracts ---


@pytest.mark.parametrize(
    ("conditions", "facts", "expected"),
    [
        (lambda v: [v.M % 128 == 0, v.M % 512 == 0], _nothing, ["M % 512 == 0"]),
        (lambda v: [v.N <= 512, v.N <= 128], _nothing, ["N <= 128"]),
        (lambda v: [v.N <= 128, v.N >= 128], _nothing, ["N == 128"]),
        (lambda v: [v.M % 128 == 0, v.M <= 128], _nothing, ["M == 128"]),
        (lambda v: [v.K % 128 == 0, v.K % 128 == v.L % 128], _nothing, ["K % 128 == 0", "L % 128 == 0"]),
        (lambda v: [v.K <= 5, v.N <= 3], lambda v: [v.K <= 4], ["N <= 3"]),
        (lambda v: [v.K == v.L, v.L == v.M, v.K == v.M], _nothing, ["M == K", "M == L"]),
        (lambda v: [v.M * v.N == v.K * v.L, v.M == v.K, v.N == v.L], _nothing, ["M == K", "N == L"]),
        (lambda v: [(v.M % 128 == 0) | (v.N <= 4), v.M % 256 == 0], _nothing, ["M % 256 == 0"]),
        (lambda v: [(v.M <= 4) & (v.N <= 3)], _nothing, ["M <= 4", "N <= 3"]),
        (lambda v: [(v.M <= 4) | (v.N <= 3), (v.M <= 4) | (v.N >= 4)], _nothing, ["M <= 4"]),
        (
            lambda v: [(v.M <= 4) | (v.N <= 3), (v.M <= 4) | (v.N >= 5)],
            _nothing,
            ["M <= 4 or N <= 3", "M <= 4 or N >= 5"],
        ),
        (
            lambda v: [a | b | (v.K == 1) for a in (v.M <= 4, v.M > 4) for b in (v.N <= 3, v.N > 3)],
            _nothing,
            ["K == 1"],
        ),
        (lambda v: [v.K // 128 * 128 <= v.L, v.K % 128 == 0], _nothing, ["K % 128 == 0", "K <= L"]),
        (
            lambda v: [(v.L + rest >= v.K) | (v.M == 3) for rest in (512, 128, 384)],
            _nothing,
            ["K <= L + 128 or M == 3"],
        ),
    ],
)
def test_contracts(
    conditions: Callable[[Names], list[Any]], facts: Callable[[Names], list[Any]], expected: list[str]
) -> None:
    v = Names()
    assert [str(c) for c in Prover().contract(conditions(v), facts(v))] == expected


def test_the_strictest_of_many_is_kept_without_work() -> None:
    v = Names()
    conditions = [(v.N + rest >= v.K * v.L) | Opaque("flag", "input") for rest in range(200)]
    with stage(5_000):
        assert [str(c) for c in Prover().contract(conditions, [])] == ["K*L <= N or flag"]


def test_answers_are_remembered() -> None:
    v = Names()
    prover = Prover()
    goal = v.tiles() * 128 + v.p < v.K
    assert prover.decide(goal, [v.K % 2 == 0]) is prover.decide(goal, [v.K % 2 == 0])
    assert isinstance(v.K, Sym)


def test_a_condition_that_is_too_large_is_unknown() -> None:
    v = Names()
    nested = v.M
    for number in range(12):
        nested = choose(nested >= number, nested // 2, nested + v.N)
    decision = Prover().decide(nested >= v.K, [])
    assert (decision.verdict, decision.reason) == (UNKNOWN, "the condition is too large")


def test_later_queries_get_less_work_where_many_came_to_no_end() -> None:
    v = Names()
    prover = Prover(20_000)

    def spent(number: int) -> int:
        """What z3 does for one more question that is too hard."""
        cube = v.K * v.K * v.K * (number + 1) ** 3
        decision = prover.decide(cube != v.M * v.M * v.M + v.N * v.N * v.N, [v.M > 1, v.N > 2])
        assert decision.verdict is UNKNOWN
        solver = prover._z3()
        counts = solver._solver.statistics()
        return int(counts.get_key_value("rlimit count"))

    before = [spent(number) for number in range(4 * PATIENCE)]
    steps = [b - a for a, b in pairwise(before)]
    assert max(steps[-PATIENCE:]) < min(steps[: PATIENCE // 4])


def test_a_quotient_shows_nothing_of_its_divisor() -> None:
    size, element = sym("size", "input", None, None), sym("e", "axis", 0, 100)
    quotient = element // size
    goal = conjunction([size >= 1, quotient * size <= element, element < size + quotient * size])
    assert not Prover().shows(goal, [], deep=True)
    assert Prover().shows(goal, [size >= 1], deep=True)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (lambda a, d: a // d * d <= a, [1]),
        (lambda a, d: a // d * d >= a, [-1]),
        (lambda a, d: a - a // d * d > d, [-1]),
        (lambda a, d: a - a // d * d < d, [1]),
        (lambda a, d: a // d >= 0, [1]),
        (lambda a, d: a // d <= 0, [-1]),
        (lambda a, d: a // d * d == a, []),
    ],
)
def test_quotients_are_pythons_for_either_sign(said: Callable[[Any, Any], Any], shown: list[int]) -> None:
    a, d = sym("a", "axis", 0, 100), sym("d", "input", None, None)
    goal = said(a, d)
    for sign, facts in ((1, [d >= 1]), (-1, [d <= -1])):
        assert Prover().shows(goal, facts, deep=True) is (sign in shown)
    for n in (*range(-7, 0), *range(1, 8)):
        holds = all(said(e, n) for e in range(101))
        assert holds or (1 if n > 0 else -1) not in shown


def test_a_quotient_by_zero_is_any_number() -> None:
    a, d = sym("a", "axis", 0, 100), sym("d", "input", None, None)
    for goal in (a // d >= 0, a // d <= 100, a // d == (a + 1) // d):
        assert not Prover().shows(goal, [d == 0], deep=True)
    assert Prover().shows(disjunction([d != 0, a // d == a // d + d]), [], deep=True)


def test_what_fails_is_conditional_where_the_work_does_not_do_to_say_for_which_inputs() -> None:
    """Sizes that products of tiles are made of, as shapes ask of them; what holds for all is still not guessed."""
    start_afresh()
    a, b, c, d = (sym(name, "input", 1) for name in "abcd")
    p = sym("p", "program", 0, 3)
    tiles = minimum(a - p * ceil_div(a, 4), ceil_div(a, 4)) * b * c + minimum(b, c) * ceil_div(d, 8) * p
    goal = tiles == minimum(a, d) * ceil_div(b, 2) * c
    little = 20_000
    assert Prover().decide(goal, [], little, last=False).verdict is UNKNOWN
    decision = Prover().decide(goal, [], little)
    assert (decision.verdict, decision.precondition, decision.exact) == (CONDITIONAL, None, False)
    held = sym("held", "runtime", 0, None)
    assert Prover().decide(tiles + held * b == held * c, [], little).verdict is UNKNOWN
