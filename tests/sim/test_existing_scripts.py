"""What scripts written for the vendor's modules rely on beyond the documented API, one test for each habit."""

from __future__ import annotations

import copy
import importlib
import logging
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import neuronxcc.nki as nki1
import neuronxcc.nki.language as nl1
import neuronxcc.nki.typing as nt1
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

import reference_sim
from reference_sim import NkiError, Strictness
from reference_sim.running.settings import SETTINGS

from ..support.processes import environment
from .doubling import doubled, ones

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "kernel",
    [
        nki1.jit(doubled), nki1.jit(mode="baremetal")(doubled), nki1.baremetal(doubled), nki1.baremetal()(doubled),
        nki1.baremetal(save_neff_name="file.neff", additional_compile_opt="-O1")(doubled), nki1.jit(doubled)[1],
        nki1.baremetal(nki1.jit(doubled)), nki1.baremetal(nki1.jit(doubled))[1], nki1.jit(nki1.baremetal(doubled)),
        nki1.trace(doubled), nki1.jit(mode="simulation")(doubled), nki1.jit(doubled).func and nki1.jit(doubled),
    ],
)  # fmt: skip
def test_a_call_with_host_arrays_runs_the_kernel(kernel: Any) -> None:
    np.testing.assert_array_equal(kernel(ones(4, 8)), 2 * ones(4, 8))


def test_simulate_kernel_takes_every_kind_of_kernel() -> None:
    for kernel in (doubled, nki1.jit(doubled), nki1.baremetal(doubled), nki1.jit(doubled)[1], nki1.trace(doubled)):
        np.testing.assert_array_equal(nki1.simulate_kernel(kernel, ones(4, 8)), 2 * ones(4, 8))


def test_a_grid_gives_each_program_its_place() -> None:
    @nki1.jit
    def rows(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        i, j = nl1.program_id(0), nl1.program_id(1)
        assert (nl1.num_programs(0), nl1.num_programs(axes=1), nl1.program_ndim()) == (2, 3, 2)
        nl1.store(out[i, j], nl1.load(x[i, j]) + (10 * i + j))
        return out

    x = np.zeros((2, 3, 4, 5), np.float32)
    expected = (10 * np.arange(2)[:, None] + np.arange(3))[:, :, None, None] + x
    for grid in ((2, 3), (nl1.nc(2), 3), (nl1.spmd_dim(nl1.nc(2), 1), 3)):
        np.testing.assert_array_equal(rows[grid](x), expected)
    np.testing.assert_array_equal(nki1.baremetal(rows)[2, 3](x), expected)
    np.testing.assert_array_equal(nki1.simulate_kernel(rows[2, 3], x), expected)


def test_what_is_no_grid_and_what_is_no_kernel_is_refused() -> None:
    for size in (0, -1, (2, 0)):
        with pytest.raises(ValueError, match="has no programs"):
            nki1.jit(doubled)[size]
    for launch in (nki1.jit, nki1.baremetal, nki1.simulate_kernel, nki.simulate):
        with pytest.raises(TypeError, match="3 is no function, and cannot be a kernel"):
            launch(3)


def test_kernels_call_kernels() -> None:
    @nki1.jit
    def inner(tile: Any, factor: Any = 3) -> Any:
        return nl1.multiply(tile, factor)

    @nki1.jit
    def outer(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, inner(nl1.load(x)))
        return out

    np.testing.assert_array_equal(outer(ones(4, 8)), 3 * ones(4, 8))


def test_a_kernel_calls_a_jitted_kernel_that_makes_the_output() -> None:
    jitted = nki1.jit(doubled)

    @nki1.jit
    def twice(x: Any) -> Any:
        return jitted(jitted(x))

    np.testing.assert_array_equal(twice(ones(4, 8)), 4 * ones(4, 8))


def test_kernel_text_without_a_file_runs_and_has_findings() -> None:
    names: dict[str, Any] = {}
    text = (
        "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n"
        "@nki.jit\ndef kernel(x, n):\n"
        "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    nl.store(out[0:n], nl.load(x[0:n]))\n"
        "    return out\n"
    )
    exec(text, names)
    np.testing.assert_array_equal(names["kernel"](ones(4, 8), 4), ones(4, 8))
    with pytest.raises(NkiError, match=r"<string>:7: NKI703"):
        names["kernel"](ones(4, 8), 3)


def test_a_kernel_shows_its_function() -> None:
    kernel = nki1.jit(doubled)
    assert kernel.func is doubled
    assert (kernel.__name__, kernel.__doc__, kernel.__module__) == ("doubled", doubled.__doc__, doubled.__module__)


named = nki1.jit(doubled)


def test_kernels_go_to_other_processes_by_name() -> None:
    for kernel in (named, named[1], copy.deepcopy(named)):
        again = pickle.loads(pickle.dumps(kernel))
        assert (again.func, again.grid) == (doubled, kernel.grid)
        np.testing.assert_array_equal(again(ones(4, 8)), 2 * ones(4, 8))
    with pytest.raises(pickle.PicklingError, match="<lambda>"):
        pickle.dumps(nki1.jit(lambda x: x))


def test_a_method_can_be_a_kernel() -> None:
    class Layer:
        scale = 4

        @nki1.jit
        def forward(self, x: Any) -> Any:
            out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
            nl1.store(out, nl1.load(x) * self.scale)
            return out

    np.testing.assert_array_equal(Layer().forward(ones(4, 8)), 4 * ones(4, 8))


# Benchmarks


def test_benchmarks_run_once_on_shapes_and_say_that_they_measure_nothing(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import logging, math\n"
        "import neuronxcc.nki as nki, neuronxcc.nki.language as nl, neuronxcc.nki.typing as nt\n"
        "import numpy as np\n"
        "logging.basicConfig(level=logging.OFF)\n"
        "runs = []\n"
        "def kernel(x, y):\n"
        "    runs.append((x.shape, y.shape, y.dtype))\n"
        "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    nl.store(out, nl.load(x))\n"
        "    return out\n"
        "shapes = nt.tensor[[128, 64], nl.float32], nt.tensor[[4], nl.bfloat16]\n"
        "for bench in (nki.benchmark(kernel), nki.benchmark(warmup=10, iters=100, save_neff_name='f.neff')(kernel),\n"
        "              nki.profile(working_directory='p', save_neff_name='f.neff')(kernel)):\n"
        "    bench(*shapes)\n"
        "    latency = bench.benchmark_result.nc_latency\n"
        "    assert math.isnan(latency.get_latency_percentile(99)), latency\n"
        "print(len(runs), runs[0][:2])\n"
    )
    done = subprocess.run([sys.executable, "-m", "reference_sim", "script.py"], cwd=tmp_path, capture_output=True,
                          text=True, check=False, env=environment())  # fmt: skip
    assert done.stdout == "3 ((128, 64), (4,))\n", done.stderr
    assert done.stderr.count("no device whose latency could be measured") == 2


def test_a_grid_of_a_benchmark_keeps_its_result() -> None:
    bench = nki1.benchmark(warmup=1, iters=1)(doubled)
    launched = bench[1]
    launched(nt1.tensor[[4, 8], np.float32])
    assert launched.benchmark_result.nc_latency.get_latency_percentile(50) != 0
    assert bench.benchmark_result is not None


def test_the_level_off_is_defined() -> None:
    assert logging.OFF > logging.CRITICAL  # type: ignore[attr-defined]


# Arrays


def doubled_newer(x: Any) -> Any:
    """A kernel of 0.x as plain function."""
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@pytest.mark.parametrize(
    "kernel",
    [
        nki.simulate(nki.jit(doubled_newer)), nki.simulate(doubled_newer), nki.simulate(nki.jit(doubled_newer))[1],
        nki.simulate(nki.jit(doubled_newer)[1]), nki.jit(doubled_newer), nki.jit(doubled_newer)[1],
        nki.jit()(doubled_newer), nki.jit(platform_target="trn2")(doubled_newer),
    ],
)  # fmt: skip
def test_simulate_takes_kernels_functions_and_grids(kernel: Any) -> None:
    np.testing.assert_array_equal(kernel(ones(4, 8)), 2 * ones(4, 8))


@pytest.mark.parametrize("form", [lambda k, n: nki.simulate(k)[n], lambda k, n: nki.simulate(k[n])])
def test_logical_cores_share_their_output(form: Any) -> None:
    @nki.jit
    def halves(x: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        core, cores = nl.program_id(0), nl.num_programs()
        rows = x.shape[0] // cores
        nisa.dma_copy(dst=out[core * rows : (core + 1) * rows], src=x[core * rows : (core + 1) * rows])
        return out

    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    np.testing.assert_array_equal(form(halves, 2)(x), x)


def test_fresh_tensors_hold_nan_and_integers_four() -> None:
    SETTINGS["strictness"] = Strictness(checks=False)

    @nki.jit
    def fresh(x: Any) -> Any:
        found = []
        for dtype in (nl.float32, nl.bfloat16, nl.int32, nl.uint8):
            for buffer in (nl.sbuf, nl.shared_hbm):
                tile = nl.ndarray((4, 4), dtype=dtype, buffer=buffer)
                out = nl.ndarray((4, 4), dtype=dtype, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=out, src=tile)
                found.append(out)
        return tuple(found)

    for array in nki.simulate(fresh)(ones(1, 1)):
        values = array.astype(np.float32)
        assert np.isnan(values).all() if array.dtype.kind not in "iu" else (values == 4).all()


def test_the_simulator_variable_makes_a_plain_call_simulate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NKI_SIMULATOR", "1")
    np.testing.assert_array_equal(nki.jit(doubled_newer)(ones(4, 8)), 2 * ones(4, 8))


def test_modules_import_in_every_form() -> None:
    for name in (
        "neuronxcc.nki", "neuronxcc.nki.language", "neuronxcc.nki.isa", "neuronxcc.nki.compiler",
        "neuronxcc.nki.compiler.sbuf", "neuronxcc.nki.typing", "neuronxcc.nki.isa.constants", "nki", "nki.language",
        "nki.isa", "nki.isa.constants", "nki.dtype", "nki.collectives", "nki.typing",
    ):  # fmt: skip
        assert importlib.import_module(name).__name__ == name
    names: dict[str, Any] = {}
    exec(
        "from neuronxcc import nki\nfrom neuronxcc.nki import baremetal, benchmark, simulate_kernel, jit, trace\n"
        "from neuronxcc.nki.language import par_dim\nimport neuronxcc.nki.compiler as ncc\nncc.sbuf.mod_alloc\n"
        "from neuronxcc.nki.typing import tensor\nfrom nki.language import *\nfrom neuronxcc.nki.isa import *\n",
        names,
    )
    assert names["par_dim"] is nl1.par_dim
    assert reference_sim.FINDINGS.items == []
