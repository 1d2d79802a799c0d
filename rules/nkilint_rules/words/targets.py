"""The limits of each NeuronCore generation, with AWS's names for them.

Sources: `trainium_inferentia2_arch`, `trainium2_arch` and `trainium3_arch` (memories, engines, access), `tile_size` of
`nki.language` in both dialects, `nki.compiler.sbuf.alloc` (reserved bytes), `nc_matmul` of 0.x (moving columns of
trn3), `nki-aps` (dimensions of an access). `docs/readings.md` says where they contradict each other.
"""

from __future__ import annotations

from typing import Any

from .dtypes import FLOAT4_E2M1FN_X4, FLOAT8_E4M3FN_X4, FLOAT8_E5M2_X4, FLOAT8_E8M0FNU, DType
from .records import dataclass

MX_DTYPES = frozenset({FLOAT4_E2M1FN_X4, FLOAT8_E4M3FN_X4, FLOAT8_E5M2_X4, FLOAT8_E8M0FNU})


@dataclass(frozen=True, slots=True)
class Target:
    """Limits of one kind of device; sizes in bytes are per partition unless the name says otherwise."""

    name: str
    generation: int
    sbuf_bytes: int
    sbuf_reserved: int = 16 * 1024  # kept for the compiler under direct allocation
    pmax: int = 128
    psum_bytes: int = 16 * 1024
    psum_banks: int = 8
    psum_bank_bytes: int = 2 * 1024
    psum_min_align: int = 4
    sbuf_min_align: int = 1
    gemm_stationary_fmax: int = 128
    gemm_moving_fmax: int = 512
    bn_stats_fmax: int = 512
    matmul_psum_bytes: int = 2 * 1024  # what one matmul may write: a bank, from trn3 on all of them
    tensor_transpose_max: int = 128  # sides of a transpose on the Tensor Engine
    vector_transpose_max: int = 32  # sides of a transpose on the Vector Engine
    engine_sbuf_fmax: int = 64 * 1024  # elements of an engine's operand in SBUF
    engine_psum_fmax: int = 4 * 1024  # elements of an engine's operand in PSUM
    access_free_dims: int = 4  # free dimensions of one engine access
    access_size_max: int = 2**16 - 1  # elements of one dimension of an access
    access_stride_max: int = 2**15 - 1  # elements between neighbours in one dimension of an access
    quadrant: int = 32  # partitions that the engines can shuffle among themselves
    lnc_max: int = 2  # physical cores that one kernel runs on
    engines: tuple[str, ...] = ("tensor", "vector", "scalar", "gpsimd", "dma", "sync")

    def __str__(self) -> str:
        return self.name

    @property
    def psum_fmax(self) -> int:
        """Elements of fp32 in a PSUM bank."""
        return self.psum_bank_bytes // 4

    @property
    def psum_bank_fmax(self) -> int:
        """Elements of fp32 in a PSUM bank."""
        return self.psum_bank_bytes // 4

    @property
    def psum_bank_fmax_bytes(self) -> int:
        return self.psum_bank_bytes

    @property
    def psum_num_banks(self) -> int:
        return self.psum_banks

    @property
    def sbuf_size_bytes(self) -> int:
        """Bytes of SBUF over all partitions."""
        return self.sbuf_bytes * self.pmax

    @property
    def sbuf_fmax_bytes(self) -> int:
        """Bytes of a partition that a kernel can use."""
        return self.sbuf_bytes - self.sbuf_reserved

    @property
    def sbuf_fmax(self) -> int:
        """Elements of fp32 of a partition that a kernel can use."""
        return self.sbuf_fmax_bytes // 4

    @property
    def total_available_sbuf_size(self) -> int:
        """Bytes of a partition that a kernel can use, under the name that promises a total."""
        return self.sbuf_fmax_bytes

    @property
    def matmul_spans_banks(self) -> bool:
        """Whether one matmul may write to more than one PSUM bank."""
        return self.matmul_psum_bytes > self.psum_bank_bytes

    def moving_fmax(self, itemsize: Any) -> Any:
        """Columns of a matmul's moving operand, for a result of `itemsize` bytes an element."""
        if not self.matmul_spans_banks:
            return self.gemm_moving_fmax
        return self.matmul_psum_bytes // itemsize

    def has_dtype(self, dtype: DType) -> bool:
        """Whether the target knows the dtype: packed ones and their scales came with trn3."""
        return self.generation >= 4 or dtype not in MX_DTYPES


def _gen2(name: str) -> Target:
    return Target(name, 2, 192 * 1024, lnc_max=1)


TARGETS = {
    t.name: t
    for t in (
        _gen2("trn1"),
        _gen2("inf2"),
        Target("trn2", 3, 224 * 1024),
        Target("trn3", 4, 256 * 1024, matmul_psum_bytes=16 * 1024),
    )
}
DEFAULT_TARGET = "trn2"  # where nothing names one, in both dialects


def targets_to_try() -> list[Target]:
    """Where nothing names a target, the devices that a kernel may be for: the first that has all it uses is meant."""
    first = TARGETS[DEFAULT_TARGET]
    later = {t.generation: t for t in TARGETS.values() if t.generation > first.generation}
    return [first, *(later[generation] for generation in sorted(later))]
