"""Each rule that judges calls, on single calls of real operations: the first bad value and the last good one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import sym
from nkilint_rules.catalogue import rules
from nkilint_rules.operations import load_operations
from nkilint_rules.operations.form import Call, Result
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.dtypes import BFLOAT16, FLOAT8_E4M3FN_X4, FLOAT16, FLOAT32, INT8, INT32, UINT8, UINT16, UINT32
from nkilint_rules.words.memory import HBM, PSUM, SBUF
from nkilint_rules.words.names import Named
from nkilint_rules.words.targets import TARGETS
from nkilint_rules.words.tiles import Tile


@dataclass(eq=False)
class Fake(Tile):
    """A tile with concrete properties."""

    shape: tuple[Any, ...]
    dtype: Any = FLOAT32
    memory: Any = SBUF
    start_partition: Any = 0
    partition_step: Any = 1


def sb(*shape: int, **more: Any) -> Fake:
    return Fake(shape, **more)


def ps(*shape: int, **more: Any) -> Fake:
    return Fake(shape, memory=PSUM, **more)


def hbm(*shape: int, **more: Any) -> Fake:
    return Fake(shape, memory=HBM, **more)


def named(name: str) -> Named:
    return Named(name)


ADD, EXP, MAX, AND = (named(f"language.{name}") for name in ("add", "exp", "max", "bitwise_and"))
VECTOR, SCALAR, GPSIMD, TENSOR = (named(f"isa.engine.{name}") for name in ("vector", "scalar", "gpsimd", "tensor"))


def call(name: str, *args: Any, dialect: str = BETA1, target: str = "trn2", **kwargs: Any) -> Call:
    operation = load_operations()[name]
    signature = operation.signature(dialect)
    assert signature is not None
    made = Call(operation, dialect, TARGETS[target], signature.bind(args, kwargs), kwargs)
    try:
        made.result = operation.result(made) if operation.result is not None else None
    except IsUnknown:
        made.result = None
    return made


def findings(code: str, made: Call) -> list[tuple[str | None, str]]:
    """Operand and message of every condition that fails."""
    rule = rules()[code]()
    needs = list(rule.check(made))
    for need in needs:
        need.message.text()  # every message can be filled, whether it is needed or not
    return [(n.operand, n.message.text()) for n in needs if n.condition is False]


NKI_ARGS = {"dialect": NKI}
TRN1, TRN3 = {"target": "trn1"}, {"target": "trn3"}
BUFFER = {"sbuf": named("language.sbuf"), "psum": named("language.psum"), "hbm": named("language.hbm")}
F32 = named("language.float32")

# Code, the bad call, operand at fault, message, and the good call beside it.
CASES: list[tuple[str, Call, str | None, str, Call]] = [
    (
        "NKI101",
        call("language.zeros", (129, 512), F32),
        None,
        "tile [129, 512] spans 129 partitions; trn2 has 128",
        call("language.zeros", (128, 512), F32),
    ),
    (
        "NKI101",
        call("language.load", hbm(129, 512)),
        None,
        "tile [129, 512] spans 129 partitions; trn2 has 128",
        call("language.load", hbm(128, 512)),
    ),
    (
        "NKI101",
        call("language.ndarray", (129, 4), F32, **NKI_ARGS),
        None,
        "tile [129, 4] spans 129 partitions; trn2 has 128",
        call("language.ndarray", (129, 4), F32, BUFFER["hbm"], **NKI_ARGS),
    ),
    (
        "NKI102",
        call("isa.bn_stats", sb(128, 513)),
        "data",
        "`data` has free size 513; `bn_stats` takes at most 512",
        call("isa.bn_stats", sb(128, 512)),
    ),
    (
        "NKI102",
        call("isa.nc_transpose", sb(128, 129)),
        "data",
        "`data` has free size 129; `nc_transpose` takes at most 128",
        call("isa.nc_transpose", sb(128, 128)),
    ),
    (
        "NKI102",
        call("language.transpose", sb(128, 129)),
        "x",
        "`x` has free size 129; `transpose` takes at most 128",
        call("language.transpose", sb(128, 128)),
    ),
    (
        "NKI102",
        call("isa.max8", src=sb(128, 16385)),
        "src",
        "`src` has free size 16385; `max8` takes at most 16384",
        call("isa.max8", src=sb(128, 16384)),
    ),
    (
        "NKI103",
        call("isa.nc_matmul", sb(128, 128), sb(128, 513)),
        "moving",
        "moving operand has 513 columns; trn2 takes at most 512",
        call("isa.nc_matmul", sb(128, 128), sb(128, 512)),
    ),
    (
        "NKI103",
        call("isa.nc_matmul", sb(128, 129), sb(128, 512)),
        "stationary",
        "stationary operand has 129 columns; trn2 takes at most 128",
        call("isa.nc_matmul", sb(128, 128), sb(128, 512)),
    ),
    (
        "NKI103",
        call("isa.nc_matmul", ps(128, 8193), sb(128, 128), sb(128, 8193), **NKI_ARGS, **TRN3),
        "moving",
        "moving operand has 8193 columns; trn3 takes at most 4096",
        call("isa.nc_matmul", ps(128, 8192, dtype=BFLOAT16), sb(128, 128), sb(128, 8192), **NKI_ARGS, **TRN3),
    ),
    (
        "NKI103",
        call("language.matmul", sb(128, 128), sb(128, 513), transpose_x=True),
        "y",
        "`y` has free size 513; `matmul` takes at most 512",
        call("language.matmul", sb(128, 128), sb(128, 512), transpose_x=True),
    ),
    (
        "NKI104",
        call("language.zeros", (128, 513), F32, buffer=BUFFER["psum"]),
        None,
        "PSUM tile [128, 513] takes 2052 bytes in each partition; a bank of trn2 has 2048",
        call("language.zeros", (128, 2, 256), F32, buffer=BUFFER["psum"]),
    ),
    (
        "NKI104",
        call("language.ndarray", (128, 4097), F32, BUFFER["psum"], **NKI_ARGS),
        None,
        "PSUM tile [128, 4097] takes 16388 bytes in each partition; a partition of trn2 has 16384",
        call("language.ndarray", (128, 4096), F32, BUFFER["psum"], **NKI_ARGS),
    ),
    (
        "NKI105",
        call("language.transpose", sb(64, 32, 2)),
        "x",
        "`x` has rank 3; `transpose` takes at most 2",
        call("language.transpose", sb(64, 64)),
    ),
    (
        "NKI105",
        call("language.zeros", (128,), F32),
        None,
        "tile [128] in SBUF has rank 1; an on-chip tile has at least 2 dimensions",
        call("language.zeros", (128, 1), F32),
    ),
    (
        "NKI106",
        call("isa.tensor_copy", sb(32, 8, start_partition=31)),
        "src",
        "`src` takes 32 partitions from partition 31; that many start at 0, 32, 64 or 96",
        call("isa.tensor_copy", sb(32, 8, start_partition=32)),
    ),
    (
        "NKI106",
        call("isa.tensor_copy", sb(33, 8, start_partition=32)),
        "src",
        "`src` takes 33 partitions from partition 32; that many start at 0 or 64",
        call("isa.tensor_copy", sb(64, 8, start_partition=64)),
    ),
    (
        "NKI106",
        call("language.exp", sb(65, 8, start_partition=32)),
        "x",
        "`x` takes 65 partitions from partition 32; that many start at 0",
        call("language.exp", sb(32, 8, start_partition=96)),
    ),
    (
        "NKI106",
        call("isa.reciprocal", sb(16, 8, start_partition=112), sb(16, 8), **NKI_ARGS),
        "dst",
        "`dst` takes 16 partitions from partition 112; that many start at 0, 32, 64 or 96",
        call("isa.dma_copy", sb(16, 8, start_partition=112), sb(16, 8), **NKI_ARGS),
    ),
    (
        "NKI107",
        call("tensor.permute", sb(128, 4, 8), (1, 0, 2), **NKI_ARGS),
        None,
        "`permute` changes the partition dimension of a tile in SBUF, where it stays first",
        call("tensor.permute", sb(128, 4, 8), (0, 2, 1), **NKI_ARGS),
    ),
    (
        "NKI107",
        call("tensor.flatten_dims", sb(128, 4, 8), 0, 1, **NKI_ARGS),
        None,
        "`flatten_dims` changes the partition dimension of a tile in SBUF, where it stays first",
        call("tensor.flatten_dims", sb(128, 4, 8), 1, 2, **NKI_ARGS),
    ),
    (
        "NKI107",
        call("tensor.expand_dim", sb(128, 4), 0, **NKI_ARGS),
        None,
        "`expand_dim` changes the partition dimension of a tile in SBUF, where it stays first",
        call("tensor.expand_dim", sb(128, 4), 2, **NKI_ARGS),
    ),
    (
        "NKI107",
        call("tensor.permute", sb(128, 4), (1, 0), **NKI_ARGS),
        None,
        "`permute` changes the partition dimension of a tile in SBUF, where it stays first",
        call("tensor.permute", hbm(128, 4), (1, 0), **NKI_ARGS),
    ),
    (
        "NKI108",
        call("language.exp", sb(64, 8, partition_step=2)),
        "x",
        "`x` takes every 2 partitions; an engine takes consecutive ones",
        call("language.exp", sb(1, 8, partition_step=2)),
    ),
    (
        "NKI108",
        call("tensor.ap", sb(128, 512), [[1024, 64], [1, 512]], **NKI_ARGS),
        None,
        "the pattern steps over 1024 elements from row to row; a partition holds 512",
        call("tensor.ap", sb(128, 512), [[512, 64], [2, 256]], **NKI_ARGS),
    ),
    (
        "NKI109",
        call("isa.max8", src=sb(128, 7)),
        "src",
        "`src` has free size 7; `max8` takes at least 8",
        call("isa.max8", src=sb(128, 8)),
    ),
    (
        "NKI109",
        call("isa.bn_aggr", sb(128, 7)),
        "data",
        "`data` has free size 7; `bn_aggr` takes multiples of 3",
        call("isa.bn_aggr", sb(128, 6)),
    ),
    (
        "NKI109",
        call("tensor.view", sb(128, 6, dtype=UINT8), F32, **NKI_ARGS),
        None,
        "the last dimension holds 6 bytes, no multiple of the 4 of float32",
        call("tensor.view", sb(128, 8, dtype=UINT8), F32, **NKI_ARGS),
    ),
    (
        "NKI201",
        call("language.load", sb(128, 512)),
        "src",
        "`src` is in SBUF; `load` takes it in HBM",
        call("language.load", hbm(128, 512)),
    ),
    (
        "NKI201",
        call("language.exp", hbm(4, 4)),
        "x",
        "`x` is in HBM; `exp` takes it in SBUF or PSUM",
        call("language.exp", ps(4, 4)),
    ),
    (
        "NKI201",
        call("isa.nc_matmul", sb(128, 512), sb(128, 128), sb(128, 512), **NKI_ARGS),
        "dst",
        "`dst` is in SBUF; `nc_matmul` takes it in PSUM",
        call("isa.nc_matmul", ps(128, 512), sb(128, 128), sb(128, 512), **NKI_ARGS),
    ),
    (
        "NKI201",
        call("isa.tensor_tensor", ps(128, 8), ps(128, 8), ADD),
        "data2",
        "`data2` and `data1` are both in PSUM; `tensor_tensor` reads one of them from there",
        call("isa.tensor_tensor", ps(128, 8), sb(128, 8), ADD),
    ),
    (
        "NKI202",
        call("isa.activation", EXP, sb(128, 8), bias=sb(128, 1, dtype=INT8)),
        "bias",
        "`bias` is int8; `activation` takes bfloat16, float16 or float32",
        call("isa.activation", EXP, sb(128, 8), bias=sb(128, 1, dtype=BFLOAT16)),
    ),
    (
        "NKI202",
        call("isa.activation", EXP, sb(128, 8), scale=sb(128, 1, dtype=FLOAT16)),
        "scale",
        "`scale` is float16; `activation` takes float32",
        call("isa.activation", EXP, sb(128, 8), scale=sb(128, 1)),
    ),
    (
        "NKI202",
        call("isa.tensor_tensor", sb(128, 8), sb(128, 8, dtype=INT32), AND),
        "data1",
        "`data1` is float32; bitwise operators take integers",
        call("isa.tensor_tensor", sb(128, 8, dtype=INT32), sb(128, 8, dtype=INT32), AND),
    ),
    (
        "NKI202",
        call("isa.memset", sb(128, 8, dtype=INT32), 2.0, **NKI_ARGS),
        "value",
        "`value` is the float 2.0; `dst` is int32",
        call("isa.memset", sb(128, 8, dtype=INT32), 2, **NKI_ARGS),
    ),
    (
        "NKI202",
        call("isa.nc_stream_shuffle", sb(32, 8), sb(32, 8, dtype=BFLOAT16), list(range(32))),
        "dst",
        "`dst` is bfloat16; `src` is float32, and the two have the same dtype",
        call("isa.nc_stream_shuffle", sb(32, 8), sb(32, 8), list(range(32))),
    ),
    (
        "NKI203",
        call("isa.tensor_tensor", sb(128, 512), sb(1, 512), ADD),
        "data2",
        "`data2` has partition size 1; `data1` has 128",
        call("isa.tensor_tensor", sb(128, 512), sb(128, 512), ADD),
    ),
    (
        "NKI203",
        call("language.add", sb(128, 512), sb(127, 512)),
        "y",
        "`y` has partition size 127; `x` has 128",
        call("language.add", sb(128, 512), sb(1, 512)),
    ),
    (
        "NKI203",
        call("language.add", sb(128, 512), sb(1, 512), **NKI_ARGS),
        "y",
        "`y` has partition size 1; `x` has 128",
        call("language.add", sb(128, 512), sb(128, 512), **NKI_ARGS),
    ),
    (
        "NKI203",
        call("isa.activation", EXP, sb(128, 8), bias=sb(64, 1)),
        "bias",
        "`bias` has partition size 64; `data` has 128",
        call("isa.activation", EXP, sb(128, 8), bias=sb(128, 1)),
    ),
    (
        "NKI203",
        call("isa.tensor_copy", sb(64, 8), sb(128, 8), **NKI_ARGS),
        "dst",
        "`dst` has partition size 64; `src` has 128",
        call("isa.tensor_copy", sb(128, 8), sb(128, 8), **NKI_ARGS),
    ),
    (
        "NKI204",
        call("isa.tensor_tensor", sb(128, 512), sb(128, 511), ADD),
        "data2",
        "`data2` has free size 511; `data1` has 512",
        call("isa.tensor_tensor", sb(128, 512), sb(128, 2, 256), ADD),
    ),
    (
        "NKI204",
        call("isa.tensor_tensor", sb(128, 512), sb(128, 512), sb(128, 1), ADD, **NKI_ARGS),
        "data2",
        "`data2` has free size 1; `data1` has 512",
        call("isa.tensor_tensor", sb(128, 512), sb(128, 1), ADD),
    ),
    (
        "NKI204",
        call("language.add", sb(128, 512), sb(128, 511)),
        "y",
        "`y` has shape [128, 511]; `x` has [128, 512], and the two do not broadcast",
        call("language.add", sb(128, 512), sb(128, 1)),
    ),
    (
        "NKI204",
        call("language.add", sb(128, 512), sb(128, 1), **NKI_ARGS),
        "y",
        "`y` has shape [128, 1]; `x` has [128, 512], and the two do not broadcast",
        call("language.add", sb(128, 512), sb(128, 512), **NKI_ARGS),
    ),
    (
        "NKI204",
        call("isa.nc_matmul", sb(64, 128), sb(128, 512)),
        "moving",
        "`moving` has partition size 128; `stationary` contracts it with 64",
        call("isa.nc_matmul", sb(64, 128), sb(64, 512)),
    ),
    (
        "NKI204",
        call("language.matmul", sb(128, 64), sb(128, 512)),
        "y",
        "`y` has partition size 128; `x` contracts it with 64",
        call("language.matmul", sb(128, 64), sb(128, 512), transpose_x=True),
    ),
    (
        "NKI204",
        call("isa.nc_matmul", ps(127, 512), sb(128, 128), sb(128, 512), **NKI_ARGS),
        "dst",
        "`dst` has partition size 127; `nc_matmul` writes 128",
        call("isa.nc_matmul", ps(128, 512), sb(128, 128), sb(128, 512), **NKI_ARGS),
    ),
    (
        "NKI204",
        call("isa.tensor_copy", sb(128, 511), sb(128, 512), **NKI_ARGS),
        "dst",
        "`dst` has free size 511; `tensor_copy` writes 512",
        call("isa.tensor_copy", sb(128, 2, 256), sb(128, 512), **NKI_ARGS),
    ),
    (
        "NKI204",
        call("isa.dma_copy", sb(128, 512), hbm(127, 512), **NKI_ARGS),
        "dst",
        "`dst` has size 65536; `src` has 65024",
        call("isa.dma_copy", sb(128, 512), hbm(512, 128), **NKI_ARGS),
    ),
    (
        "NKI204",
        call("language.store", hbm(128, 256), sb(128, 512)),
        "value",
        "`value` has shape [128, 512], which does not fill the shape [128, 256] of `dst`",
        call("language.store", hbm(128, 512), sb(1, 128, 1)),
    ),
    (
        "NKI204",
        call("tensor.reshape", sb(128, 512), (128, 2, 255), **NKI_ARGS),
        None,
        "shape [128, 2, 255] has 65280 elements; the tensor has 65536",
        call("tensor.reshape", sb(128, 512), (128, 2, -1), **NKI_ARGS),
    ),
    (
        "NKI204",
        call("tensor.reshape", sb(128, 512), (64, 1024), **NKI_ARGS),
        None,
        "shape [64, 1024] has partition size 64; the tile has 128, which stays as it is",
        call("tensor.reshape", hbm(128, 512), (64, 1024), **NKI_ARGS),
    ),
    (
        "NKI204",
        call("tensor.squeeze_dim", sb(128, 2, 4), 1, **NKI_ARGS),
        None,
        "axis 1 has size 2; `squeeze_dim` takes an axis of size 1",
        call("tensor.squeeze_dim", sb(128, 1, 4), 1, **NKI_ARGS),
    ),
    (
        "NKI205",
        call("isa.activation", EXP, sb(128, 8), scale=sb(128, 2)),
        "scale",
        "`scale` has free size 2; `activation` takes one element for each partition",
        call("isa.activation", EXP, sb(128, 8), scale=sb(128, 1)),
    ),
    (
        "NKI205",
        call("isa.activation", EXP, sb(128, 8), bias=1.0),
        "bias",
        "`bias` is the number 1.0; `activation` takes a tile with one element for each partition",
        call("isa.activation", EXP, sb(128, 8), scale=1.0),
    ),
    (
        "NKI205",
        call("isa.tensor_reduce", EXP, sb(128, 8), 1),
        "op",
        "`op` is `exp`, an operator that `tensor_reduce` does not take",
        call("isa.tensor_reduce", MAX, sb(128, 8), 1),
    ),
    (
        "NKI206",
        call("isa.exponential", sb(128, 8), sb(128, 8), **NKI_ARGS),
        None,
        "`exponential` does not exist on trn2; it is there on trn3",
        call("isa.exponential", sb(128, 8), sb(128, 8), **NKI_ARGS, **TRN3),
    ),
    (
        "NKI206",
        call("language.divide", sb(128, 8), sb(128, 8), **NKI_ARGS),
        None,
        "`divide` cannot be compiled: the hardware has no division; multiply by the reciprocal",
        call("language.divide", sb(128, 8), sb(128, 8)),
    ),
    (
        "NKI206",
        call("isa.tensor_copy", sb(128, 8), sb(128, 8), SCALAR, **NKI_ARGS, **TRN1),
        "engine",
        "`tensor_copy` does not run on the engine `scalar` of trn1",
        call("isa.tensor_copy", sb(128, 8), sb(128, 8), SCALAR, **NKI_ARGS),
    ),
    (
        "NKI206",
        call("isa.tensor_tensor", sb(128, 8), sb(128, 8), ADD, engine=named("isa.scalar_engine")),
        "engine",
        "`tensor_tensor` does not run on the engine `scalar` of trn2",
        call("isa.tensor_tensor", sb(128, 8), sb(128, 8), ADD, engine=named("isa.vector_engine")),
    ),
    (
        "NKI206",
        call("language.ndarray", (128, 4), FLOAT8_E4M3FN_X4, **NKI_ARGS),
        None,
        "trn2 does not have the dtype float8_e4m3fn_x4",
        call("language.ndarray", (128, 4), FLOAT8_E4M3FN_X4, **NKI_ARGS, **TRN3),
    ),
    (
        "NKI209",
        call("language.full", (3, 128, 512), 1.0, F32, buffer=BUFFER["hbm"]),
        None,
        "`full` creates a tensor in HBM with an initial value; only `ndarray` creates tensors there",
        call("language.full", (128, 512), 1.0, F32, buffer=BUFFER["sbuf"]),
    ),
    (
        "NKI211",
        call("isa.local_gather", sb(32, 8, start_partition=64), sb(32, 4, dtype=UINT16, start_partition=32)),
        "index",
        "`index` starts at partition 32; `src_buffer` starts at 64, and local_gather moves nothing",
        call("isa.local_gather", sb(32, 8, start_partition=64), sb(32, 4, dtype=UINT16)),
    ),
    (
        "NKI212",
        call("isa.memset", (128, 8), 256, UINT8),
        "value",
        "`value` is 256; uint8 holds 0 to 255",
        call("isa.memset", (128, 8), 255, UINT8),
    ),
    (
        "NKI212",
        call("isa.memset", sb(128, 8, dtype=INT8), -129, **NKI_ARGS),
        "value",
        "`value` is -129; int8 holds -128 to 127",
        call("isa.memset", sb(128, 8, dtype=INT8), -128, **NKI_ARGS),
    ),
    (
        "NKI212",
        call("isa.tensor_scalar", sb(128, 8, dtype=INT32), named("language.subtract"), 2**24 + 1),
        "operand0",
        "`operand0` is 16777217; `tensor_scalar` computes in float32, which rounds it to 16777216",
        call("isa.tensor_scalar", sb(128, 8, dtype=INT32), named("language.subtract"), 2**24 + 2),
    ),
    (
        "NKI213",
        call("isa.tensor_reduce", ADD, sb(128, 8), 0),
        "axis",
        "`axis` is 0 of 2 dimensions; `tensor_reduce` takes the last free ones without a gap",
        call("isa.tensor_reduce", ADD, sb(128, 8), 1),
    ),
    (
        "NKI213",
        call("language.sum", sb(128, 4, 8), axis=[0, 2]),
        "axis",
        "`axis` is [0, 2] of 3 dimensions; `sum` takes free ones",
        call("language.sum", sb(128, 4, 8), axis=[1]),
    ),
    (
        "NKI213",
        call("isa.tensor_reduce", ADD, sb(128, 4, 8), 1),
        "axis",
        "`axis` is 1 of 3 dimensions; `tensor_reduce` takes the last free ones without a gap",
        call("isa.tensor_reduce", ADD, sb(128, 4, 8), [1, 2]),
    ),
    (
        "NKI213",
        call("tensor.broadcast", sb(1, 4), 0, 128, **NKI_ARGS),
        "dim",
        "`dim` is 0, the partition axis of a tile in SBUF",
        call("tensor.broadcast", sb(128, 1), 1, 128, **NKI_ARGS),
    ),
]


@pytest.mark.parametrize(
    ("code", "bad", "operand", "message", "good"),
    CASES,
    ids=[f"{code}-{bad.operation.leaf}-{bad.dialect}" for code, bad, *_ in CASES],
)
def test_first_bad_value_and_last_good_one(code: str, bad: Call, operand: str | None, message: str, good: Call) -> None:
    assert (operand, message) in findings(code, bad)
    assert findings(code, good) == []


def test_each_rule_that_judges_calls_has_a_case() -> None:
    judging = {code for code, rule in rules().items() if rule.judges_calls}
    assert judging == {code for code, *_ in CASES}


GOOD = [good for *_, good in CASES]


@pytest.mark.parametrize("good", GOOD, ids=[f"{c[0]}-{c[-1].operation.leaf}" for c in CASES])
def test_good_calls_are_good_by_every_rule_or_fail_for_another_reason(good: Call) -> None:
    """No rule stumbles over a call that another rule is tested with."""
    for code, rule in rules().items():
        if rule.judges_calls and (not rule.ops or good.operation.name in rule.ops):
            for need in rule().check(good):
                assert isinstance(need.condition, bool), (code, need)


def test_an_unknown_memory_is_an_unknown_obligation() -> None:
    (need,) = rules()["NKI201"]().check(call("language.exp", Fake((128, 8), memory=Unknown("the buffer is not known"))))
    assert need.condition.reason == "the buffer is not known"


def test_a_dtype_of_an_input_is_asked_rather_than_compared() -> None:
    class Input:
        itemsize = 4
        is_float, is_integer, packed = True, False, 1

        def __init__(self) -> None:
            self.asked: list[frozenset[Any]] = []

        def in_set(self, allowed: frozenset[Any]) -> bool:
            self.asked.append(allowed)
            return True

    dtype = Input()
    assert list(rules()["NKI202"]().check(call("isa.local_gather", sb(16, 4), sb(16, 4, dtype=dtype)))) == []
    assert dtype.asked[0] == frozenset({UINT16})


def test_unsigned_32_bit_values_have_their_range() -> None:
    assert findings("NKI212", call("isa.memset", (128, 8), 2**32 - 1, UINT32)) == []
    assert findings("NKI212", call("isa.memset", (128, 8), 2**32, UINT32)) != []


def test_block_dimensions_do_not_count_as_partitions() -> None:
    made = call("language.zeros", (256, 128, 512), F32)
    made.result = Result((256, 128, 512), FLOAT32, SBUF, blocks=1)
    assert findings("NKI101", made) == []


def with_symbolic_sizes(made: Call) -> Call:
    """The same call with every size of its tiles, and every first partition, replaced by a symbol."""
    count = iter(range(1000))

    def symbolic(value: Any) -> Any:
        if not isinstance(value, Fake):
            return value
        shape = tuple(sym(f"n{next(count)}", "input", 1, None) for _ in value.shape)
        start = sym(f"s{next(count)}", "input", 0, 127)
        return replace(value, shape=shape, start_partition=start, dtype=value.dtype)

    arguments = {name: symbolic(value) for name, value in made.arguments.items()}
    result = Call(made.operation, made.dialect, made.target, arguments, made.given)
    try:
        result.result = made.operation.result(result) if made.operation.result is not None else None
    except IsUnknown:
        result.result = None
    return result


@pytest.mark.parametrize("made", [c[1] for c in CASES], ids=[f"{c[0]}-{c[1].operation.leaf}" for c in CASES])
def test_symbolic_sizes_give_conditions(made: Call) -> None:
    """Rules state conditions over symbols; they do not decide on them."""
    for rule in rules().values():
        if rule.judges_calls and (not rule.ops or made.operation.name in rule.ops):
            try:
                for need in rule().check(with_symbolic_sizes(made)):
                    assert isinstance(need.condition, (bool, Cond, Unknown))
                    assert need.message.text()
            except IsUnknown:
                pass
