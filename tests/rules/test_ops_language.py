"""The operations of `nki.language`, `nki.compiler`, `nki.collectives`, `nki` and tensors are what the documents say."""

from __future__ import annotations

from typing import Any

import pytest

from nkilint_rules.operations import load_constants, load_operations, lookup
from nkilint_rules.operations.availability import available, deprecated, parameter_available
from nkilint_rules.operations.form import Call
from nkilint_rules.operations.language_constants import CONSTANTS, SINCE, MemoryRegion, TargetAttribute
from nkilint_rules.operations.signatures import SignatureError
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.dtypes import BFLOAT16, BOOL, DTYPES, FLOAT16, FLOAT32, INT8, INT32, UINT8, DType
from nkilint_rules.words.memory import HBM, PSUM, SBUF
from nkilint_rules.words.names import MISSING, Named
from nkilint_rules.words.targets import TARGETS
from nkilint_rules.words.versions import version_key

from ..support.fake_calls import Fake


def test_operations_carry_their_page():
    operations = load_operations().items()
    assert [name for name, operation in operations if not operation.page and not name.startswith("isa.")] == []


def test_versions_are_written_well():
    for name, operation in load_operations().items():
        texts = (operation.since, operation.until, operation.deprecated, *operation.parameter_versions.values())
        for version in " ".join(texts).replace("..", " ").split():
            assert version_key(version) <= (2, 26), name
    for name in SINCE:
        assert name in CONSTANTS[BETA1] or name in CONSTANTS[NKI], name


def test_operands_are_parameters():
    for name, operation in load_operations().items():
        if name.startswith("isa."):
            continue
        names = {p for s in (operation.beta1, operation.nki) if s is not None for p in s.names}
        assert {*operation.operands, *operation.nki_operands} <= names, name


# --- signatures ---


def parameters(dialect: str, name: str) -> str:
    operation = lookup(dialect, name)
    assert operation is not None
    signature = operation.signature(dialect)
    assert signature is not None
    plain = [p.name if p.default is MISSING else f"{p.name}=" for p in signature.parameters if not p.keyword_only]
    named = [p.name if p.default is MISSING else f"{p.name}=" for p in signature.parameters if p.keyword_only]
    return " ".join([*plain, *(["*"] if named else []), *named])


@pytest.mark.parametrize(
    ("name", "beta1", "nki"),
    [
        ("language.load", "src * mask= dtype=", "src dtype="),
        ("language.store", "dst value * mask=", "dst value"),
        ("language.copy", "src * mask= dtype=", "x dtype="),
        ("language.exp", "x * dtype= mask=", "x dtype="),
        ("language.add", "x y * dtype= mask=", "x y dtype="),
        ("language.mod", "x y dtype= mask=", "x y dtype="),
        ("language.sum", "x axis * dtype= mask= keepdims=", "x axis dtype= keepdims="),
        ("language.var", "x axis * dtype= mask=", "x axis dtype= keepdims="),
        ("language.softmax", "x axis * dtype= compute_dtype= mask=", "x axis= dtype="),
        ("language.where", "condition x y * dtype= mask=", "condition x y dtype="),
        ("language.matmul", "x y * transpose_x= mask=", "x y transpose_x="),
        ("language.broadcast_to", "src * shape", "x shape dtype="),
        ("language.expand_dims", "data axis", "x axis"),
        ("language.ndarray", "shape dtype * buffer= name=", "shape dtype buffer= name= address="),
        ("language.full", "shape fill_value dtype * buffer= name=", "shape fill_value dtype buffer= name="),
        ("language.rand", "shape dtype=", "shape dtype buffer= name="),
        ("language.affine_range", "", "start stop= step="),
        ("language.program_id", "axis", "axis="),
        ("language.num_programs", "axes=", "axes="),
        ("language.device_print", "prefix x * mask=", "print_prefix tensor"),
        ("jit", "func= mode=", "fn="),
        ("tensor.reshape", "self shape", "self shape"),
    ],
)
def test_signatures_of_both_dialects(name: str, beta1: str, nki: str):
    assert (parameters(BETA1, name), parameters(NKI, name)) == (beta1, nki)


@pytest.mark.parametrize(
    ("dialect", "name", "expected"),
    [
        (
            BETA1,
            "compiler.psum.mod_alloc",
            "* base_bank base_addr= base_partition= num_bank_tiles= num_par_tiles= num_free_tiles=",
        ),
        (BETA1, "compiler.sbuf.mod_alloc", "* base_addr base_partition= num_par_tiles= num_free_tiles="),
        (NKI, "collectives.all_gather", "srcs dsts replica_group collective_dim priority= name="),
        (NKI, "tensor.ap", "self pattern offset= scalar_offset= vector_offset= indirect_dim= dtype="),
        (NKI, "tensor.slice", "self dim start end step="),
        (NKI, "language.fori_loop", "lower upper body_fun step="),
    ],
)
def test_signatures_of_one_dialect(dialect: str, name: str, expected: str):
    assert parameters(dialect, name) == expected


def test_a_mask_is_taken_in_beta_1_only():
    arguments = {"x": 1, "mask": True}
    beta1, nki = (lookup(dialect, "language.exp").signature(dialect) for dialect in (BETA1, NKI))
    assert beta1.bind((), arguments)["mask"] is True
    with pytest.raises(SignatureError, match="takes no argument `mask`"):
        nki.bind((), arguments)


# --- results ---


def run(dialect: str, name: str, *args: Any, version: str = "", **kwargs: Any) -> Any:
    operation = lookup(dialect, name)
    assert operation is not None
    assert operation.result is not None
    bound = operation.signature(dialect).bind(args, kwargs)
    return operation.result(Call(operation, dialect, TARGETS["trn2"], bound, kwargs, version))


X = Fake((128, 512))
COLUMN = Fake((128, 1))
HALF = Fake((128, 512), FLOAT16)
BYTES = Fake((128, 512), INT8)
DEEP = Fake((128, 4, 6))
SOURCE = Fake((256, 64), BFLOAT16, HBM)
ROWS = Fake((4, 128, 8), FLOAT32, HBM)
IN_PSUM = Fake((128, 512), FLOAT32, PSUM)


@pytest.mark.parametrize(
    ("dialect", "name", "args", "shape", "dtype", "memory"),
    [
        (BETA1, "language.load", (SOURCE,), (256, 64), BFLOAT16, SBUF),
        (BETA1, "language.load_transpose2d", (SOURCE,), (64, 256), BFLOAT16, SBUF),
        (BETA1, "language.exp", (IN_PSUM,), (128, 512), FLOAT32, SBUF),
        (BETA1, "language.add", (X, COLUMN), (128, 512), FLOAT32, SBUF),
        (BETA1, "language.add", (X, HALF), (128, 512), FLOAT32, SBUF),
        (BETA1, "language.add", (HALF, 1.2), (128, 512), FLOAT32, SBUF),
        (BETA1, "language.add", (BYTES, 2), (128, 512), INT32, SBUF),
        (BETA1, "language.equal", (X, HALF), (128, 512), BOOL, SBUF),
        (BETA1, "language.logical_not", (X,), (128, 512), BOOL, SBUF),
        (BETA1, "language.where", (BYTES, HALF, HALF), (128, 512), FLOAT16, SBUF),
        (BETA1, "language.sum", (X, 1), (128, 1), FLOAT32, SBUF),
        (BETA1, "language.sum", (DEEP, [2]), (128, 4), FLOAT32, SBUF),
        (BETA1, "language.max", (DEEP, [-1, -2]), (128, 1), FLOAT32, SBUF),
        (BETA1, "language.all", (X, 1), (128, 1), BOOL, SBUF),
        (BETA1, "language.mean", (BYTES, 1), (128, 1), FLOAT32, SBUF),
        (BETA1, "language.mean", (HALF, 1), (128, 1), FLOAT16, SBUF),
        (BETA1, "language.var", (HALF, 1), (128, 1), FLOAT16, SBUF),
        (BETA1, "language.softmax", (HALF, 1), (128, 512), FLOAT16, SBUF),
        (BETA1, "language.rms_norm", (HALF, X, 1, 512), (128, 512), FLOAT16, SBUF),
        (BETA1, "language.dropout", (HALF, 0.5), (128, 512), FLOAT16, SBUF),
        (BETA1, "language.transpose", (Fake((64, 32)),), (32, 64), FLOAT32, SBUF),
        (BETA1, "language.matmul", (Fake((64, 32)), Fake((32, 512))), (64, 512), FLOAT32, PSUM),
        (BETA1, "language.copy", (IN_PSUM,), (128, 512), FLOAT32, SBUF),
        (BETA1, "language.zeros", ((4, 128, 512), BFLOAT16), (4, 128, 512), BFLOAT16, SBUF),
        (BETA1, "language.rand", ((128, 4),), (128, 4), FLOAT32, SBUF),
        (BETA1, "language.zeros_like", (SOURCE,), (256, 64), BFLOAT16, SBUF),
        (BETA1, "language.shared_identity_matrix", (128,), (128, 128), UINT8, HBM),
        (BETA1, "language.shared_constant", (Fake((3, 4)), BFLOAT16), (3, 4), BFLOAT16, HBM),
        (BETA1, "language.gather_flattened", (HALF, Fake((128, 8))), (128, 8), FLOAT16, SBUF),
        (BETA1, "language.expand_dims", (X, 2), (128, 512, 1), FLOAT32, SBUF),
        (BETA1, "tensor.reshape", (DEEP, (128, 24)), (128, 24), FLOAT32, SBUF),
        (BETA1, "tensor.broadcast_to", (Fake((1, 512), memory=PSUM), (128, 512)), (128, 512), FLOAT32, PSUM),
        (BETA1, "tensor.astype", (IN_PSUM, BFLOAT16), (128, 512), BFLOAT16, SBUF),
        (BETA1, "tensor.view", (X, UINT8), (128, 2048), UINT8, SBUF),
        (NKI, "language.equal", (HALF, HALF), (128, 512), FLOAT16, SBUF),
        (NKI, "language.add", (HALF, 1.5), (128, 512), FLOAT16, SBUF),
        (NKI, "language.var", (DEEP, 2), (128, 4, 1), FLOAT32, SBUF),
        (NKI, "language.sum", (DEEP, 2, None, True), (128, 4, 1), FLOAT32, SBUF),
        (NKI, "language.transpose", (Fake((64, 32)),), (32, 64), FLOAT32, PSUM),
        (NKI, "language.matmul", (Fake((64, 32)), Fake((64, 512)), True), (32, 512), FLOAT32, PSUM),
        (NKI, "language.empty_like", (IN_PSUM,), (128, 512), FLOAT32, PSUM),
        (NKI, "language.ndarray", ((128, 4), FLOAT16), (128, 4), FLOAT16, SBUF),
        (NKI, "language.shared_identity_matrix", (64,), (64, 64), UINT8, SBUF),
        (NKI, "tensor.permute", (DEEP, (0, 2, 1)), (128, 6, 4), FLOAT32, SBUF),
        (NKI, "tensor.broadcast", (COLUMN, 1, 8), (128, 8), FLOAT32, SBUF),
        (NKI, "tensor.expand_dim", (X, 1), (128, 1, 512), FLOAT32, SBUF),
        (NKI, "tensor.squeeze_dim", (Fake((128, 1, 64)), 1), (128, 64), FLOAT32, SBUF),
        (NKI, "tensor.reshape_dim", (Fake((128, 24)), 1, (4, -1)), (128, 4, 6), FLOAT32, SBUF),
        (NKI, "tensor.flatten_dims", (Fake((128, 2, 3, 4)), 1, 2), (128, 6, 4), FLOAT32, SBUF),
        (NKI, "tensor.slice", (Fake((128, 64)), 1, 0, 63, 2), (128, 32), FLOAT32, SBUF),
        (NKI, "tensor.select", (Fake((128, 8, 64)), 1, 3), (128, 64), FLOAT32, SBUF),
        (NKI, "tensor.select", (X, 0, 3), (1, 512), FLOAT32, SBUF),
        (NKI, "tensor.select", (X, 1, 3), (128, 1), FLOAT32, SBUF),
        (NKI, "tensor.select", (ROWS, 0, COLUMN), (128, 8), FLOAT32, HBM),
        (NKI, "tensor.vector_select", (ROWS, 0, COLUMN), (128, 128, 8), FLOAT32, HBM),
        (NKI, "tensor.ap", (X, [[512, 128], [2, 256]]), (128, 256), FLOAT32, SBUF),
        (NKI, "tensor.view", (BYTES, FLOAT32), (128, 128), FLOAT32, SBUF),
        (NKI, "tensor.indirect", (X, Fake((128, 4))), (128, 512), FLOAT32, SBUF),
        (
            NKI,
            "tensor.rearrange",
            (Fake((128, 24)), ("b", ("h", "w")), ("b", "w", "h"), {"h": 4}),
            (128, 6, 4),
            FLOAT32,
            SBUF,
        ),
    ],
)
def test_results(dialect: str, name: str, args: tuple[Any, ...], shape: tuple[int, ...], dtype: Any, memory: str):
    result = run(dialect, name, *args)
    assert (result.shape, result.dtype, result.memory) == (shape, dtype, memory)


def test_an_explicit_dtype_wins():
    assert run(BETA1, "language.add", X, HALF, dtype=BFLOAT16).dtype == BFLOAT16
    assert run(BETA1, "language.equal", X, X, dtype=Named("numpy.uint8")).dtype == UINT8
    assert run(BETA1, "language.mean", BYTES, 1, dtype=FLOAT16).dtype == FLOAT16


def test_a_copy_stayed_in_psum_before_0_6():
    assert run(NKI, "language.copy", IN_PSUM, version="0.5").memory == PSUM
    assert run(NKI, "language.copy", IN_PSUM).memory == SBUF


@pytest.mark.parametrize("buffer", [Named("language.shared_hbm"), CONSTANTS[BETA1]["language.hbm"], "private_hbm"])
def test_creation_in_hbm(buffer: Any):
    assert run(BETA1, "language.ndarray", (128, 4), FLOAT32, buffer=buffer).memory == HBM


@pytest.mark.parametrize(
    ("name", "args", "reason"),
    [
        ("language.exp", (Unknown("lost"),), "lost"),
        ("language.add", (Unknown("lost"), X), "lost"),
        ("language.sum", (X, Unknown("no axis")), "no axis"),
        ("language.matmul", (X, X, Unknown("flag")), "flag"),
        ("language.ndarray", (Unknown("shape"), FLOAT32), "shape"),
    ],
)
def test_unknown_arguments_make_the_result_unknown(name: str, args: tuple[Any, ...], reason: str):
    with pytest.raises(IsUnknown) as caught:
        run(NKI, name, *args)
    assert caught.value.reason == reason


def test_two_dtypes_give_an_unknown_one_in_0_x():
    assert isinstance(run(NKI, "language.add", X, HALF).dtype, Unknown)


def test_queries_about_memory():
    psum = CONSTANTS[NKI]["language.psum"]
    names = ("is_hbm", "is_sbuf", "is_psum", "is_on_chip")
    assert [run(NKI, f"language.{name}", psum) for name in names] == [False, False, True, True]


# --- versions, limits and constants ---


def test_versions_of_operations():
    load, tan, fori = (load_operations()[f"language.{name}"] for name in ("load", "tan", "fori_loop"))
    assert not available(load, NKI, "0.2")
    assert available(load, NKI, "0.3")
    assert available(load, BETA1, "2.20")
    assert not available(tan, BETA1, "2.20")
    assert not available(fori, NKI, "0.5")
    assert not available(fori, BETA1)
    assert deprecated(load_operations()["language.affine_range"], NKI)
    assert not deprecated(load_operations()["language.affine_range"], BETA1)
    ring = load_operations()["collectives.collective_permute_implicit_current_processing_rank_id"]
    assert parameter_available(ring, "num_channels", NKI, "0.2")
    assert not parameter_available(ring, "num_channels", NKI, "0.3")


def test_operands_that_0_x_restricts():
    store = load_operations()["language.store"]
    assert store.operands_in(BETA1)["value"].memories == {SBUF, PSUM}
    assert store.operands_in(NKI)["value"].memories == {SBUF}
    assert store.operands_in(NKI)["dst"].memories == {HBM}


def test_limits_of_matmul_and_transpose():
    def bounds(name: str) -> list[tuple[str, str, str, str, int | str]]:
        return [(x.code, x.operand, x.quantity, x.relation, x.bound) for x in load_operations()[name].limits]

    assert bounds("language.matmul") == [
        ("NKI103", "x", "free", "<=", "gemm_stationary_fmax"),
        ("NKI103", "y", "free", "<=", "gemm_moving_fmax"),
    ]
    assert bounds("language.transpose") == [
        ("NKI105", "x", "rank", "<=", 2),
        ("NKI102", "x", "free", "<=", "tensor_transpose_max"),
    ]


def test_operations_that_make_tensors_of_their_own():
    implicit = {n for n, o in load_operations().items() if o.implicit and n.startswith("language.")}
    assert implicit == {"language.softmax", "language.matmul"}


def test_constants():
    assert CONSTANTS[BETA1]["language.bfloat16"] is BFLOAT16
    assert CONSTANTS[BETA1]["language.bool_"] is BOOL
    assert CONSTANTS[NKI]["language.shared_hbm"] == MemoryRegion("shared_hbm", HBM)
    assert CONSTANTS[BETA1]["language.fp32.min"] == -3.4028234663852886e38
    assert "language.float8_e4m3fn" not in CONSTANTS[BETA1]
    dtypes = {c.name for c in CONSTANTS[NKI].values() if isinstance(c, DType)}
    assert dtypes == set(DTYPES) - {"int64", "uint64", "float64"}


def test_no_name_is_both_a_constant_and_an_operation():
    for dialect, constants in load_constants().items():
        assert CONSTANTS[dialect].items() <= constants.items()
        assert [name for name in constants if lookup(dialect, name) is not None] == []


def test_tile_sizes_are_limits_of_the_target():
    for dialect in (BETA1, NKI):
        for name, constant in CONSTANTS[dialect].items():
            if isinstance(constant, TargetAttribute):
                assert constant.value(TARGETS["trn1"]) > 0, name
    assert CONSTANTS[BETA1]["language.tile_size.pmax"].value(TARGETS["trn2"]) == 128
