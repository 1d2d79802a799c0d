"""Which kernels other kernels call, by the text of both alone."""

from __future__ import annotations

from collections.abc import Sequence

from nkilint.base.ir import FunctionDef, Name

from .discovery import Kernel
from .names import Scope


def called_by_kernels(kernels: Sequence[Kernel], modules: Sequence[Scope]) -> frozenset[int]:
    """Kernels, by their definition, that the text of other kernels reaches by name."""
    functions: dict[str, list[FunctionDef]] = {}
    calls: dict[int, frozenset[str]] = {}
    for scope in (s for module in modules for s in module.everything()):
        if scope.function is not None:
            functions.setdefault(scope.function.name, []).append(scope.function)
            calls[id(scope.function)] = _called_names(scope)
    reached: set[int] = set()
    for kernel in kernels:
        seen = {id(kernel.function)}
        stack = [kernel.function]
        while stack:
            for name in calls.get(id(stack.pop()), ()):
                for function in functions.get(name, ()):
                    if id(function) not in seen:
                        seen.add(id(function))
                        stack.append(function)
        reached |= seen - {id(kernel.function)}
    return frozenset(reached)


def _called_names(function: Scope) -> frozenset[str]:
    """Names called plainly; `nl.add(x, y)` says nothing about a kernel called `add`."""
    return frozenset(c.func.id for s in function.everything() for c in s.calls if isinstance(c.func, Name))
