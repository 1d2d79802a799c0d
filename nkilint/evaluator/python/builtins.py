"""The names that Python itself binds."""

from __future__ import annotations

import builtins
from functools import cache
from typing import Any

from ..values.cells import MISSING
from ..values.objects import External
from .exceptions import builtin_exception
from .library.registry import FUNCTIONS, native

_CONSTANTS: dict[str, Any] = {
    **{name: External(f"builtins.{name}") for name in vars(builtins) if builtin_exception(name) is not None},
    "NotImplemented": External("builtins.NotImplemented"),
    "Ellipsis": Ellipsis,
    "__name__": "__module__",
    "__debug__": True,
}


@cache
def builtin(name: str) -> Any:
    """What a name stands for that nothing else binds, MISSING where Python has none."""
    return native(name) if f"builtins.{name}" in FUNCTIONS else _CONSTANTS.get(name, MISSING)
