"""What an iteration leaves to the next one, where Beta 1 traced the body of a loop once: which names, and which of them
only say where tiles are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile

from nkilint.base.trees import BLOCKS, FUNCTIONS
from nkilint.symbolic.integers import Sym

from .naming import parameters
from .rewriting import Rewriter

_TRACED = frozenset({"language.affine_range", "language.sequential_range"})


def carries(r: Rewriter, loop: ast.For, name: str) -> bool:
    """Whether an iteration of a loop that was traced once reads what the one before left in a name."""
    return _is_bound_before(r, loop, name) and _is_traced(r, loop) and _is_handed_on(r, loop, name)


def _is_bound_before(r: Rewriter, loop: ast.For, name: str) -> bool:
    """Whether there is something that the first iteration begins with."""
    function = r.source.function(loop)
    if function is None or name in parameters(function):
        return True
    stored = (
        n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
    )
    return any(n.lineno < loop.lineno for n in stored)


def _is_handed_on(r: Rewriter, loop: ast.For, name: str) -> bool:
    """Whether an iteration reads a name before it sets it."""
    return any(
        not _is_set_before(r, loop, node, name)
        for node in _named(loop, name)
        if isinstance(node.ctx, ast.Load) or isinstance(r.source.parents[node], ast.AugAssign)
    )


def _is_set_before(r: Rewriter, loop: ast.For, node: ast.AST, name: str) -> bool:
    """Whether the iteration has set a name where a node stands: earlier in the block of that, or of what is around."""
    while node is not loop:
        around = r.source.parents[node]
        for part in BLOCKS:
            block = getattr(around, part, None)
            if isinstance(block, list) and node in block and any(_sets(s, name) for s in block[: block.index(node)]):
                return True
        node = around
    return False


def _is_traced(r: Rewriter, loop: ast.For) -> bool:
    return isinstance(loop.iter, ast.Call) and r.operation(loop.iter) in _TRACED


def _sets(statement: ast.stmt, name: str) -> bool:
    """Whether a statement sets a name on each of its paths."""
    if isinstance(statement, ast.If):
        return all(any(_sets(s, name) for s in block) for block in (statement.body, statement.orelse))
    if isinstance(statement, (ast.For, ast.With)):
        return any(_sets(s, name) for s in statement.body)
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return any(isinstance(n, ast.Name) and n.id == name for t in targets for n in ast.walk(t))


# --- addresses ---


def only_places(r: Rewriter, loop: ast.For, name: str) -> bool:
    """Whether a loop counts on a name, and reads it to allocate tiles and for nothing else: where Beta 1 placed them is
    what it was when the body was traced."""
    return not loop.orelse and _only_places(r, loop, name, frozenset())


def _only_places(r: Rewriter, loop: ast.For, name: str, told: frozenset[str]) -> bool:
    """The same where the names `told` do so if this one does."""
    for node in _named(loop, name):
        inside = _around(r, loop, node)
        target = _target(r.source.statement(node))
        if any(isinstance(n, (*FUNCTIONS, ast.Lambda)) for n in inside):
            return False
        if not isinstance(node.ctx, ast.Load):
            if target is not node or not _counts(r, target):
                return False
        elif not any(isinstance(n, ast.Assert) or _allocates(r, n) for n in inside) and (
            target is None or (target.id not in {name, *told} and not _only_places(r, loop, target.id, told | {name}))
        ):
            return False
    return True


def _around(r: Rewriter, loop: ast.For, node: ast.AST) -> list[ast.AST]:
    """The nodes around one, up to the loop."""
    return list(takewhile(lambda n: n is not loop, r.source.around(node)))


def _named(loop: ast.For, name: str) -> Iterator[ast.Name]:
    """Where the body of a loop has a name."""
    for statement in loop.body:
        yield from (n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name)


def _target(statement: ast.stmt | None) -> ast.Name | None:
    """The only name that a statement sets; None for any other statement."""
    targets = (
        [statement.target]
        if isinstance(statement, ast.AugAssign)
        else statement.targets
        if isinstance(statement, ast.Assign)
        else []
    )
    return targets[0] if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def _counts(r: Rewriter, target: ast.Name | None) -> bool:
    """Whether what a statement sets is a whole number."""
    values = r.values(target) if target is not None else []
    return bool(values) and all(isinstance(v, (int, Sym)) and not isinstance(v, bool) for v in values)


def _allocates(r: Rewriter, node: ast.AST) -> bool:
    named = r.api(node.func) if isinstance(node, ast.Call) else None
    return named is not None and named[1].startswith("compiler.") and named[1].endswith("alloc")
