"""Stand-ins for the vendor's modules, put into `sys.modules` where the real ones are absent.

Those for what joins NKI to PyTorch and JAX (`torch_xla`, `torch_neuronx`, `jax_neuronx`) are files, in a folder that
comes last on the path: they import the frameworks themselves, which not everybody has.
"""

from __future__ import annotations

import importlib.util
import logging
import sys
from pathlib import Path
from types import ModuleType

from . import beta1, nki

_INSTALLED: dict[str, ModuleType] = {}
_FRAMEWORKS = str(Path(__file__).parents[1] / "frameworks")


def _found(name: str) -> tuple[bool, list[str]]:
    """Whether there is a real module, and the folders of this name that are no package but may hold modules."""
    if name in sys.modules:
        return name not in _INSTALLED, []
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False, []
    folders = [] if spec is None or spec.origin is not None else list(spec.submodule_search_locations or ())
    return spec is not None and not folders, folders


def install(force: bool = False) -> None:
    """Make `neuronxcc.nki`, `nki` and what joins them to frameworks importable; real ones stay unless `force`."""
    if _FRAMEWORKS not in sys.path:
        sys.path.insert(0 if force else len(sys.path), _FRAMEWORKS)
    for root, build in (("neuronxcc", beta1.modules), ("nki", nki.modules)):
        if root in _INSTALLED and sys.modules.get(root) is _INSTALLED[root]:
            continue
        real, folders = _found(root)
        if real and not force:
            continue
        modules = build()
        modules[root].__path__ = folders
        for name, module in modules.items():
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
    if _FRAMEWORKS in sys.path:
        sys.path.remove(_FRAMEWORKS)
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(_FRAMEWORKS):
            del sys.modules[name]
