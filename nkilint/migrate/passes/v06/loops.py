"""Loops that the device counts become functions.

`nl.dynamic_range` and `while` on a register are to be removed; `nl.fori_loop` and `nl.while_loop` take the body as a
function, which may bind no name that is used outside of it.
"""

from __future__ import annotations

import ast

from nkilint.fixes.edits import Edit
from nkilint.migrate.grids import assigned
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step

_TILES = (
    "n = nisa.register_alloc(2)\na = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\n"
    "nisa.dma_copy(dst=a, src=x)\n"
)
_COUNT = "left = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)\nnisa.memset(dst=left, value=0)\n"
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
        Example(
            f"{_TILES}{_COUNT}while n:\n    nisa.dma_copy(dst=out, src=a)\n    nisa.register_load(n, left)",
            f"{_TILES}{_COUNT}def body(n):\n    nisa.dma_copy(dst=out, src=a)\n    nisa.register_load(n, left)\n"
            "    return n\nnl.while_loop(n, body)",
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
    _append(r, node, f"{r.module('language')}.fori_loop({start}, {stop}, {name}{step})")
    r.removed |= {node.iter, node.target}
    return ""


def _check(r: Rewriter, node: ast.For | ast.While) -> None:
    """The body has to be a function as it stands."""
    way = "nl.fori_loop" if isinstance(node, ast.For) else "nl.while_loop"
    if (
        node.orelse
        or r.source.indent(node) is None
        or (isinstance(node, ast.For) and not isinstance(node.target, ast.Name))
    ):
        raise Undecided(f"a loop of another form: write its body as a function for `{way}`")
    if node.body[0].lineno == node.lineno:
        raise Undecided(f"a loop on one line: write its body as a function for `{way}`")
    inside = [n for s in node.body for n in ast.walk(s)]
    if any(isinstance(n, (ast.Return, ast.Break, ast.Continue, ast.Yield)) for n in inside):
        raise Undecided(f"a loop that is left early: `{way}` cannot be")
    if any(isinstance(n, ast.With) and "no_reorder" in ast.unparse(n.items[0]) for n in r.source.around(node)):
        raise Undecided(f"`{way}` cannot stand inside of `nl.no_reorder`")
    function = r.source.function(node)
    others = {
        n.id
        for n in (ast.walk(function) if function is not None else ())
        if isinstance(n, ast.Name) and not (node.lineno <= n.lineno <= (node.end_lineno or 0))
    }
    if shared := sorted(_bound(node) & others):
        raise Undecided(f"`{shared[0]}` is bound in a loop and used outside of it: keep it in a tile")
    if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
        _check_index(r, node.target.id, inside)


def _check_index(r: Rewriter, name: str, inside: list[ast.AST]) -> None:
    """The number of the iteration may be handed over, and not computed with."""
    for each in inside:
        computed = isinstance(each, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.AugAssign))
        if computed and any(isinstance(c, ast.Name) and c.id == name for c in ast.iter_child_nodes(each)):
            raise Undecided(f"`{name}` is computed with: `nl.fori_loop` gives it to `scalar_offset` only")


@STEP.rewrites(ast.While)
def condition(r: Rewriter, node: ast.While) -> str | None:
    """`while register`: the body gives the register back, under its own name."""
    if not isinstance(node.test, ast.Name) or not r.runs_on_device(node):
        return None
    made = assigned(r, node.test)
    if made is None or not isinstance(made[1], ast.Call) or r.operation(made[1]) != "isa.register_alloc":
        return None
    register = node.test.id
    if register in _bound(node):
        raise Undecided(f"`{register}` is bound anew in the loop: load it with `nisa.register_load`")
    _check(r, node)
    name = r.fresh("body")
    row, column, *_ = r.source.place(node)
    end = r.source.place(node.test)
    colon = r.source.lines[end[2] - 1].index(":", end[3] - 1) + 2
    r.edits.append(Edit(row, column, end[2], colon, f"def {name}({register}):"))
    inside = r.source.indent(node.body[0]) or ""
    called = f"{r.module('language')}.while_loop({register}, {name})"
    _append(r, node, f"{inside}return {register}", called)
    r.removed.add(node.test)
    return ""


def _append(r: Rewriter, node: ast.For | ast.While, *lines: str) -> None:
    """Lines behind a loop; the last one stands where the loop does."""
    last = node.body[-1].end_lineno or node.lineno
    length = len(r.source.lines[last - 1]) + 1
    indent = r.source.indent(node) or ""
    text = "".join(f"\n{line}" for line in (*lines[:-1], f"{indent}{lines[-1]}"))
    r.edits.append(Edit(last, length, last, length, text))


def _bound(node: ast.For | ast.While) -> set[str]:
    """The names that the body of a loop binds."""
    inside = [n for s in node.body for n in ast.walk(s)]
    return {n.id for n in inside if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
