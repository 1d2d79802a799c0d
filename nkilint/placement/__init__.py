"""Direct allocation: where tiles are placed, and what a directly allocated kernel has to obey."""

from .kernels import state_obligations

__all__ = ["state_obligations"]
