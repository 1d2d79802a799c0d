"""Items of lists are assigned one by one.

Kernels of `nki` unpack into names only. What is unpacked gets names of its own, from which the items are assigned.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import Example, Step

STEP = Step(
    "assigned-items",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "order = [0, 1]\norder[0], order[1] = order[1], order[0]\nnl.store(out, nl.load(x))",
            "order = [0, 1]\nfirst, second = order[1], order[0]\norder[0] = first\norder[1] = second\n"
            "nl.store(out, nl.load(x))",
        ),
    ),
)

_NAMES = ("first", "second", "third", "fourth")


@STEP.rewrites(ast.Assign)
def unpacked(r: Rewriter, node: ast.Assign) -> str | None:
    """`a[i], a[j] = a[j], a[i]`, which takes its values before it changes anything."""
    target = node.targets[0]
    if len(node.targets) != 1 or not isinstance(target, (ast.Tuple, ast.List)) or not r.runs_on_device(node):
        return None
    items = target.elts
    plain = all(isinstance(item, (ast.Name, ast.Subscript)) for item in items) and 2 <= len(items) <= len(_NAMES)
    stored = [item for item in items if isinstance(item, ast.Subscript)]
    if not plain or not stored or any(r.is_tensor(n) for item in stored for n in (item, item.value)):
        return None
    value = r.render(node.value)
    names = [r.fresh(name) for name, _ in zip(_NAMES, items, strict=False)]
    r.pending.append(f"{', '.join(names)} = {value}")
    statements = [f"{r.render(item)} = {name}" for item, name in zip(items, names, strict=True)]
    r.pending += statements[:-1]
    return statements[-1]
