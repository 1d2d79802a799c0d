"""What the modules of a kernel do with environment variables, by what they say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import parts, statements

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
        found = modules.remembered[module.path] = _looked_at([_uses(modules, m) for m in _imported(modules, module)])
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


@dataclass(slots=True)
class _Uses:
    """What one module does with variables: whether it asks, and the rows that may set them."""

    module: ir.Module
    asks: bool
    rows: set[int]
    outside: set[str] | None = None  # the names in what runs when it is imported
    defined: dict[str, list[ir.FunctionDef | ir.ClassDef]] = field(default_factory=dict)
    mentioned: dict[int, set[str]] = field(default_factory=dict)  # by functions, by their identities

    def look(self) -> set[str]:
        """Find what is defined, and what runs when it is imported."""
        if self.outside is None:
            self.outside = _mentioned(self.module.body)
            for node in _definitions(self.module.body):
                self.defined.setdefault(node.name, []).append(node)
        return self.outside

    def in_body(self, function: ir.FunctionDef) -> set[str]:
        """The names in what a call runs."""
        if id(function) not in self.mentioned:
            self.mentioned[id(function)] = _mentioned(function.body)
        return self.mentioned[id(function)]


def _uses(modules: Modules, module: ir.Module) -> _Uses:
    key = f"variables in {module.path}"
    found = modules.remembered.get(key)
    if found is None:
        lines = [(row, line) for row, line in enumerate(module.lines, 1) if "env" in line]
        rows = {row for row, line in lines if _SETTING.search(_READING.sub("", line))}
        found = modules.remembered[key] = _Uses(module, any(_ASKING.search(line) for _, line in lines), rows)
    assert isinstance(found, _Uses)
    return found


def _looked_at(uses: list[_Uses]) -> Variables:
    if not any(each.asks for each in uses):
        return Variables.NOTHING
    if not any(each.rows for each in uses):
        return Variables.ASKED
    return Variables.SET if _on_import(uses) else Variables.SET_LATER


def _on_import(uses: list[_Uses]) -> bool:
    """Whether a row that sets variables may run when the modules are imported: outside of functions, or in one whose
    name, or whose class's name, what runs then mentions."""
    names = {name for each in uses for name in each.look()}
    for each in uses:
        functions = (n for nodes in each.defined.values() for n in nodes if isinstance(n, ir.FunctionDef))
        if each.rows and each.rows.difference(*map(_rows, functions)):
            return True
    pending, seen = list(names), set(names)
    while pending:
        name = pending.pop()
        for each in uses:
            for node in each.defined.get(name, ()):
                if isinstance(node, ir.ClassDef):
                    new = {part.name for part in node.body if isinstance(part, ir.FunctionDef)}
                elif each.rows and each.rows & _rows(node):
                    return True
                else:
                    new = each.in_body(node)
                pending += new - seen
                seen |= new
    return False


def _definitions(block: Iterable[ir.Stmt]) -> Iterator[ir.FunctionDef | ir.ClassDef]:
    """The functions and classes of a block, and those within them."""
    for statement in statements(block):
        if isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            yield statement
            yield from _definitions(statement.body)


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
