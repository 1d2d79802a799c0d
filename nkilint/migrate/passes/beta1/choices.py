"""What is computed only under a condition stays under it.

An operation that writes to `dst` is a statement, so a choice between what two of them give becomes one, too. Computed
before the choice, the other side would read a tensor that may not be there, or beyond one.
"""

from __future__ import annotations

import ast

from nkilint.migrate.destinations import Pending
from nkilint.migrate.layout import wrapped
from nkilint.migrate.modules import COMPUTING
from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import Example, Step

from .language import written
from .results import assigned
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


def _is_name(target: ast.expr | None) -> bool:
    return isinstance(target, ast.Name)


def _computes(r: Rewriter, value: ast.IfExp) -> bool:
    """Whether a side of a choice has an operation that writes to `dst` now."""
    calls = (n for side in (value.body, value.orelse) for n in ast.walk(side) if isinstance(n, ast.Call))
    names = [r.operation(call) or "" for call in calls]
    return any(name.startswith("isa.") or (name in COMPUTING and not r.reaches("0.3")) for name in names)


def _branches(r: Rewriter, value: ast.IfExp, target: ast.Name | None, indent: str) -> str:
    """The statement for a choice, in the lines of a block with this indentation."""
    deeper = r.source.deeper
    test = r.render(value.test)
    sides = [_side(r, side, target, indent) for side in (value.body, value.orelse)]
    if target is not None and sides[1] == [f"{target.id} = {target.id}"]:
        sides.pop()
    lines = []
    for head, side in zip((f"if {test}:", "else:"), sides, strict=False):
        lines += [head, *(f"{deeper}{part}" for part in side)]
    return f"\n{indent}".join(lines)


def _side(r: Rewriter, value: ast.expr, target: ast.Name | None, indent: str) -> list[str]:
    """The statements of one side, as they stand in a block within one of this indentation."""
    before, r.pending = r.pending, []
    if isinstance(value, ast.IfExp) and _computes(r, value):
        last = _branches(r, value, target, indent)
    else:
        found = r.translate(value)
        head = f"{target.id} = " if target is not None else "return "
        if not isinstance(found, Pending):
            last = head + found
        else:
            last = assigned(r, target, found, value) if target is not None else head + r.temporary(found)
    parts, r.pending = [*r.pending, last], before
    deeper = r.source.deeper
    return [wrapped(p, indent + deeper, deeper) if "\n" not in p else p.replace("\n", f"\n{deeper}") for p in parts]
