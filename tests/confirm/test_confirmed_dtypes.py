"""Confirmation makes inputs of every element type that a host array can have, and dtypes where a kernel wants one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nkilint.confirm.inputs import NoInput, argument_values
from nkilint_rules.words.dtypes import DTYPES
from reference_sim.machine.dtypes import HOST

from .confirming import confirmed

HEADER = """\
import nki
import nki.isa as nisa
import nki.language as nl


"""

PACKED_INPUT = """\
# nkilint: x: float8_e4m3fn_x4[P, F], P <= 128, F >= 16
@nki.jit
def kernel(x):
    out = nl.ndarray((x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out[0:x.shape[0], 1:x.shape[1]], src=tile[0:x.shape[0], 1:x.shape[1]])
    return out
"""

DTYPE_PARAMETER = """\
# nkilint: scale: uint8[16, 128]
@nki.jit
def kernel(data, scale, kind):
    assert kind != nl.float4_e2m1fn_x4
    viewed = data.ap(dtype=kind, pattern=[[128, 128], [1, 128]], offset=0)
    tile = nl.ndarray(viewed.shape, dtype=kind, buffer=nl.sbuf)
    nisa.dma_copy(src=viewed, dst=tile)
    scales = nl.ndarray(scale.shape, dtype=scale.dtype, buffer=nl.sbuf)
    nisa.dma_copy(src=scale, dst=scales)
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul_mx(sums, tile, tile, scales, scales)
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(src=sums, dst=out, nonsense=1)
    return out
"""


@pytest.mark.parametrize("name", sorted(set(DTYPES) - {"tfloat32"}))
def test_arrays_of_each_type_can_be_made(name: str) -> None:
    array = argument_values({"x": {"array": [name, [4, 6]]}}, "float32", True)["x"]
    assert array.dtype == HOST[DTYPES[name]]
    assert array.shape == (4, 6)
    assert len(np.unique(array.view(np.uint8))) > 1


def test_what_no_host_array_holds_is_refused() -> None:
    with pytest.raises(NoInput, match="tfloat32"):
        argument_values({"x": {"array": ["tfloat32", [4, 6]]}}, "float32", True)


def test_packed_floats_are_narrow_numbers() -> None:
    array = argument_values({"x": {"array": ["float8_e5m2_x4", [4, 6]]}}, "float32", True)["x"]
    numbers = array["x4"].astype(np.float32)
    assert numbers.shape == (4, 6, 4)
    assert ((numbers >= 0.5) & (numbers <= 1.5)).all()


def test_a_dtype_is_what_kernels_compare_with() -> None:
    assert (
        argument_values({"kind": {"dtype": "float8_e5m2_x4"}}, "float32", True)["kind"]
        == HOST[DTYPES["float8_e5m2_x4"]]
    )
    assert argument_values({"kind": {"dtype": ""}}, "bfloat16", True)["kind"] == HOST[DTYPES["bfloat16"]]


def test_packed_inputs_confirm_a_finding(tmp_path: Path) -> None:
    (found,) = confirmed(tmp_path, HEADER + PACKED_INPUT, target="trn3", select=("NKI703",))
    assert found.confirmation == "confirmed"


def test_a_parameter_that_is_a_dtype_confirms_a_finding(tmp_path: Path) -> None:
    found = confirmed(tmp_path, HEADER + DTYPE_PARAMETER, target="trn3", select=("NKI208",))
    assert [(d.confirmation, d.confirmation_reason) for d in found] == [("confirmed", "")]


ALIKE = """\
@nki.jit
def kernel(x, w, bias):
    assert x.shape == (128, 128) and w.shape == (128, 512) and bias.shape == (128, 512)
    assert bias.dtype == x.dtype
    assert x.dtype == w.dtype
    assert w.dtype in (nl.bfloat16, nl.float16)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    left, right = (nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.sbuf) for t in (x, w))
    nisa.dma_copy(dst=left, src=x)
    nisa.dma_copy(dst=right, src=w)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=left, moving=right, accumulate=True)
    moved = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=moved, src=sums)
    nisa.dma_copy(dst=out, src=moved)
    return out
"""


def test_inputs_of_one_dtype_are_given_the_one_that_one_of_them_has_to_have(tmp_path: Path) -> None:
    (found,) = confirmed(tmp_path, HEADER + ALIKE)
    assert (found.code, found.confirmation) == ("NKI701", "confirmed"), found.confirmation_reason
