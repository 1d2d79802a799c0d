"""Loops that the device counts become functions.

`nl.dynamic_range` and `while` on a register are to be removed; `nl.fori_loop` and `nl.while_loop` take the body as a
function, which may bind no name that is used outside of it.
"""

from __future__ import annotations

import ast

from nkilint.fixes.edits import Edit
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step

_TILES = (
    "n = nisa.register_alloc(2)\na = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\n"
    "nisa.dma_copy(dst=a, src=x)\n"
)
STEP = Step(
    "device-loops",
    "0.6",
    "E",
    __doc__,
    (
        Example(
            f"{_TILES}for i in nl.dynamic_range(0, n):\n    nisa.dma_copy(dst=out, src=a)",
            f"{_TILES}def body(i):\n    nisa.dma_copy(dst=out, src=a)\nnl.fori_loop(0, n, body)",
        ),
    ),
)


@STEP.rewrites(ast.For)
def loop(r: Rewriter, node: ast.For) -> str | None:
    """`for i in nl.dynamic_range(...)`."""
    call = node.iter
    if not isinstance(call, ast.Call) or r.api(call.func) != ("nki", "language.dynamic_range"):
        return None
    _check(r, node)
    assert isinstance(node.target, ast.Name)
    bounds = [r.render(a) for a in call.args] + [f"{k.arg}={r.render(k.value)}" for k in call.keywords]
    if call.keywords or not 1 <= len(bounds) <= 3:
        raise Undecided("bounds of a loop that are given by name")
    start, stop = ("0", bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = f", step={bounds[2]}" if len(bounds) == 3 else ""
    name = r.fresh("body")
    row, column, *_ = r.source.place(node)
    end = r.source.place(call)
    colon = r.source.lines[end[2] - 1].index(":", end[3] - 1) + 2
    r.edits.append(Edit(row, column, end[2], colon, f"def {name}({node.target.id}):"))
    last = node.body[-1].end_lineno or node.lineno
    length = len(r.source.lines[last - 1]) + 1
    indent = r.source.indent(node) or ""
    called = f"{r.module('language')}.fori_loop({start}, {stop}, {name}{step})"
    r.edits.append(Edit(last, length, last, length, f"\n{indent}{called}"))
    r.removed |= {node.iter, node.target}
    return ""


def _check(r: Rewriter, node: ast.For) -> None:
    """The body has to be a function as it stands."""
    if not isinstance(node.target, ast.Name) or node.orelse or r.source.indent(node) is None:
        raise Undecided("a loop of another form: write its body as a function for `nl.fori_loop`")
    if node.body[0].lineno == node.lineno:
        raise Undecided("a loop on one line: write its body as a function for `nl.fori_loop`")
    inside = [n for s in node.body for n in ast.walk(s)]
    if any(isinstance(n, (ast.Return, ast.Break, ast.Continue, ast.Yield)) for n in inside):
        raise Undecided("a loop that is left early: `nl.fori_loop` cannot be")
    bound = {n.id for n in inside if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    function = r.source.function(node)
    others = {
        n.id
        for n in (ast.walk(function) if function is not None else ())
        if isinstance(n, ast.Name) and not (node.lineno <= n.lineno <= (node.end_lineno or 0))
    }
    if shared := sorted(bound & others):
        raise Undecided(f"`{shared[0]}` is bound in a loop and used outside of it: keep it in a tile")


@STEP.rewrites(ast.While)
def condition(r: Rewriter, node: ast.While) -> str | None:
    """`while register`."""
    if not isinstance(node.test, ast.Name) or not r.runs_on_device(node):
        return None
    if not any("Register" in type(v).__name__ for v in r.values(node.test)):
        return None
    raise Undecided("`while` on a register: write its body as a function that gives it back, for `nl.while_loop`")
