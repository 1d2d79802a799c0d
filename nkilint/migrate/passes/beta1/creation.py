"""Block dimensions become lists of tiles, and the partition dimension loses its mark.

A list holds the same tiles as the block dimension did, so nothing else changes.
"""

from __future__ import annotations

import ast

from nkilint.migrate.operations import arguments_of, numpy_dtype
from nkilint.migrate.rewriting import Rewriter, Undecided, blocks
from nkilint.migrate.steps import Example, Step
from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1

STEP = Step(
    "block-dimensions",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "t = nl.ndarray((2, nl.par_dim(128), 256), dtype=x.dtype, buffer=nl.sbuf)\n"
            "for i in nl.affine_range(2):\n    t[i] = nl.load(x)\nnl.store(out, t[1])",
            "t = [nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]\n"
            "for i in nl.affine_range(2):\n    t[i][...] = nl.load(x)\nnl.store(out, t[1])",
        ),
    ),
)

_CREATIONS = ("ndarray", "zeros", "ones", "full")


@STEP.calls(*(f"language.{name}" for name in _CREATIONS))
def created(r: Rewriter, node: ast.Call) -> str | None:
    """A tensor, or a list of the tiles that its block dimensions counted."""
    name = r.operation(node) or ""
    given = arguments_of(node, lookup(BETA1, name))  # type: ignore[arg-type]
    views = r.views(node)
    counts = {blocks(v) for v in views}
    if len(counts) > 1:
        raise Undecided("it has block dimensions in some calls only")
    _check_buffer(r, given.get("buffer"))
    if not counts or not next(iter(counts)):
        return _plain(r, node)
    return _listed(r, node, given, counts.pop())


def _listed(r: Rewriter, node: ast.Call, given: dict[str, ast.expr], count: int) -> str:
    """Lists in lists, a loop for each block dimension."""
    written = given["shape"]
    if not isinstance(written, (ast.Tuple, ast.List)):
        raise Undecided("a shape with block dimensions that is not written out")
    sizes = [r.render(e) for e in written.elts]
    parts = [f"({', '.join(sizes[count:])}{',' if len(sizes) - count == 1 else ''})"]
    for key, value in given.items():
        if key != "shape":
            text = r.render(value)
            parts.append(f"{key}={numpy_dtype(r, value, text) if key == 'dtype' else text}")
    text = f"{r.render(node.func)}({', '.join(parts)})"
    for size in reversed(sizes[:count]):
        text = f"[{text} for _ in range({size})]"
    return text


def _plain(r: Rewriter, node: ast.Call) -> str | None:
    plain = r.plain(node)
    return plain if plain != r.source.text_of(node) else None


def _check_buffer(r: Rewriter, buffer: ast.expr | None) -> None:
    if isinstance(buffer, ast.Call) and "alloc" in r.source.text_of(buffer.func):
        if r.source.text_of(buffer.func).endswith("auto_alloc"):
            return
        raise Undecided("direct allocation: compute `address=(partition, byte offset)` for each tile")


@STEP.rewrites(ast.Attribute)
def of_first(r: Rewriter, node: ast.Attribute) -> str | None:
    """The dtype of a tensor that is a list of tiles now."""
    if not isinstance(node.value, ast.Name) or not (views := r.views(node.value)):
        return None
    counts = {blocks(v) if len(v.shape) == len(v.base.shape) else 0 for v in views}
    if counts == {0}:
        return None
    if node.attr != "dtype" or len(counts) > 1:
        raise Undecided(f"`{node.value.id}` is a list of tiles now, which has no `{node.attr}`")
    return f"{node.value.id}{'[0]' * counts.pop()}.dtype"


@STEP.calls("language.par_dim")
def partition(r: Rewriter, node: ast.Call) -> str | None:
    """The partition dimension is the first one."""
    return r.render(node.args[0]) if len(node.args) == 1 else None
