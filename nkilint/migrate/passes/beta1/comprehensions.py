"""Lists of what needs a tile of its own are filled in loops.

An operation that writes to `dst` is a statement, and so is the tile that it writes to, so a list that is made of the
results of one becomes a loop.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from nkilint.migrate.before import block, indent_before, is_later, needs_statements
from nkilint.migrate.guards import check_order
from nkilint.migrate.naming import parameters
from nkilint.migrate.nodes import children
from nkilint.migrate.operations import in_later
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step

STEP = Step(
    "comprehensions",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "a = nl.load(x)\nparts = [nisa.reciprocal(a[:, nl.ds(128 * i, 128)]) for i in range(2)]\n"
            "for k in range(2):\n    nl.store(out[:, nl.ds(128 * k, 128)], parts[k])",
            "a = nl.load(x)\nparts = []\nfor i in range(2):\n"
            "    parts_reciprocal = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)\n"
            "    nisa.reciprocal(dst=parts_reciprocal, data=a[:, nl.ds(128 * i, 128)])\n"
            "    parts.append(parts_reciprocal)\n"
            "for k in range(2):\n    nl.store(out[:, nl.ds(128 * k, 128)], parts[k])",
        ),
    ),
)

Filled = (ast.ListComp, ast.DictComp)
Comprehension = ast.ListComp | ast.DictComp | ast.GeneratorExp


@STEP.rewrites(ast.Assign)
def assigned(r: Rewriter, node: ast.Assign) -> str | None:
    """`tiles = [nisa.f(t) for t in others]`, or `{k: nisa.f(k) for k in others}`."""
    target, value = node.targets[0], node.value
    if len(node.targets) != 1 or not isinstance(target, ast.Name) or not isinstance(value, Filled):
        return None
    if any(isinstance(n, ast.Name) and n.id == target.id for n in ast.walk(value)):
        return None  # it is filled from what had its name
    return _loop(r, value, target.id)


@STEP.rewrites(*Filled)
def part(r: Rewriter, node: Comprehension) -> str | None:
    """The same as a part of something, which takes it by a name."""
    if not needs_statements(r, _parts(node)):
        return None
    name = r.fresh("tiles")
    loop = _loop(r, node, name)
    if loop is None:
        raise Undecided(in_later(node, "what it computes"))
    check_order(r, node)
    r.pending.append(loop)
    return name


@STEP.rewrites(ast.GeneratorExp, ast.SetComp, ast.Lambda)
def later(r: Rewriter, node: ast.expr) -> str | None:
    """What is computed with names that no statement before it knows."""
    if isinstance(node, ast.GeneratorExp) and _is_taken_whole(r, node):
        name = part(r, node)
        return f"({name})" if name is not None else None
    first = node.generators[0].iter if not isinstance(node, ast.Lambda) else None  # type: ignore[attr-defined]
    parts = [node.body] if isinstance(node, ast.Lambda) else [n for n in children(node) if n is not first]
    if not is_later(r, node) and needs_statements(r, parts):
        raise Undecided(in_later(node, "what it computes"))
    return None


def _is_taken_whole(r: Rewriter, node: ast.GeneratorExp) -> bool:
    """Whether a list or a tuple is made of what a generator gives."""
    around = r.source.parents[node]
    made = isinstance(around, ast.Call) and isinstance(around.func, ast.Name) and around.func.id in ("list", "tuple")
    return made and around.args == [node]  # type: ignore[attr-defined]


def _parts(node: Comprehension) -> list[ast.expr]:
    """What a comprehension computes in each iteration."""
    tests = [test for clause in node.generators for test in clause.ifs]
    return [*_given(node), *tests, *(clause.iter for clause in node.generators[1:])]


def _given(node: Comprehension) -> list[ast.expr]:
    return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]


def _loop(r: Rewriter, node: Comprehension, name: str) -> str | None:
    """The loop that fills a list; None where it stays a comprehension."""
    indent = indent_before(r, node)
    if indent is None or any(clause.is_async for clause in node.generators):
        return None
    r.unrolled.add(node)
    try:
        if not needs_statements(r, _parts(node)):
            return None
        _check_names(r, node)
        if isinstance(node, ast.DictComp) and any(isinstance(n, ast.Call) for n in ast.walk(node.key)):
            raise Undecided("a key that is called for: a loop would compute it behind what it belongs to")
        return (
            f"{name} = {'{}' if isinstance(node, ast.DictComp) else '[]'}\n{indent}{_clause(r, node, name, indent, 0)}"
        )
    finally:
        r.unrolled.discard(node)


def _clause(r: Rewriter, node: Comprehension, name: str, indent: str, number: int) -> str:
    """The statement for what stands in so many clauses."""
    if number == len(node.generators):
        if isinstance(node, ast.DictComp):
            return f"{name}[{r.render(node.key)}] = {r.render(node.value)}"
        return f"{name}.append({r.render(node.elt)})"
    clause = node.generators[number]
    head = f"for {r.source.text_of(clause.target)} in {r.render(clause.iter)}:"
    inner = partial(_clause, r, node, name, indent, number + 1)
    return _block(r, head, partial(_tested, r, clause.ifs, inner, indent) if clause.ifs else inner, indent)


def _tested(r: Rewriter, tests: Sequence[ast.expr], inner: Callable[[], str], indent: str) -> str:
    """A statement under conditions."""
    texts = [r.render(test) for test in tests]
    return _block(r, f"if {texts[0] if len(texts) == 1 else ' and '.join(f'({t})' for t in texts)}:", inner, indent)


def _block(r: Rewriter, head: str, inner: Callable[[], str], indent: str) -> str:
    return f"\n{indent}".join([head, *(f"{r.source.deeper}{part}" for part in block(r, indent, inner))])


def _check_names(r: Rewriter, node: Comprehension) -> None:
    """A loop binds its names for all that stands behind it, which a comprehension does not."""
    function, inside = r.source.function(node), set(ast.walk(node))
    for name in {n.id for clause in node.generators for n in ast.walk(clause.target) if isinstance(n, ast.Name)}:
        others = (n for n in ast.walk(function or r.source.tree) if isinstance(n, ast.Name) and n.id == name)
        taken = function is not None and name in parameters(function)
        if taken or any(n not in inside and not _binds(r, n, name, node) for n in others):
            raise Undecided(f"`{name}` stands for something else outside of the comprehension: call it otherwise there")


def _binds(r: Rewriter, at: ast.Name, name: str, node: Comprehension) -> bool:
    """Whether a name is of a loop or of a comprehension that binds it, and that `node` does not stand in."""
    for around in r.source.around(at):
        clauses = getattr(around, "generators", [around] if isinstance(around, ast.For) else [])
        targets = (n for clause in clauses for n in ast.walk(clause.target))
        if any(isinstance(n, ast.Name) and n.id == name for n in targets):
            return all(n is not around for n in r.source.around(node))
    return False
