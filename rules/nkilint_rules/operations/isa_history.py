"""Signatures that `nki.isa` operations had in earlier versions; the newest of each dialect are in the definitions.

Taken from the API stubs of the SDK releases 2.20 to 2.32. Beta 1 is counted by SDK releases, 0.x by its own versions
(`versions`). An era begins with `since` and ends before `until`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..words.dialects import BETA1, NKI
from ..words.versions import LATEST, version_key
from .form import Operation
from .signatures import Signature


@dataclass(frozen=True, slots=True)
class Era:
    """The signature of one operation over some versions of a dialect."""

    dialect: str
    since: str
    until: str
    text: str


def signature_at(operation: Operation, dialect: str, version: str = "") -> Signature | None:
    """The signature of an operation in one version of a dialect, the newest where none is named."""
    at = version_key(version or LATEST[dialect])
    for era in SIGNATURES.get(operation.name, ()):
        if era.dialect == dialect and version_key(era.since) <= at < version_key(era.until):
            return Signature(era.text)
    return operation.signature(dialect)


SIGNATURES: Mapping[str, tuple[Era, ...]] = {
    "isa.activation": (
        Era(BETA1, "2.20", "2.21", "op, data, bias=None, scale=1.0, mask=None, dtype=None, **kwargs"),
        Era(BETA1, "2.21", "2.22", "op, data, *, bias=None, scale=1.0, mask=None, dtype=None, **kwargs"),
    ),
    "isa.affine_select": (
        Era(BETA1, "2.20", "2.21", "pred, on_true_tile, on_false_value, mask=None, dtype=None, **kwargs"),
        Era(
            NKI,
            "0.1",
            "0.3",
            "dst, pattern, offset, channel_multiplier, on_true_tile, on_false_value, cmp_op=language.equal, name=None",
        ),
    ),
    "isa.bn_aggr": (Era(BETA1, "2.20", "2.21", "data, mask=None, dtype=None, **kwargs"),),
    "isa.bn_stats": (Era(BETA1, "2.20", "2.21", "data, mask=None, dtype=None, **kwargs"),),
    "isa.core_barrier": (Era(NKI, "0.1", "0.3", "data, cores, engine=isa.engine.unknown, name=None"),),
    "isa.dma_compute": (
        Era(NKI, "0.1", "0.3", "dst, srcs, scales, reduce_op, name=None"),
        Era(NKI, "0.3", "0.4", "dst, srcs, reduce_op, scales=None, unique_indices=True, name=None"),
    ),
    "isa.dma_copy": (
        Era(BETA1, "2.21", "2.22", "src, dst"),
        Era(BETA1, "2.22", "2.23", "*, dst, src"),
        Era(
            NKI,
            "0.1",
            "0.2",
            "dst, src, dst_rmw_op=None, oob_mode=isa.oob_mode.error, dge_mode=isa.dge_mode.unknown, name=None",
        ),
        Era(
            NKI,
            "0.2",
            "0.3",
            "dst, src, dst_rmw_op=None, oob_mode=isa.oob_mode.error, dge_mode=isa.dge_mode.unknown, "
            "unique_indices=True, name=None",
        ),
        Era(
            NKI,
            "0.3",
            "0.4",
            "dst, src, oob_mode=isa.oob_mode.error, dge_mode=isa.dge_mode.unknown, engine=isa.engine.unknown, "
            "name=None",
        ),
    ),
    "isa.dma_transpose": (
        Era(BETA1, "2.21", "2.26", "src, *, mask=None, dtype=None, **kwargs"),
        Era(NKI, "0.1", "0.2", "dst, src, axes=None, dge_mode=isa.dge_mode.unknown, name=None"),
        Era(
            NKI,
            "0.2",
            "0.4",
            "dst, src, axes=None, dge_mode=isa.dge_mode.unknown, oob_mode=isa.oob_mode.error, name=None",
        ),
    ),
    "isa.dropout": (Era(BETA1, "2.20", "2.21", "data, prob, mask=None, dtype=None, **kwargs"),),
    "isa.exponential": (
        Era(
            NKI,
            "0.2",
            "0.3",
            "dst, src, max_value=0.0, reduce_res=None, reduce_cmd=isa.reduce_cmd.idle, reduce_init=0.0",
        ),
    ),
    "isa.iota": (
        Era(BETA1, "2.20", "2.21", "expr, dtype, mask=None, **kwargs"),
        Era(NKI, "0.1", "0.3", "dst, pattern, offset, channel_multiplier=0, name=None"),
    ),
    "isa.local_gather": (
        Era(BETA1, "2.20", "2.21", "src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, mask=None"),
    ),
    "isa.memset": (Era(BETA1, "2.20", "2.21", "shape, value, dtype, mask=None, **kwargs"),),
    "isa.nc_match_replace8": (Era(BETA1, "2.22", "2.25", "*, data, vals, imm, mask=None, dtype=None, **kwargs"),),
    "isa.nc_matmul": (
        Era(
            BETA1,
            "2.20",
            "2.21",
            "stationary, moving, is_stationary_onezero=False, is_moving_onezero=False, mask=None, **kwargs",
        ),
        Era(
            BETA1,
            "2.21",
            "2.22",
            "stationary, moving, *, is_stationary_onezero=False, is_moving_onezero=False, is_transpose=False, "
            "mask=None, **kwargs",
        ),
        Era(
            NKI,
            "0.1",
            "0.3",
            "dst, stationary, moving, is_stationary_onezero=False, is_moving_onezero=False, "
            "is_transpose=False, tile_position=(), tile_size=(), perf_mode=isa.matmul_perf_mode.none, name=None",
        ),
    ),
    "isa.nc_matmul_mx": (
        Era(
            NKI,
            "0.1",
            "0.3",
            "dst, stationary, moving, stationary_scale, moving_scale, tile_position=None, tile_size=None, name=None",
        ),
    ),
    "isa.nc_transpose": (Era(BETA1, "2.20", "2.21", "data, mask=None, dtype=None, engine=None, **kwargs"),),
    "isa.nonzero_with_count": (Era(NKI, "0.2", "0.3", "dst, src, index_offset=0, padding_val=-1"),),
    "isa.rand_get_state": (Era(NKI, "0.1", "0.5", "dst, engine=isa.engine.unknown, name=None"),),
    "isa.rand_set_state": (Era(NKI, "0.1", "0.5", "src_seeds, engine=isa.engine.unknown, name=None"),),
    "isa.range_select": (
        Era(
            NKI,
            "0.1",
            "0.2",
            "dst, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=isa.reduce_cmd.idle, "
            "reduce_res=None, reduce_op=language.maximum, range_start=0.0, on_false_value=0.0, name=None",
        ),
        Era(
            NKI,
            "0.2",
            "0.3",
            "dst, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=isa.reduce_cmd.reset_reduce, "
            "reduce_res=None, reduce_op=language.maximum, range_start=0.0, "
            "on_false_value=-3.4028234663852886e+38, name=None",
        ),
    ),
    "isa.reciprocal": (
        Era(BETA1, "2.20", "2.21", "data, dtype=None, mask=None, **kwargs"),
        Era(BETA1, "2.21", "2.22", "data, *, dtype=None, mask=None, engine=isa.engine.unknown, **kwargs"),
    ),
    "isa.register_move": (Era(NKI, "0.1", "0.3", "dst, imm"),),
    "isa.rng": (Era(NKI, "0.1", "0.5", "dst, engine=isa.engine.unknown, name=None"),),
    "isa.sendrecv": (Era(NKI, "0.1", "0.3", "src, dst, send_to_rank, recv_from_rank, pipe_id, name=None"),),
    "isa.tensor_copy_dynamic_dst": (Era(BETA1, "2.22", "2.23", "*, dst, src, mask=None, dtype=None, **kwargs"),),
    "isa.tensor_copy_dynamic_src": (Era(BETA1, "2.21", "2.23", "src, *, mask=None, dtype=None, **kwargs"),),
    "isa.tensor_copy_predicated": (
        Era(BETA1, "2.22", "2.23", "*, src, dst, predicate, mask=None, dtype=None, **kwargs"),
        Era(BETA1, "2.23", "2.26", "*, src, dst, predicate, mask=None, dtype=None, reverse_pred=False, **kwargs"),
    ),
    "isa.tensor_reduce": (
        Era(BETA1, "2.20", "2.21", "op, data, axis, mask=None, dtype=None, negate=False, keepdims=False, **kwargs"),
    ),
    "isa.tensor_scalar": (
        Era(
            BETA1,
            "2.20",
            "2.21",
            "data, op0, operand0, reverse0=False, op1=None, operand1=None, reverse1=False, dtype=None, "
            "mask=None, **kwargs",
        ),
    ),
    "isa.tensor_scalar_cumulative": (
        Era(NKI, "0.1", "0.3", "dst, src, op0, op1, imm0, imm1=None, reduce_cmd=isa.reduce_cmd.reset_reduce"),
    ),
    "isa.tensor_scalar_reduce": (
        Era(NKI, "0.1", "0.4", "dst, data, op0, operand0, reduce_op, reduce_res, reverse0=False, name=None"),
        Era(
            NKI,
            "0.4",
            "0.6",
            "dst, data, op0, operand0, reduce_op, reduce_res, reverse0=False, "
            "reduce_cmd=isa.reduce_cmd.reset_reduce, reduce_init=None, name=None",
        ),
    ),
    "isa.tensor_tensor": (
        Era(BETA1, "2.20", "2.21", "data1, data2, op, dtype=None, mask=None, **kwargs"),
        Era(BETA1, "2.21", "2.22", "data1, data2, op, *, dtype=None, mask=None, **kwargs"),
    ),
    "isa.tensor_tensor_scan": (
        Era(
            BETA1,
            "2.20",
            "2.21",
            "data0, data1, initial, op0, op1, reverse0=False, reverse1=False, dtype=None, mask=None, **kwargs",
        ),
    ),
}
