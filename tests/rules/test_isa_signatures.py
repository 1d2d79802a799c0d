"""The names and signatures of `nki.isa` operations, in each dialect."""

from __future__ import annotations

import itertools

import pytest

from nkilint_rules.operations import lookup
from nkilint_rules.operations.availability import available, deprecated, parameter_available
from nkilint_rules.operations.isa_constants import CONSTANTS
from nkilint_rules.operations.signatures import SignatureError
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.names import Named
from nkilint_rules.words.targets import TARGETS
from nkilint_rules.words.versions import LATEST

from ..support.isa_calls import ISA


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
