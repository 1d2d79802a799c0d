"""A numpy model of the NeuronCore as NKI shows it: memories, operations and stand-ins for `neuronxcc.nki` and `nki`."""

from __future__ import annotations

from .errors import FINDINGS, CannotSimulate, Finding, NkiError
from .standin import install, uninstall
from .strictness import Strictness

__all__ = ["FINDINGS", "CannotSimulate", "Finding", "NkiError", "Strictness", "install", "uninstall"]
