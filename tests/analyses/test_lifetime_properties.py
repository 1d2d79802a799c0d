"""Generated kernels: what the verifier says about lifetimes is what enumerating all their accesses gives."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ..support.allocated_programs import HEADER, Program, conflicts, kernel, programs
from ..support.checking import report_on

ROUNDS = int(os.environ.get("NKILINT_LIFETIME_ROUNDS", "3"))  # files of kernels that are generated
KERNELS = 25  # in a file
PHASES = [Phase.explicit, Phase.generate]  # a failing file is long; the kernel at fault is printed instead
QUIET = settings(
    max_examples=ROUNDS, deadline=None, derandomize=True, phases=PHASES, suppress_health_check=list(HealthCheck)
)
SIZES = range(1, 7)


@dataclass(frozen=True, slots=True)
class Said:
    """What the report has about one kernel: pairs of tensors that violations name, preconditions, what is open."""

    violated: set[tuple[str, str]]
    preconditions: list[str | None]
    unknown: list[str]

    def admits(self, sizes: Mapping[str, int]) -> bool:
        """Whether inputs of these sizes meet the preconditions."""
        names = {**sizes, "min": min, "max": max}
        return all(eval(p, dict(names)) for p in self.preconditions if p is not None)


def said(sources: list[str]) -> list[Said]:
    """The findings on lifetimes in these kernels."""
    report = report_on(HEADER + "\n".join(sources), select=("NKI5",))
    assert not report.failures, report.failures
    found = []
    for k in sorted(report.kernels, key=lambda k: k.at.row):
        mine = [d for d in report.diagnostics if d.kernel == k.name and d.code in ("NKI501", "NKI502")]
        found.append(
            Said(
                {pair(d.message) for d in mine if d.verdict == "violated"},
                [d.precondition for d in mine if d.verdict == "conditional"],
                [u.reason for u in k.unknown],
            )
        )
    return found


def pair(message: str) -> tuple[str, str]:
    victim, culprit = re.findall(r"`(t\d)", message)[:2]
    return victim, culprit


@QUIET
@given(st.lists(programs(), min_size=KERNELS, max_size=KERNELS))
def test_concrete_kernels_are_judged_as_enumeration_says(generated: list[Program]) -> None:
    sources = [kernel(program, f"kernel{n}") for n, program in enumerate(generated)]
    for program, source, found in zip(generated, sources, said(sources), strict=True):
        expected = conflicts(program)
        assert (found.unknown, found.preconditions) == ([], []), source
        assert found.violated <= expected, source  # one diagnostic for each read, whatever overwrote it
        assert bool(found.violated) == bool(expected), source


@QUIET
@given(st.lists(programs(("N",)), min_size=KERNELS, max_size=KERNELS))
def test_symbolic_kernels_are_judged_as_enumeration_says(generated: list[Program]) -> None:
    """Trips, blocks and tiles are counted by one size N: the precondition found holds just where N is fine."""
    sources = [kernel(program, f"kernel{n}") for n, program in enumerate(generated)]
    for program, source, found in zip(generated, sources, said(sources), strict=True):
        broken = {n: bool(conflicts(program, {"N": n})) for n in SIZES}
        assert found.unknown == [], source
        if found.violated:
            assert all(broken.values()), source
        else:
            assert None not in found.preconditions, source
            assert broken == {n: not found.admits({"N": n}) for n in SIZES}, source
