"""What the programs of a kernel may share where they become iterations of loops, and what each has for itself."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from .launches import bound_in, leaf

_HBM = ("shared_hbm", "private_hbm", "hbm")
_CHANGING = frozenset({"append", "extend", "insert", "pop", "clear", "update", "setdefault", "remove"})
_COPYING = frozenset({"dma_copy", "nc_stream_shuffle", "tensor_copy_predicated", "tensor_copy_dynamic_dst"})
_LISTS = (ast.List, ast.Dict, ast.ListComp, ast.DictComp)


def asks(node: ast.AST) -> Iterator[ast.Call]:
    """Calls that ask which program this is, or how many there are."""
    for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
        if leaf(call.func) in ("program_id", "num_programs", "program_ndim"):
            yield call


def start_of(body: Sequence[ast.stmt]) -> int | None:
    """The first statement that each program runs for itself: the first one that asks, or before it an operation that
    stands alone, or what binds a name that is bound again or written to after that."""
    start = next((i for i, s in enumerate(body) if list(asks(s))), None)
    if start is not None:
        start = next((i for i, s in enumerate(body[:start]) if _is_operation(s)), start)
    while start is not None:
        inside = body[start:]
        again = {name for s in inside for name in bound_in(s) if not _is_set(inside, name)}
        written = again | {name for s in inside for name in _written(s)}
        handed = {name for s in inside for name in _handed(s)}
        more = (
            i
            for i, s in enumerate(body[:start])
            if bound_in(s) & (written | (handed if _may_change(s) else set())) and not makes_output(s)
        )
        first = next(more, start)
        if first == start:
            return start
        start = first
    return None


def is_repeatable(body: Sequence[ast.stmt], parameters: Collection[str]) -> bool:
    """Whether each program finds the arguments of the kernel as the first one did."""
    told = set[str]()  # names that hang on the program
    while more := {n for s in body if read(s) & told or list(asks(s)) for n in bound_in(s)} - told:
        told |= more
    for name in parameters:
        binding = [s for s in body if name in bound_in(s)]
        if not binding or _is_set(body, name):
            continue
        first = next(s for s in body if name in bound_in(s) | read(s))
        if name in told or binding != [first] or not _settles(first, name):
            return False
    return True


def _is_operation(s: ast.stmt) -> bool:
    """Whether a statement does something that has no name, such as what sets the seed of random numbers."""
    return isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)


def _is_set(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether what a name stood for before does not matter to these statements."""
    first = next((s for s in body if name in bound_in(s) | read(s)), None)
    plain = isinstance(first, ast.Assign) and name in bound_in(first) and name not in read(first)
    return plain or not any(name in read(s) for s in body)


def _settles(s: ast.stmt, name: str) -> bool:
    """Whether a name stands for the same, however often a statement binds it that reads it."""
    if isinstance(s, ast.If) and len(s.body) == 1 and not s.orelse:
        inner = s.body[0]
        tested = ast.unparse(s.test) in (f"{name} is None", f"{name} == None", f"not {name}")
        return tested and isinstance(inner, ast.Assign) and name not in read(inner)
    value = s.value if isinstance(s, ast.Assign) and [*map(ast.unparse, s.targets)] == [name] else None
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
        return leaf(value.values[0]) == name and not any(name in read(v) for v in value.values[1:])
    if isinstance(value, ast.Call) and leaf(value.func) == "reshape" and isinstance(value.func, ast.Attribute):
        given = [*value.args, *(k.value for k in value.keywords)]
        return ast.unparse(value.func.value) == name and not any(name in read(v) for v in given)
    return False


def _written(s: ast.stmt) -> Iterator[str]:
    """Names of what a statement, or one inside of it, writes to: parts of tiles, and lists that grow."""
    for n in ast.walk(s):
        if isinstance(n, (ast.Subscript, ast.Attribute)) and not isinstance(n.ctx, ast.Load):
            yield _root(n)
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _CHANGING:
            yield _root(n.func)
        elif isinstance(n, ast.Call):
            yield from (_root(k.value) for k in n.keywords if k.arg == "dst")
            yield from (_root(a) for a in n.args[:1] if leaf(n.func) in _COPYING)


def _handed(s: ast.stmt) -> Iterator[str]:
    """Names of what is handed to functions, which may write to it."""
    for n in ast.walk(s):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
            yield from (_root(a) for a in (*n.args, *(k.value for k in n.keywords)))


def _may_change(s: ast.stmt) -> bool:
    """Whether a statement makes a tile, or a list of them."""
    value = s.value if isinstance(s, ast.Assign) else None
    return (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)) or isinstance(value, _LISTS)


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def read(s: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def makes_output(s: ast.stmt) -> bool:
    """Whether a tensor in HBM is made."""
    value = s.value if isinstance(s, ast.Assign) else None
    buffers = [k.value for k in value.keywords if k.arg == "buffer"] if isinstance(value, ast.Call) else []
    return any(leaf(b) in _HBM for b in buffers)


def before_return(node: ast.FunctionDef) -> list[ast.stmt]:
    """The body of a kernel without the statements at its end that only say what it returns."""
    body = list(node.body)
    while body and _returns(body[-1]):
        body.pop()
    return body


def _returns(s: ast.stmt) -> bool:
    return isinstance(s, ast.Return) or (isinstance(s, ast.If) and all(map(_returns, (*s.body, *s.orelse))))
