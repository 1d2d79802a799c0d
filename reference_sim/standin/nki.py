"""`nki`, the API of 0.2 to 0.6."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from nkilint_rules.words.dialects import NKI
from reference_sim.running.kernels import Kernel, TensorType, decorator, simulate

from . import collectives, isa, language
from .beta1 import module


def modules() -> dict[str, ModuleType]:
    """All modules by name, parents before children."""
    top: dict[str, Any] = {"jit": decorator(NKI, "auto"), "simulate": simulate, "Kernel": Kernel}
    typing = {"tensor": TensorType(), "mutable_tensor": TensorType(mutable=True)}
    return {
        "nki": module("nki", top, True),
        "nki.language": module("nki.language", language.contents(NKI), True),
        "nki.isa": module("nki.isa", isa.contents(NKI), True),
        "nki.collectives": module("nki.collectives", collectives.contents(), True),
        "nki.typing": module("nki.typing", typing),
    }
