"""Calls of `nki.isa` operations on tiles of given shapes, and what the rulebook says of them."""

from __future__ import annotations

from typing import Any

from nkilint_rules.operations import load_operations
from nkilint_rules.operations.form import Call
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import (
    FLOAT32,
    DType,
)
from nkilint_rules.words.memory import HBM, PSUM, SBUF
from nkilint_rules.words.names import Named
from nkilint_rules.words.targets import TARGETS
from nkilint_rules.words.tiles import Tile

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
