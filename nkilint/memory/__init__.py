"""Which tensors hold data in SBUF and PSUM, from where to where, over the statements of a kernel."""

from .map import memory_map

__all__ = ["memory_map"]
