"""Functions inside kernels become functions of the module.

Kernels of `nki` have none; those of a kernel that another function makes become functions of that one. What such a
function used of the function around it, it is handed as its first arguments. It stays where it is if it is more than
called, or if what it uses may not be bound yet where it is called.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Collection, Iterator, Sequence
from functools import partial

from nkilint.base.trees import BLOCKS
from nkilint.fixes.edits import Edit, applied
from nkilint.migrate.source import Source
from nkilint.migrate.steps import Example, Step, Surroundings
from nkilint_rules.words.records import dataclass

STEP = Step(
    "inner-functions",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\nimport numpy as np\n\n\n"
            "@nki.jit\ndef kernel(x):\n    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)\n\n"
            "    def copied(source):\n        nl.store(out, nl.load(source))\n\n"
            "    copied(x)\n    return out\n\n\nkernel(np.ones((128, 256), np.float32))\n",
            "import nki\nimport nki.language as nl\nimport numpy as np\n\n\n"
            "def copied(out, source):\n    nl.store(out, nl.load(source))\n\n\n"
            "@nki.jit\ndef kernel(x):\n    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)\n\n"
            "    copied(out, x)\n    return out\n\n\nkernel(np.ones((128, 256), np.float32))\n",
        ),
    ),
)

_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Inner:
    """A function inside another one, what it uses of that, and its calls."""

    node: ast.FunctionDef
    outer: ast.FunctionDef
    free: tuple[str, ...]
    calls: tuple[ast.Call, ...]


@STEP.first
def lifted(source: Source, around: Surroundings) -> tuple[str, int]:
    """The text with functions moved out of the kernels that they are in, and how many were."""
    count, path = 0, partial(_path, source)
    on_device = {path(f) for f in _functions(source) if around.on_device(source, f)}
    for _ in range(_ROUNDS):  # rows move, names stay
        found = next((f for f in _eligible(source, on_device) if f), None)
        if found is None:
            break
        source = Source(source.path, _without(source, {i.node.name: i for i in found}))
        count += len(found)
    return source.text, count


def _functions(source: Source) -> list[ast.FunctionDef]:
    return [n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef)]


def _path(source: Source, node: ast.FunctionDef) -> tuple[str, ...]:
    """The names of a function and of what is around it."""
    around = [n.name for n in source.around(node) if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    return (node.name, *around)


def _eligible(source: Source, on_device: Collection[tuple[str, ...]]) -> Iterator[list[Inner]]:
    """For each function on the device what can be moved out of it, innermost first."""
    for outer in reversed(_functions(source)):
        if _path(source, outer) in on_device:
            inner = [n for n in ast.walk(outer) if isinstance(n, ast.FunctionDef) and source.function(n) is outer]
            found = {i.node.name: i for n in inner if (i := _inner(source, n, outer)) is not None}
            yield list(_closed(source, found))


def _inner(source: Source, node: ast.FunctionDef, outer: ast.FunctionDef) -> Inner | None:
    """A function that can be moved as far as it goes by itself."""
    named = [n for n in ast.walk(outer) if isinstance(n, ast.Name) and n.id == node.name]
    calls = [c for c in ast.walk(outer) if isinstance(c, ast.Call) and c.func in named]
    defined = [n for n in ast.walk(outer) if isinstance(n, ast.FunctionDef) and n.name == node.name]
    plain = all(isinstance(d, ast.Constant) for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None)
    banned = (ast.Nonlocal, ast.Global, ast.Yield, ast.YieldFrom, ast.FunctionDef, ast.Lambda)
    inside = [n for s in node.body for n in ast.walk(s)]
    if node.decorator_list or len(named) != len(calls) or len(defined) != 1 or not plain or not calls:
        return None
    if any(isinstance(n, banned) for n in inside) or source.indent(node) is None or node.body[0].lineno == node.lineno:
        return None
    own = frozenset(_frees(source, node)).difference(_frees(source, outer))
    return Inner(node, outer, tuple(sorted(own)), tuple(calls))


def _frees(source: Source, node: ast.FunctionDef) -> Sequence[str]:
    """The variables of functions around it that a function uses."""
    tables = [symtable.symtable(source.text, source.path, "exec")]
    while tables:
        table = tables.pop()
        if isinstance(table, symtable.Function) and table.get_name() == node.name and table.get_lineno() == node.lineno:
            return table.get_frees()
        tables += table.get_children()
    return ()


def _closed(source: Source, found: dict[str, Inner]) -> Iterator[Inner]:
    """Those that use only others that are moved, each with what these use as well, as long as all is bound."""
    changed = True
    while changed:
        changed = False
        for name, inner in list(found.items()):
            free = set(inner.free)
            for other in free & set(found):
                free |= set(found[other].free) - {other}
            wanted = tuple(sorted(f for f in free if f not in found))
            siblings = tuple(sorted(free & set(found)))
            if set(wanted + siblings) != set(inner.free):
                found[name] = Inner(inner.node, inner.outer, tuple(sorted({*wanted, *siblings})), inner.calls)
                changed = True
        for name, inner in list(found.items()):
            if not _bound(source, inner, frozenset(found)):
                del found[name]
                changed = True
    yield from found.values()


def _bound(source: Source, inner: Inner, moved: frozenset[str]) -> bool:
    """Whether all that a function uses is bound wherever it is called, and nothing of its own is called the same."""
    a = inner.node.args
    own = {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
    functions = {n.name for n in ast.walk(inner.outer) if isinstance(n, ast.FunctionDef)}
    for name in inner.free:
        if name in moved:
            continue
        if name in functions or name in own:
            return False
        for call in inner.calls:
            if source.function(call) is inner.outer and not _is_bound(source, inner.outer, name, call):
                return False
    return True


def _is_bound(source: Source, outer: ast.FunctionDef, name: str, call: ast.Call) -> bool:
    a = outer.args
    if name in {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}:
        return True
    around = set(map(id, source.around(call)))
    for node in ast.walk(outer):
        stored = isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        if stored and source.function(node) is outer and node.lineno < call.lineno:  # type: ignore[attr-defined]
            blocks = [n for n in source.around(node) if any(isinstance(getattr(n, b, None), list) for b in BLOCKS)]
            if all(id(b) in around for b in blocks):
                return True
    return False


def _without(source: Source, moved: dict[str, Inner]) -> str:
    """The functions before the one that they were in, and calls that hand over what they use."""
    names = {name: _name(source, inner) for name, inner in moved.items()}
    given = {name: [f for f in inner.free if f not in moved] for name, inner in moved.items()}
    calls: list[Edit] = []
    for name, inner in moved.items():
        for call in inner.calls:
            row, column, end_row, end_column = source.place(call.func)
            more = ", ".join(given[name])
            joined = f"{more}, " if more and (call.args or call.keywords) else more
            calls.append(Edit(row, column, end_row, end_column + 1, f"{names[name]}({joined}"))
    before = _before(source, next(iter(moved.values())).outer)
    indent = source.indent(before) or ""
    texts, edits = [], []
    for name, inner in moved.items():
        first, last = _rows(source, inner.node)
        inside = [e for e in calls if first <= e.row <= last]
        texts.append(_text(source, inner, names[name], given[name], inside, len(indent)))
        after = last
        while after < len(source.lines) and not source.lines[after].strip():
            after += 1
        edits.append(Edit(first, 1, after + 1, 1, ""))
        calls = [e for e in calls if not first <= e.row <= last]
    row = min([before.lineno, *(d.lineno for d in before.decorator_list)])
    while row > 1 and source.lines[row - 2].startswith(f"{indent}#"):
        row -= 1
    apart = "\n\n" if indent else "\n\n\n"
    edits.append(Edit(row, 1, row, 1, "".join(f"{t}{apart}" for t in texts)))
    return applied([*edits, *calls], source.text)


def _before(source: Source, outer: ast.FunctionDef) -> ast.FunctionDef | ast.ClassDef:
    """What functions out of another one are put before: the names of a class are not seen inside of its functions."""
    found: ast.FunctionDef | ast.ClassDef = outer
    for node in source.around(outer):
        if not isinstance(node, ast.ClassDef):
            break
        found = node
    return found


def _name(source: Source, inner: Inner) -> str:
    """Its own name, or with that of the kernel where another function has it."""
    name = inner.node.name
    same = sum(isinstance(n, ast.FunctionDef) and n.name == name for n in ast.walk(source.tree))
    stored = any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(source.tree)
    )
    chosen = f"{inner.outer.name}_{name}" if same > 1 or stored else name
    while chosen != name and chosen in source.names:
        chosen += "_"
    return chosen


def _rows(source: Source, node: ast.FunctionDef) -> tuple[int, int]:
    """The lines of a function, with the comments right above it."""
    first, indent = node.lineno, source.indent(node) or ""
    while source.lines[first - 2].startswith(f"{indent}#"):
        first -= 1
    return first, node.end_lineno or node.lineno


def _text(source: Source, inner: Inner, name: str, given: list[str], calls: list[Edit], indent: int) -> str:
    """The function as it stands outside, indented so far."""
    first, last = _rows(source, inner.node)
    row = inner.node.lineno
    line = source.lines[row - 1]
    at = line.index("(", line.index(inner.node.name)) + 1
    a = inner.node.args
    empty = not (a.args or a.posonlyargs or a.vararg or a.kwonlyargs or a.kwarg)
    head = f"def {name}({', '.join(given)}{', ' if given and not empty else ''}"
    start = len(source.indent(inner.node) or "")
    edits = [*calls, Edit(row, start + 1, row, at + 1, head)]
    width = len(source.indent(inner.node) or "")
    kept = {n for s in ast.walk(inner.node) for n in _inside_string(s)}
    for number in range(first, last + 1):
        line = source.lines[number - 1]
        end = min(width, len(line))
        if number not in kept and number != row and end > indent and not line[:width].strip():
            edits.append(Edit(number, indent + 1, number, end + 1, ""))
    edits.append(Edit(row, indent + 1, row, start + 1, ""))
    whole = applied(edits, "\n".join(source.lines))
    before, after = source.lines[: first - 1], source.lines[last:]
    lines = whole.split("\n")
    return "\n".join(lines[len(before) : len(lines) - len(after)])


def _inside_string(node: ast.AST) -> Iterator[int]:
    """The rows that begin inside of a string."""
    if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno is not None:
        yield from range(node.lineno + 1, node.end_lineno + 1)
