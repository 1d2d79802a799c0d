"""Kernels that write their outputs into arguments."""

from __future__ import annotations

from neuronxcc import nki

nki_jit = nki.trace

__all__ = ["nki_jit"]
