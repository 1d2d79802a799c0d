"""The findings that the fixtures announce, of every rule that runs detect, are confirmed at their lines.

Fixtures are the rules' own examples, examples/findings and tests/kernels.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from nkilint.base.findings import Diagnostic, Report
from nkilint.base.options import Options
from nkilint.confirm import confirm
from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Example

from ..support.example_source import FILE, source_of
from ..support.known import known, report_of_example, report_of_file

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
    *("kernels/unknown_counts_neuronxcc.py", "kernels/unknown_counts_nki.py", "kernels/attributes_nki.py"),
    *("kernels/open_loops_neuronxcc.py", "kernels/open_loops_nki.py", "kernels/objects_of_callers_nki.py"),
    *("kernels/counts_from_elsewhere_neuronxcc.py", "kernels/counts_from_elsewhere_nki.py"),
    *("kernels/tuples_of_tensors_nki.py", "kernels/collectives_of_devices_nki.py"),
    *("kernels/other_arguments_nki.py", "kernels/other_arguments_neuronxcc.py"),
}
"""Their kernels are handed objects that nothing describes, or as many tensors as a caller likes, need modules that are
not there, or are handed tensors of another rank on each path, so that no run can make them, or break two rules at
once, as what ends in a TypeError does, or take several devices."""
OF_TEXTS = {
    *("kernels/scope_neuronxcc.py", "kernels/scope_nki.py", "kernels/choices_nki.py"),
    *("kernels/scope_paths_neuronxcc.py", "kernels/scope_calls_nki.py", "kernels/scope_scripts_neuronxcc.py"),
    *("kernels/counts_from_elsewhere_neuronxcc.py", "kernels/counts_from_elsewhere_nki.py"),
}
"""What is wrong with their texts stands outside of kernels, or is told of the text alone."""
ON_THE_HOST = "it stands outside of any kernel"
SET_BEFORE = ("kernels/changed_before_a_launch_nki.py", "NKI301")
"""Behind an assertion about what a function sets before a launch, and a run has it as the import left it."""
TOO_LARGE = "elements; up to 16000000 are run"
BY_DATA = "it depends on more than the witness fixes"
"""Of an index that data choose, the witness says how large it is and not which data make it so."""


CASES: dict[str, tuple[Path | Example, ...]] = {
    **{f"{file.parent.name}/{file.stem}": (file,) for file in FIXTURES},
    **{code: tuple(rule.invalid) for code, rule in rules().items() if rule.dynamic and rule.invalid},
}


def loud(report: Report) -> list[Diagnostic]:
    return [d for d in report.diagnostics if d.verdict is not None and rules()[d.code].dynamic]


def confirmed(fixture: Path | Example) -> list[Diagnostic]:
    """The findings on a fixture with what a run says of them."""
    if isinstance(fixture, Path):  # without what only the evaluator knows
        source = re.sub(r"\breveal\(", "(", fixture.read_text(encoding="utf-8"))
        return with_runs(fixture, loud(report_of_file(fixture)[0]), {str(fixture): source.encode()})
    with TemporaryDirectory() as folder:
        file = Path(folder).resolve() / FILE
        file.write_text("# as it was saved before\n", encoding="utf-8")
        found = [moved(d, str(file)) for d in loud(report_of_example(fixture))]
        return with_runs(file, found, {str(file): source_of(fixture)[0].encode()})


def moved(d: Diagnostic, file: str) -> Diagnostic:
    """As if it had been found in that file."""
    return replace(d, at=replace(d.at, file=file), trial=d.trial and replace(d.trial, file=file))


def with_runs(file: Path, found: list[Diagnostic], overlay: dict[str, bytes]) -> list[Diagnostic]:
    report = Report("trn2", tuple(found))
    return list(confirm(report, Options(confirm_steps=300_000), [file], overlay).diagnostics)


def seen(case: str) -> list[Diagnostic]:
    texts = (f.read_text(encoding="utf-8") if isinstance(f, Path) else source_of(f)[0] for f in CASES[case])
    return known(lambda: [d for f in CASES[case] for d in confirmed(f)], "confirmed", case, *texts)


def name_of(d: Diagnostic) -> str:
    return "/".join(Path(d.at.file).parts[-2:])


def not_confirmed(found: list[Diagnostic]) -> list[Diagnostic]:
    return [
        d
        for d in found
        if d.confirmation != "confirmed" and not (d.confirmation_reason == ON_THE_HOST and name_of(d) in OF_TEXTS)
    ]


@pytest.mark.parametrize("case", CASES)
def test_findings_are_confirmed_at_their_lines(case: str) -> None:
    others = not_confirmed(seen(case))
    told = [(name_of(d), d.at.row, d.code, d.confirmation_reason) for d in others]
    assert {d.code for d in others if d.trial is None} <= set(NOT_RUN), told
    stopped = [
        d
        for d in others
        if (d.code == "NKI208" and "AttributeError" in d.confirmation_reason)
        or name_of(d) in NOT_MADE
        or (d.code == "NKI301" and d.confirmation_reason == BY_DATA)
        or (name_of(d), d.code) == SET_BEFORE
        or d.confirmation_reason.endswith("ZeroDivisionError")  # which is found, too, and comes first
        or d.confirmation_reason.endswith(TOO_LARGE)
    ]
    assert [d for d in others if d.trial is not None and d not in stopped] == [], told


def test_every_rule_that_runs_detect_is_confirmed_somewhere() -> None:
    found = [d for case in CASES for d in seen(case)]
    others = not_confirmed(found)
    assert {d.code for d in others if d.trial is None} == set(NOT_RUN)
    assert len(found) - len(others) > 340
    confirmed = {d.code for d in found if d.confirmation == "confirmed"}
    dynamic = {code for code, rule in rules().items() if rule.dynamic}
    assert dynamic - confirmed <= {"NKI410", "NKI605", "NKI805"}, "advice is not confirmed: its codes are named here"
