"""Kernels of Beta 1 that place tensors themselves: who places the others, and which they may not have."""

from __future__ import annotations

from ..words.memory import HBM

AUTOMATIC, STACK = "force_auto_alloc", "enable_stack_allocator"
"""Decorators that say who places tensors: the compiler all of them, or those that the kernel does not."""

FIRST = "the first direct allocation"
"""The note on where a kernel is seen to place tensors itself."""


def is_automatic(memory: str, placed: bool) -> bool:
    """Whether the compiler places a tensor, next to those that the kernel places (NKI405)."""
    return memory != HBM and not placed


def is_internal(memory: str, shared: bool, returned: bool) -> bool:
    """Whether a tensor is in HBM without being an output (NKI407)."""
    return memory == HBM and not (shared and returned)
