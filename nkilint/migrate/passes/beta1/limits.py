"""Limits of numbers are written out.

`nl.finfo` and `nl.fp32` are gone. Where the dtype is that of an input, the number is chosen by it.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step
from nkilint_rules.words.dtypes import DTYPES, DType

STEP = Step(
    "limits",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "a = nl.full((128, 256), nl.finfo(nl.bfloat16).min, dtype=nl.float32, buffer=nl.sbuf)\nnl.store(out, a)",
            "a = nl.full((128, 256), -3.3895313892515355e+38, dtype=nl.float32, buffer=nl.sbuf)\nnl.store(out, a)",
        ),
    ),
)

_LARGEST = {
    "float32": 3.4028234663852886e38,
    "bfloat16": 3.3895313892515355e38,
    "float16": 65504.0,
    "float8_e4m3": 240.0,
    "float8_e5m2": 57344.0,
}
"""The largest number of each type of floats that Beta 1 has, the type with the most of its range first."""

_SIGNS = {"min": "-", "max": ""}
_FIXED = {"language.fp32.min": "-3.4028234663852886e38", "language.bfp16.min": 'float("-inf")'}


@STEP.rewrites(ast.Attribute)
def limit(r: Rewriter, node: ast.Attribute) -> str | None:
    """`nl.fp32.min`, and `nl.finfo(dtype).min`."""
    named = r.api(node)
    if named is not None and named[0] == "neuronxcc":
        return _FIXED.get(named[1])
    called = node.value
    if not isinstance(called, ast.Call) or r.operation(called) != "language.finfo":
        return None
    if node.attr not in _SIGNS or len(called.args) != 1:
        raise Undecided(f"`finfo` is not there any more: write the number for `{node.attr}`")
    names, sign = _names(r, called.args[0]), _SIGNS[node.attr]
    if len(names) != 1:
        return _chosen(r, called.args[0], sign)
    name = names.pop()
    if name not in _LARGEST:
        raise Undecided(f"`finfo` is not there any more: write the number for `{name}`")
    return f"{sign}{_LARGEST[name]!r}"


def _names(r: Rewriter, kind: ast.expr) -> set[str]:
    """The dtypes that an expression is in every evaluation; empty where some input says it."""
    named = (r.api(kind) or ("", ""))[1].removeprefix("language.")
    if named in DTYPES:
        return {named}
    kinds = r.values(kind)
    return {str(k) for k in kinds} if all(isinstance(k, DType) for k in kinds) else set()


def _chosen(r: Rewriter, kind: ast.expr, sign: str) -> str:
    """The number for whatever float type an expression stands for."""
    if not isinstance(kind, (ast.Name, ast.Attribute)):
        raise Undecided("`finfo` is not there any more: write the number")
    (_, first), *others = _LARGEST.items()
    text, nl = r.render(kind), r.module("language")
    chain = " else ".join(f"{sign}{number!r} if {text} == {nl}.{name}" for name, number in others)
    return f"({chain} else {sign}{first!r})"


@STEP.calls("language.finfo")
def limits(r: Rewriter, node: ast.Call) -> str:
    """Limits of numbers that are used in another form."""
    raise Undecided("`finfo` is not there any more: write the number")
