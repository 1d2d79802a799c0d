"""Launches of kernels on grids of programs, and how the grid is handed over as an argument."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator
from functools import reduce
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from nkilint.fixes.edits import Edit
from nkilint_rules.words.records import dataclass

from .source import Source
from .steps import CORES

if TYPE_CHECKING:
    from .facts import Facts

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Call:
    """A launch: file and name of the kernel, the kernel with its grid, and the call that hands over the arguments."""

    key: Key
    kernel: ast.Subscript
    call: ast.Call


def leaf(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def bound_in(s: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


def launches(source: Source, keys: frozenset[Key]) -> Iterator[Call]:
    """Calls of `kernel[grid](...)`, whatever runs it, of `nki.simulate_kernel(kernel[grid], ...)`, and of names that
    `kernel[grid]` has."""
    names = frozenset(name for _, name in keys)
    for node in (n for n in ast.walk(source.tree) if isinstance(n, ast.Call)):
        run = launched(node)
        each = _held(source, run) if isinstance(run, ast.Name) else run
        name = _kernel_of(source, each.value, names) if isinstance(each, ast.Subscript) else ""
        key = _home(source, name, keys) if name else None
        if key is not None and isinstance(each, ast.Subscript):
            yield Call(key, each, node)


def launched(call: ast.Call) -> ast.expr:
    """What a call runs, if it runs a kernel."""
    return call.args[0] if leaf(call.func) == "simulate_kernel" and call.args else call.func


def _held(source: Source, name: ast.Name) -> ast.Subscript | None:
    """The kernel with its grid that a name is bound to, where the grid is the same wherever the name is used."""
    function = source.function(name)
    made = [s for s in ast.walk(source.tree) if isinstance(s, ast.stmt) and name.id in _bound_by(s)]
    if len(made) != 1 or not isinstance(made[0], ast.Assign) or not isinstance(made[0].value, ast.Subscript):
        return None
    grid = made[0].value.slice
    read = {n.id for n in ast.walk(grid) if isinstance(n, ast.Name)}
    calls = [leaf(n.func) for n in ast.walk(grid) if isinstance(n, ast.Call)]
    parts = [n.attr for n in ast.walk(grid) if isinstance(n, ast.Attribute) and n.attr not in calls]
    inside = source.function(made[0]) is function and set(calls) <= _NUMBERS and set(parts) <= {"shape"}
    again = [s for s in ast.walk(function or source.tree) if isinstance(s, ast.stmt) and _bound_by(s) & read]
    return made[0].value if inside and all(s.lineno < made[0].lineno for s in again) else None


def _bound_by(s: ast.stmt) -> set[str]:
    """The names that a statement binds itself, not those inside of it."""
    if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {s.name}
    if isinstance(s, (ast.Import, ast.ImportFrom)):
        return {a.asname or a.name.partition(".")[0] for a in s.names}
    inside = [n for n in ast.iter_child_nodes(s) if not isinstance(n, ast.stmt)]
    return {n.id for each in inside for n in ast.walk(each) if isinstance(n, ast.Name) and not _is_read(n)}


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def are_all(source: Source, key: Key, keys: frozenset[Key], calls: Collection[Call]) -> bool:
    """Whether these are all launches of a kernel in a file that are on a grid: its name is used for nothing else than
    these, plain calls, and what runs it, or for another one of the kernels."""
    name = key[1]
    given = {id(c.kernel) for c in calls}
    for s in ast.walk(source.tree):
        if isinstance(s, (ast.Import, ast.ImportFrom)) and any(a.name == name and a.asname for a in s.names):
            return False
    named = [n for n in ast.walk(source.tree) if isinstance(n, (ast.Name, ast.Attribute)) and leaf(n) == name]
    named = [n for n in named if isinstance(n.ctx, ast.Load)]
    home = _home(source, name, keys)
    if home == key:
        return all(_is_followed(source, n, given, name) for n in named)
    defined = any(isinstance(s, ast.FunctionDef) and s.name == name for s in source.tree.body)
    return not named or defined or home is not None


def _is_followed(source: Source, node: ast.expr, given: Collection[int], kernel: str) -> bool:
    """Whether what a kernel, or a name for it, is used for is known."""
    parent = source.parents.get(node)
    while isinstance(parent, ast.Call) and node in parent.args and len(parent.args) == 1 and _runs(parent.func):
        node, parent = parent, source.parents.get(parent)
    if isinstance(parent, ast.Subscript) and node is parent.value:
        return id(parent) in given
    if isinstance(parent, ast.Call):
        return launched(parent) is node
    if isinstance(parent, ast.Attribute):
        return True  # of what ran it, such as what it measured
    if not isinstance(parent, ast.Assign) or len(parent.targets) != 1 or not isinstance(parent.targets[0], ast.Name):
        return False
    name = parent.targets[0].id
    if name == kernel:
        return True  # what it is used for then is looked at, too
    made = [s for s in ast.walk(source.tree) if isinstance(s, ast.stmt) and name in _bound_by(s)]
    used = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == name and _is_read(n)]
    return len(made) == 1 and all(_is_followed(source, n, given, kernel) for n in used)


_NUMBERS = frozenset({"ceil", "cdiv", "div_ceil", "ceildiv", "int", "len", "max", "min", "nc", "spmd_dim"})
_RUNNERS = frozenset({"jit", "baremetal", "benchmark", "profile", "trace"})


def _runs(node: ast.expr) -> bool:
    """Whether a function gives a kernel that does what the one does that it gets."""
    return leaf(node.func if isinstance(node, ast.Call) else node) in _RUNNERS


def is_open(source: Source, call: Call, facts: Facts) -> bool:
    """Whether a launch may be on more programs than there are cores."""
    if not _may_exceed(call):
        return False
    function = source.function(call.call)
    handed = function is not None and any(a.arg != "self" for a in ast.walk(function.args) if isinstance(a, ast.arg))
    known = (source.path, call.call.lineno) in facts.sites.get(call.key, set()) and call.key not in facts.open_grids
    return handed or not known


def _may_exceed(call: Call) -> bool:
    """Whether nothing in a launch says that it is on no more programs than there are cores."""
    grid = call.kernel.slice
    sizes = list(map(_size, grid.elts if isinstance(grid, ast.Tuple) else [grid]))
    return None in sizes or prod(s for s in sizes if s is not None) > CORES


def _size(node: ast.expr) -> int | None:
    """A size of a grid that is written out; as many cores as a device has are 1."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Call) and leaf(node.func) in ("nc", "spmd_dim"):
        sizes = list(map(_size, node.args))
        if leaf(node.func) == "nc":
            return sizes[0] or 1 if len(sizes) == 1 else 1
        return None if None in sizes else prod(s for s in sizes if s is not None)
    return None


def rank_of(source: Source, node: ast.expr) -> int | None:
    """How many dimensions a grid has; None where it may be one size or several."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return None if any(isinstance(e, ast.Starred) for e in node.elts) else len(node.elts)
    if not isinstance(node, ast.Name):
        return 1 if _is_number(source, node) else None
    ranks: set[int | None] = set()
    for each in _bindings(source, node):
        if isinstance(each, ast.arg):
            ranks.add(1 if _is_parametrized(source.function(node), node.id) else None)
        elif isinstance(each, ast.Assign) and all(isinstance(t, ast.Name) for t in each.targets):
            ranks.add(rank_of(source, each.value) if node.id not in _names_in(each.value) else None)
        else:
            ranks.add(_of_targets(each))
    return ranks.pop() if len(ranks) == 1 else None


def _names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _bindings(source: Source, name: ast.Name) -> list[ast.stmt | ast.arg]:
    """What binds a name where it is read: its function, or the module."""
    function = source.function(name)
    given = [a for a in ast.walk(function.args) if isinstance(a, ast.arg) and a.arg == name.id] if function else []
    own = [s for s in ast.walk(function or source.tree) if isinstance(s, ast.stmt) and name.id in _bound_by(s)]
    if function is not None and not given and not own:
        own = [s for s in ast.walk(source.tree) if isinstance(s, ast.stmt) and name.id in _bound_by(s)]
    return [*given, *own]


def common_rank(
    grids: Collection[tuple[int, ...]], calls: Collection[tuple[Source, Call]], axes: Collection[int]
) -> int | None:
    """How many dimensions all grids have that a kernel is launched on, which asks for these of them; None where they
    differ, or nothing says."""
    ranks = {len(g) for g in grids if g} | {rank_of(s, c.kernel.slice) for s, c in calls}
    if any(isinstance(n, (ast.Starred, ast.List)) for _, c in calls for n in ast.walk(c.kernel.slice)):
        return None
    if ranks <= {None, 1}:
        return 1 if set(axes) <= {0} else None
    if 1 not in ranks:  # a name that may stand for a size stands for all sizes, or nothing runs
        ranks -= {None}
    return ranks.pop() if len(ranks) == 1 else None


def _of_targets(s: ast.AST) -> int | None:
    """The rank of what is unpacked of a shape, or counted."""
    if isinstance(s, ast.Assign) and len(s.targets) == 1:
        inside = [n.attr for n in ast.walk(s.value) if isinstance(n, ast.Attribute)]
        return 1 if inside == ["shape"] else None
    counted = isinstance(s, ast.For) and isinstance(s.iter, ast.Call) and leaf(s.iter.func) == "range"
    return 1 if counted else None


def _is_number(source: Source, node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.Subscript):
        return (
            isinstance(node.value, ast.Attribute)
            and node.value.attr == "shape"
            and not isinstance(node.slice, ast.Slice)
        )
    if isinstance(node, ast.BinOp):
        return not any(isinstance(n, (ast.Tuple, ast.List)) for n in ast.walk(node))
    if isinstance(node, ast.IfExp):
        return rank_of(source, node.body) == 1 and rank_of(source, node.orelse) == 1
    return isinstance(node, ast.Call) and leaf(node.func) in _NUMBERS


def _is_parametrized(function: ast.AST | None, name: str) -> bool:
    """Whether a test gets numbers for a parameter, as its decorator says."""
    for decorator in getattr(function, "decorator_list", []):
        if isinstance(decorator, ast.Call) and leaf(decorator.func) == "parametrize" and len(decorator.args) > 1:
            names, rows = decorator.args[:2]
            keys = names.value.split(",") if isinstance(names, ast.Constant) and isinstance(names.value, str) else []
            columns = [k.strip() for k in keys]
            if name not in columns or not isinstance(rows, (ast.List, ast.Tuple)):
                continue
            column = columns.index(name)
            cells = [
                r.elts[column] if isinstance(r, (ast.List, ast.Tuple)) and len(r.elts) > column else r
                for r in rows.elts
            ]
            return all(isinstance(c, ast.Constant) and isinstance(c.value, int) for c in cells)
    return False


def _home(source: Source, name: str, keys: frozenset[Key]) -> Key | None:
    """The kernel of that name that a file speaks of: its own, or the one of a module that it imports."""
    if (source.path, name) in keys:
        return source.path, name
    imported = {n.module or "" for n in ast.walk(source.tree) if isinstance(n, ast.ImportFrom)}
    imported |= {a.name for n in ast.walk(source.tree) if isinstance(n, ast.Import) for a in n.names}
    imported |= {
        f"{n.module}.{a.name}" for n in ast.walk(source.tree) if isinstance(n, ast.ImportFrom) for a in n.names
    }
    stems = {module.rpartition(".")[2] for module in imported}
    found = sorted(key for key in keys if key[1] == name and Path(key[0]).stem in stems)
    return found[0] if len(found) == 1 else None


def _kernel_of(source: Source, node: ast.expr, names: frozenset[str]) -> str:
    """The kernel that an expression stands for: by its name, in the hands of what runs it, or by a name for that."""
    if leaf(node) in names:
        return leaf(node)
    if isinstance(node, ast.Call) and len(node.args) == 1 and leaf(node.args[0]) in names:
        return leaf(node.args[0])
    if isinstance(node, ast.Name):
        made = [s.value for s in ast.walk(source.tree) if isinstance(s, ast.Assign) and node.id in bound_in(s)]
        if len(made) == 1 and isinstance(made[0], ast.Call):
            return _kernel_of(source, made[0], names)
    return ""


def handed_over(source: Source, call: Call, name: str, rank: int) -> Iterator[Edit]:
    """The grid as an argument."""
    value = source.place(call.kernel.value)
    end = source.place(call.kernel)
    yield Edit(*value[2:], *end[2:], "")
    grid = call.kernel.slice
    text = source.text_of(grid)
    if any(isinstance(n, ast.Call) and leaf(n.func) in ("nc", "spmd_dim") for n in ast.walk(grid)):
        text = ast.unparse(_Counted().visit(copy.deepcopy(grid)))
    is_tuple = isinstance(call.kernel.slice, ast.Tuple)
    if is_tuple and not text.startswith("("):
        text = f"({text})"
    elif not is_tuple and rank == 1:
        text = _as_tuple(source, call.kernel.slice, text)
    place = source.place(call.call)
    last = max((source.place(a)[2:] for a in (*call.call.args, *(k.value for k in call.call.keywords))), default=None)
    if last is None:
        yield Edit(place[2], place[3] - 1, place[2], place[3] - 1, f"{name}={text}")
    else:
        yield Edit(*last, *last, f", {name}={text}")


def _as_tuple(source: Source, node: ast.expr, text: str) -> str:
    """A grid of one dimension that is written as one expression, which may be its size."""
    bindings = _bindings(source, node) if isinstance(node, ast.Name) else []
    if bindings and all(isinstance(b, ast.Assign) and isinstance(b.value, ast.Tuple) for b in bindings):
        return text
    is_number = rank_of(source, node) == 1 or not isinstance(node, (ast.Name, ast.Attribute))
    return f"({text},)" if is_number else f"{text} if isinstance({text}, tuple) else ({text},)"


class _Counted(ast.NodeTransformer):
    """The size of a dimension of a grid without the cores that it is spread over."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if leaf(node.func) == "nc" and len(node.args) == 1:
            return node.args[0]
        if leaf(node.func) == "spmd_dim" and node.args:
            return reduce(lambda a, b: ast.BinOp(a, ast.Mult(), b), node.args)
        return node
