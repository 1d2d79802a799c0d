"""What a kernel returns is in `nl.shared_hbm`.

A tensor in `nl.hbm` cannot be returned.
"""

from __future__ import annotations

import ast
import os

from nkilint.migrate.operations import in_names
from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import Example, Step
from nkilint_rules.dataflow.output_memory import OutputMemory

_RESHAPED = """\
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


@nki.jit
def kernel(x):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.{})
    nisa.dma_copy(dst=out, src=x)
    return out.reshape((128, 2, 128))


kernel(np.ones((128, 256), np.float32))
"""
STEP = Step(
    "outputs",
    "0.3",
    "A",
    __doc__,
    (
        Example(
            "out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.hbm)\nnisa.dma_copy(dst=out, src=x)",
            "out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)\nnisa.dma_copy(dst=out, src=x)",
        ),
        Example(_RESHAPED.format("hbm"), _RESHAPED.format("shared_hbm")),
    ),
    (OutputMemory.code,),
)

_MEMORIES = ("language.hbm", "language.private_hbm")


@STEP.rewrites(ast.Call)
def output(r: Rewriter, node: ast.Call) -> str | None:
    """`out = nl.ndarray(..., buffer=nl.hbm)`, which the function returns by that name."""
    statement, function = r.source.parents.get(node), r.source.function(node)
    if not isinstance(statement, ast.Assign) or function is None or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or not (_by_name(r, function, target.id) or _by_helper(r, node)):
        return None
    for keyword in node.keywords:
        if keyword.arg == "buffer" and (r.api(keyword.value) or ("", ""))[1] in _MEMORIES:
            return in_names(r, node, {"buffer": f"{r.module('language')}.shared_hbm"})
    return None


def _by_name(r: Rewriter, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    """Whether a kernel that the host calls returns what it calls so."""
    place = r.source.path, function.name
    return name in _returned(function) and place in r.facts.devices and place not in r.facts.inner


def _by_helper(r: Rewriter, node: ast.Call) -> bool:
    """Whether what a helper makes here is always what a kernel that the host calls returns."""
    return r.facts.outputs.get((os.path.abspath(r.source.path), *r.source.place(node)[:2])) == {True}


def _returned(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names that a function returns, as they are or in another shape."""
    values = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    parts = [e for v in values for e in (v.elts if isinstance(v, (ast.Tuple, ast.List)) else [v])]
    return {p.id for p in map(_reshaped, parts) if isinstance(p, ast.Name)}


def _reshaped(node: ast.expr) -> ast.expr:
    """What `out.reshape(...)` is a view of."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
        node = node.func.value
    return node
