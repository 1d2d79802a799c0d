"""A numpy model of the NeuronCore as NKI shows it: memories, operations and stand-ins for `neuronxcc.nki` and `nki`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .report.errors import FINDINGS, CannotSimulate, Finding, NkiError
    from .report.strictness import Strictness
    from .running.observation import Observation, Stop, observe
    from .standin import install, uninstall

_HOMES = {
    "FINDINGS": "report.errors", "CannotSimulate": "report.errors", "Finding": "report.errors",
    "NkiError": "report.errors",
    "Observation": "running.observation", "Stop": "running.observation", "observe": "running.observation",
    "install": "standin", "uninstall": "standin", "Strictness": "report.strictness",
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
