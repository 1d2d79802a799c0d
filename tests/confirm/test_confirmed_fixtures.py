"""The findings that the fixtures announce, of every rule that runs detect, are confirmed at their lines.

Fixtures are the rules' own examples, examples/findings and tests/kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nkilint.base.findings import Diagnostic, Report
from nkilint.base.options import Options
from nkilint.confirm import confirm
from nkilint.run import engine
from nkilint_rules.catalogue import rules

from ..support.example_source import source_of

ROOT = Path(__file__).parents[2]
FIXTURES = sorted([*(ROOT / "examples" / "findings").glob("*.py"), *(ROOT / "tests" / "kernels").glob("*.py")])

BRANCHES = "which branches the compiler keeps as blocks, a run does not see: Python takes one side"
ANNOTATIONS = "annotations of local variables are not evaluated"
HOST = "code of the host is not run"
NOT_RUN = {
    "NKI202": "a run has arguments of types that devices do not have",
    "NKI204": ANNOTATIONS,
    "NKI607": HOST,
    "NKI704": BRANCHES,
    "NKI705": "Python hands on what a name is bound to from iteration to iteration",
    "NKI706": BRANCHES,
    "NKI708": "to a run, what a register addresses is unknown",
    "NKI801": "a run executes the body of a loop on the device anew each time",
    "NKI805": HOST,
}
"""Rules with variants that no run shows (`Rule.unseen`), or that speak of no kernel."""
NOT_MADE = {
    *("kernels_unknown_counts_neuronxcc.py", "kernels_unknown_counts_nki.py", "kernels_attributes_nki.py"),
    *("kernels_open_loops_neuronxcc.py", "kernels_open_loops_nki.py", "kernels_objects_of_callers_nki.py"),
    *("kernels_counts_from_elsewhere_neuronxcc.py", "kernels_counts_from_elsewhere_nki.py"),
    *("kernels_tuples_of_tensors_nki.py", "kernels_collectives_of_devices_nki.py"),
    *("kernels_other_arguments_nki.py", "kernels_other_arguments_neuronxcc.py"),
}
"""Their kernels are handed objects that nothing describes, or as many tensors as a caller likes, need modules that are
not there, or are handed tensors of another rank on each path, so that no run can make them, or break two rules at
once, as what ends in a TypeError does, or take several devices."""
OF_TEXTS = {
    *("kernels_scope_neuronxcc.py", "kernels_scope_nki.py", "kernels_choices_nki.py"),
    *("kernels_scope_paths_neuronxcc.py", "kernels_scope_calls_nki.py", "kernels_scope_scripts_neuronxcc.py"),
    *("kernels_counts_from_elsewhere_neuronxcc.py", "kernels_counts_from_elsewhere_nki.py"),
}
"""What is wrong with their texts stands outside of kernels, or is told of the text alone."""
ON_THE_HOST = "it stands outside of any kernel"
SET_BEFORE = ("kernels_changed_before_a_launch_nki.py", "NKI301")
"""Behind an assertion about what a function sets before a launch, and a run has it as the import left it."""
BY_DATA = "it depends on more than the witness fixes"
"""Of an index that data choose, the witness says how large it is and not which data make it so."""


def found(folder: Path) -> Iterator[Diagnostic]:
    """The findings on all fixtures, which are written to a folder without what only the evaluator knows."""
    for fixture in FIXTURES:
        file = folder / f"{fixture.parent.name}_{fixture.name}"
        file.write_text(re.sub(r"\breveal\(", "(", fixture.read_text(encoding="utf-8")), encoding="utf-8")
        yield from engine.check([file], Options()).diagnostics
    for code, rule in rules().items():
        for number, example in enumerate(rule.invalid if rule.dynamic else ()):
            file = folder / f"{code}_{number}.py"
            file.write_text(source_of(example)[0], encoding="utf-8")
            options = Options(target=example.target, nki_version=example.version)
            yield from engine.check([file], options).diagnostics


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> list[Diagnostic]:
    folder = tmp_path_factory.mktemp("fixtures").resolve()
    loud = [d for d in found(folder) if d.verdict is not None and rules()[d.code].dynamic]
    report = Report("trn2", tuple(loud))
    return list(confirm(report, Options(confirm_steps=300_000), [folder], {}, jobs=2).diagnostics)


def test_fixtures_are_confirmed_at_their_lines(seen: list[Diagnostic]) -> None:
    others = [
        d
        for d in seen
        if d.confirmation != "confirmed"
        and not (d.confirmation_reason == ON_THE_HOST and Path(d.at.file).name in OF_TEXTS)
    ]
    told = [(Path(d.at.file).name, d.at.row, d.code, d.confirmation_reason) for d in others]
    assert {d.code for d in others if d.trial is None} == set(NOT_RUN), told
    stopped = [
        d
        for d in others
        if (d.code == "NKI208" and "AttributeError" in d.confirmation_reason)
        or Path(d.at.file).name in NOT_MADE
        or (d.code == "NKI301" and d.confirmation_reason == BY_DATA)
        or (Path(d.at.file).name, d.code) == SET_BEFORE
        or d.confirmation_reason.endswith("ZeroDivisionError")  # which is found, too, and comes first
    ]
    assert [d for d in others if d.trial is not None and d not in stopped] == [], told
    assert len(seen) - len(others) > 340


def test_every_rule_that_runs_detect_is_confirmed_somewhere(seen: list[Diagnostic]) -> None:
    confirmed = {d.code for d in seen if d.confirmation == "confirmed"}
    dynamic = {code for code, rule in rules().items() if rule.dynamic}
    assert dynamic - confirmed <= {"NKI410", "NKI605", "NKI805"}, "advice is not confirmed: its codes are named here"
