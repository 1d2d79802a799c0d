"""What the compiler makes for an operation of Beta 1 that it turns into several: a tensor of its own, in words.

Sources: `nki_direct_allocation_guide` (Common Errors, #2), `nki.errors`.
"""

from __future__ import annotations

from .form import Call
from .isa_results import leaf
from .language_results import decided

BETWEEN = "for what lies between its steps"


def bias_of_zeros(call: Call) -> str | None:
    return "a bias of zeros" if call.get("bias") is None else None


def identity_matrix(call: Call) -> str | None:
    return "an identity matrix" if leaf(call.engine) != "vector" else None


def transposed_copy(call: Call) -> str | None:
    return None if decided(call.transpose_x, "transpose_x") else BETWEEN


def between_steps(call: Call) -> str | None:
    return BETWEEN
