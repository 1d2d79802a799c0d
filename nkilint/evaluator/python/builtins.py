"""The names that Python itself binds."""

from __future__ import annotations

from typing import Any

from ..values.cells import MISSING
from ..values.objects import External
from .library.registry import FUNCTIONS, native

_EXCEPTIONS = (
    "Exception", "ValueError", "TypeError", "AssertionError", "RuntimeError", "NotImplementedError", "KeyError",
    "IndexError", "AttributeError", "ImportError", "ModuleNotFoundError", "SyntaxError", "StopIteration", "OSError",
    "ZeroDivisionError", "BaseException", "Warning",
)  # fmt: skip

_CONSTANTS: dict[str, Any] = {
    **{name: External(f"builtins.{name}") for name in (*_EXCEPTIONS, "NotImplemented")},
    "Ellipsis": Ellipsis,
    "__name__": "__module__",
    "__debug__": True,
}


def builtin(name: str) -> Any:
    """What a name stands for that nothing else binds, MISSING where Python has none."""
    return native(name) if f"builtins.{name}" in FUNCTIONS else _CONSTANTS.get(name, MISSING)
