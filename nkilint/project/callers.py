"""Which kernels other kernels call, and which take what only those can make, by their text alone."""

from __future__ import annotations

from collections.abc import Sequence

from nkilint.base.ir import Attr, Call, Const, FunctionDef, Name, Return
from nkilint.base.walk import walk
from nkilint_rules.operations import lookup
from nkilint_rules.operations.tensor_methods import ATTRIBUTES

from .discovery import Kernel
from .docstrings import takes_only_tiles
from .names import Scope

_OF_MEMBERS = frozenset({"itemsize", "name", "ndim", "size", "value"})


def called_by_kernels(kernels: Sequence[Kernel], modules: Sequence[Scope]) -> frozenset[int]:
    """Kernels, by their definition, that the text of other kernels reaches by name; and functions that nothing declares
    to be kernels, where others call them with objects."""
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
    named = {name for names in calls.values() for name in names}
    given = (k for k in kernels if k.kind == "implicit" and k.function.name in named and takes_objects(k))
    return frozenset(reached.union(id(kernel.function) for kernel in given))


def takes_objects(kernel: Kernel) -> bool:
    """Whether a kernel reads fields of its parameters that neither tensors nor members of enumerations have. It is a
    part of the kernels that call it: they know what they put into such objects, and nothing else does."""
    names = {parameter.name for parameter in kernel.function.params}
    nodes = list(walk(kernel.function.body))
    called = {id(node.func) for node in nodes if isinstance(node, Call)}
    own = ATTRIBUTES[kernel.dialect] | _OF_MEMBERS
    return any(
        isinstance(node, Attr)
        and isinstance(node.value, Name)
        and node.value.id in names
        and id(node) not in called
        and node.name not in own
        and lookup(kernel.dialect, f"tensor.{node.name}") is None
        for node in nodes
    )


def is_part(kernel: Kernel) -> bool:
    """Whether a kernel that other kernels call is made for these alone: it takes what only they have, is private to
    them, or hands nothing back that a host could use."""
    function = kernel.function
    given = [n.value for n in walk(function.body) if isinstance(n, Return) and n.value is not None]
    hands_back = any(not isinstance(value, Const) or value.value is not None for value in given)
    private = function.name.startswith("_")
    return takes_objects(kernel) or private or takes_only_tiles(function) or not (hands_back or kernel.may_write)


def _called_names(function: Scope) -> frozenset[str]:
    """Names called plainly; `nl.add(x, y)` says nothing about a kernel called `add`."""
    return frozenset(c.func.id for s in function.everything() for c in s.calls if isinstance(c.func, Name))
