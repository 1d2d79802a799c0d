"""The evaluator's model of Python against CPython, on programs made of templates (tests/support/host_programs.py).

What is known to be wrong stands in tests/data/host_programs/known_wrong.txt, a template or the seed of a program in a
line; `python benchmarks/oracle.py --templates --write` writes that list anew.
"""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from ..support import oracle
from ..support.differential import kernel_source
from ..support.host_kernels import host_kernel, tried
from ..support.host_programs import KERNELS, PROGRAMS, VARIANTS, kinds, known_wrong, program, program_about, templates
from ..support.oracle import SIZES, ask, in_python
from ..support.shrinking import shrunk


def failing(kind: str) -> dict[str, str]:
    """The templates of a kind that come out wrong, with an account of each."""
    found = {}
    for template in templates():
        if template.kind == kind:
            for seed in range(VARIANTS):
                source = program_about(template, seed)
                answer = ask(source)
                if answer is not None and answer.failed:
                    found.setdefault(str(template), f"{source}\n{answer.fault or answer.wrong}")
    return found


@pytest.mark.parametrize("kind", kinds())
def test_templates_by_themselves(kind: str) -> None:
    found = failing(kind)
    known = {name for name in known_wrong() if name.startswith(f"{kind} ")}
    assert not [text for name, text in found.items() if name not in known], "\n\n".join(
        text for name, text in found.items() if name not in known
    )
    assert sorted(known - set(found)) == [], "right by now: take these lines out of known_wrong.txt"


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_programs(seed: int) -> None:
    source = program(seed)
    answer = ask(source)
    failed = answer is not None and answer.failed
    if f"program {seed}" in known_wrong():
        assert failed, f"right by now: take the line `program {seed}` out of known_wrong.txt"
    else:
        assert not failed, f"{source}\n{answer and (answer.fault or answer.wrong)}"


@pytest.mark.parametrize("seed", range(KERNELS))
def test_verified_kernels_run(seed: int, tmp_path: Path) -> None:
    kernel = host_kernel(seed)
    trial = tried(kernel, tmp_path)
    if f"kernel {seed}" in known_wrong():
        assert trial.problem, f"right by now: take the line `kernel {seed}` out of known_wrong.txt"
    else:
        assert not trial.problem, f"{trial.problem}\n{kernel.source}"


def test_differences_are_seen() -> None:
    source = kernel_source("reveal(n)\nreveal(n + 1)\nfor i in range(m):\n    reveal(i)\n    i = [n].pop(n)")

    def otherwise(text: str, size: tuple[int, ...]) -> oracle.Seen:
        return in_python(text.replace("n + 1", "n + 2"), size)

    with mock.patch.object(oracle, "in_python", otherwise):
        answer = ask(source, SIZES[:1])
    assert answer is not None
    assert answer.wrong == {15: "n, m = (1, 1): CPython 3, nkilint 2"}
    assert {14, 17} & answer.right == {14, 17}
    assert answer.raised == 1


def test_programs_become_smaller() -> None:
    source = "def f(a):\n    for i in range(a):\n        if i > 3:\n            print(i + 1, 2)\n    return 5\n"
    assert shrunk(source, lambda text: "print(i" in text) == "print(i)"
