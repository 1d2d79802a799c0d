"""What `nki.isa` operations give."""

from __future__ import annotations

from typing import Any

import pytest

from nkilint_rules.operations.form import Result
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.dtypes import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    INT8,
    INT32,
    UINT16,
    UINT32,
)
from nkilint_rules.words.memory import PSUM, SBUF
from nkilint_rules.words.names import Named
from nkilint_rules.words.operators import operator_name

from ..support.fake_calls import hbm, sb
from ..support.isa_calls import ADD, P, W, X, engine, result


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (result("nc_matmul", BETA1, W, X), Result((128, 512), FLOAT32, PSUM)),
        (result("nc_matmul", BETA1, sb(64, 32), sb(64, 4, 5)), Result((32, 4, 5), FLOAT32, PSUM)),
        (
            result("nc_matmul", BETA1, sb(128, 2, 16), sb(128, 2, 512), perf_mode="double_row_gen3"),
            Result((16, 512), FLOAT32, PSUM),
        ),
        (result("nc_transpose", BETA1, sb(128, 64, dtype=BFLOAT16)), Result((64, 128), BFLOAT16, SBUF)),
        (result("nc_transpose", BETA1, sb(32, 2, 8), engine=engine("vector")), Result((16, 32), FLOAT32, SBUF)),
        (result("activation", BETA1, Named("language.exp"), X, dtype=BFLOAT16), Result((128, 512), BFLOAT16)),
        (result("activation", BETA1, ADD, X, buffer=Named("language.psum")), Result((128, 512), FLOAT32, PSUM)),
        (
            result("tensor_tensor", BETA1, sb(8, 4, dtype=FLOAT16), sb(8, 4, dtype=BFLOAT16), ADD),
            Result((8, 4), FLOAT32),
        ),
        (result("tensor_scalar", BETA1, sb(8, 4, dtype=INT8), ADD, 1.0), Result((8, 4), INT8)),
        (result("tensor_reduce", BETA1, ADD, X, [1]), Result((128, 1), FLOAT32)),
        (result("tensor_reduce", BETA1, ADD, X, -1, keepdims=True), Result((128, 1), FLOAT32)),
        (result("tensor_reduce", BETA1, ADD, sb(128, 4, 5, 6), (2, 3)), Result((128, 4), FLOAT32)),
        (
            result("tensor_reduce", BETA1, ADD, sb(128, 4, 5, 6), (2, 3), keepdims=True),
            Result((128, 4, 1, 1), FLOAT32),
        ),
        (result("tensor_partition_reduce", BETA1, ADD, sb(128, 32, 4)), Result((1, 32, 4), FLOAT32)),
        (result("bn_stats", BETA1, X), Result((128, 6), FLOAT32)),
        (result("bn_aggr", BETA1, sb(128, 12)), Result((128, 2), FLOAT32)),
        (result("max8", BETA1, src=sb(128, 16, dtype=BFLOAT16)), Result((128, 8), BFLOAT16)),
        (result("nc_find_index8", BETA1, data=X, vals=sb(128, 8)), Result((128, 8), UINT32)),
        (result("nc_find_index8", BETA1, data=X, vals=sb(128, 8), dtype=UINT16), Result((128, 8), UINT16)),
        (result("nc_match_replace8", BETA1, data=X, vals=sb(128, 8), imm=0.0), Result((128, 512), FLOAT32)),
        (result("memset", BETA1, (128, 4), 0, BFLOAT16), Result((128, 4), BFLOAT16)),
        (result("iota", BETA1, sb(1, 512), INT32), Result((1, 512), INT32)),
        (result("iota", BETA1, 7, UINT32), Result((1, 1), UINT32)),
        (
            result("local_gather", BETA1, sb(128, 512, 4), sb(128, 4, dtype=UINT16), 4, 64),
            Result((128, 4, 16, 4), FLOAT32),
        ),
        (result("sequence_bounds", BETA1, segment_ids=sb(1, 512)), Result((1, 2, 512), FLOAT32)),
        (result("dma_transpose", BETA1, hbm(512, 128)), Result((128, 512), FLOAT32)),
        (result("dma_transpose", BETA1, hbm(4, 5, 6)), Result((6, 5, 4), FLOAT32)),
        (result("dma_transpose", BETA1, hbm(3, 4, 5, 6)), Result((6, 4, 5, 3), FLOAT32)),
        (result("dma_copy", BETA1, dst=hbm(4, 4), src=hbm(4, 4)), None),
        (result("get_nc_version", BETA1, target="trn1"), Named("isa.nc_version.gen2")),
        (result("get_nc_version", NKI, target="trn3"), Named("isa.nc_version.gen4")),
        (result("nc_matmul", NKI, P, W, X), Result((128, 512), None, PSUM, exact=False)),
        (
            result("nc_matmul_mx", NKI, P, W, X, W, X, target="trn3"),
            Result((128, 512), None, PSUM, exact=False),
        ),
        (result("nc_transpose", NKI, P, sb(64, 128)), Result((128, 64), FLOAT32, exact=False)),
        (result("tensor_copy", NKI, X, P), Result((128, 512), None, exact=False)),
        (result("quantize_mx", NKI, X, sb(128, 512), X), Result((128, 128), None, exact=False)),
        (result("tensor_reduce", NKI, X, ADD, sb(64, 4, 5), 2), Result((64, 4), None, exact=False)),
        (result("nonzero_with_count", NKI, X, sb(128, 7)), Result((128, 8), INT32, exact=False)),
        (result("dma_transpose", NKI, X, hbm(3, 4, 5, 6)), Result((6, 4, 5, 3), FLOAT32)),
        (result("nc_n_gather", NKI, X, X, sb(128, 9, dtype=UINT32)), Result((128, 9), FLOAT32, exact=False)),
        (result("memset", NKI, X, 0), None),
    ],
)
def test_results(made: Any, expected: Any) -> None:
    assert made == expected


@pytest.mark.parametrize(
    "ask",
    [
        lambda: result("activation", BETA1, ADD, Unknown("why")),
        lambda: result("activation", BETA1, ADD, 3.0),
        lambda: result("tensor_reduce", BETA1, ADD, X, Unknown("why")),
        lambda: result("tensor_reduce", BETA1, ADD, sb(8, 4, 4), 1),
        lambda: result("nc_matmul", BETA1, W, X, perf_mode=Named("x.other")),
        lambda: result("local_gather", BETA1, sb(128, 512), sb(128, 4, dtype=UINT16)),
        lambda: result("memset", BETA1, Unknown("why"), 0, FLOAT32),
        lambda: operator_name(Unknown("why")),
    ],
)
def test_what_is_not_known_is_said(ask: Any) -> None:
    with pytest.raises(IsUnknown):
        ask()


def test_a_register_has_no_value_here() -> None:
    assert isinstance(result("register_alloc", NKI, 5), Unknown)
