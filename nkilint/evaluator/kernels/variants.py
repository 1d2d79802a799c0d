"""Defaults that decide between paths of a kernel: what only another value reaches is looked at with that value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nkilint.base import ir
from nkilint.base.names import target_names
from nkilint.base.walk import statements, walk

OTHERWISE = {True: "{}", False: "not {}", None: "{} is None"}
"""In the words of a precondition: the parameter has its default."""


def deciding(function: ir.FunctionDef) -> Iterator[ir.Param]:
    """The parameters that are a truth or None by default and that some test in the kernel hangs on."""
    tested = list(_tested(function))
    for parameter in function.params:
        default = parameter.default
        if isinstance(default, ir.Const) and (default.value is None or isinstance(default.value, bool)):
            names = _following(function, parameter.name)
            if any(isinstance(part, ir.Name) and part.id in names for test in tested for part in walk(test)):
                yield parameter


def _tested(function: ir.FunctionDef) -> Iterator[ir.Expr]:
    for part in walk(function.body):
        if isinstance(part, (ir.If, ir.While, ir.Conditional)):
            yield part.test
        elif isinstance(part, ir.BoolOp):
            yield part.left


def _following(function: ir.FunctionDef, name: str) -> set[str]:
    """The names that are bound to something made of `name`."""
    found, before = {name}, 0
    bindings = [s for s in statements(function.body) if isinstance(s, (ir.Assign, ir.AnnAssign))]
    while len(found) != before:
        before = len(found)
        for binding in bindings:
            if _is_test(binding.value, found):
                targets = binding.targets if isinstance(binding, ir.Assign) else (binding.target,)
                found |= {bound for target in targets for bound in target_names(target)}
    return found


def _is_test(value: Any, names: set[str]) -> bool:
    """Whether a value is a truth made of these names, or one of them."""
    if isinstance(value, (ir.Compare, ir.BoolOp, ir.Name)) or (isinstance(value, ir.Unary) and value.op == "not"):
        return any(isinstance(part, ir.Name) and part.id in names for part in walk(value))
    return False
