"""`nki`, the API of 0.2 to 0.6."""

from __future__ import annotations

from enum import Enum, EnumMeta
from types import ModuleType
from typing import Any

from nkilint_rules.words.dialects import NKI
from reference_sim.running.kernels import Kernel, TensorType, decorator, simulate

from . import collectives, isa, language
from .beta1 import module


def modules() -> dict[str, ModuleType]:
    """All modules by name, parents before children."""
    top: dict[str, Any] = {"jit": decorator(NKI, "auto"), "simulate": simulate, "Kernel": Kernel}
    instructions = isa.contents(NKI)
    enums = {name: value for name, value in instructions.items() if isinstance(value, (Enum, EnumMeta))}
    typing = {"tensor": TensorType(), "mutable_tensor": TensorType(mutable=True)}
    return {
        "nki": module("nki", top, True),
        "nki.language": module("nki.language", language.contents(NKI), True),
        "nki.isa": module("nki.isa", instructions, True),
        "nki.isa.constants": module("nki.isa.constants", enums),
        "nki.dtype": module("nki.dtype", language.dtypes(NKI)),
        "nki.collectives": module("nki.collectives", collectives.contents(), True),
        "nki.typing": module("nki.typing", typing),
    }
