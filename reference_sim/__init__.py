"""A numpy model of the NeuronCore as NKI shows it: memories, operations and stand-ins for `neuronxcc.nki` and `nki`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import FINDINGS, CannotSimulate, Finding, NkiError
    from .observation import Observation, Stop, observe
    from .standin import install, uninstall
    from .strictness import Strictness

_HOMES = {
    "FINDINGS": "errors", "CannotSimulate": "errors", "Finding": "errors", "NkiError": "errors",
    "Observation": "observation", "Stop": "observation", "observe": "observation",
    "install": "standin", "uninstall": "standin", "Strictness": "strictness",
}  # fmt: skip

__all__ = [
    "FINDINGS", "CannotSimulate", "Finding", "NkiError", "Observation", "Stop", "Strictness", "install", "observe",
    "uninstall",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import what is asked for, so that the command line can show its help without numpy."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
