"""Nothing is `verified` that fails, and nothing is an error that is none, however the host code puts it.

What still fails stands in tests/data/trust/known_wrong.txt, which `python benchmarks/oracle.py --trust --write` writes
anew. The simulator says whether the cases are what they claim to be.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support.trust import FITS, HostProgram, WholeKernel, host_programs, known_wrong, simulated, whole_kernels


def check(name: str, problem: str, source: str) -> None:
    if name in known_wrong():
        assert problem, f"right by now: take the line `{name}` out of known_wrong.txt"
    else:
        assert not problem, f"{problem}\n{source}"


@pytest.mark.parametrize("case", host_programs(), ids=lambda case: case.name)
def test_host_programs(case: HostProgram) -> None:
    check(case.name, case.problem(), case.source)


@pytest.mark.parametrize("case", whole_kernels(), ids=lambda case: case.name)
def test_whole_kernels(case: WholeKernel, tmp_path: Path) -> None:
    check(case.name, case.problem(tmp_path), case.source)


@pytest.mark.parametrize("case", host_programs(), ids=lambda case: case.name)
def test_host_programs_do_what_they_say(case: HostProgram, tmp_path: Path) -> None:
    found = simulated(case.source, tmp_path)
    assert found == [] if case.partitions == FITS else "NKI101" in found, found


def test_every_known_case_is_there() -> None:
    assert set(known_wrong()) <= {c.name for c in host_programs()} | {c.name for c in whole_kernels()}
