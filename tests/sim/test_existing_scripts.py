"""What scripts written for the vendor's modules rely on beyond the documented API, one test for each habit."""

from __future__ import annotations

import copy
import importlib
import logging
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import neuronxcc.nki as nki1
import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import neuronxcc.nki.typing as nt1
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

import reference_sim
from reference_sim import CannotSimulate, NkiError, Strictness
from reference_sim.running.settings import SETTINGS

ROOT = Path(__file__).parents[2]


def doubled(x: Any) -> Any:
    """A kernel of Beta 1 as plain function."""
    out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
    nl1.store(out, nl1.load(x) * 2)
    return out


def ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


# Launching


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
    path = os.pathsep.join([str(ROOT), str(ROOT / "rules")])
    done = subprocess.run([sys.executable, "-m", "reference_sim", "script.py"], cwd=tmp_path, capture_output=True,
                          text=True, check=False, env={**os.environ, "PYTHONPATH": path})  # fmt: skip
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


DTYPES = [
    np.float32, np.float16, np.int32, np.int8, np.uint8, np.int16, np.uint16, np.uint32, ml_dtypes.bfloat16,
    ml_dtypes.float8_e4m3, ml_dtypes.float8_e5m2,
]  # fmt: skip


def copied(x: Any) -> Any:
    out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
    nl1.store(out, nl1.load(x))
    return out


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: np.dtype(d).name)
def test_dtypes_of_numpy_come_back_as_they_went_in(dtype: Any) -> None:
    x = np.arange(32).reshape(4, 8).astype(dtype)
    found = nki1.jit(copied)(x)
    assert (type(found), found.dtype) == (np.ndarray, x.dtype)
    np.testing.assert_array_equal(found.astype(np.float32), x.astype(np.float32))


def test_dtypes_of_torch_come_back_as_they_went_in() -> None:
    torch = pytest.importorskip("torch")
    for name in ("float32", "float16", "bfloat16", "int32", "int8", "uint8", "int16", "float8_e5m2", "float8_e4m3fn"):
        dtype = getattr(torch, name)
        x = torch.arange(32).reshape(4, 8).to(torch.float32).to(dtype)
        found = nki1.jit(copied)(x)
        assert (type(found), found.dtype) == (torch.Tensor, dtype)
        assert torch.equal(found.float(), x.float())
    parameter = torch.nn.Parameter(torch.ones(4, 8))
    assert torch.equal(nki1.jit(doubled)(parameter), 2 * torch.ones(4, 8))
    assert torch.equal(nki1.jit(doubled)(torch.ones(8, 4).T), 2 * torch.ones(4, 8))


def test_dtypes_of_jax_come_back_as_they_went_in() -> None:
    jax = pytest.importorskip("jax")
    for name in ("float32", "float16", "bfloat16", "int32", "int8", "uint8"):
        x = jax.numpy.arange(32).reshape(4, 8).astype(name)
        found = nki1.jit(copied)(x)
        assert (isinstance(found, jax.Array), found.dtype) == (True, x.dtype)
        assert (found == x).all()


def test_arrays_without_values_on_the_host_are_refused() -> None:
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    with pytest.raises(CannotSimulate, match="on the device meta; move it to the CPU"):
        nki1.jit(doubled)(torch.ones(4, 8, device="meta"))
    with pytest.raises(CannotSimulate, match="inside of a jax transformation"):
        jax.jit(nki1.jit(doubled))(jax.numpy.ones((4, 8)))


def test_host_arrays_convert_with_the_dtypes_of_the_language() -> None:
    x = np.array([[1.001, 300.0]], np.float32)
    assert x.astype(nl1.bfloat16).dtype == ml_dtypes.bfloat16
    assert nl1.static_cast(x, nl1.bfloat16).dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(nl1.static_cast(x.astype(nl1.bfloat16), np.float32), [[1.0, 300.0]])
    assert x.astype(nl1.float8_e4m3).dtype == nl1.static_cast(x, nl1.float8_e4m3).dtype
    assert x.astype(nl.bfloat16).dtype == ml_dtypes.bfloat16
    assert np.zeros((2, 2), dtype=nl1.float16).dtype == np.float16
    assert x.dtype == nl1.float32


def test_narrow_floats_are_wide_in_beta_1() -> None:
    """The vendor's own simulator held them so, and its tests compare at 1e-5."""
    x = np.full((4, 8), 1.001, np.float32)

    @nki1.jit
    def through_bfloat16(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=np.float32, buffer=nl1.shared_hbm)
        nl1.store(out, nl1.multiply(nl1.load(x, dtype=nl1.bfloat16), 3.0, dtype=nl1.float8_e4m3))
        return out

    np.testing.assert_allclose(through_bfloat16(x), 3 * x, rtol=1e-5)


def test_outputs_passed_as_arguments_are_written_in_place() -> None:
    def early(x: Any, out: Any) -> None:
        nl1.store(out, nl1.load(x) * 2)

    for launch in (nki1.baremetal(early), nki1.trace(early), lambda *a: nki1.simulate_kernel(early, *a)):
        out = np.zeros((4, 8), np.float32)
        assert launch(ones(4, 8), out) is None
        np.testing.assert_array_equal(out, 2 * ones(4, 8))
    narrow = np.zeros((4, 8), ml_dtypes.bfloat16)
    nki1.baremetal(early)(ones(4, 8), narrow)
    np.testing.assert_array_equal(narrow.astype(np.float32), 2 * ones(4, 8))


def test_torch_outputs_passed_as_arguments_are_written_in_place() -> None:
    torch = pytest.importorskip("torch")

    def early(x: Any, out: Any) -> None:
        nl1.store(out, nl1.load(x) * 2)

    for dtype in (torch.float32, torch.bfloat16):
        out = torch.zeros(4, 8, dtype=dtype)
        nki1.baremetal(early)(torch.ones(4, 8), out)
        assert torch.equal(out, 2 * torch.ones(4, 8, dtype=dtype))


def row_written(cache: Any, row: Any) -> Any:
    nl1.store(cache[2:3], nl1.load(row))
    return cache


@pytest.mark.parametrize("annotation", [nt1.mutable_tensor, nt1.mutable_tensor[4, 8], "nt.mutable_tensor"])
def test_parameters_that_are_annotated_mutable_are_written_in_place(annotation: Any) -> None:
    def kernel(cache: Any, row: Any) -> Any:
        return row_written(cache, row)

    kernel.__annotations__["cache"] = annotation
    cache = np.zeros((4, 8), np.float32)
    np.testing.assert_array_equal(nki1.jit(kernel)(cache, ones(1, 8)), cache)
    np.testing.assert_array_equal(cache[:, 0], [0, 0, 1, 0])


def test_parameters_are_mutable_where_the_decorator_says_so() -> None:
    with pytest.raises(NkiError, match="NKI207"):
        nki1.jit(row_written)(np.zeros((4, 8), np.float32), ones(1, 8))
    kernel = nki1.jit(row_written, experimental_flags="enable-mutable-parameter")
    cache = ones(4, 8)
    assert nki1.simulate_kernel(kernel, cache, 2 * ones(1, 8))[2, 0] == 2


def test_one_dimensional_tensors_in_hbm() -> None:
    @nki1.jit
    def vectors(a: Any, b: Any) -> Any:
        out = nl1.ndarray(a.shape, dtype=a.dtype, buffer=nl1.shared_hbm)
        for m in nl1.affine_range(a.shape[0] // 128):
            rows = m * 128 + nl1.arange(128)[:, None]
            nl1.store(out[rows], nl1.load(a[rows]) + nl1.load(b[rows]))
        return out

    @nki1.jit
    def sliced(a: Any, b: Any) -> Any:
        out = nl1.ndarray(a.shape, dtype=a.dtype, buffer=nl1.shared_hbm)
        for m in nl1.affine_range(a.shape[0] // 128):
            part = slice(m * 128, (m + 1) * 128)
            nl1.store(out[part], nl1.add(nl1.load(a[part]), nl1.load(b[part])))
        return out

    @nki1.jit
    def reshaped(a: Any, b: Any) -> Any:
        out = nl1.ndarray(a.shape, dtype=a.dtype, buffer=nl1.shared_hbm)
        first, second, result = (t.reshape((2, 128, 4)) for t in (a, b, out))
        for m in nl1.affine_range(2):
            nl1.store(result[m], nl1.add(nl1.load(first[m]), nl1.load(second[m])))
        return out

    a, b = np.arange(1024, dtype=np.float32), np.arange(1024, dtype=np.float32)[::-1].copy()
    for kernel in (vectors, sliced, reshaped):
        np.testing.assert_array_equal(kernel(a, b), a + b)


def test_arrays_of_the_host_and_text_are_no_operands() -> None:
    weights = ones(4, 8)

    def closed_over(tile: Any) -> Any:
        return nl1.add(tile, weights)

    def computed_by_numpy(tile: Any) -> Any:
        return nl1.add(np.exp(tile), 1.0)

    def text(tile: Any) -> Any:
        return nisa1.tensor_scalar(tile, np.add, "one")

    def numbers(tile: Any) -> Any:
        return np.float32(1) + nl1.add(tile, np.float64(2)) * (1 / np.sqrt(4))

    def launched(make: Any) -> Any:
        def kernel(x: Any) -> Any:
            out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
            nl1.store(out, make(nl1.load(x)))
            return out

        return nki1.jit(kernel)(ones(4, 8))

    with pytest.raises(TypeError, match=r"`add` takes .* as `y`, not an array of the host, which goes to a kernel"):
        launched(closed_over)
    with pytest.raises(TypeError, match=r"`add` takes .* as `x`, not an array of the host"):
        launched(computed_by_numpy)
    with pytest.raises(TypeError, match="`tensor_scalar` takes a tensor or a number as `operand0`, not the text 'one'"):
        launched(text)
    np.testing.assert_array_equal(launched(numbers), 2.5 * ones(4, 8))


def test_print_shows_the_elements_of_a_tensor(capsys: pytest.CaptureFixture[str]) -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        print(tile)
        nisa.dma_copy(dst=tile, src=x)
        print(tile)
        return x

    kernel(np.array([[1, 2, 3]], np.int32))
    head = "<sbuf tensor tile[1, 3] int32>"
    assert capsys.readouterr().out == f"{head}\n[[4 4 4]]\n{head}\n[[1 2 3]]\n"


# Indices


def test_out_of_bounds_is_an_index_error_that_names_index_axis_and_size() -> None:
    x, rows = np.zeros((8, 4), np.float32), np.array([[0], [9]], np.int32)

    def gather(mode: Any) -> Any:
        @nki1.jit
        def kernel(x: Any, rows: Any) -> Any:
            out = nl1.ndarray((2, 4), dtype=x.dtype, buffer=nl1.shared_hbm)
            tile = nl1.zeros((2, 4), x.dtype)
            p, f = nl1.mgrid[0:2, 0:4]
            nisa1.dma_copy(src=x[nl1.load(rows), f], dst=tile[p, f], oob_mode=mode)
            nl1.store(out, tile)
            return out

        return kernel

    with pytest.raises(IndexError, match="index 36 is out of bounds for axis 0 with size 32"):
        gather(nisa1.oob_mode.error)(x, rows)
    assert gather(nisa1.oob_mode.skip)(x, rows).shape == (2, 4)
    assert issubclass(NkiError, IndexError)


def test_masks_joined_with_and_run_and_are_recorded() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        i, j = nl1.mgrid[0:128, 0:8]
        tile = nl1.load(x[i, j], mask=(i < x.shape[0] and j < 8))
        nl1.store(out[i, j], tile, mask=(j < 8 and i < x.shape[0]))
        return out

    np.testing.assert_array_equal(kernel(ones(128, 8)), ones(128, 8))
    assert all(finding.severity == "warning" for finding in reference_sim.FINDINGS.items)


def test_mesh_grids_unpack_and_have_names_and_index_tiles() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        ix, iy = nl1.mgrid[0:16, 0:8]
        m = nl1.mgrid[0:16, 0:8]
        tile = nl1.load(x[ix, iy])
        nl1.store(out[m.p, m.x], tile[nl1.mgrid[0:16, 0:8]])
        return out

    @nki1.jit
    def three(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        m = nl1.mgrid[0:4, 0:3, 0:2]
        nl1.store(out[m.p, m.x, m.y], nl1.load(x[m.p, m.x, m.y]))
        return out

    x = np.arange(128, dtype=np.float32).reshape(16, 8)
    np.testing.assert_array_equal(kernel(x), x)
    np.testing.assert_array_equal(three(x.ravel()[:24].reshape(4, 3, 2)), x.ravel()[:24].reshape(4, 3, 2))


@pytest.mark.parametrize("loop", ["affine_range", "sequential_range", "static_range"])
def test_loop_variables_enter_slices_grids_and_python(loop: str) -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        names = ["a", "b", "c", "d"]
        for i in getattr(nl1, loop)(4):
            assert names[i] == "abcd"[int(i)]
            rows = i * 4 + nl1.arange(4)[:, None]
            columns = nl1.arange(8)[None, :]
            tile = nl1.load(x[rows, columns])
            more = nl1.load(x[i * 4 : (i + 1) * 4, nl1.ds(0, 8)])
            nl1.store(out[nl1.ds(i * 4, 4), :], nl1.add(tile, more) * (2 if i == 0 else i / i))
        return out

    x = np.ones((16, 8), np.float32)
    np.testing.assert_array_equal(kernel(x)[:, 0], [4] * 4 + [2] * 12)


def test_the_partition_dimension_stands_in_any_position() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray((2, 3, 16, 8), dtype=x.dtype, buffer=nl1.shared_hbm)
        first = nl1.ndarray((nl1.par_dim(16), 8), dtype=x.dtype, buffer=nl1.sbuf)
        third = nl1.ndarray((2, 3, nl1.par_dim(16), 8), dtype=x.dtype, buffer=nl1.sbuf)
        first[...] = nl1.load(x)
        for i in nl1.affine_range(2):
            for j in nl1.affine_range(3):
                third[i, j] = nl1.multiply(first, 10 * i + j)
        for i in nl1.affine_range(2):
            for j in nl1.affine_range(3):
                nl1.store(out[i, j], third[i, j])
        return out

    found = kernel(ones(16, 8))
    np.testing.assert_array_equal(found[:, :, 0, 0], [[0, 1, 2], [10, 11, 12]])


# The newer namespace


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


def test_inputs_in_hbm_are_updated_in_place() -> None:
    @nki.jit
    def update(cache: Any, row: Any) -> Any:
        nisa.dma_copy(dst=cache[2:3], src=row)
        return cache

    cache, row = np.zeros((4, 8), np.float32), ones(1, 8)
    returned = nki.simulate(update)(cache, row)
    np.testing.assert_array_equal(cache[:, 0], [0, 0, 1, 0])
    np.testing.assert_array_equal(returned, cache)


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
