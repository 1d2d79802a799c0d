"""Stand-ins for the vendor's modules, put into `sys.modules` where the real ones are absent."""

from __future__ import annotations

import importlib.util
import logging
import sys
from types import ModuleType

from . import beta1, nki

_INSTALLED: dict[str, ModuleType] = {}


def _absent(name: str) -> bool:
    if name in sys.modules:
        return name in _INSTALLED
    try:
        return importlib.util.find_spec(name) is None
    except (ImportError, ValueError):
        return True


def install(force: bool = False) -> None:
    """Make `neuronxcc.nki` and `nki` importable; real ones stay unless `force`."""
    for root, build in (("neuronxcc", beta1.modules), ("nki", nki.modules)):
        if root in _INSTALLED and sys.modules.get(root) is _INSTALLED[root]:
            continue
        if not force and not _absent(root):
            continue
        for name, module in build().items():
            _INSTALLED[name] = sys.modules[name] = module
            parent, _, leaf = name.rpartition(".")
            if parent in _INSTALLED and parent != "neuronxcc.nki.compiler":
                setattr(_INSTALLED[parent], leaf, module)
    if not hasattr(logging, "OFF"):
        logging.OFF = logging.CRITICAL + 10  # type: ignore[attr-defined]


def uninstall() -> None:
    """Take the stand-ins out again."""
    for name, module in _INSTALLED.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    _INSTALLED.clear()
