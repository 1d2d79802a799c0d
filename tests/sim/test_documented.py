"""What the documentation forbids and devices run, runs here as well; and no numpy error is all that a user sees."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reference_sim
from reference_sim.report.errors import CannotSimulate

FILE = Path(__file__).parents[1] / "kernels" / "documented_neuronxcc.py"


@pytest.fixture(scope="module")
def kernels() -> Any:
    reference_sim.install(force=True)
    spec = importlib.util.spec_from_file_location("documented", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def array(*shape: int) -> np.ndarray[Any, Any]:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 7


CASES = {
    "product_in_all_banks": ([array(128, 4096)], "NKI104", lambda x: x[:, :128].T @ x),
    "transposed_by_the_vector_engine": ([array(128, 128)], "NKI102", lambda x: x.T),
    "column_for_several_axes": ([array(128, 30, 14), array(128, 1)], "", lambda x, c: x + c[:, :, None]),
    "tile_of_one_dimension": ([array(128, 512)], "NKI105", lambda x: x),
}


@pytest.mark.parametrize("name", CASES)
def test_it_runs_and_gives_the_right_result(kernels: Any, name: str) -> None:
    arguments, code, expected = CASES[name]
    seen = reference_sim.observe(getattr(kernels, name), arguments, target="trn2")
    assert seen.stopped is None
    assert {f.code for f in seen.findings if f.severity != "info"} == ({code} if code else set())
    assert all(f.severity != "error" for f in seen.findings)
    assert np.allclose(seen.results, expected(*arguments))


def test_sums_over_axes_with_a_gap(kernels: Any) -> None:
    x, y = array(128, 4, 8, 6), array(128, 4, 2, 3, 2)
    seen = reference_sim.observe(kernels.sums_over_axes_with_a_gap, [x, y], target="trn2")
    assert np.allclose(seen.results[0], x.sum((1, 3)))
    assert np.allclose(seen.results[1], y.sum((2, 4)))


def test_what_stays_an_error(kernels: Any) -> None:
    seen = reference_sim.observe(kernels.beyond_all_banks, [array(128, 512)], target="trn2")
    assert "error" in {f.severity for f in seen.findings}


def test_sum_over_a_middle_axis(kernels: Any) -> None:
    x = array(128, 4, 8, 6)
    seen = reference_sim.observe(kernels.sum_over_a_middle_axis, [x], target="trn2")
    assert [(f.code, f.severity) for f in seen.findings] == [("NKI213", "warning")]


def test_numpy_does_not_speak_for_the_simulator(kernels: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from reference_sim.operations.numerics import elementwise

    monkeypatch.setattr(elementwise, "_as", lambda values, shape: np.zeros((3, 5), np.float32))
    x, column = array(128, 30, 14), array(128, 1)
    seen = reference_sim.observe(kernels.column_for_several_axes, [x, column], target="trn2")
    assert seen.stopped is not None
    assert isinstance(seen.stopped.error, CannotSimulate)
    assert "tensor_tensor cannot be simulated: its operands have the shapes [128, 30, 14], [128, 1]" in str(
        seen.stopped.error
    )
