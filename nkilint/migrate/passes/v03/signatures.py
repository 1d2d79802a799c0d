"""Kernels take no keyword-only parameters, and no lists.

The separator `*` goes, which leaves every call as it was, and defaults become tuples.
"""

from __future__ import annotations

import ast

from nkilint.fixes.edits import Edit, piece
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step

_BODY = (
    "):\n    a = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\n    nisa.dma_copy(dst=a, src=x)\n"
    "    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)\n    nisa.dma_copy(dst=out, src=a)\n"
    "    return out\n\n\nkernel(np.ones((128, 256), np.float32))\n"
)
_HEAD = (
    "import nki\nimport nki.isa as nisa\nimport nki.language as nl\nimport numpy as np\n\n\n@nki.jit\ndef kernel(x, "
)
STEP = Step(
    "kernel-signatures",
    "0.3",
    "A",
    __doc__,
    (Example(f"{_HEAD}*, sizes=[1, 2]{_BODY}", f"{_HEAD}sizes=(1, 2){_BODY}"),),
)


@STEP.rewrites(ast.FunctionDef)
def signature(r: Rewriter, node: ast.FunctionDef) -> str | None:
    """`def kernel(x, *, flag=True, sizes=[1, 1])`."""
    lists = any(isinstance(d, ast.List) for d in (*node.args.defaults, *node.args.kw_defaults))
    if not (node.args.kwonlyargs or lists) or (r.source.path, node.name) not in r.facts.devices:
        return None
    done = [_without_separator(r, node), *(_tuple(r, d) for d in (*node.args.defaults, *node.args.kw_defaults))]
    return "" if any(done) else None


def _without_separator(r: Rewriter, node: ast.FunctionDef) -> bool:
    a = node.args
    if not a.kwonlyargs or a.vararg is not None:
        return False
    if (a.defaults and None in a.kw_defaults) or a.kw_defaults != sorted(a.kw_defaults, key=lambda d: d is not None):
        raise Undecided("a parameter without a default after one with one: give them another order")
    row, column = r.source.place(a.kwonlyargs[0])[:2]
    nodes: list[ast.arg | ast.expr] = [*a.posonlyargs, *a.args, *a.defaults]
    before = [r.source.place(n)[2:] for n in nodes]
    start = max(before, default=(node.lineno, r.source.place(node)[1]))
    text = piece(r.source.lines, *start, row, column)
    at = _separator(text)
    head, rest = text[:at], text[at + 1 :].lstrip().removeprefix(",").lstrip(" \t")
    if rest.startswith("\n") and head.rstrip(" \t").endswith("\n"):  # it had a line of its own
        head, rest = head.rstrip(" \t"), rest[1:]
    r.edits.append(Edit(*start, row, column, head + rest))
    return True


def _separator(text: str) -> int:
    """Where the `*` stands between two parameters, which comments may have, too."""
    at = 0
    for line in text.splitlines(keepends=True):
        code = line.partition("#")[0]
        if "*" in code:
            return at + code.index("*")
        at += len(line)
    raise Undecided("a separator of parameters that is not found")


def _tuple(r: Rewriter, default: ast.expr | None) -> bool:
    if not isinstance(default, ast.List):
        return False
    inside = r.source.text_of(default)[1:-1]
    comma = "," if len(default.elts) == 1 and not inside.rstrip().endswith(",") else ""
    r.edits.append(Edit(*r.source.place(default), f"({inside}{comma})"))
    r.removed.add(default)
    return True
