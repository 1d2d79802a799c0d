"""`nl.loop_reduce` becomes the operation that it stands for.

What it is assigned to is its other operand: the tile keeps its place, and each iteration adds to it.
"""

from __future__ import annotations

import ast

from nkilint.migrate.clips import clip
from nkilint.migrate.operations import arguments_of, numpy_dtype, operator
from nkilint.migrate.regions import region
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.spelling import settled
from nkilint.migrate.steps import Example, Step
from nkilint.symbolic.integers import key_of
from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import FLOAT32

STEP = Step(
    "accumulations",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "a = nl.load(x)\nb = nl.zeros((128, 256), dtype=nl.float32, buffer=nl.sbuf)\n"
            "for i in nl.affine_range(3):\n"
            "    b[...] = nl.loop_reduce(a, op=np.add, loop_indices=[i], dtype=nl.float32)\nnl.store(out, b)",
            "a = nl.load(x)\nb = nl.zeros((128, 256), dtype=nl.float32, buffer=nl.sbuf)\n"
            "for i in nl.affine_range(3):\n    nisa.tensor_tensor(dst=b, data1=b, data2=a, op=nl.add)\n"
            "nl.store(out, b)",
        ),
    ),
    rounds=True,
)

_NAME = "language.loop_reduce"


@STEP.rewrites(ast.Assign)
def reduced(r: Rewriter, node: ast.Assign) -> str | None:
    """`tile = nl.loop_reduce(value, op, loop_indices)`, in place."""
    call = node.value
    if not isinstance(call, ast.Call) or r.operation(call) != _NAME:
        return None
    given = arguments_of(call, lookup(BETA1, _NAME))  # type: ignore[arg-type]
    target = node.targets[0]
    if len(node.targets) != 1 or not r.is_tensor(target) or not r.is_tensor(given["x"]):
        raise Undecided(f"`loop_reduce` is not there any more, and what it adds to is not known{r.because(target)}")
    shapes = [[tuple(map(key_of, v.shape)) for v in r.views(x)] for x in (target, given["x"])]
    if shapes[0] != shapes[1]:
        raise Undecided("`loop_reduce` is not there any more, and its operands differ in their shapes")
    if not _keeps_dtype(r, target, given):
        raise Undecided("`loop_reduce` is not there any more, and it rounds to a dtype that its tile has not")
    within = clip(r, given.get("mask"))
    tile = region(r, target, within).removesuffix("[...]")
    value = region(r, given["x"], within)
    op = operator(r, given["op"])
    return f"{r.module('isa')}.tensor_tensor(dst={tile}, data1={tile}, data2={value}, op={op})"


def _keeps_dtype(r: Rewriter, target: ast.expr, given: dict[str, ast.expr]) -> bool:
    """Whether what is computed is rounded as the tile is: to its dtype, or to one that holds all of it."""
    kinds, kind = [settled(v.dtype) for v in r.views(target)], given.get("dtype")
    if kind is None:
        wanted = [settled(v.dtype) for v in r.views(given["x"])]
    else:
        wanted = [settled(value) for value in r.values(kind)]
        written = numpy_dtype(r, kind, r.render(kind)).rpartition(".")[2]
        if not wanted:
            return written == "float32" or all(str(known) == written for known in kinds)
    return list(map(str, wanted)) == list(map(str, kinds)) or all(each is FLOAT32 for each in wanted)
