"""The evaluator's model of Python against CPython, on programs made of templates (tests/support/host_programs.py).

What is known to be wrong stands in tests/data/host_programs/known_wrong.txt, a template, a call or a seed in a line;
`python benchmarks/oracle.py --templates --write` writes that list anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from unittest import mock

import pytest

from ..support import oracle, stdlib_oracle
from ..support.differential import kernel_source
from ..support.host_kernels import host_kernel, tried
from ..support.host_programs import KERNELS, PROGRAMS, VARIANTS, kinds, known_wrong, program, program_about, templates
from ..support.library_calls import MODULES, OBJECTS, library_calls
from ..support.oracle import SIZES, ask, in_python
from ..support.shrinking import shrunk


def check(sources: Iterable[tuple[str, str]]) -> None:
    """Of programs with their names, those come out wrong that are known to, and no others."""
    names, found = set[str](), dict[str, str]()
    for name, source in sources:
        names.add(name)
        answer = ask(source)
        if answer is not None and answer.failed:
            found.setdefault(name, f"{name}\n{source}\n{answer.fault or answer.wrong}")
    known = names & set(known_wrong())
    assert set(found) <= known, "\n\n".join(text for name, text in found.items() if name not in known)
    assert sorted(known - set(found)) == [], "right by now: take these lines out of known_wrong.txt"


@pytest.mark.parametrize("kind", kinds())
def test_templates_by_themselves(kind: str) -> None:
    about = [template for template in templates() if template.kind == kind]
    check((str(template), program_about(template, seed)) for template in about for seed in range(VARIANTS))


@pytest.mark.parametrize("group", [*OBJECTS, *MODULES])
def test_calls_of_the_library(group: str) -> None:
    check((call.name, call.source) for call in library_calls() if call.group == group)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_programs(seed: int) -> None:
    check([(f"program {seed}", program(seed))])


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other versions come with other tests")
@pytest.mark.parametrize("suite", stdlib_oracle.TESTED)
def test_the_standard_librarys_tests(suite: str, tmp_path: Path) -> None:
    every = list(stdlib_oracle.outcomes(suite, tmp_path.resolve()))
    wrong = {outcome.test: str(outcome) for outcome in every if outcome.wrong or outcome.fault}
    known = {outcome.test for outcome in every} & set(known_wrong())
    assert sum(len(outcome.right) for outcome in every) > 0
    assert set(wrong) <= known, "\n".join(text for name, text in wrong.items() if name not in known)
    assert sorted(known - set(wrong)) == [], "right by now: take these lines out of known_wrong.txt"


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
