"""Generated kernels that sum in PSUM: the verifier reports just what shadow memory sees on a run."""

from __future__ import annotations

import itertools
import linecache
import os
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import reference_sim
from reference_sim.report.strictness import Strictness
from reference_sim.running.settings import SETTINGS

from ..support.checking import report_on

ROUNDS = int(os.environ.get("NKILINT_SUMS_ROUNDS", "6"))
KERNELS = 12
QUIET = settings(
    max_examples=ROUNDS,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
COUNT = itertools.count()
CODES = {"NKI501", "NKI502", "NKI503", "NKI504", "NKI505", "NKI506"}
LOST = {"NKI506"}  # only what one statement or the one before it loses is told without a run
HEADER = """\
import nki
import nki.isa as nisa
import nki.language as nl


"""
STATEMENTS = [
    "nisa.nc_matmul(dst={t}, stationary=x, moving=x)",
    "nisa.nc_matmul(dst={t}, stationary=x, moving=x, accumulate=True)",
    "nisa.nc_matmul(dst={t}, stationary=x, moving=x, accumulate=False)",
    "nisa.nc_matmul(dst={t}, stationary=x, moving=x, accumulate={i} > 0)",
    "nisa.tensor_copy(dst=y, src={t})",
    "nisa.tensor_copy(dst=y, src={t})",
    "nisa.memset(dst={t}, value=0.0)",
]


@st.composite
def kernels(draw: Any) -> list[str]:
    """The body of a kernel over one or two PSUM tensors, each in a bank that may be the other's."""
    names = ["a", "b"][: draw(st.integers(1, 2))]
    placed = draw(st.booleans())
    where = {n: f", address=(0, {2048 * draw(st.integers(0, 1))})" if placed else "" for n in names}
    made = {n: f"{n} = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.psum{where[n]})" for n in names}
    lines = [made[n] for n in names]
    for phase in range(draw(st.integers(1, 2))):
        loop = f"i{phase}"
        lines.append(f"for {loop} in range({draw(st.sampled_from([1, 2, 9]))}):")
        local = [n for n in names if draw(st.integers(0, 4)) == 0]
        lines += [f"    {made[n]}" for n in local]
        for _ in range(draw(st.integers(1, 4))):
            statement = draw(st.sampled_from(STATEMENTS))
            lines.append("    " + statement.format(t=draw(st.sampled_from(names)), i=loop))
    return lines


def source(lines: list[str], name: str) -> str:
    head = [
        "# nkilint: left: float32[32, 32]",
        "@nki.jit",
        f"def {name}(left):",
        "    output = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.shared_hbm)",
        "    x = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.sbuf)",
        "    y = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.sbuf)",
        "    nisa.dma_copy(dst=x, src=left)",
        "    nisa.memset(dst=y, value=0.0)",
    ]
    end = ["    nisa.dma_copy(dst=output, src=y)", "    return output", "", ""]
    return "\n".join([*head, *(f"    {line}" for line in lines), *end])


def seen(text: str, name: str) -> set[str]:
    """What a run reports about lifetimes."""
    file = f"sums_{next(COUNT)}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace: dict[str, Any] = {"__name__": "generated"}
    exec(compile(text, file, "exec"), namespace)
    reference_sim.FINDINGS.clear()
    SETTINGS["strictness"] = Strictness(collect=True, target="trn2")
    namespace[name](np.ones((32, 32), np.float32))
    return {finding.code for finding in reference_sim.FINDINGS.items} & CODES


@QUIET
@given(st.lists(kernels(), min_size=KERNELS, max_size=KERNELS))
def test_sums_are_judged_as_a_run_shows_them(generated: list[list[str]]) -> None:
    sources = [source(lines, f"kernel{n}") for n, lines in enumerate(generated)]
    report = report_on(HEADER + "".join(sources), select=("NKI5",), target="trn2")
    assert not report.failures
    told: dict[str, set[str]] = {f"kernel{n}": set() for n in range(KERNELS)}
    for d in report.diagnostics:
        told[d.kernel or ""].add(d.code)
    for n, text in enumerate(sources):
        name = f"kernel{n}"
        reasons = {u.reason for k in report.kernels if k.name == name for u in k.unknown}
        assert reasons <= {"what is read out may be no sum"}, (text, reasons)
        run = seen(HEADER + text, name)
        assert told[name] <= run or told[name] - run <= {"NKI503", "NKI501"}, (text, told[name], run)
        if not reasons:
            assert bool(told[name] - LOST) == bool(run - LOST), (text, told[name], run)
        assert ("NKI505" in told[name]) == ("NKI505" in run), (text, told[name], run)
