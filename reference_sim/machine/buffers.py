"""The buffers a tensor is created in, as kernels name them."""

from __future__ import annotations

from enum import Enum
from typing import Any

from nkilint_rules.operations.language_constants import REGIONS
from nkilint_rules.words.names import Named


class MemoryRegion(Enum):
    """A memory; `hbm` is `private_hbm` by another name."""

    sbuf = "sbuf"
    psum = "psum"
    private_hbm = "private_hbm"
    shared_hbm = "shared_hbm"

    @property
    def memory(self) -> str:
        """The memory in the rulebook's words."""
        return REGIONS[self.value].memory

    def __repr__(self) -> str:
        return f"nki.language.{self.value}"


def region(buffer: Any) -> MemoryRegion:
    """The region that a `buffer=` argument names; SBUF without one."""
    if buffer is None:
        return MemoryRegion.sbuf
    if isinstance(buffer, MemoryRegion):
        return buffer
    if isinstance(buffer, Named):
        buffer = buffer.leaf
    if isinstance(buffer, str):
        return MemoryRegion("private_hbm" if buffer == "hbm" else buffer)
    inner = getattr(buffer, "region", None)
    if isinstance(inner, MemoryRegion):
        return inner
    raise TypeError(f"{buffer!r} is not a buffer")
