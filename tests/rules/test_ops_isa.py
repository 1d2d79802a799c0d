"""The operations of `nki.isa` are what the documentation says, and their requirements speak at the right numbers."""

from __future__ import annotations

import contextlib
import itertools
import string
from typing import Any

import pytest

from nkilint.symbolic import sym
from nkilint_rules.operations import load_operations, lookup
from nkilint_rules.operations.availability import available, deprecated, parameter_available
from nkilint_rules.operations.constants import CONSTANTS, ENUM_VALUES
from nkilint_rules.operations.form import Call, Operation, Result
from nkilint_rules.operations.isa_results import moving_columns, moving_limit, stationary_columns
from nkilint_rules.operations.signatures import SignatureError
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.dtypes import (
    BFLOAT16,
    FLOAT4_E2M1FN_X4,
    FLOAT8_E4M3,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT8_E5M2_X4,
    FLOAT16,
    FLOAT32,
    INT8,
    INT32,
    UINT8,
    UINT16,
    UINT32,
    DType,
)
from nkilint_rules.words.memory import HBM, PSUM, SBUF
from nkilint_rules.words.names import Named
from nkilint_rules.words.operators import SETS, accepted, is_bitvec, is_unary, operator_name
from nkilint_rules.words.targets import TARGETS
from nkilint_rules.words.tiles import Tile
from nkilint_rules.words.versions import LATEST

# The index page and the classes of `nki.isa`, of Beta 1 (SDK 2.20 to 2.26) and of 0.x (up to 0.6).
BETA1_NAMES = """
nc_matmul nc_transpose activation activation_reduce tensor_reduce tensor_partition_reduce tensor_tensor
tensor_tensor_scan scalar_tensor_tensor tensor_scalar tensor_scalar_reduce tensor_copy tensor_copy_dynamic_src
tensor_copy_dynamic_dst tensor_copy_predicated reciprocal iota dropout affine_select range_select select_reduce
sequence_bounds memset bn_stats bn_aggr local_gather dma_copy dma_transpose max8 nc_find_index8 nc_match_replace8
nc_stream_shuffle builtin_custom_op attention_kernel attention_kernel_cache engine reduce_cmd dge_mode oob_mode
nc_version get_nc_version tensor_engine vector_engine scalar_engine gpsimd_engine dma_engine unknown_engine fp32.min
"""
NKI_NAMES = """
nc_matmul nc_matmul_mx nc_transpose activation activation_reduce activate2 tensor_reduce tensor_partition_reduce
tensor_tensor tensor_tensor_scan scalar_tensor_tensor tensor_scalar tensor_scalar_reduce tensor_scalar_cumulative
tensor_copy tensor_copy_predicated tensor_copy_dynamic_src tensor_copy_dynamic_dst exponential reciprocal quantize_mx
iota dropout affine_select range_select select_reduce sequence_bounds memset bn_stats bn_aggr local_gather nc_n_gather
dma_copy dma_transpose dma_compute max8 nc_find_index8 nc_match_replace8 nc_stream_shuffle register_alloc register_load
register_move register_store core_barrier sendrecv rng rand2 rand_set_state rand_get_state set_rng_seed
nonzero_with_count topk engine dma_engine reduce_cmd dge_mode oob_mode matmul_perf_mode nc_version get_nc_version
get_nc_sub_version VirtualRegister NkiInstruction NkiValidationError tensor_engine vector_engine scalar_engine
gpsimd_engine unknown_engine
"""
LEFT_OUT: dict[str, str] = {}

ISA = {name: operation for name, operation in load_operations().items() if name.startswith("isa.")}


class Sample(Tile):
    """A tensor of plain sizes."""

    __slots__ = ("dtype", "memory", "partition_step", "shape", "start_partition")

    def __init__(self, *shape: Any, dtype: Any = FLOAT32, memory: str = SBUF, start: Any = 0) -> None:
        self.shape, self.dtype, self.memory = shape, dtype, memory
        self.start_partition, self.partition_step = start, 1


def psum(*shape: int, dtype: DType = FLOAT32) -> Sample:
    return Sample(*shape, dtype=dtype, memory=PSUM)


def hbm(*shape: int, dtype: DType = FLOAT32) -> Sample:
    return Sample(*shape, dtype=dtype, memory=HBM)


def call(name: str, dialect: str = BETA1, *args: Any, target: str = "trn2", **kwargs: Any) -> Call:
    operation = ISA[f"isa.{name}"]
    signature = operation.signature(dialect)
    assert signature is not None, f"{name} is not in {dialect}"
    return Call(operation, dialect, TARGETS[target], signature.bind(args, kwargs), kwargs)


def result(name: str, dialect: str = BETA1, *args: Any, target: str = "trn2", **kwargs: Any) -> Any:
    made = call(name, dialect, *args, target=target, **kwargs)
    assert made.operation.result is not None
    return made.operation.result(made)


def broken(made: Call) -> list[str]:
    """Codes of the particular requirements that a call does not meet."""
    codes = []
    for requirement in made.operation.requirements:
        condition = requirement.holds(made)
        assert isinstance(condition, bool), requirement.message
        if not condition:
            codes.append(requirement.code)
            requirement.message.format(**requirement.values(made))
    return codes


def engine(name: str) -> Named:
    return Named(f"isa.engine.{name}")


X, W, P = Sample(128, 512), Sample(128, 128), psum(128, 512)
ADD, MULTIPLY, AND = Named("language.add"), Named("numpy.multiply"), Named("language.bitwise_and")


# --- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dialect", "names"), [(BETA1, BETA1_NAMES), (NKI, NKI_NAMES)])
def test_every_documented_name_is_known(dialect: str, names: str) -> None:
    known = {n for n, operation in ISA.items() if operation.signature(dialect)} | set(CONSTANTS[dialect])
    missing = [n for n in names.split() if f"isa.{n}" not in known and n not in LEFT_OUT]
    assert not missing


@pytest.mark.parametrize(("dialect", "names"), [(BETA1, BETA1_NAMES), (NKI, NKI_NAMES)])
def test_nothing_undocumented_is_known(dialect: str, names: str) -> None:
    documented = {f"isa.{name}" for name in names.split()}
    # AWS's own example calls it in Beta 1.
    documented |= {"isa.tensor_scalar_cumulative"}
    assert {n for n, operation in ISA.items() if operation.signature(dialect)} <= documented


def test_requirements_name_parameters() -> None:
    for operation in ISA.values():
        for dialect in (BETA1, NKI):
            signature, required = operation.signature(dialect), operation.required(dialect)
            if signature is None:
                continue
            named = {*required.columns, *required.operators, *required.fixed_partitions, *required.anywhere}
            named |= {*required.same_partitions, *required.same_free, *required.same_size}
            named |= {*(required.contraction or ()), *(required.not_both_psum or ())}
            named |= {name for pair in required.same_dtype for name in pair}
            named |= {column.of for column in required.columns.values()}
            parameters = {p for d in (BETA1, NKI) if (s := operation.signature(d)) for p in s.names}
            assert named <= parameters, operation.name


def test_operands_and_limits_are_parameters() -> None:
    for operation in ISA.values():
        names = {p for dialect in (BETA1, NKI) if (s := operation.signature(dialect)) for p in s.names}
        assert set(operation.operands) | set(operation.nki_operands) <= names, operation.name
        assert {limit.operand for limit in operation.limits} <= names, operation.name
        for limit in operation.limits:
            assert limit.code in ("NKI102", "NKI105", "NKI109")
            assert isinstance(limit.bound, int) or hasattr(TARGETS["trn2"], limit.bound)
        assert operation.page


def test_every_0x_destination_is_an_operand() -> None:
    for operation in ISA.values():
        if operation.nki is not None and "dst" in operation.nki.names and operation.kind != "register":
            assert operation.operands["dst"].role != "read", operation.name


# --- signatures ----------------------------------------------------------------------------------------------------

FIRST = {
    ("nc_matmul", BETA1): "stationary moving",
    ("nc_matmul", NKI): "dst stationary moving is_stationary_onezero is_moving_onezero is_transpose accumulate",
    ("nc_transpose", NKI): "dst data engine",
    ("activation", BETA1): "op data",
    ("activation", NKI): "dst op data bias scale reduce_op reduce_res reduce_cmd",
    ("tensor_reduce", BETA1): "op data axis",
    ("tensor_reduce", NKI): "dst op data axis negate keepdims",
    ("tensor_tensor", BETA1): "data1 data2 op",
    ("tensor_tensor", NKI): "dst data1 data2 op engine",
    ("tensor_scalar", BETA1): "data op0 operand0 reverse0 op1 operand1 reverse1",
    ("tensor_scalar", NKI): "dst data op0 operand0 reverse0 op1 operand1 reverse1 engine",
    ("tensor_tensor_scan", BETA1): "data0 data1 initial op0 op1 reverse0 reverse1",
    ("affine_select", NKI): "dst pattern channel_multiplier on_true_tile on_false_value cmp_op offset",
    ("iota", NKI): "dst pattern offset channel_multiplier",
    ("memset", BETA1): "shape value dtype",
    ("nc_stream_shuffle", BETA1): "src dst shuffle_mask",
    ("nc_stream_shuffle", NKI): "dst src shuffle_mask",
    ("dma_copy", BETA1): "",
    ("dma_copy", NKI): "dst src priority oob_mode dge_mode engine",
    ("dma_compute", NKI): "dst srcs reduce_op scales unique_indices oob_mode",
    ("sendrecv", NKI): "src dst send_to_rank recv_from_rank pipe_id dma_engine",
    ("register_move", NKI): "dst src",
}


@pytest.mark.parametrize(("name", "dialect"), FIRST)
def test_positional_parameters(name: str, dialect: str) -> None:
    signature = ISA[f"isa.{name}"].signature(dialect)
    assert signature is not None
    expected = FIRST[name, dialect].split()
    assert list(signature.positional[: len(expected)]) == expected
    if dialect == BETA1:
        assert len(signature.positional) == len(expected)


@pytest.mark.parametrize("dialect", [BETA1, NKI])
@pytest.mark.parametrize("name", sorted(ISA))
def test_required_arguments_bind_by_name_and_by_position(name: str, dialect: str) -> None:
    signature = ISA[name].signature(dialect)
    if signature is None:
        assert lookup(dialect, name) is None
        return
    required = [p for p in signature.parameters if p.name not in signature.defaults]
    bound = signature.bind([], {p.name: p.name for p in required})
    assert set(bound) == {p.name for p in signature.parameters}
    positional = [p.name for p in required if not p.keyword_only]
    assert set(signature.bind(positional, {p.name: 0 for p in required if p.keyword_only})) == set(bound)
    for parameter in required:
        with pytest.raises(SignatureError, match=parameter.name):
            signature.bind([], {p.name: 0 for p in required if p is not parameter})
    if not signature.open:
        with pytest.raises(SignatureError):
            signature.bind([], {**{p.name: 0 for p in required}, "no_such_argument": 0})


@pytest.mark.parametrize("name", sorted(n for n in ISA if ISA[n].nki))
def test_beta1_arguments_are_gone(name: str) -> None:
    signature = ISA[name].nki
    assert signature is not None
    assert not signature.open
    assert not {"mask", "dtype"} & signature.names


@pytest.mark.parametrize("dialect", [BETA1, NKI])
def test_named_defaults_are_constants(dialect: str) -> None:
    for operation in ISA.values():
        signature = operation.signature(dialect)
        for value in signature.defaults.values() if signature else ():
            if isinstance(value, Named) and value.name.startswith("isa."):
                assert CONSTANTS[dialect][value.name] == value, operation.name


def test_versions() -> None:
    def has(name: str, dialect: str, version: str) -> bool:
        return available(ISA[f"isa.{name}"], dialect, version)

    assert not has("tensor_copy", BETA1, "2.20")
    assert has("tensor_copy", BETA1, "2.21")
    assert has("tensor_copy", NKI, "0.2")
    assert has("tensor_copy_dynamic_src", NKI, "0.3")
    assert not has("tensor_copy_dynamic_src", NKI, "0.4")
    assert has("tensor_copy_dynamic_src", BETA1, "2.26")
    assert deprecated(ISA["isa.tensor_copy_dynamic_src"], NKI, "0.3")
    assert not has("activate2", NKI, "0.3")
    assert has("activate2", NKI, "0.4")
    assert not has("topk", NKI, "0.5")
    assert has("topk", NKI, "0.6")
    assert not has("select_reduce", BETA1, "2.24")
    assert has("select_reduce", BETA1, "2.26")
    assert not has("attention_kernel", BETA1, "2.21")
    assert has("attention_kernel", BETA1, "2.20")
    copy = ISA["isa.dma_copy"]
    assert parameter_available(copy, "dst_rmw_op", BETA1, "2.23")
    assert not parameter_available(copy, "dst_rmw_op", NKI, "0.3")
    assert not parameter_available(copy, "priority", NKI, "0.3")
    assert parameter_available(copy, "priority", NKI, "0.4")


def test_earlier_signatures() -> None:
    def first(name: str, dialect: str, version: str) -> tuple[str, ...]:
        signature = ISA[f"isa.{name}"].signature_at(dialect, version)
        assert signature is not None
        return signature.positional

    assert first("affine_select", NKI, "0.2")[:3] == ("dst", "pattern", "offset")
    assert first("affine_select", NKI, "0.3")[:3] == ("dst", "pattern", "channel_multiplier")
    assert first("dma_compute", NKI, "0.2") == ("dst", "srcs", "scales", "reduce_op", "name")
    assert first("register_move", NKI, "0.2") == ("dst", "imm")
    assert first("activation", BETA1, "2.20")[:3] == ("op", "data", "bias")
    assert first("activation", BETA1, "2.21") == ("op", "data")
    assert first("activation", BETA1, "") == ("op", "data")


def test_eras_follow_each_other() -> None:
    for name, operation in ISA.items():
        for dialect in (BETA1, NKI):
            mine = [era for era in operation.history if era.dialect == dialect]
            for era, following in itertools.pairwise(mine):
                assert era.until == following.since, name
            assert all(operation.signature_at(dialect, era.since).text == era.text for era in mine)  # type: ignore[union-attr]
            if mine:
                assert operation.signature_at(dialect, LATEST[dialect]) == operation.signature(dialect)


# --- results -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (result("nc_matmul", BETA1, W, X), Result((128, 512), FLOAT32, PSUM)),
        (result("nc_matmul", BETA1, Sample(64, 32), Sample(64, 4, 5)), Result((32, 4, 5), FLOAT32, PSUM)),
        (
            result("nc_matmul", BETA1, Sample(128, 2, 16), Sample(128, 2, 512), perf_mode="double_row_gen3"),
            Result((16, 512), FLOAT32, PSUM),
        ),
        (result("nc_transpose", BETA1, Sample(128, 64, dtype=BFLOAT16)), Result((64, 128), BFLOAT16, SBUF)),
        (result("nc_transpose", BETA1, Sample(32, 2, 8), engine=engine("vector")), Result((16, 32), FLOAT32, SBUF)),
        (result("activation", BETA1, Named("language.exp"), X, dtype=BFLOAT16), Result((128, 512), BFLOAT16)),
        (result("activation", BETA1, ADD, X, buffer=Named("language.psum")), Result((128, 512), FLOAT32, PSUM)),
        (
            result("tensor_tensor", BETA1, Sample(8, 4, dtype=FLOAT16), Sample(8, 4, dtype=BFLOAT16), ADD),
            Result((8, 4), FLOAT32),
        ),
        (result("tensor_scalar", BETA1, Sample(8, 4, dtype=INT8), ADD, 1.0), Result((8, 4), INT8)),
        (result("tensor_reduce", BETA1, ADD, X, [1]), Result((128, 1), FLOAT32)),
        (result("tensor_reduce", BETA1, ADD, X, -1, keepdims=True), Result((128, 1), FLOAT32)),
        (result("tensor_reduce", BETA1, ADD, Sample(128, 4, 5, 6), (2, 3)), Result((128, 4), FLOAT32)),
        (
            result("tensor_reduce", BETA1, ADD, Sample(128, 4, 5, 6), (2, 3), keepdims=True),
            Result((128, 4, 1, 1), FLOAT32),
        ),
        (result("tensor_partition_reduce", BETA1, ADD, Sample(128, 32, 4)), Result((1, 32, 4), FLOAT32)),
        (result("bn_stats", BETA1, X), Result((128, 6), FLOAT32)),
        (result("bn_aggr", BETA1, Sample(128, 12)), Result((128, 2), FLOAT32)),
        (result("max8", BETA1, src=Sample(128, 16, dtype=BFLOAT16)), Result((128, 8), BFLOAT16)),
        (result("nc_find_index8", BETA1, data=X, vals=Sample(128, 8)), Result((128, 8), UINT32)),
        (result("nc_find_index8", BETA1, data=X, vals=Sample(128, 8), dtype=UINT16), Result((128, 8), UINT16)),
        (result("nc_match_replace8", BETA1, data=X, vals=Sample(128, 8), imm=0.0), Result((128, 512), FLOAT32)),
        (result("memset", BETA1, (128, 4), 0, BFLOAT16), Result((128, 4), BFLOAT16)),
        (result("iota", BETA1, Sample(1, 512), INT32), Result((1, 512), INT32)),
        (result("iota", BETA1, 7, UINT32), Result((1, 1), UINT32)),
        (
            result("local_gather", BETA1, Sample(128, 512, 4), Sample(128, 4, dtype=UINT16), 4, 64),
            Result((128, 4, 16, 4), FLOAT32),
        ),
        (result("sequence_bounds", BETA1, segment_ids=Sample(1, 512)), Result((1, 2, 512), FLOAT32)),
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
        (result("nc_transpose", NKI, P, Sample(64, 128)), Result((128, 64), FLOAT32, exact=False)),
        (result("tensor_copy", NKI, X, P), Result((128, 512), None, exact=False)),
        (result("quantize_mx", NKI, X, Sample(128, 512), X), Result((128, 128), None, exact=False)),
        (result("tensor_reduce", NKI, X, ADD, Sample(64, 4, 5), 2), Result((64, 4), None, exact=False)),
        (result("nonzero_with_count", NKI, X, Sample(128, 7)), Result((128, 8), INT32, exact=False)),
        (result("dma_transpose", NKI, X, hbm(3, 4, 5, 6)), Result((6, 4, 5, 3), FLOAT32)),
        (result("nc_n_gather", NKI, X, X, Sample(128, 9, dtype=UINT32)), Result((128, 9), FLOAT32, exact=False)),
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
        lambda: result("tensor_reduce", BETA1, ADD, Sample(8, 4, 4), 1),
        lambda: result("nc_matmul", BETA1, W, X, perf_mode=Named("x.other")),
        lambda: result("local_gather", BETA1, Sample(128, 512), Sample(128, 4, dtype=UINT16)),
        lambda: result("memset", BETA1, Unknown("why"), 0, FLOAT32),
        lambda: operator_name(Unknown("why")),
    ],
)
def test_what_is_not_known_is_said(ask: Any) -> None:
    with pytest.raises(IsUnknown):
        ask()


def test_a_register_has_no_value_here() -> None:
    assert isinstance(result("register_alloc", NKI, 5), Unknown)


# --- requirements --------------------------------------------------------------------------------------------------

FP8, OCP, MX = (Sample(128, 2, 16, dtype=d) for d in (FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E5M2_X4))
DOUBLE = Named("isa.matmul_perf_mode.double_row")
HW = Named("isa.dge_mode.hwdge")
LOAD = Named("isa.reduce_cmd.load_reduce")
BITS = Sample(128, 512, dtype=INT32)
COLUMN = Sample(128, 1)
LEGACY = Sample(128, 64, dtype=FLOAT8_E4M3)


PARTICULAR: list[tuple[Call, list[str]]] = [
    (call("nc_matmul", NKI, P, W, X), []),
    (call("nc_matmul", NKI, P, FP8, FP8, perf_mode=DOUBLE), []),
    (call("nc_matmul", NKI, P, FP8, FP8, perf_mode=DOUBLE, target="trn1"), ["NKI206"]),
    (call("nc_matmul", NKI, P, FP8, Sample(128, 3, 16, dtype=FLOAT8_E5M2), perf_mode=DOUBLE), ["NKI109"]),
    (call("nc_matmul", NKI, P, FP8, Sample(128, 16, dtype=FLOAT8_E5M2), perf_mode=DOUBLE), ["NKI109"]),
    (call("nc_matmul", NKI, P, FP8, Sample(128, 2, 16, dtype=BFLOAT16), perf_mode=DOUBLE), ["NKI202"]),
    (call("nc_matmul", NKI, P, OCP, OCP), ["NKI206", "NKI206"]),
    (call("nc_matmul", NKI, P, OCP, OCP, target="trn3"), []),
    (call("nc_matmul", NKI, P, LEGACY, OCP, target="trn3"), ["NKI202"]),
    (call("nc_matmul", NKI, P, W, Sample(128, 512, dtype=BFLOAT16)), ["NKI202"]),
    (call("nc_matmul", BETA1, W, Sample(128, 512, dtype=BFLOAT16)), []),
    (call("nc_matmul", NKI, psum(128, 512, dtype=BFLOAT16), W, X), ["NKI202"]),
    (call("nc_matmul", NKI, psum(128, 512, dtype=BFLOAT16), W, X, is_transpose=True), []),
    (call("nc_matmul", NKI, psum(128, 512, dtype=BFLOAT16), W, X, target="trn3"), []),
    (call("nc_matmul", NKI, P, W, X, tile_position=(0, 0)), ["NKI205"]),
    (call("nc_matmul", NKI, P, W, X, tile_position=(0, 0), tile_size=(128, 128)), []),
    (call("nc_matmul", BETA1, W, X, tile_position=(0, 0), tile_size=(64, 128)), ["NKI103"]),
    (call("nc_matmul", BETA1, W, X, tile_position=(0, 0), tile_size=(128, 64)), ["NKI103"]),
    (call("nc_matmul", BETA1, W, X, tile_position=(0, 16), tile_size=(128, 128)), ["NKI109"]),
    (
        call("nc_matmul", BETA1, Sample(32, 32), X, tile_position=(0, 0), tile_size=(32, 32), target="trn1"),
        ["NKI206"],
    ),
    (call("nc_matmul_mx", NKI, P, MX, MX, MX, MX, target="trn3"), []),
    (call("nc_matmul_mx", NKI, P, MX, MX, Sample(128, 31), MX, target="trn3"), ["NKI204"]),
    (call("nc_transpose", NKI, P, W), []),
    (call("nc_transpose", NKI, X, W), ["NKI102", "NKI102"]),
    (call("nc_transpose", NKI, X, Sample(32, 32)), []),
    (call("nc_transpose", NKI, X, Sample(32, 33)), ["NKI102"]),
    (call("nc_transpose", NKI, X, W, engine("tensor")), ["NKI201"]),
    (call("nc_transpose", BETA1, Sample(33, 32), engine=engine("vector")), ["NKI102"]),
    (call("nc_transpose", BETA1, psum(32, 32)), []),
    (call("nc_transpose", BETA1, psum(33, 32)), ["NKI102"]),
    (call("tensor_tensor", BETA1, X, X, AND), ["NKI202", "NKI202"]),
    (call("tensor_tensor", BETA1, BITS, BITS, AND), []),
    (call("tensor_tensor", BETA1, X, P, Named("numpy.power")), ["NKI201"]),
    (call("tensor_tensor", NKI, X, X, P, ADD, engine("gpsimd")), ["NKI201"]),
    (call("tensor_scalar", BETA1, X, ADD, 1.0, op1=AND, operand1=1), ["NKI205", "NKI202"]),
    (call("tensor_scalar", BETA1, X, ADD, 1.0, op1=MULTIPLY), ["NKI205"]),
    (call("tensor_scalar", BETA1, X, ADD, 1.0, operand1=2.0), ["NKI205"]),
    (call("tensor_scalar", BETA1, X, MULTIPLY, 1.0, op1=ADD, operand1=2.0, engine=engine("scalar")), []),
    (call("tensor_scalar", BETA1, X, ADD, 1.0, op1=ADD, operand1=2.0, engine=engine("scalar")), ["NKI206"]),
    (call("tensor_scalar", NKI, X, X, ADD, Sample(128, 1, dtype=BFLOAT16)), ["NKI202"]),
    (call("tensor_scalar", NKI, X, X, ADD, COLUMN), []),
    (call("tensor_scalar", NKI, BITS, BITS, ADD, Sample(128, 1, dtype=INT32)), []),
    (call("tensor_scalar", NKI, X, X, Named("language.abs"), 1.0), ["NKI205"]),
    (call("tensor_scalar", NKI, X, X, Named("language.abs"), None), []),
    (call("tensor_scalar", NKI, X, X, Named("language.square"), None), ["NKI206"]),
    (call("tensor_scalar", NKI, X, X, Named("language.square"), None, target="trn3"), []),
    (call("tensor_scalar_reduce", NKI, X, X, ADD, 1.0, ADD, reduce_init=1.0), ["NKI205"]),
    (call("tensor_scalar_reduce", NKI, X, X, ADD, 1.0, ADD, reduce_cmd=LOAD), ["NKI205"]),
    (call("tensor_scalar_reduce", NKI, X, X, ADD, 1.0, ADD, reduce_cmd=LOAD, reduce_init=1.0), []),
    (call("tensor_scalar_cumulative", NKI, X, X, ADD, ADD, 1.0, reduce_cmd=LOAD), ["NKI205"]),
    (call("exponential", NKI, X, X, reduce_init=1.0, target="trn3"), ["NKI205"]),
    (call("exponential", NKI, X, X, target="trn3"), []),
    (call("activation", BETA1, Named("language.reciprocal"), X, bias=COLUMN, target="trn1"), ["NKI206"]),
    (call("activation", BETA1, Named("language.reciprocal"), X, bias=COLUMN), []),
    (call("activate2", NKI, X, ADD, X, 1.0, 1.0, MULTIPLY, ADD, target="trn3"), []),
    (call("activate2", NKI, X, ADD, X, 1.0, 1.0, ADD, ADD, target="trn3"), ["NKI205"]),
    (call("tensor_reduce", BETA1, AND, BITS, 1, negate=True), ["NKI205"]),
    (call("memset", NKI, BITS, 2), []),
    (call("memset", NKI, BITS, 2.0), ["NKI202"]),
    (call("memset", NKI, Sample(128, 4, dtype=FLOAT4_E2M1FN_X4), 1), ["NKI202"]),
    (call("dropout", NKI, BITS, BITS, Sample(128, 1, dtype=BFLOAT16)), ["NKI202"]),
    (call("dropout", NKI, X, X, Sample(128, 1, dtype=BFLOAT16)), []),
    (call("rand_set_state", NKI, Sample(128, 6, dtype=UINT32)), []),
    (call("rand_set_state", NKI, Sample(128, 24, dtype=UINT32)), ["NKI109"]),
    (call("rand_get_state", NKI, psum(128, 24, dtype=UINT32), engine("vector")), ["NKI201"]),
    (call("iota", NKI, X, [[1, 512]]), []),
    (call("iota", NKI, X, [[1, 511]]), ["NKI204"]),
    (call("iota", NKI, X, [[1, 2], [1, 2], [1, 2], [1, 8], [1, 8]]), ["NKI105"]),
    (call("affine_select", NKI, X, [[1, 8], [1, 64]], 1, X, 0.0), []),
    (
        call("range_select", NKI, X, X, ADD, ADD, COLUMN, COLUMN, range_start=2**24 - 512),
        [],
    ),
    (
        call("range_select", NKI, X, X, ADD, ADD, COLUMN, COLUMN, range_start=2**24 - 511),
        ["NKI212"],
    ),
    (call("range_select", NKI, X, X, ADD, ADD, COLUMN, COLUMN, on_false_value=-3.4028235e38), []),
    (call("range_select", NKI, X, X, ADD, ADD, COLUMN, COLUMN, on_false_value=0.0), ["NKI205"]),
    (call("local_gather", NKI, X, X, Sample(128, 256, dtype=UINT16)), []),
    (call("local_gather", NKI, X, X, Sample(128, 257, dtype=UINT16)), ["NKI102"]),
    (call("local_gather", NKI, X, X, Sample(128, 4, dtype=UINT16), 3), ["NKI109"]),
    (call("local_gather", NKI, X, X, Sample(128, 4, dtype=UINT16), 1, 65), ["NKI109"]),
    (call("max8", BETA1, src=Sample(8, 2, 2, 2, 2)), []),
    (call("max8", NKI, X, Sample(8, 2, 2, 2)), ["NKI105"]),
    (call("nc_find_index8", BETA1, data=X, vals=X, dtype=UINT8), ["NKI202"]),
    (call("topk", NKI, Sample(128, 8), Sample(128, 8), Sample(128, 3), 42), []),
    (call("topk", NKI, Sample(128, 8), Sample(128, 8), Sample(128, 2), 42), ["NKI109"]),
    (call("topk", NKI, Sample(128, 8), Sample(128, 8), Sample(128, 3), 7), ["NKI109", "NKI109"]),
    (call("nc_stream_shuffle", NKI, X, X, list(range(32))), []),
    (call("nc_stream_shuffle", NKI, X, X, list(range(31))), ["NKI205"]),
    (call("nc_stream_shuffle", NKI, X, X, [32] * 32), ["NKI205"]),
    (call("nc_stream_shuffle", NKI, Sample(64, 4), Sample(1, 4, start=32), [0] * 32), ["NKI106"]),
    (call("nc_stream_shuffle", NKI, Sample(32, 4), Sample(1, 4, start=32), [0] * 32), []),
    (call("dma_copy", NKI, hbm(4, 4), hbm(4, 4, dtype=BFLOAT16)), []),
    (call("dma_copy", NKI, hbm(4, 4), hbm(4, 4, dtype=BFLOAT16), dge_mode=HW), ["NKI202"]),
    (call("dma_copy", NKI, hbm(4, 4), hbm(4, 4), dge_mode=HW, target="trn1"), ["NKI206"]),
    (call("dma_copy", NKI, hbm(4, 4), hbm(4, 4), priority=1), ["NKI206"]),
    (call("dma_copy", NKI, hbm(4, 4), hbm(4, 4), priority=4, target="trn3"), ["NKI205"]),
    (call("dma_copy", NKI, hbm(4, 4), hbm(4, 4), engine=engine("sync")), ["NKI205"]),
    (
        call("dma_copy", BETA1, dst=X, src=X, dst_rmw_op=ADD, oob_mode=Named("isa.oob_mode.skip")),
        ["NKI205"],
    ),
    (call("dma_transpose", NKI, X, hbm(16, 128, dtype=BFLOAT16), dge_mode=HW), []),
    (call("dma_transpose", NKI, X, hbm(12, 129), dge_mode=HW), ["NKI109", "NKI102", "NKI202"]),
    (call("dma_transpose", NKI, X, hbm(3, 4, 5), axes=(0, 2, 1)), ["NKI213"]),
    (call("dma_transpose", NKI, X, hbm(3, 4, 5), axes=(-1, 1, 0)), []),
    (call("dma_compute", NKI, hbm(4, 4), [hbm(16), hbm(4, 4)], ADD), []),
    (call("dma_compute", NKI, hbm(4, 4), [hbm(17)] * 17, ADD, [2.0]), ["NKI109", "NKI204", "NKI205"]),
    (call("sendrecv", NKI, X, X, 0, 1, 0), []),
    (call("sendrecv", NKI, X, X, 2, 1, 0, Named("isa.dma_engine.gpsimd_dma")), ["NKI205", "NKI102"]),
    (call("core_barrier", NKI, hbm(4, 4), (0, 1)), []),
    (call("core_barrier", NKI, X, (1, 0)), ["NKI201", "NKI205"]),
]


@pytest.mark.parametrize(("made", "codes"), PARTICULAR)
def test_particular_requirements(made: Call, codes: list[str]) -> None:
    assert broken(made) == codes


@pytest.mark.parametrize("number", range(len(PARTICULAR)))
def test_symbolic_sizes_are_never_decided(number: int) -> None:
    made, _ = PARTICULAR[number]
    arguments = {name: _symbolic(value, name) for name, value in made.arguments.items()}
    symbolic = Call(made.operation, made.dialect, made.target, arguments, made.given)
    for requirement in made.operation.requirements:
        _judged(lambda r=requirement: r.holds(symbolic))
        requirement.values(symbolic)
    assert made.operation.result is not None
    _judged(lambda: made.operation.result(symbolic))


def _symbolic(value: Any, name: str) -> Any:
    """The value with symbols in the place of its numbers."""
    if isinstance(value, Sample):
        sizes = [sym(f"{name}{axis}", low=1) for axis in range(value.rank)]
        return Sample(*sizes, dtype=value.dtype, memory=value.memory, start=sym(f"{name}_start", low=0))
    if isinstance(value, (list, tuple)):
        return type(value)(_symbolic(item, f"{name}_{number}") for number, item in enumerate(value))
    return sym(name, low=0) if isinstance(value, int) and not isinstance(value, bool) else value


def test_a_requirement_on_something_else_than_a_tensor_is_unknown() -> None:
    made = call("nc_matmul", NKI, P, 3.0, X)
    with pytest.raises(IsUnknown, match="stationary"):
        ISA["isa.nc_matmul"].requirements[0].holds(made)


def test_unknown_operands_leave_conditions_unknown() -> None:
    for operation in ISA.values():
        for dialect in (BETA1, NKI):
            signature = operation.signature(dialect)
            if signature is None:
                continue
            arguments = {p.name: Unknown("why") for p in signature.parameters}
            made = Call(operation, dialect, TARGETS["trn2"], arguments)
            for requirement in operation.requirements:
                _judged(lambda r=requirement, m=made: r.holds(m))
            assert operation.result is not None
            _judged(lambda o=operation, m=made: o.result(m))


def _judged(ask: Any) -> None:
    """Nothing but `IsUnknown` comes out of values that are not known."""
    with contextlib.suppress(IsUnknown):
        ask()


def test_messages_fill() -> None:
    for name, operation in ISA.items():
        fields = {p for dialect in (BETA1, NKI) if (s := ISA[name].signature(dialect)) for p in s.names} | {"target"}
        for requirement in operation.requirements:
            assert requirement.operand in fields, (name, requirement.operand)
            used = {f.split(".")[0].split("[")[0] for _, f, _, _ in string.Formatter().parse(requirement.message) if f}
            computed = {
                "shape",
                "columns",
                "indices",
                "limit",
                "elements",
                "length",
                "active",
                "sizes",
                "last",
                "count",
            }
            assert used <= fields | computed, requirement.message
            assert not requirement.message.endswith(".")


def test_facts_by_dialect() -> None:
    beta1 = call("activation", BETA1, ADD, X).required.columns
    nki = call("activation", NKI, X, ADD, X).required.columns
    assert beta1
    assert nki
    assert not beta1["bias"].scalar
    assert nki["bias"].scalar_generation == 3
    assert call("dma_copy", BETA1, dst=X, src=X).required.same_size == ()
    assert call("dma_copy", NKI, X, X).required.same_size == ("src", "dst")


def test_matmul_columns() -> None:
    assert stationary_columns(call("nc_matmul", BETA1, Sample(64, 4, 8), X)) == 32
    assert moving_limit(call("nc_matmul", BETA1, W, X)) == 512
    assert moving_columns(call("nc_matmul", NKI, P, FP8, FP8, perf_mode=DOUBLE)) == 16
    assert moving_limit(call("nc_matmul", NKI, P, W, X, target="trn3")) == 4096
    bf16 = psum(128, 512, dtype=BFLOAT16)
    assert moving_limit(call("nc_matmul", NKI, bf16, W, X, target="trn3")) == 8192


def test_implicit_tensors() -> None:
    def made(name: str, *args: Any, **kwargs: Any) -> str | None:
        implicit = ISA[f"isa.{name}"].implicit
        assert implicit is not None
        return implicit(call(name, BETA1, *args, **kwargs))

    assert made("activation", ADD, X) == "a bias of zeros"
    assert made("activation", ADD, X, bias=COLUMN) is None
    assert made("nc_transpose", W) == "an identity matrix"
    assert made("nc_transpose", W, engine=engine("vector")) is None


# --- constants and operators ---------------------------------------------------------------------------------------


def test_constants() -> None:
    assert CONSTANTS[BETA1]["isa.vector_engine"] == Named("isa.engine.vector")
    assert CONSTANTS[BETA1]["isa.constants.dge_mode.hwdge"] == Named("isa.dge_mode.hwdge")
    assert CONSTANTS[BETA1]["isa.dma_engine"] == Named("isa.engine.dma")
    assert CONSTANTS[NKI]["isa.dma_engine.dma"] == Named("isa.dma_engine.dma")
    assert "isa.matmul_perf_mode" not in CONSTANTS[BETA1]
    assert "isa.matmul_perf_mode" in CONSTANTS[NKI]
    assert ENUM_VALUES[BETA1]["isa.dge_mode.none"] == 0
    assert ENUM_VALUES[NKI]["isa.dge_mode.none"] == 3
    assert ENUM_VALUES[NKI]["isa.nc_version.gen4"] == 4
    assert "isa.nc_version.gen4" not in ENUM_VALUES[BETA1]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Named("numpy.add"), "add"),
        (Named("language.add"), "add"),
        (Named("numpy.amax"), "maximum"),
        (Named("language.max"), "maximum"),
        (Named("numpy.sum"), "add"),
        (Named("numpy.bitwise_not"), "invert"),
        (Named("language.gelu_dx"), "gelu_dx"),
        ("min", "minimum"),
    ],
)
def test_operator_names(value: Any, name: str) -> None:
    assert operator_name(value) == name


def test_operator_sets() -> None:
    assert {"add", "bitwise_xor"} <= accepted("reduce", BETA1)
    assert not {"left_shift", "equal", "power"} & accepted("reduce", NKI)
    assert "abs_max" in accepted("alu", NKI)
    assert "abs_max" not in accepted("alu", BETA1)
    assert "prelu" in accepted("activation", NKI)
    assert "prelu" not in accepted("activation", BETA1)
    assert "not_equal" not in accepted("range-comparison", NKI)
    assert "average" in accepted("partition-reduce", NKI)
    assert "average" not in accepted("partition-reduce", BETA1)
    assert is_bitvec("right_shift")
    assert not is_bitvec("logical_and")
    assert is_unary("relu", NKI)
    assert not is_unary("relu", BETA1)
    for operation in ISA.values():
        for dialect in (BETA1, NKI):
            assert set(operation.required(dialect).operators.values()) <= set(SETS[dialect]), operation.name


def test_every_operation_gives_something() -> None:
    operations: list[Operation] = list(ISA.values())
    assert all(callable(operation.result) for operation in operations)
