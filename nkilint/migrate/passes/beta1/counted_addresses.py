"""Addresses that a loop counts on begin anew in each iteration.

Beta 1 traced the body of a loop once, so the tiles of all iterations are where those of the first one are.
"""

from __future__ import annotations

import ast

from nkilint.fixes.edits import Edit
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step
from nkilint.migrate.traced import carries, only_places

_BODY = (
    "at = 0\nfor i in nl.affine_range(2):\n"
    "    a = nl.ndarray((nl.par_dim(128), 128), dtype=x.dtype, buffer=nki.compiler.sbuf.mod_alloc(base_addr=at))\n"
    "    at += 512\n    a[...] = nl.load(x[0:128, nl.ds(128 * i, 128)])\n"
    "    nl.store(out[0:128, nl.ds(128 * i, 128)], a)"
)
STEP = Step(
    "counted-addresses",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            _BODY,
            "at = 0\nat_begin = at\nfor i in nl.affine_range(2):\n    at = at_begin\n"
            "    a = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, at))\n"
            "    at += 512\n    a[...] = nl.load(x[0:128, nl.ds(128 * i, 128)])\n"
            "    nl.store(out[0:128, nl.ds(128 * i, 128)], a)",
        ),
    ),
)


@STEP.rewrites(ast.For)
def begun_anew(r: Rewriter, node: ast.For) -> str | None:
    """`for i in nl.affine_range(2):` around `address += size`."""
    set_in_it = dict.fromkeys(
        n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    )
    names = [name for name in set_in_it if carries(r, node, name) and only_places(r, node, name)]
    if not names:
        return None
    first = node.body[0]
    indent = r.source.indent(first)
    if indent is None or first.lineno == node.lineno:
        raise Undecided("addresses that a loop counts on have to begin anew in each iteration, which has no line here")
    row = _header_end(r, node) + 1
    for name in names:
        begin = r.fresh(f"{name}_begin")
        r.pending.append(f"{begin} = {name}")
        r.edits.append(Edit(row, 1, row, 1, f"{indent}{name} = {begin}\n"))
    return ""


def _header_end(r: Rewriter, node: ast.For) -> int:
    """The row of the colon."""
    row, column = r.source.place(node.iter)[2:]
    while ":" not in r.source.lines[row - 1][column - 1 :].partition("#")[0]:
        row, column = row + 1, 1
    return row
