"""What is computed only under a condition stays under it.

An operation that writes to `dst` is a statement, so a choice between what two of them give becomes one, too. Computed
before the choice, the other side would read a tensor that may not be there, or beyond one. Where the choice is a part
of something, it gets a name before the statement.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from nkilint.migrate.before import block, indent_before, needs_statements
from nkilint.migrate.destinations import Pending
from nkilint.migrate.guards import check_order
from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import Example, Step

from .language import written
from .results import accumulate, assigned
from .traced_loops import check

STEP = Step(
    "choices",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "a = nl.load(x)\nb = nisa.reciprocal(a) if x.shape[1] > 128 else a\nnl.store(out, b)",
            "a = nl.load(x)\nif x.shape[1] > 128:\n"
            "    b = nl.ndarray(a.shape, dtype=x.dtype, buffer=nl.sbuf)\n    nisa.reciprocal(dst=b, data=a)\n"
            "else:\n    b = a\nnl.store(out, b)",
        ),
        Example(
            "a = nl.load(x)\nnl.store(out, nisa.reciprocal(a) if x.shape[1] > 128 else a)",
            "a = nl.load(x)\nif x.shape[1] > 128:\n"
            "    chosen = nl.ndarray(a.shape, dtype=x.dtype, buffer=nl.sbuf)\n    nisa.reciprocal(dst=chosen, data=a)\n"
            "else:\n    chosen = a\nnl.store(out, chosen)",
        ),
    ),
)


@STEP.rewrites(ast.Assign, ast.Return)
def chosen(r: Rewriter, node: ast.Assign | ast.Return) -> str | None:
    """`b = nisa.f(a) if condition else a`, and the same that is returned."""
    value, indent = node.value, r.source.indent(node)
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if not isinstance(value, ast.IfExp) or indent is None or not (isinstance(node, ast.Return) or _is_name(target)):
        return None
    if not _computes(r, value) or written(r, value.body) or written(r, value.orelse):
        return None
    if isinstance(node, ast.Assign):
        check(r, node, node.targets[0])
    return _branches(r, value, target if isinstance(target, ast.Name) else None, indent)


@STEP.rewrites(ast.AugAssign)
def added(r: Rewriter, node: ast.AugAssign) -> str | None:
    """`a += nisa.f(b) if condition else 1.0`, one side of which is a tile."""
    value, indent = node.value, r.source.indent(node)
    if not isinstance(value, ast.IfExp) or indent is None or not r.is_tensor(node.target):
        return None

    def sum_of(side: ast.expr) -> str:
        found = accumulate(r, ast.copy_location(ast.AugAssign(node.target, node.op, side), node))
        assert isinstance(found, str)  # the target is a tile
        return found

    return _either(r, value, indent, [block(r, indent, partial(sum_of, s)) for s in (value.body, value.orelse)])


@STEP.rewrites(ast.IfExp)
def part(r: Rewriter, node: ast.IfExp) -> str | None:
    """The same as a part of something, which takes it by a name."""
    indent = indent_before(r, node)
    if indent is None or not _computes(r, node):
        return None
    check_order(r, node)
    name = r.fresh("chosen")
    r.pending.append(_branches(r, node, ast.Name(name, ast.Store()), indent))
    return name


def _is_name(target: ast.expr | None) -> bool:
    return isinstance(target, ast.Name)


def _computes(r: Rewriter, value: ast.IfExp) -> bool:
    """Whether a side of a choice has an operation that needs a tile of its own."""
    return needs_statements(r, (value.body, value.orelse))


def _branches(r: Rewriter, value: ast.IfExp, target: ast.Name | None, indent: str) -> str:
    """The statement for a choice, in the lines of a block with this indentation."""
    sides = [block(r, indent, partial(_side, r, s, target, indent)) for s in (value.body, value.orelse)]
    if target is not None and sides[1] == [f"{target.id} = {target.id}"]:
        sides.pop()
    return _either(r, value, indent, sides)


def _either(r: Rewriter, value: ast.IfExp, indent: str, sides: Sequence[list[str]]) -> str:
    """An `if` that has the statements of both sides of a choice, or of the first."""
    deeper, lines = r.source.deeper, list[str]()
    test = r.render(value.test)
    for head, side in zip((f"if {test}:", "else:"), sides, strict=False):
        lines += [head, *(f"{deeper}{part}" for part in side)]
    return f"\n{indent}".join(lines)


def _side(r: Rewriter, value: ast.expr, target: ast.Name | None, indent: str) -> str:
    """The last statement of one side, after those that it needs."""
    if isinstance(value, ast.IfExp) and _computes(r, value):
        return _branches(r, value, target, indent)
    found = r.translate(value)
    head = f"{target.id} = " if target is not None else "return "
    if not isinstance(found, Pending):
        return head + found
    return assigned(r, target, found, value) if target is not None else head + r.temporary(found)
