"""Generated kernels over directly allocated tensors: shadow memory finds what enumerating all accesses finds."""

from __future__ import annotations

import itertools
import linecache
import os
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import reference_sim
from reference_sim.report.strictness import Strictness
from reference_sim.running.settings import SETTINGS

from ..support.allocated_programs import HEADER, Program, conflicts, kernel, programs

ROUNDS = int(os.environ.get("NKILINT_SHADOW_ROUNDS", "75"))
QUIET = settings(max_examples=ROUNDS, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
COUNT = itertools.count()


def codes(source: str, *sizes: int) -> set[str]:
    """The findings on lifetimes of a run with inputs of these sizes."""
    file = f"generated_{next(COUNT)}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    namespace: dict[str, Any] = {"__name__": "generated"}
    exec(compile(source, file, "exec"), namespace)
    reference_sim.FINDINGS.clear()
    SETTINGS["strictness"] = Strictness(collect=True)
    namespace["kernel"](np.ones((32, 8), np.float32), *(np.ones(n, np.float32) for n in sizes))
    return {finding.code for finding in reference_sim.FINDINGS.items} & {"NKI501", "NKI502", "NKI503"}


def expected(found: set[tuple[str, str]]) -> set[str]:
    return {"NKI502" if victim == culprit else "NKI501" for victim, culprit in found}


def agrees(said: set[str], found: set[tuple[str, str]]) -> bool:
    """Whether the run reports something just where there is a conflict, and of a kind that there is."""
    return bool(said) == bool(found) and said <= expected(found)


@QUIET
@given(programs())
def test_shadow_memory_sees_the_conflicts_of_concrete_kernels(program: Program) -> None:
    source = HEADER + kernel(program, "kernel")
    assert agrees(codes(source), conflicts(program)), (source, reference_sim.FINDINGS.items)


@QUIET
@given(programs(("N",)), st.integers(1, 6))
def test_shadow_memory_sees_the_conflicts_of_sized_kernels(program: Program, n: int) -> None:
    source = HEADER + kernel(program, "kernel")
    assert agrees(codes(source, n), conflicts(program, {"N": n})), (source, n, reference_sim.FINDINGS.items)
