"""Takes away what a rewrite has left without use: index grids and masks that nothing reads any more."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator

from nkilint.base.source import indentation
from nkilint.base.trees import FUNCTIONS
from nkilint.fixes.edits import Edit, applied
from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1, NKI

from .reading import Scope, loads_of, may_read
from .source import Source

Grids = frozenset[tuple[str, str]]
"""Names of index grids and masks, or statements that make them, each with the name of the function it is in."""


def without_unused_grids(source: Source, grids: Grids, made: Grids, elsewhere: Callable[[str], bool]) -> str:
    """The text without assignments to names of `grids`, or statements `made`, that nothing else comes to read; those of
    the module, whose function has no name, where no other file has the name."""
    unused: dict[ast.stmt, None] = {}
    for scope in ast.walk(source.tree):
        if isinstance(scope, (*FUNCTIONS, ast.Module)):
            found = _unused(source, scope, _of(scope, grids), _of(scope, made), elsewhere)
            unused.update(dict.fromkeys(found))
    return applied(list(_removals(source, list(unused))), source.text) if unused else source.text


def _of(scope: Scope, known: Grids) -> set[str]:
    name = "" if isinstance(scope, ast.Module) else scope.name
    return {text for owner, text in known if owner == name}


def without_unused_helpers(source: Source, makers: Collection[str], elsewhere: Callable[[str], bool]) -> str:
    """The text without the functions `makers`, which made index grids, where nothing names them any more."""
    found = [f for f in source.tree.body if isinstance(f, ast.FunctionDef) and f.name in makers]
    unused = [
        f for f in found if not f.decorator_list and not is_named(source.tree, f.name, f) and not elsewhere(f.name)
    ]
    edits = [with_comments(source, function) for function in unused]
    return applied(edits, source.text) if edits else source.text


def without_unused_methods(source: Source, makers: Collection[str], elsewhere: Callable[[str], bool]) -> str:
    """The text without the methods `makers`, which made index grids, where nothing names them any more; a class that
    had nothing else goes with them, or stays as it is."""
    edits = []
    for made in (n for n in source.tree.body if isinstance(n, ast.ClassDef)):
        methods = [n for n in made.body if isinstance(n, ast.FunctionDef) and n.name in makers]
        gone = [m for m in methods if not is_named(source.tree, m.name, m) and not elsewhere(m.name)]
        if len(gone) < sum(not _is_text(s) for s in made.body):
            edits += [_of_method(source, made, method) for method in gone]
        elif gone and not is_named(source.tree, made.name, made) and not elsewhere(made.name):
            edits.append(with_comments(source, made))
    return applied(edits, source.text) if edits else source.text


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _of_method(source: Source, made: ast.ClassDef, method: ast.FunctionDef) -> Edit:
    """A method goes with its decorators and the blank lines that part it from the one behind, or before it."""
    first = min([method.lineno, *(d.lineno for d in method.decorator_list)])
    end = (method.end_lineno or method.lineno) + 1
    while method is not made.body[-1] and not source.lines[end - 1].strip():
        end += 1
    while method is made.body[-1] and not source.lines[first - 2].strip():
        first -= 1
    return Edit(first, 1, end, 1, "")


def is_named(tree: ast.Module, name: str, function: ast.FunctionDef | ast.ClassDef | ast.Assign | None) -> bool:
    """Whether anything but a function, or an assignment, itself has its name, in code or in a text."""
    own = {id(n) for n in ast.walk(function)} if function is not None else set()
    for node in ast.walk(tree):
        text = getattr(node, "id", getattr(node, "attr", getattr(node, "value", "")))
        if id(node) not in own and isinstance(text, str) and text == name:
            return True
    return False


def with_comments(source: Source, function: ast.FunctionDef | ast.ClassDef) -> Edit:
    """A function, or a class, goes with the comments directly above it, and with the blank lines behind it."""
    first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    end = (function.end_lineno or function.lineno) + 1
    while first > 1 and source.lines[first - 2].startswith("#"):
        first -= 1
    while end < len(source.lines) and not source.lines[end - 1].strip():
        end += 1
    return Edit(first, 1, end, 1, "")


def without_gone_names(source: Source) -> str:
    """The text without what it imports of operations that `nki` does not have, where nothing calls them any more."""
    used = {n.id for n in ast.walk(source.tree) if isinstance(n, ast.Name)}
    edits: list[Edit] = []
    for node in ast.walk(source.tree):
        module = node.module if isinstance(node, ast.ImportFrom) and not node.level else None
        if not isinstance(node, ast.ImportFrom) or module not in _OPERATIONS:
            continue
        gone = [a for a in node.names if is_gone(module, a.name) and (a.asname or a.name) not in used]
        if gone and len(gone) == len(node.names):
            edits.append(source.removal(node))
        elif gone:
            edits += without(source, node, gone)
    return applied(edits, source.text) if edits else source.text


def left_names(before: Source, after: Source) -> list[tuple[int, str]]:
    """What a module imports of operations that `nki` does not have, since something left names it, with the rows where
    it did so before."""
    imports = [n for n in after.tree.body if isinstance(n, ast.ImportFrom) and n.module in _OPERATIONS]
    gone = {(n.module, a.name) for n in imports for a in n.names if is_gone(n.module or "", a.name)}
    rows = [(n, a.name) for n in before.tree.body if names_operations(n) for a in n.names]  # type: ignore[attr-defined]
    return [(n.lineno, name) for n, name in rows if (n.module.removeprefix("neuronxcc."), name) in gone]  # type: ignore[attr-defined]


def names_operations(statement: ast.stmt) -> bool:
    """Whether a statement imports operations of Beta 1 by their names."""
    old = {f"neuronxcc.{module}" for module in _OPERATIONS}
    return isinstance(statement, ast.ImportFrom) and statement.module in old


_OPERATIONS = ("nki.language", "nki.isa")


def without_unused_names(source: Source, names: Collection[str], elsewhere: Callable[[str], bool]) -> str:
    """The text without assignments of the module to `names`, which stood for what is gone, where nothing reads them."""
    edits = []
    for statement in source.tree.body:
        bound = _names(statement, ast.Store) if isinstance(statement, ast.Assign) else set()
        read = any(elsewhere(n) or is_named(source.tree, n, statement) for n in bound)  # type: ignore[arg-type]
        if bound and bound <= set(names) and not read:
            edits.append(source.removal(statement))
    return applied(edits, source.text) if edits else source.text


def is_gone(module: str, name: str) -> bool:
    """Whether a module of `nki` lacks an operation that Beta 1 had."""
    full = f"{module.removeprefix('nki.')}.{name}"
    return full in _GRIDS or (lookup(BETA1, full) is not None and lookup(NKI, full) is None)


_GRIDS = frozenset({"language.arange", "language.mgrid"})


def without(source: Source, node: ast.ImportFrom, gone: list[ast.alias]) -> Iterator[Edit]:
    """Names go with their lines where they have some, else the import names the others on one line."""
    alone = [source.lines[a.lineno - 1].strip().removesuffix(",") == a.name for a in gone]
    if all(alone):
        yield from (Edit(a.lineno, 1, a.lineno + 1, 1, "") for a in gone)
        return
    kept = [f"{a.name} as {a.asname}" if a.asname else a.name for a in node.names if a not in gone]
    text, module = source.text_of(node), "." * node.level + (node.module or "")
    if "\n" not in text or "#" in text:
        yield Edit(*source.place(node), f"from {module} import {', '.join(kept)}")
        return
    indent = indentation(source.lines[node.lineno - 1])
    lines = "".join(f"\n{indent}{source.deeper}{name}," for name in kept)
    yield Edit(*source.place(node), f"from {module} import ({lines}\n{indent})")


def _removals(source: Source, unused: list[ast.stmt]) -> Iterator[Edit]:
    """Each goes with its line, or all that share one."""
    rows: dict[int, list[ast.stmt]] = {}
    for statement in unused:
        rows.setdefault(statement.lineno, []).append(statement)
    for row, gone in rows.items():
        text = ";".join(source.text_of(s) for s in gone)
        whole = source.lines[row - 1].replace(" ", "").strip() == text.replace(" ", "")
        block = next(
            (b for name in ("body", "orelse") if gone[0] in (b := getattr(source.parents[gone[0]], name, []))), []
        )
        if len(gone) > 1 and whole and len(block) > len(gone):
            yield Edit(row, 1, row + 1, 1, "")
        else:
            yield from map(source.removal, gone)


def _unused(
    source: Source, function: Scope, grids: set[str], made: set[str], elsewhere: Callable[[str], bool]
) -> Iterator[ast.stmt]:
    """The assignments of grids that nothing reads but others of these."""
    found = [s for s in ast.walk(function) if isinstance(s, ast.Assign) and (n := _names(s, ast.Store))
             and (n <= grids or source.text_of(s) in made)]  # fmt: skip
    shared = {name for n in ast.walk(function) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
    found = [s for s in found if not _names(s, ast.Store) & shared]
    if isinstance(function, ast.Module):
        own = (s for s in found if source.function(s) is None and isinstance(source.parents[s], ast.Module))
        found = [s for s in own if not any(elsewhere(n) or is_text(source, n) for n in _names(s, ast.Store))]
    changed = {
        s.target.id for s in ast.walk(function) if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name)
    }
    loads = loads_of(source, function)
    while found:
        inside = {id(node) for statement in found for node in ast.walk(statement)}
        outside = [n for n in loads if id(n) not in inside]
        kept = [
            s
            for s in found
            if _names(s, ast.Store) & changed
            or any(n.id in _names(s, ast.Store) and may_read(source, function, s, n) for n in outside)
        ]
        if not kept:
            break
        found = [s for s in found if s not in kept]
    yield from found


def is_text(source: Source, name: str) -> bool:
    """Whether a text has the name, such as one of `__all__`."""
    return any(isinstance(n, ast.Constant) and n.value == name for n in ast.walk(source.tree))


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}
