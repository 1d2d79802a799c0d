"""Methods of tensors under the rulebook: a view that a rule forbids is reported before it is made."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from nkilint_rules.operations import load_operations
from reference_sim.machine.program import running

if TYPE_CHECKING:
    from reference_sim.tensors.tensor import Tensor

    from .entries import Entry


@cache
def _entry(name: str, dialect: str) -> Entry | None:
    from .entries import Entry

    operation = load_operations().get(name)
    if operation is None or operation.signature(dialect) is None:
        return None
    return Entry(operation, dialect, lambda operands: None, True)


def judged(function: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """The method, whose requirements are looked at first."""
    full = f"tensor.{name or function.__name__}"

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        current = running()
        if current is not None and current.checks:
            entry = _entry(full, current.dialect)
            if entry is not None:
                entry.planned((self, *args), kwargs, current)
        return function(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name or function.__name__
    method.__doc__ = function.__doc__
    return method
