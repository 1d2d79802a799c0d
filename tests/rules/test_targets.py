"""Every limit of a target, written out: shifting one in the rulebook fails here."""

from __future__ import annotations

import dataclasses

import pytest

from nkilint_rules.words.dtypes import BFLOAT16, FLOAT4_E2M1FN_X4
from nkilint_rules.words.targets import DEFAULT_TARGET, TARGETS

KIB = 1024
COMMON = {
    "sbuf_reserved": 16384,
    "pmax": 128,
    "psum_bytes": 16384,
    "psum_banks": 8,
    "psum_bank_bytes": 2048,
    "psum_min_align": 4,
    "sbuf_min_align": 1,
    "gemm_stationary_fmax": 128,
    "gemm_moving_fmax": 512,
    "bn_stats_fmax": 512,
    "tensor_transpose_max": 128,
    "vector_transpose_max": 32,
    "engine_sbuf_fmax": 65536,
    "engine_psum_fmax": 4096,
    "access_free_dims": 4,
    "access_size_max": 65535,
    "access_stride_max": 32767,
    "quadrant": 32,
    "engines": ("tensor", "vector", "scalar", "gpsimd", "dma", "sync"),
}
OWN = {
    "trn1": {"generation": 2, "sbuf_bytes": 192 * KIB, "matmul_psum_bytes": 2048, "lnc_max": 1},
    "inf2": {"generation": 2, "sbuf_bytes": 192 * KIB, "matmul_psum_bytes": 2048, "lnc_max": 1},
    "trn2": {"generation": 3, "sbuf_bytes": 224 * KIB, "matmul_psum_bytes": 2048, "lnc_max": 2},
    "trn3": {"generation": 4, "sbuf_bytes": 256 * KIB, "matmul_psum_bytes": 16384, "lnc_max": 2},
}


@pytest.mark.parametrize("name", OWN)
def test_limits(name: str):
    assert dataclasses.asdict(TARGETS[name]) == {"name": name, **COMMON, **OWN[name]}


def test_targets():
    assert list(TARGETS) == list(OWN)
    assert DEFAULT_TARGET == "trn2"


def test_derived_sizes():
    trn2 = TARGETS["trn2"]
    assert trn2.psum_fmax == trn2.psum_bank_fmax == 512
    assert trn2.psum_bank_fmax_bytes == 2048
    assert trn2.psum_num_banks == 8
    assert trn2.sbuf_size_bytes == 28 * KIB * KIB
    assert trn2.sbuf_fmax_bytes == trn2.total_available_sbuf_size == 208 * KIB
    assert trn2.sbuf_fmax == 52 * KIB
    assert TARGETS["trn1"].sbuf_size_bytes == 24 * KIB * KIB
    assert TARGETS["trn3"].sbuf_size_bytes == 32 * KIB * KIB


def test_columns_of_a_matmul():
    assert [TARGETS[name].moving_fmax(4) for name in OWN] == [512, 512, 512, 4096]
    assert [TARGETS[name].moving_fmax(2) for name in OWN] == [512, 512, 512, 8192]


def test_packed_dtypes_came_with_trn3():
    assert [TARGETS[name].has_dtype(FLOAT4_E2M1FN_X4) for name in OWN] == [False, False, False, True]
    assert all(target.has_dtype(BFLOAT16) for target in TARGETS.values())
