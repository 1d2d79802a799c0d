"""Launches of kernels on grids of programs, and how the grid is handed over as an argument."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

from nkilint.fixes.edits import Edit
from nkilint_rules.words.records import dataclass

from .source import Source

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
    """Calls of `kernel[grid](...)`, whatever runs it, and of `nki.simulate_kernel(kernel[grid], ...)`."""
    names = frozenset(name for _, name in keys)
    for node in (n for n in ast.walk(source.tree) if isinstance(n, ast.Call)):
        each = node.args[0] if leaf(node.func) == "simulate_kernel" and node.args else node.func
        name = _kernel_of(source, each.value, names) if isinstance(each, ast.Subscript) else ""
        key = _home(source, name, keys) if name else None
        if key is not None and isinstance(each, ast.Subscript):
            yield Call(key, each, node)


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
    elif not is_tuple and not (rank > 1 or _is_tuple(source, call.kernel.slice)):
        text = f"({text},)"
    place = source.place(call.call)
    last = max((source.place(a)[2:] for a in (*call.call.args, *(k.value for k in call.call.keywords))), default=None)
    if last is None:
        yield Edit(place[2], place[3] - 1, place[2], place[3] - 1, f"{name}={text}")
    else:
        yield Edit(*last, *last, f", {name}={text}")


class _Counted(ast.NodeTransformer):
    """The size of a dimension of a grid without the cores that it is spread over."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if leaf(node.func) == "nc" and len(node.args) == 1:
            return node.args[0]
        if leaf(node.func) == "spmd_dim" and node.args:
            return reduce(lambda a, b: ast.BinOp(a, ast.Mult(), b), node.args)
        return node


def _is_tuple(source: Source, node: ast.expr) -> bool:
    """Whether a name stands for a tuple that is written out."""
    made = [
        s.value
        for s in ast.walk(source.tree)
        if isinstance(s, ast.Assign) and isinstance(node, ast.Name) and node.id in bound_in(s)
    ]
    return bool(made) and all(isinstance(v, (ast.Tuple, ast.List)) for v in made)
