"""What stands in the place of names and arguments of `nki` that are gone or going.

Beta 1 is left out: how to get from there to 0.x is a guide of its own. Pages: `migration/index.rst`,
`release-notes/components/nki.rst`.
"""

from __future__ import annotations

from collections.abc import Mapping

INSTEAD: Mapping[str, str] = {
    "jit.platform_target": "the environment variable `NEURON_PLATFORM_TARGET_OVERRIDE`",
    "jit.mode": "`@nki.jit` alone; the arguments of the kernel tell the framework",
    "isa.tensor_copy_dynamic_src": "`nisa.tensor_copy` with `.ap(scalar_offset=...)`",
    "isa.tensor_copy_dynamic_dst": "`nisa.tensor_copy` with `.ap(scalar_offset=...)`",
    "isa.dma_copy.dst_rmw_op": "`nisa.dma_compute`",
    "isa.dma_copy.unique_indices": "`nisa.dma_compute`",
    "isa.register_move.imm": "`src=`, a register that `nisa.register_alloc` made",
    "isa.sendrecv.use_gpsimd_dma": "`dma_engine=nisa.dma_engine.gpsimd_dma`",
    "language.affine_range": "`range`",
    "language.sequential_range": "`range`",
    "language.static_range": "`range`",
    "language.dynamic_range": "`nl.fori_loop`",
    "while": "`nl.while_loop`",
    "language.tile_size.total_available_sbuf_size": "`nl.tile_size.sbuf_fmax_bytes` or `sbuf_size_bytes`",
    "tensor": "`nki.meta.tensor`",
    "language.tile_size.psum_fmax": "`nl.tile_size.psum_bank_fmax`",
}


def instead_of(name: str) -> str:
    """What to write in the place of an operation, or of its argument `operation.argument`."""
    return INSTEAD.get(name, "what its page names")
