"""Where `nki_jit` also is."""

from __future__ import annotations

from .. import nki_jit

__all__ = ["nki_jit"]
