"""The limits of each NeuronCore generation, with AWS's names for them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """Limits of one kind of device; sizes in bytes are per partition."""

    name: str
    generation: int
    sbuf_bytes: int
    sbuf_reserved: int = 16 * 1024
    pmax: int = 128
    psum_bytes: int = 16 * 1024
    psum_banks: int = 8
    psum_bank_bytes: int = 2 * 1024
    psum_min_align: int = 4
    sbuf_min_align: int = 1
    gemm_stationary_fmax: int = 128
    gemm_moving_fmax: int = 512
    bn_stats_fmax: int = 512

    def __str__(self) -> str:
        return self.name

    @property
    def psum_fmax(self) -> int:
        """Elements of fp32 in a PSUM bank."""
        return self.psum_bank_bytes // 4


TARGETS = {
    t.name: t
    for t in (
        Target("trn1", 2, 192 * 1024),
        Target("inf2", 2, 192 * 1024),
        Target("trn2", 3, 224 * 1024),
        Target("trn3", 4, 256 * 1024),
    )
}
DEFAULT_TARGET = "trn2"
