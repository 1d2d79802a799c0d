"""What single `nki.isa` operations require of their arguments."""

from __future__ import annotations

import contextlib
import string
from typing import Any

import pytest

from nkilint.symbolic import sym
from nkilint_rules.operations.form import Call
from nkilint_rules.operations.isa_results import moving_columns, moving_limit, stationary_columns
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.dtypes import (
    BFLOAT16,
    FLOAT4_E2M1FN_X4,
    FLOAT8_E4M3,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT8_E5M2_X4,
    INT32,
    UINT8,
    UINT16,
    UINT32,
)
from nkilint_rules.words.names import Named
from nkilint_rules.words.targets import TARGETS

from ..support.fake_calls import EXP, Fake, hbm, ps, sb
from ..support.isa_calls import ADD, AND, ISA, MULTIPLY, P, W, X, broken, call, engine

FP8, OCP, MX = (sb(128, 2, 16, dtype=d) for d in (FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E5M2_X4))
DOUBLE = Named("isa.matmul_perf_mode.double_row")
HW = Named("isa.dge_mode.hwdge")
LOAD = Named("isa.reduce_cmd.load_reduce")
BITS = sb(128, 512, dtype=INT32)
COLUMN = sb(128, 1)
LEGACY = sb(128, 64, dtype=FLOAT8_E4M3)
CHOSEN, CHOSEN_COLUMN = sb(128, 512, gathered=True), sb(128, 1, gathered=True)


class Predicate:
    """A mask as Beta 1 makes them of index grids."""

    def __init__(self, *shape: int, joined: bool = False) -> None:
        self.shape, self.joined = shape, joined


PARTICULAR: list[tuple[Call, list[str]]] = [
    (call("nc_matmul", NKI, P, W, X), []),
    (call("nc_matmul", NKI, P, FP8, FP8, perf_mode=DOUBLE), []),
    (call("nc_matmul", NKI, P, FP8, FP8, perf_mode=DOUBLE, target="trn1"), ["NKI206"]),
    (call("nc_matmul", NKI, P, FP8, sb(128, 3, 16, dtype=FLOAT8_E5M2), perf_mode=DOUBLE), ["NKI109"]),
    (call("nc_matmul", NKI, P, FP8, sb(128, 16, dtype=FLOAT8_E5M2), perf_mode=DOUBLE), ["NKI109"]),
    (call("nc_matmul", NKI, P, FP8, sb(128, 2, 16, dtype=BFLOAT16), perf_mode=DOUBLE), ["NKI202"]),
    (call("nc_matmul", NKI, P, OCP, OCP), ["NKI206", "NKI206"]),
    (call("nc_matmul", NKI, P, OCP, OCP, target="trn3"), []),
    (call("nc_matmul", NKI, P, LEGACY, OCP, target="trn3"), ["NKI202"]),
    (call("nc_matmul", NKI, P, W, sb(128, 512, dtype=BFLOAT16)), ["NKI202"]),
    (call("nc_matmul", BETA1, W, sb(128, 512, dtype=BFLOAT16)), []),
    (call("nc_matmul", NKI, ps(128, 512, dtype=BFLOAT16), W, X), ["NKI202"]),
    (call("nc_matmul", NKI, ps(128, 512, dtype=BFLOAT16), W, X, is_transpose=True), []),
    (call("nc_matmul", NKI, ps(128, 512, dtype=BFLOAT16), W, X, target="trn3"), []),
    (call("nc_matmul", NKI, P, FP8, FP8, perf_mode=DOUBLE, tile_position=(0, 0), tile_size=(128, 64)), ["NKI205"]),
    (call("nc_matmul", NKI, P, FP8, FP8, perf_mode=DOUBLE, tile_position=(0, 0), tile_size=(128, 128)), []),
    (call("nc_matmul", NKI, P, W, X, tile_position=(0, 0)), ["NKI205"]),
    (call("nc_matmul", NKI, P, W, X, tile_position=(0, 0), tile_size=(128, 128)), []),
    (call("nc_matmul", BETA1, W, X, tile_position=(0, 0), tile_size=(64, 128)), ["NKI103"]),
    (call("nc_matmul", BETA1, W, X, tile_position=(0, 0), tile_size=(128, 64)), ["NKI103"]),
    (call("nc_matmul", BETA1, W, X, tile_position=(0, 16), tile_size=(128, 128)), ["NKI109"]),
    (
        call("nc_matmul", BETA1, sb(32, 32), X, tile_position=(0, 0), tile_size=(32, 32), target="trn1"),
        ["NKI206"],
    ),
    (call("nc_matmul_mx", NKI, P, MX, MX, MX, MX, target="trn3"), []),
    (call("nc_matmul_mx", NKI, P, MX, MX, sb(128, 31), MX, target="trn3"), ["NKI204"]),
    (call("nc_transpose", NKI, P, W), []),
    (call("nc_transpose", NKI, X, W), ["NKI102", "NKI102"]),
    (call("nc_transpose", NKI, X, sb(32, 32)), []),
    (call("nc_transpose", NKI, X, sb(32, 33)), ["NKI102"]),
    (call("nc_transpose", NKI, X, W, engine("tensor")), ["NKI201"]),
    (call("nc_transpose", BETA1, sb(33, 32), engine=engine("vector")), ["NKI102"]),
    (call("nc_transpose", BETA1, ps(32, 32)), []),
    (call("nc_transpose", BETA1, ps(33, 32)), ["NKI102"]),
    (call("tensor_tensor", BETA1, X, X, AND), ["NKI202", "NKI202"]),
    (call("tensor_tensor", BETA1, BITS, BITS, AND), []),
    (call("tensor_tensor", BETA1, X, P, Named("numpy.power")), ["NKI201"]),
    (call("tensor_tensor", NKI, X, X, P, ADD, engine("gpsimd")), ["NKI201"]),
    (call("tensor_scalar", BETA1, X, ADD, 1.0, op1=AND, operand1=1), ["NKI205", "NKI202"]),
    (call("tensor_scalar", BETA1, X, ADD, 1.0, op1=MULTIPLY), ["NKI205"]),
    (call("tensor_scalar", BETA1, X, ADD, 1.0, operand1=2.0), ["NKI205"]),
    (call("tensor_scalar", BETA1, X, MULTIPLY, 1.0, op1=ADD, operand1=2.0, engine=engine("scalar")), []),
    (call("tensor_scalar", BETA1, X, ADD, 1.0, op1=ADD, operand1=2.0, engine=engine("scalar")), ["NKI206"]),
    (call("tensor_scalar", NKI, X, X, ADD, sb(128, 1, dtype=BFLOAT16)), ["NKI202"]),
    (call("tensor_scalar", NKI, X, X, ADD, COLUMN), []),
    (call("tensor_scalar", NKI, BITS, BITS, ADD, sb(128, 1, dtype=INT32)), []),
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
    (call("memset", NKI, sb(128, 4, dtype=FLOAT4_E2M1FN_X4), 1), ["NKI202"]),
    (call("dropout", NKI, BITS, BITS, sb(128, 1, dtype=BFLOAT16)), ["NKI202"]),
    (call("dropout", NKI, X, X, sb(128, 1, dtype=BFLOAT16)), []),
    (call("rand_set_state", NKI, sb(128, 6, dtype=UINT32)), []),
    (call("rand_set_state", NKI, sb(128, 24, dtype=UINT32)), ["NKI109"]),
    (call("rand_get_state", NKI, ps(128, 24, dtype=UINT32), engine("vector")), ["NKI201"]),
    (call("iota", NKI, X, [[1, 512]]), []),
    (call("iota", NKI, X, [[1, 511]]), ["NKI204"]),
    (call("iota", NKI, X, [[1, 2], [1, 2], [1, 2], [1, 8], [1, 8]]), ["NKI105"]),
    (call("affine_select", NKI, X, [[1, 8], [1, 64]], 1, X, 0.0), []),
    (call("affine_select", BETA1, Predicate(128, 512), X, 0.0), []),
    (call("affine_select", BETA1, Predicate(1, 512), X, 0.0), []),
    (call("affine_select", BETA1, Predicate(128, 256), X, 0.0), ["NKI204"]),
    (call("affine_select", BETA1, Predicate(128, 512, joined=True), X, 0.0), ["NKI205"]),
    (call("affine_select", BETA1, X, X, 0.0), ["NKI205"]),
    (call("tensor_tensor", NKI, X, CHOSEN, X, ADD, target="trn3"), []),
    (call("tensor_tensor", NKI, X, X, CHOSEN, ADD, target="trn3"), ["NKI205"]),
    (call("tensor_scalar", NKI, X, CHOSEN, ADD, COLUMN, target="trn3"), []),
    (call("tensor_scalar", NKI, X, X, ADD, CHOSEN_COLUMN, target="trn3"), ["NKI205"]),
    (call("activation", NKI, X, EXP, CHOSEN, bias=COLUMN, target="trn3"), []),
    (call("activation", NKI, X, EXP, X, bias=CHOSEN_COLUMN, target="trn3"), ["NKI205"]),
    (call("activation", NKI, X, EXP, X, scale=CHOSEN_COLUMN, target="trn3"), ["NKI205"]),
    (call("exponential", NKI, X, X, max_value=CHOSEN_COLUMN, target="trn3"), ["NKI205"]),
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
    (call("local_gather", NKI, X, X, sb(128, 256, dtype=UINT16)), []),
    (call("local_gather", NKI, X, X, sb(128, 257, dtype=UINT16)), ["NKI102"]),
    (call("local_gather", NKI, X, X, sb(128, 4, dtype=UINT16), 3), ["NKI109"]),
    (call("local_gather", NKI, X, X, sb(128, 4, dtype=UINT16), 1, 65), ["NKI109"]),
    (call("max8", BETA1, src=sb(8, 2, 2, 2, 2)), []),
    (call("max8", NKI, X, sb(8, 2, 2, 2)), ["NKI105"]),
    (call("nc_find_index8", BETA1, data=X, vals=X, dtype=UINT8), ["NKI202"]),
    (call("topk", NKI, sb(128, 8), sb(128, 8), sb(128, 3), 42), []),
    (call("topk", NKI, sb(128, 8), sb(128, 8), sb(128, 2), 42), ["NKI109"]),
    (call("topk", NKI, sb(128, 8), sb(128, 8), sb(128, 3), 7), ["NKI109", "NKI109"]),
    (call("nc_stream_shuffle", NKI, X, X, list(range(32))), []),
    (call("nc_stream_shuffle", NKI, X, X, list(range(31))), ["NKI205"]),
    (call("nc_stream_shuffle", NKI, X, X, [32] * 32), ["NKI205"]),
    (call("nc_stream_shuffle", NKI, sb(64, 4), sb(1, 4, start_partition=32), [0] * 32), ["NKI106"]),
    (call("nc_stream_shuffle", NKI, sb(32, 4), sb(1, 4, start_partition=32), [0] * 32), []),
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
    (call("dma_compute", NKI, hbm(4, 4), [hbm(16), hbm(4, 4)], ADD, [1.0]), ["NKI205"]),
    (call("dma_compute", NKI, hbm(4, 4), [hbm(17)] * 17, ADD, [2.0]), ["NKI109", "NKI204", "NKI205"]),
    (call("sendrecv", NKI, X, X, 0, 1, 0), []),
    (call("sendrecv", NKI, X, X, 2, 1, 0, Named("isa.dma_engine.gpsimd_dma")), ["NKI205", "NKI102"]),
    (call("core_barrier", NKI, hbm(4, 4), (0, 1)), []),
    (call("core_barrier", NKI, X, (1, 0)), ["NKI201", "NKI205"]),
    (call("core_barrier", NKI, hbm(4, 4), 0), ["NKI205"]),
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
    if isinstance(value, Fake):
        sizes = [sym(f"{name}{axis}", low=1) for axis in range(value.rank)]
        return sb(*sizes, dtype=value.dtype, memory=value.memory, start_partition=sym(f"{name}_start", low=0))
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
    assert stationary_columns(call("nc_matmul", BETA1, sb(64, 4, 8), X)) == 32
    assert moving_limit(call("nc_matmul", BETA1, W, X)) == 512
    assert moving_columns(call("nc_matmul", NKI, P, FP8, FP8, perf_mode=DOUBLE)) == 16
    assert moving_limit(call("nc_matmul", NKI, P, W, X, target="trn3")) == 4096
    bf16 = ps(128, 512, dtype=BFLOAT16)
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
