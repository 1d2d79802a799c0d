"""Arrays of the host as arguments: their types, what is written in place, and what is refused."""

from __future__ import annotations

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

from reference_sim import CannotSimulate, NkiError

from .doubling import doubled, ones

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
    with pytest.raises(NkiError, match="NKI205 `operand0` is 'one'; `tensor_scalar` takes a tensor or a number"):
        launched(text)
    np.testing.assert_array_equal(launched(numbers), 2.5 * ones(4, 8))


def test_inputs_in_hbm_are_updated_in_place() -> None:
    @nki.jit
    def update(cache: Any, row: Any) -> Any:
        nisa.dma_copy(dst=cache[2:3], src=row)
        return cache

    cache, row = np.zeros((4, 8), np.float32), ones(1, 8)
    returned = nki.simulate(update)(cache, row)
    np.testing.assert_array_equal(cache[:, 0], [0, 0, 1, 0])
    np.testing.assert_array_equal(returned, cache)
