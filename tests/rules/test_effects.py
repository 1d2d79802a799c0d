"""What operations say that they do to their operands, for calls of all kinds."""

from __future__ import annotations

from typing import Any

import pytest

from nkilint_rules.operations import load_operations
from nkilint_rules.operations.effects import (
    ALIGNED,
    MOVING,
    NOTHING,
    RESULT,
    ROWS,
    SCANNED,
    SOME,
    STATIONARY,
    TRANSPOSED,
    Blocks,
    Chosen,
    Contracted,
    Effects,
    Gathered,
    Permuted,
    Possible,
    Reduced,
    Shuffled,
)
from nkilint_rules.operations.form import OPERATIONS, Call, operation, reads, writes
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.memory import HBM, PSUM
from nkilint_rules.words.names import Named
from nkilint_rules.words.targets import TARGETS

from ..support.fake_calls import sb

X, W, P, OUT = sb(128, 512), sb(128, 128), sb(128, 512, memory=PSUM), sb(128, 512, memory=HBM)
COLUMN, FOUND = sb(128, 1), sb(128, 512, memory=HBM, indirect=True)
ADD, SKIP = Named("language.add"), Named("isa.oob_mode.skip")
LOAD, RESET = Named("isa.reduce_cmd.load_reduce"), Named("isa.reduce_cmd.reset_reduce")
BYPASS, MULTIPLY = Named("language.bypass"), Named("language.multiply")


def effects(name: str, dialect: str, *args: Any, **kwargs: Any) -> Effects:
    found = load_operations()[name]
    signature = found.signature(dialect)
    assert signature is not None
    call = Call(found, dialect, TARGETS["trn3"], signature.bind(args, kwargs), kwargs)
    call.result = found.result(call) if found.result is not None else None
    return found.effects(call)


def test_operations_say_what_their_results_depend_on() -> None:
    with pytest.raises(ValueError, match="does not say what its result depends on"):
        operation("isa.silent", nki="dst, src", src=reads(), dst=writes())(lambda call: None)
    assert "isa.silent" not in OPERATIONS
    operation("isa.told", nki="dst, src", src=reads(how=ROWS), dst=writes())(lambda call: None)
    assert OPERATIONS.pop("isa.told").depends is None


def test_roles_say_what_is_written() -> None:
    found = effects("isa.tensor_tensor", NKI, P, X, X, ADD)
    assert found.reads == {"data1", "data2"}
    assert found.writes["dst"].sources == {"data1": ALIGNED, "data2": ALIGNED}
    assert [found.role(n, "write") for n in ("dst", "data1")] == ["write", "read"]
    assert set(effects("isa.tensor_tensor", BETA1, X, X, ADD).writes) == {RESULT}
    assert effects("isa.memset", NKI, X, 0).writes["dst"].sources == {}
    assert effects("language.ndarray", NKI, (128, 4), None) == NOTHING
    assert set(effects("language.zeros", NKI, (128, 4), "float32").writes) == {RESULT}


@pytest.mark.parametrize(
    ("flag", "role", "named"), [(False, "write", ""), (True, "accumulate", "accumulate"), (None, "accumulate", "")]
)
def test_matmuls_overwrite_or_add(flag: bool | None, role: str, named: str) -> None:
    found = effects("isa.nc_matmul", NKI, P, W, X, accumulate=flag)
    assert (found.role("dst", "accumulate"), found.writes["dst"].flag) == (role, named)
    assert found.writes["dst"].sources["stationary"] == STATIONARY


def test_matmuls_contract() -> None:
    sources = effects("isa.nc_matmul", BETA1, W, X).writes[RESULT].sources
    assert sources == {"stationary": STATIONARY, "moving": MOVING}
    sources = effects("isa.nc_matmul", BETA1, W, W, is_transpose=True).writes[RESULT].sources
    assert sources["stationary"] == TRANSPOSED
    rows = sb(128, 2, 64)
    double = Named("isa.matmul_perf_mode.double_row")
    sources = effects("isa.nc_matmul", NKI, P, rows, rows, perf_mode=double).writes["dst"].sources
    assert (sources["stationary"], sources["moving"]) == (Contracted(0, 2), Contracted(1, 2))
    assert effects("language.matmul", BETA1, W, X).writes[RESULT].sources["x"] == ROWS
    assert effects("language.matmul", BETA1, W, X, transpose_x=True).writes[RESULT].sources["x"] == STATIONARY


def test_copies_update_on_request() -> None:
    assert effects("isa.dma_copy", BETA1, dst=OUT, src=X).role("dst", "write") == "write"
    assert effects("isa.dma_copy", BETA1, dst=OUT, src=X, dst_rmw_op=ADD).role("dst", "write") == "update"
    assert effects("isa.dma_copy", NKI, X, FOUND).role("dst", "write") == "write"
    assert effects("isa.dma_copy", NKI, X, OUT, oob_mode=SKIP).role("dst", "write") == "write"
    skipping = effects("isa.dma_copy", NKI, X, FOUND, oob_mode=SKIP)
    assert skipping.writes["dst"].sources == {"src": Chosen(), "dst": Chosen(negated=True)}
    assert effects("isa.dma_compute", NKI, X, [FOUND, X], ADD, oob_mode=SKIP).role("dst", "write") == "update"
    sources = effects("isa.dma_transpose", NKI, W, W).writes["dst"].sources
    assert sources["src"] == Permuted((1, 0))


def test_predicates_choose() -> None:
    sources = effects("isa.tensor_copy_predicated", NKI, X, X, X).writes["dst"].sources
    assert sources == {"src": Chosen("predicate"), "dst": Chosen("predicate", True), "predicate": ALIGNED}
    reverse = effects("isa.tensor_copy_predicated", NKI, X, X, X, reverse_pred=True).writes["dst"].sources
    assert (reverse["src"], reverse["dst"]) == (Chosen("predicate", True), Chosen("predicate"))
    found = effects("isa.select_reduce", NKI, X, X, X, COLUMN, reduce_res=COLUMN, reduce_cmd=RESET)
    assert found.writes["dst"].sources["on_false"] == Chosen("predicate", True)
    assert found.writes["reduce_res"].sources["on_true"] == Chosen("predicate", of=ROWS)
    assert effects("isa.affine_select", BETA1, None, X, 0.0).writes[RESULT].sources["on_true_tile"] == Chosen("pred")
    assert effects("language.where", BETA1, X, X, X).writes[RESULT].sources["y"] == Chosen("condition", True)


@pytest.mark.parametrize(
    ("mask", "written"),
    [
        ([255] * 32, []),
        ([0] * 31 + [255], list(range(31))),
        ([255] + [3] * 4 + [255] * 26 + [1], [1, 2, 3, 4, 31]),
        (list(range(32)), None),
    ],
)
def test_shuffles_leave_partitions(mask: list[int], written: list[int] | None) -> None:
    found = effects("isa.nc_stream_shuffle", NKI, X, X, mask).writes["dst"]
    assert found.sources == {"src": Shuffled(tuple(mask))}
    if written is None:
        assert found.partitions is None
    else:
        assert found.partitions is not None
        assert [p for p in range(32) if found.partitions(p)] == written
        assert [p for p in range(32, 64) if found.partitions(p)] == [p + 32 for p in written]


def test_partitions_that_are_written() -> None:
    partitions = effects("isa.nonzero_with_count", NKI, X, X).writes["dst"].partitions
    assert partitions is not None
    assert [p for p in range(128) if partitions(p)] == list(range(0, 128, 16))
    scales = effects("isa.quantize_mx", NKI, sb(128, 128), X, sb(128, 128)).writes["dst_scale"].partitions
    assert scales is not None
    assert [p for p in range(64) if scales(p)] == [0, 1, 2, 3, 32, 33, 34, 35]
    assert effects("isa.quantize_mx", NKI, W, X, sb(16, 128)).writes["dst_scale"].partitions is None


def test_reductions_name_their_axes() -> None:
    cube = sb(128, 4, 8)
    assert effects("isa.tensor_reduce", NKI, X, ADD, cube, axis=2).writes["dst"].sources["data"] == Reduced((2,))
    kept = effects("isa.tensor_reduce", NKI, X, ADD, cube, axis=[1, 2], keepdims=True).writes["dst"].sources["data"]
    assert kept == Reduced((1, 2), True)
    assert effects("language.softmax", BETA1, X, axis=1).writes[RESULT].sources["x"] == Reduced((1,), True)
    with pytest.raises(IsUnknown):
        effects("isa.nc_stream_shuffle", NKI, X, X, Unknown("somewhere"))


def test_operands_that_a_call_does_not_read() -> None:
    plain = effects("isa.activate2", NKI, X, ADD, X, COLUMN, COLUMN, MULTIPLY, BYPASS)
    assert plain.reads == {"data", "imm0", "relu_param"}
    for command, used in ((RESET, False), (LOAD, True)):
        found = effects("isa.tensor_scalar_cumulative", NKI, X, X, ADD, ADD, 1.0, COLUMN, command)
        assert ("imm1" in found.reads) is used
        found = effects("isa.exponential", NKI, X, X, reduce_res=COLUMN, reduce_cmd=command, reduce_init=COLUMN)
        assert ("reduce_init" in found.writes["reduce_res"].sources) is used
        assert "reduce_init" not in found.writes["dst"].sources


def test_gathers_and_searches() -> None:
    assert effects("isa.nc_n_gather", NKI, X, X, X).writes["dst"].sources["data"] == Gathered("indices")
    assert effects("isa.tensor_tensor_scan", NKI, X, X, X, 0.0, ADD, ADD).writes["dst"].sources["data0"] == SCANNED
    found = effects("isa.nc_match_replace8", BETA1, data=X, vals=sb(128, 8), imm=0.0).writes[RESULT]
    assert (found.outside, found.sources["data"]) == ("data", Possible(ROWS, ALIGNED))
    assert effects("isa.topk", NKI, W, W, X, 8192).writes["val_dst"].sources["src"] == Blocks(16)
    assert effects("isa.topk", NKI, W, W, X, 8000).writes["val_dst"].sources["src"] == Possible(Blocks(16))


def test_programs_wait() -> None:
    assert effects("isa.core_barrier", NKI, OUT, (0, 1)).synchronises
    assert effects("isa.sendrecv", NKI, X, X, 0, 1, 0).synchronises
    assert not effects("isa.dma_copy", NKI, X, X).synchronises


def test_collectives_of_any_length_leave_the_rest() -> None:
    group = [[0, 1]]
    assert effects("collectives.all_gather", NKI, [OUT], [OUT], group, 0).role("dsts", "write") == "write"
    found = effects("collectives.all_to_all_v", NKI, [OUT], [OUT], group, W)
    assert (found.role("dsts", "write"), found.role("metadata_tensor", "read")) == ("update", "update")
    found = effects("collectives.all_to_all_v", NKI, [OUT], [OUT], group, W, recv_counts_known=True)
    assert found.role("metadata_tensor", "read") == "read"
    assert found.writes["dsts"].sources["srcs"] == SOME


def test_definitions_say_nothing_that_is_not_known() -> None:
    with pytest.raises(TypeError, match="ordred is neither a field nor an operand"):
        operation("isa.misspelt", nki="dst", dst=writes(), ordred=True)
