"""Constants, and the operators that instructions take."""

from __future__ import annotations

from typing import Any

import pytest

from nkilint_rules.operations.form import Operation
from nkilint_rules.operations.isa_constants import CONSTANTS, ENUM_VALUES
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.names import Named
from nkilint_rules.words.operators import SETS, accepted, is_bitvec, is_unary, operator_name

from ..support.isa_calls import ISA


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
