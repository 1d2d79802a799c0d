"""What the modules of a kernel do with environment variables, by what they say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import parts, statements, walk

from ..state.modules import Modules

_READERS = frozenset({"get", "items", "keys", "values", "copy", "__contains__"})
_SETTERS = frozenset({"putenv", "unsetenv"})
_NAMES = frozenset({"environ", "getenv", *_SETTERS})


class Variables(IntEnum):
    """What is done with environment variables, most harmless first."""

    NOTHING = 0
    ASKED = 1
    SET_LATER = 2  # by functions that no import calls: only what is asked then may find something
    SET = 3  # when modules are imported


def variables_of(modules: Modules, module: ir.Module) -> Variables:
    """What a module, and those of the project that it imports names from, do with environment variables."""
    here = _uses(modules, module)
    if here.answer is None:
        here.answer = _looked_at([_uses(modules, each) for each in _imported(modules, module)])
    return here.answer


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
    asks: bool = False
    rows: set[int] = field(default_factory=set)
    answer: Variables | None = None  # for the module and those that it imports names from
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
    found = modules.remembered.get(module.path)
    if found is None:
        found = modules.remembered[module.path] = _Uses(module)
        if any(name in line for line in module.lines for name in _NAMES):
            _note(found)
    assert isinstance(found, _Uses)
    return found


def _note(uses: _Uses) -> None:
    """Note what a module does with variables: what is not sure to read only may set them."""
    nodes = list(walk(uses.module.body))
    changed = {id(part) for node in nodes for target, _ in node.assigns for part in walk(target)}
    reading = {id(part) for node in nodes for part in _read_by(node)} - changed
    for node in nodes:
        name = _name(node)
        if name == "environ" and id(node) not in reading:
            uses.rows.add(node.at.row)
        elif isinstance(node, ir.ImportFrom) and any(n in _NAMES and n != alias for n, alias in node.names):
            uses.asks = True
            uses.rows.add(node.at.row)
        elif name in _SETTERS:
            uses.rows.add(node.at.row)
        uses.asks = uses.asks or name == "getenv" or (name in _READERS and any(True for _ in _read_by(node)))


def _name(node: ir.Node) -> str:
    return node.id if isinstance(node, ir.Name) else node.name if isinstance(node, ir.Attr) else ""


def _read_by(node: ir.Node) -> Iterator[ir.Node]:
    """The variables in what a node does no more with than read."""
    read: tuple[ir.Node, ...] = ()
    if isinstance(node, ir.Index) or (isinstance(node, ir.Attr) and node.name in _READERS):
        read = (node.value,)
    elif isinstance(node, ir.Compare):
        read = (node.left, *(right for _, right in node.rest))
    elif isinstance(node, ir.For):
        read = (node.iterable,)
    elif isinstance(node, ir.Comprehension):
        read = tuple(iterable for _, iterable, _ in node.clauses)
    return (part for part in read if _name(part) == "environ")


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
