"""Every step of a migration: its page, and its examples, which come out as they say and do the same."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate
from nkilint.migrate.steps import LETTERS, VERSIONS, Example, Step, hops, order, steps

HEADS = {
    "B1": "import neuronxcc.nki as nki\nimport neuronxcc.nki.isa as nisa\nimport neuronxcc.nki.language as nl\n",
    "nki": "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n",
}
KERNEL = """{head}import numpy as np


@nki.jit
def kernel(x):
    assert x.shape == (128, 256)
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
{body}
    return out


def host():
    return kernel(np.ones((128, 256), np.float32))
"""
EXAMPLES = [(step, number) for step in steps() for number in range(len(step.examples))]


def kernel(version: str, body: str) -> str:
    """A kernel that does with `x` and `out` what the example says; or the example, if that is a whole file."""
    if body.startswith(("import ", "from ")):
        return body
    return KERNEL.format(head=HEADS["B1" if version == "B1" else "nki"], body=indent(body, "    "))


@pytest.mark.parametrize(("step", "number"), EXAMPLES, ids=[f"{s.name}-{n}" for s, n in EXAMPLES])
def test_examples_come_out_as_they_say(step: Step, number: int, tmp_path: Path) -> None:
    example: Example = step.examples[number]
    before = VERSIONS[VERSIONS.index(step.to) - 1]
    file = tmp_path / "kernels.py"
    file.write_text(kernel(before, example.before))
    result = migrate([file], Options(), before, "0.6" if before == "B1" else step.to)
    (rewritten,) = result.files
    assert rewritten.after.decode() == kernel(step.to, example.after)
    assert example.before == example.after or step.letter == "P" or step.name in rewritten.used
    # what an argument meant in 0.2, and does not mean any more, no run of today shows
    state = {"reductions": "unverified", "traced-loops": "left"}.get(step.name, "migrated")
    assert [(k.state, k.problems) for k in result.kernels] == [(state, ())]


@pytest.mark.parametrize("step", steps(), ids=lambda step: step.name)
def test_pages_say_what_changes(step: Step) -> None:
    assert step.letter in LETTERS
    assert step.to in VERSIONS[1:]
    assert step.title.endswith(".")
    assert step.examples


def test_names_are_unique() -> None:
    assert len({step.name for step in steps()}) == len(steps())


def test_versions_are_passed_through_one_by_one() -> None:
    assert hops("B1", "0.4") == ("0.2", "0.3", "0.4")
    assert hops("0.4", "0.4") == ()
    assert [order(v) for v in VERSIONS] == sorted(map(order, VERSIONS))
