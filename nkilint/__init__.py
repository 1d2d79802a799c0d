"""A static verifier for AWS NKI kernels."""

import importlib

TYPE_CHECKING = False  # by `-m nkilint`, Python would take the modules `__future__` and `typing` of the working folder
if TYPE_CHECKING:
    from typing import Any

    from .api.functions import check_source, explain_source, fix_source, simulate_source
    from .api.results import Checked, Explained, Finding, Fixed, Simulated
    from .api.settings import BadRequest

__version__ = "0.1.0"

_HOMES = {
    "BadRequest": "settings",
    **dict.fromkeys(("check_source", "explain_source", "fix_source", "simulate_source"), "functions"),
    **dict.fromkeys(("Checked", "Explained", "Finding", "Fixed", "Simulated"), "results"),
}

__all__ = [
    "BadRequest", "Checked", "Explained", "Finding", "Fixed", "Simulated", "__version__", "check_source",
    "explain_source", "fix_source", "simulate_source",
]  # fmt: skip


def __getattr__(name: str) -> "Any":
    """Import what is asked for, so that the command line can show its help without the analysis."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.api.{_HOMES[name]}"), name)
