"""What imports name that is not there, or not known to be."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import Unknown

from ..device.api import NAMESPACES, resolve
from ..state.machine import Machine
from ..values.objects import Api, Environment, External
from .library.external import lacks

OF_PYTHON = frozenset(
    {
        "abc", "collections", "contextlib", "copy", "dataclasses", "enum", "functools", "itertools", "json", "math",
        "operator", "os", "os.path", "random", "re", "string", "sys", "time", "types", "typing", "warnings",
    }
)  # fmt: skip
"""Modules of Python's own of which some version may lack a name."""


def is_no_module(machine: Machine, found: Any) -> bool:
    """Whether nothing is known of a module of that name inside of a package that is known."""
    if isinstance(found, Api):
        return isinstance(resolve(machine, found.dialect, found.name, None), Unknown)
    package = found.name.rpartition(".")[0] if isinstance(found, External) else ""
    return package in OF_PYTHON and found.name != "os.path" and not _is_there(found.name)


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # what it would be in is no package
        return False


def note_absent(machine: Machine, node: ir.Import | ir.ImportFrom, env: Environment) -> None:
    """An import at the top of a file of what known packages lack leaves the file without an import. Of other packages
    it is supposed to be there, which is said."""
    for name, reason in _absent(machine, node, env):
        if reason:
            env.module.raised = env.module.raised or reason
        else:
            env.module.absent.setdefault(name, None)


def _absent(machine: Machine, node: ir.Import | ir.ImportFrom, env: Environment) -> Iterator[tuple[str, str]]:
    """The names that nothing is known to have, each with what becomes of an import of what a package surely lacks."""
    row = node.at.row
    if isinstance(node, ir.Import):
        for name, _ in node.names:
            found = machine.modules(env.module, name, 0)
            absent = is_no_module(machine, found)
            if absent or machine.modules.may_lack(found) or _is_not_here(name.partition(".")[0], name):
                yield name, ended(row, "ImportError") if absent and isinstance(found, External) else ""
        return
    source = machine.modules(env.module, node.module, node.level)
    if machine.modules.may_lack(source) or is_no_module(machine, source):
        yield f"{'.' * node.level}{node.module}", ""
        return
    for name in (name for name, _ in node.names if name != "*"):
        full = f"{node.module}.{name}"
        if isinstance(source, Api) and isinstance(
            resolve(machine, source.dialect, inside(source, name), None), Unknown
        ):
            undocumented = f"line {row} imports `{full}`, which is not documented"
            yield full, undocumented if source.name in NAMESPACES else ""
        elif isinstance(source, External):
            surely = lacks(machine, source, name)
            if surely or _is_not_here(source.name, full):
                yield full, ended(row, "ImportError") if surely else ""


def _is_not_here(package: str, name: str) -> bool:
    """Whether the version here of a package that is known has no such name and no such module."""
    if package not in OF_PYTHON and package != "numpy":
        return False
    rest = name.removeprefix(package).removeprefix(".")
    return bool(rest) and not has(importlib.import_module(package), rest) and not _is_there(name)


def ended(row: int, name: str) -> str:
    return f"the import ends on line {row}, where `{name}` is raised"


def inside(source: Api, name: str) -> str:
    return f"{source.name}.{name}" if source.name else name


def has(module: Any, name: str) -> bool:
    return name == "*" or hasattr(module, name)
