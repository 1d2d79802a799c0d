"""What the modules of a kernel do with environment variables, by what they say."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import parts, walk

from ..state.modules import Modules

_ASKING = re.compile(r"\bgetenv\b|\benviron\.(?:get|items|keys|values|copy)\b")
_READING = re.compile(
    r"\benviron(?:\.(?:get|items|keys|values|copy|__contains__)\b|\[[^\]]*\](?!\s*[-+|]?=(?!=))|\s+(?:is|in|==|!=)\s)"
    r"|\bin\s+(?:os\.)?environ\b|\bimport\s.*\benviron\b|#.*"
)
_SETTING = re.compile(r"\benviron\b|\b(?:put|unset)env\b")  # what is left of a line without what only reads


class Variables(IntEnum):
    """What is done with environment variables, most harmless first."""

    NOTHING = 0
    ASKED = 1
    SET_LATER = 2  # by functions that no import calls: only what is asked then may find something
    SET = 3  # when modules are imported


def variables_of(modules: Modules, module: ir.Module) -> Variables:
    """What a module, and those of the project that it imports names from, do with environment variables."""
    found = modules.remembered.get(module.path)
    if found is None:
        found = modules.remembered[module.path] = _looked_at(list(_imported(modules, module)))
    assert isinstance(found, Variables)
    return found


def _imported(modules: Modules, module: ir.Module) -> Iterator[ir.Module]:
    """The module and those of the project that it imports names from, directly or not."""
    pending, seen = [module], {module.path}
    while pending:
        here = pending.pop()
        yield here
        for statement in here.body:
            if isinstance(statement, ir.ImportFrom):
                found = modules.resolve(here, statement.module, statement.level)
                if isinstance(found, ir.Module) and found.path not in seen:
                    seen.add(found.path)
                    pending.append(found)


def _looked_at(modules: list[ir.Module]) -> Variables:
    said = {m.path: [(row, line) for row, line in enumerate(m.lines, 1) if "env" in line] for m in modules}
    if not any(_ASKING.search(line) for lines in said.values() for _, line in lines):
        return Variables.NOTHING
    setting = {
        path: {row for row, line in lines if _SETTING.search(_READING.sub("", line))} for path, lines in said.items()
    }
    if not any(setting.values()):
        return Variables.ASKED
    return Variables.SET if _on_import(modules, setting) else Variables.SET_LATER


def _setting(lines: list[tuple[int, str]]) -> Iterator[int]:
    """The rows that may set variables."""
    return (row for row, line in lines if _SETTING.search(_READING.sub("", line)))


def _on_import(modules: list[ir.Module], setting: dict[str, set[int]]) -> bool:
    """Whether a row of `setting` may run when the modules are imported: outside of functions, or in one whose name, or
    whose class's name, what runs then mentions."""
    defined: dict[str, list[tuple[str, ir.FunctionDef | ir.ClassDef]]] = defaultdict(list)
    closed = {module.path: set[int]() for module in modules}
    for module in modules:
        for node in walk(module.body):
            if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
                defined[node.name].append((module.path, node))
            if isinstance(node, ir.FunctionDef):
                closed[module.path].update(_rows(node))
    if any(setting[path] - closed[path] for path in setting):
        return True
    names = {name for module in modules for name in _mentioned(module.body)}
    pending = list(names)
    while pending:
        for path, node in defined.pop(pending.pop(), ()):
            if isinstance(node, ir.ClassDef):
                new = {each.name for each in node.body if isinstance(each, ir.FunctionDef)}
            elif setting[path] & _rows(node):
                return True
            else:
                new = _mentioned(node.body)
            pending += new - names
            names |= new
    return False


def _rows(function: ir.FunctionDef) -> set[int]:
    return set(range(function.at.row, function.whole.end_row + 1))


def _mentioned(block: Any) -> set[str]:
    """The names and attributes in what runs when `block` does."""
    found = set()
    stack = [block]
    while stack:
        here = stack.pop()
        if isinstance(here, (tuple, list)):
            stack += here
        elif isinstance(here, ir.FunctionDef):
            stack += [here.decorators, [p.default for p in here.params]]
        elif isinstance(here, (ir.Node, ir.Param)):
            if isinstance(here, ir.Name):
                found.add(here.id)
            elif isinstance(here, ir.Attr):
                found.add(here.name)
            stack += parts(here)
    return found
