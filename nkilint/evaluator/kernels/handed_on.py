"""What functions say of what they get: the classes and shapes of parameters that a kernel hands on to them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.project.docstrings import docstring_shapes

from ..state.machine import Machine
from ..values.objects import ClassValue, Environment, FunctionValue, ModuleValue
from .hints import is_none, nodes_as_written, unless_none

MOST = 4  # functions that hand a parameter on, one to the next


def handed_class(
    machine: Machine, function: ir.FunctionDef, name: str, env: Environment, depth: int = 0
) -> ClassValue | None:
    """The class of the project that all functions which say what they get for a parameter name; nothing else is
    ever bound to it, and nothing asks whether it is there."""
    if depth == MOST or _is_open(function, name):
        return None
    found: dict[int, ClassValue] = {}
    for called, parameter in _handed(machine, function, name, env):
        if parameter.annotation is not None:
            kind = _annotated(machine, parameter.annotation, called.env)
        else:
            kind = handed_class(machine, called.node, parameter.name, called.env, depth + 1)
        if kind is not None:
            found[id(kind)] = kind
    return next(iter(found.values())) if len(found) == 1 else None


Shape = tuple[int | str, ...]


def handed_shapes(machine: Machine, function: ir.FunctionDef, env: Environment, depth: int = 0) -> dict[str, Shape]:
    """By parameter, the shape that the docstring of the one function says which gets parameters of a kernel: those that
    it hands on are called the same in both, or are named by no size."""
    if depth == MOST:
        return {}
    given: dict[int, tuple[FunctionValue, dict[str, str]]] = {}
    for name in (p.name for p in function.params):
        for called, parameter in _handed(machine, function, name, env) if not _is_open(function, name) else ():
            names = given.setdefault(id(called), (called, {}))[1]
            if names.setdefault(parameter.name, name) != name:
                return {}
    found: dict[str, Shape] = {}
    for called, names in given.values():
        stated = docstring_shapes(called.node) or handed_shapes(machine, called.node, called.env, depth + 1)
        if not stated.keys().isdisjoint(names):
            if found:
                return {}
            others = {p.name for p in called.node.params if names.get(p.name) != p.name}
            found = {
                names[inner]: shape
                for inner, shape in stated.items()
                if inner in names and others.isdisjoint(_NAME.findall(" ".join(map(str, shape))))
            }
    return found


_NAME = re.compile(r"[A-Za-z_]\w*")


def _is_open(function: ir.FunctionDef, name: str) -> bool:
    """Whether a function binds a parameter anew, or asks whether it is None, so that it may be something else."""
    for node in nodes_as_written(function):
        held = tuple(target for target, _ in node.assigns)
        if isinstance(node, ir.Compare) and any(is_none(side) for side in (node.left, node.rest[0][1])):
            held = (node.left, node.rest[0][1])
        elif isinstance(node, (ir.If, ir.Conditional)):
            held = (node.test,) if isinstance(node.test, ir.Name) else ()
        if name in node.binds or any(isinstance(n, ir.Name) and n.id == name for n in walk(held)):
            return True
    return False


def _handed(
    machine: Machine, function: ir.FunctionDef, name: str, env: Environment
) -> Iterator[tuple[FunctionValue, ir.Param]]:
    """The functions of the project that a parameter goes to as it is, with their own parameters."""
    for node in nodes_as_written(function):
        if not isinstance(node, ir.Call) or not any(isinstance(v, ir.Name) and v.id == name for _, v in node.args):
            continue
        called = _named(machine, node.func, env, function.locals)
        if not isinstance(called, FunctionValue):
            continue
        params = called.node.params
        for position, (keyword, value) in enumerate(node.args):
            if not (isinstance(value, ir.Name) and value.id == name) or keyword in ("*", "**"):
                continue
            if keyword is None:
                plain = all(k is None for k, _ in node.args[:position]) and position < len(params)
                if plain and params[position].kind in ("positional", "positional-only"):
                    yield called, params[position]
            else:
                yield from ((called, p) for p in params if p.name == keyword)


def _annotated(machine: Machine, node: ir.Expr | None, env: Environment) -> ClassValue | None:
    """The class of the project that an annotation names, for values that are not None."""
    named = unless_none(node, lambda outer: getattr(outer, "id", getattr(outer, "name", "")) == "Optional")
    found = None if named is None else _named(machine, named, env)
    return found if isinstance(found, ClassValue) else None


def _named(machine: Machine, node: ir.Expr, env: Environment, hidden: Collection[str] = ()) -> Any:
    """What a name of the module, or of a module that it names, stands for: the kernel may never evaluate it, so nothing
    is told of what is not there."""
    if isinstance(node, ir.Name):
        return None if node.id in hidden else machine.lookup(env, node.id)
    owner = _named(machine, node.value, env, hidden) if isinstance(node, ir.Attr) else None
    around = owner.env if isinstance(owner, ModuleValue) else None
    return around.vars.get(node.name) if isinstance(node, ir.Attr) and around is not None else None
