"""`nl.matmul` becomes the instruction, with its first operand transposed.

`nl.matmul` of `nki` multiplies `x.T` with `y` only.
"""

from __future__ import annotations

import ast

from nkilint.migrate.clips import clip
from nkilint.migrate.destinations import Pending
from nkilint.migrate.operations import argument, arguments_of, product_clip
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.spelling import shape
from nkilint.migrate.steps import Example, Step
from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import FLOAT32

STEP = Step(
    "products",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "a = nl.load(x)\nb = nl.matmul(a[:, 0:128], a, transpose_x=True)\nnl.store(out, b)",
            "a = nl.load(x)\nb = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.psum)\n"
            "nisa.nc_matmul(dst=b, stationary=a[:, 0:128], moving=a)\nnl.store(out, nl.copy(b))",
        ),
    ),
    rounds=True,
)


@STEP.calls("language.matmul")
def matmul(r: Rewriter, node: ast.Call) -> Pending:
    """`nl.matmul(x, y, transpose_x=True)`, or not transposed."""
    given = arguments_of(node, lookup(BETA1, "language.matmul"))  # type: ignore[arg-type]
    if clip(r, given.get("mask")):
        raise Undecided("a mask on `matmul`")
    views = r.views(node)
    if not views:
        raise Undecided(f"what `matmul` gives is not known{r.because(node)}")
    x, y = (argument(r, name, given[key], {}) for name, key in (("stationary", "x"), ("moving", "y")))
    nl, nisa = r.module("language"), r.module("isa")
    wide = [all(v.dtype is FLOAT32 for v in r.views(given[key])) for key in ("x", "y")]
    if wide == [True, False]:  # 32-bit floats go with 32-bit floats alone
        y = f"{nl}.copy({y}, dtype={nl}.float32)"
    elif wide == [False, True]:
        x = f"{nl}.copy({x}, dtype={nl}.float32)"
    flag, left = given.get("transpose_x"), product_clip(r, given["x"], given["y"])
    if not (isinstance(flag, ast.Constant) and flag.value is True):
        if left:
            raise Undecided("a mask on an operand of `matmul` that is not transposed")
        if flag is not None and not isinstance(flag, ast.Constant):
            raise Undecided("whether its first operand is transposed is not written out")
        x = f"{nl}.copy({nl}.transpose({x}))"
    parts = (f"stationary={x}", f"moving={y}")
    size = shape(r, views, (), node)
    return Pending(f"{nisa}.nc_matmul", parts, tuple(views), f"{nl}.float32", "nc_matmul", size, left or None)
