"""What Python programs call."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import nkilint
from tests.support.processes import environment

WIDE = """\
@nki.jit
def kernel(a):
    assert a.shape == (256, 64)
    out = nl.ndarray((256, 64), dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((256, 64), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
GOOD = WIDE.replace("256", "128")
OPEN = """\
@nki.jit
def kernel(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, a.shape[1]), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


def test_a_text_is_checked() -> None:
    found = nkilint.check_source(WIDE, dialect="nki")
    assert found.verdict == "violated"
    (kernel,), (finding,) = found.kernels, found.findings
    assert (kernel.name, kernel.line, kernel.dialect, kernel.verdict) == ("kernel", 2, "nki", "violated")
    assert (finding.code, finding.severity, finding.line, finding.column) == ("NKI101", "error", 5, 12)
    assert finding.message == "tile [256, 64] spans 256 partitions; trn2 has 128"
    assert finding.vendor == ("err_num_partition_exceed_arch_limit",)
    assert finding.file == ""
    assert finding.confirmation == "not-run"
    assert nkilint.check_source(GOOD, dialect="nki").verdict == "verified"


def test_results_are_json() -> None:
    found = nkilint.check_source(OPEN, dialect="nki").as_dict()
    assert json.loads(json.dumps(found))["kernels"][0]["contract"] == ["a.shape[0] == 128"]


@pytest.mark.parametrize(
    ("source", "verdict"),
    [("def f(:\n", "unreadable"), ("", "empty"), ("x = 1\n", "empty"), ("x = y\n", "violated"), (OPEN, "conditional")],
)
def test_a_text_has_one_verdict(source: str, verdict: str) -> None:
    assert nkilint.check_source(source, dialect="nki").verdict == verdict


def test_findings_are_confirmed_if_that_is_asked_for() -> None:
    (finding,) = nkilint.check_source(WIDE, dialect="nki", confirm=True).findings
    assert finding.confirmation == "confirmed"


def test_a_budget_of_work_ends_a_check_the_same_each_time() -> None:
    first, second = (nkilint.check_source(OPEN, dialect="nki", budget=30) for _ in range(2))
    assert first.verdict == "incomplete"
    assert first == second


def test_a_named_text_sees_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text("ROWS = 256\n", encoding="utf-8")
    source = "from sizes import ROWS\n" + WIDE.replace(
        "(256, 64), dtype=a.dtype, buffer=nl.sbuf", "(ROWS, 64), nl.float32"
    )
    found = nkilint.check_source(source, dialect="nki", name=str(tmp_path / "k.py"))
    assert "NKI101" in [f.code for f in found.findings]


def test_a_text_without_a_name_sees_nothing_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sizes.py").write_text("ROWS = 256\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = nkilint.check_source(
        "from sizes import ROWS\n" + WIDE.replace("(256, 64), dtype", "(ROWS, 64), dtype"), dialect="nki"
    )
    assert "NKI101" not in [f.code for f in found.findings]


def test_a_text_is_repaired_as_far_as_the_analysis_agrees() -> None:
    assert nkilint.fix_source(OPEN, dialect="nki").source == OPEN, "that there are two axes is assumed"
    found = nkilint.fix_source(OPEN, dialect="nki", unsafe=True)
    assert found.repaired >= 1
    assert "assert a.shape[0] == 128" in found.source
    assert found.checked.verdict == "verified"
    assert nkilint.check_source(found.source, dialect="nki") == found.checked


def test_a_finding_brings_its_repair() -> None:
    (finding,) = [f for f in nkilint.check_source(OPEN, dialect="nki").findings if f.repair is not None][:1]
    assert finding.repair is not None
    (edit,) = finding.repair.edits
    assert "assert" in edit.text
    assert edit.at.line == 3


def test_an_explanation_names_the_kernel() -> None:
    found = nkilint.explain_source(GOOD, "kernel", dialect="nki")
    assert found.text.startswith("text.py::kernel (line 2, nki): verified\n")
    with pytest.raises(nkilint.BadRequest, match="there is no kernel `other`"):
        nkilint.explain_source(GOOD, "other", dialect="nki")


def test_a_kernel_is_simulated() -> None:
    found = nkilint.simulate_source(GOOD, {"a": "float32[128, 64]"}, dialect="nki")
    assert (found.problem, found.findings) == ("", ())
    (output,) = found.outputs
    assert (output.name, output.dtype, output.shape) == ("result", "float32", (128, 64))
    assert len(output.numbers) == 8
    (seen,) = nkilint.simulate_source(WIDE, {"a": "float32[256, 64]"}, dialect="nki").findings
    assert (seen.code, seen.line) == ("NKI101", 5)


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        ({}, "there is no input for `a`"),
        ({"a": "float33[1, 2]"}, "`a` is of no known dtype"),
        ({"b": 1, "a": 1}, "`kernel` has no parameter `b`"),
        ({"a": {"x": 1}}, "neither an array"),
        ({"a": "float32[100000, 100000]"}, "elements"),
    ],
)
def test_inputs_that_make_no_sense_are_refused(inputs: dict[str, object], problem: str) -> None:
    with pytest.raises(nkilint.BadRequest, match=problem):
        nkilint.simulate_source(GOOD, inputs, dialect="nki")


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"target": "trn9"}, "unknown target `trn9`"),
        ({"dialect": "nkii"}, "did you mean `nki`"),
        ({"nki_version": "7.5"}, "there is no version `7.5`"),
        ({"budget": 0}, "a budget of 0"),
        ({"budget": "many"}, "`budget` is 'many' and no int"),
        ({"prelude": "x = ("}, "the prelude is not Python"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], problem: str) -> None:
    with pytest.raises(nkilint.BadRequest, match=problem):
        nkilint.check_source("", **settings)  # type: ignore[arg-type]


def test_importing_the_package_costs_nothing() -> None:
    script = "import sys, nkilint; nkilint.__version__; print({'z3', 'libcst', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment())
    assert done.stdout == "set()\n"
