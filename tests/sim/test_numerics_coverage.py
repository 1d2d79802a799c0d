"""Each operation that is simulated is run by a test of numerics, or it is said where else it is tested, and why."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from nkilint_rules.operations import load_operations
from nkilint_rules.words.dialects import BETA1, NKI
from reference_sim.operations.numerics.registry import EFFECTS, VALUES
from reference_sim.standin import operations

from . import (
    test_numerics_elementwise,
    test_numerics_movement,
    test_numerics_reductions,
    test_numerics_selection,
    test_numerics_tensor_engine,
)

MODULES = [
    test_numerics_elementwise, test_numerics_movement, test_numerics_reductions, test_numerics_selection,
    test_numerics_tensor_engine,
]  # fmt: skip

PROGRAMS, SUMS = "test_programs.py", "test_accumulations.py"
ELSEWHERE = {
    "instruction.depends_on": (PROGRAMS, "orders instructions"),
    "isa.core_barrier": (PROGRAMS, "waits"),
    "isa.sendrecv": (PROGRAMS, "takes two cores"),
    "isa.register_alloc": (PROGRAMS, "holds no tile"),
    "isa.register_load": (PROGRAMS, "holds no tile"),
    "isa.register_move": (PROGRAMS, "holds no tile"),
    "isa.register_store": (PROGRAMS, "holds no tile"),
    "language.device_print": (PROGRAMS, "prints"),
    "language.dropout": (PROGRAMS, "random: frequencies are compared"),
    "isa.dropout": (PROGRAMS, "random: frequencies are compared"),
    "language.rand": (PROGRAMS, "random: frequencies are compared"),
    "language.random_seed": (PROGRAMS, "random: frequencies are compared"),
    "isa.rand2": (PROGRAMS, "random: frequencies are compared"),
    "isa.rng": (PROGRAMS, "random: frequencies are compared"),
    "isa.set_rng_seed": (PROGRAMS, "random: the sequence repeats"),
    "isa.rand_get_state": (PROGRAMS, "random: the sequence repeats"),
    "isa.rand_set_state": (PROGRAMS, "random: the sequence repeats"),
    "language.loop_reduce": (SUMS, "is a reduction of the loop around it"),
}
"""Operations that no numpy reference fits: where they are tested, and why there."""

ONE_OF = frozenset({"dtype", "source", "target"})  # operations do not depend on the type: one will do
ONCE = settings(
    max_examples=1,
    database=None,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def cases(function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """The parameters that a test is run with, but for types."""
    axes = []
    for mark in getattr(function, "pytestmark", ()):
        if mark.name == "parametrize":
            names, rows = mark.args
            names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            rows = list(rows)[:1] if ONE_OF & set(names) else list(rows)
            axes.append([dict(zip(names, row if len(names) > 1 else (row,), strict=True)) for row in rows])
    for chosen in itertools.product(*axes):
        yield {name: value for part in chosen for name, value in part.items()}


def run_once(function: Any, parameters: dict[str, Any]) -> None:
    """Run a test with one example."""
    handle = getattr(function, "hypothesis", None)
    if handle is None:
        function(**parameters)
    else:
        ONCE(given(data=st.data())(handle.inner_test))(**parameters)


def test_each_simulated_operation_has_a_test_of_its_numerics(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the tests of numerics run, found by running each of them with one example and one type."""
    met: set[tuple[str, str]] = set()
    run = operations.run

    def noted(entry: Any, args: Any, kwargs: Any) -> Any:
        met.add((entry.dialect, entry.name))
        return run(entry, args, kwargs)

    monkeypatch.setattr(operations, "run", noted)
    for module in MODULES:
        for name, function in inspect.getmembers(module, callable):
            if name.startswith("test_"):
                for parameters in cases(function):
                    run_once(function, parameters)
    simulated = {(d, n) for n in (*VALUES, *EFFECTS) for d in (BETA1, NKI) if load_operations()[n].signature(d)}
    untested = sorted((d, n) for d, n in simulated - met if n not in ELSEWHERE)
    assert untested == [], "tests/sim/test_numerics_<family>.py runs each operation that is simulated, in its dialects"
    assert sorted(name for name in ELSEWHERE if {(BETA1, name), (NKI, name)} & simulated <= met) == []


def test_what_is_tested_elsewhere_is() -> None:
    for name, (file, _) in ELSEWHERE.items():
        assert name.rpartition(".")[2] in (Path(__file__).parent / file).read_text(encoding="utf-8"), name


def test_modules_of_numerics_are_all_known() -> None:
    files = {path.stem for path in Path(__file__).parent.glob("test_numerics_*.py")} - {Path(__file__).stem}
    assert files == {module.__name__.rpartition(".")[2] for module in MODULES}
