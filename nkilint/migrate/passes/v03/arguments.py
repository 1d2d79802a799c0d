"""Arguments that moved, were renamed, or are members of an enum.

`dma_compute` and `affine_select` have another order, `sendrecv` names its engine, `register_move` takes a register,
buffers are no strings, and an integer tile is filled with an integer.
"""

from __future__ import annotations

import ast

from nkilint.migrate.operations import in_names
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step

STEP = Step(
    "arguments",
    "0.3",
    "A",
    __doc__,
    (
        Example(
            "a = nl.ndarray((128, 256), dtype=x.dtype, buffer='sbuf')\nnisa.dma_copy(dst=a, src=x)\n"
            "nisa.dma_copy(dst=out, src=a, dge_mode=2)",
            "a = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\nnisa.dma_copy(dst=a, src=x)\n"
            "nisa.dma_copy(dst=out, src=a, dge_mode=nisa.dge_mode.hwdge)",
        ),
    ),
)

_BUFFERS = frozenset({"sbuf", "psum", "hbm", "private_hbm", "shared_hbm"})
_DGE_MODES = {0: "unknown", 1: "swdge", 2: "hwdge", 3: "none"}


@STEP.calls("language.ndarray", "language.zeros", "language.ones", "language.full", "language.zeros_like")
def buffer(r: Rewriter, node: ast.Call) -> str | None:
    """`buffer='sbuf'`."""
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg == "buffer" and isinstance(value, ast.Constant) and value.value in _BUFFERS:
            return in_names(r, node, {"buffer": f"{r.module('language')}.{value.value}"})
    return None


@STEP.calls("isa.dma_copy", "isa.dma_transpose")
def dma_mode(r: Rewriter, node: ast.Call) -> str | None:
    """`dge_mode=2`, and additions to what is there."""
    given = {k.arg: k.value for k in node.keywords}
    operator = given.get("dst_rmw_op")
    if operator is not None and not (isinstance(operator, ast.Constant) and operator.value is None):
        return _added(r, node, given, operator)
    value = given.get("dge_mode")
    if not isinstance(value, ast.Constant) or not isinstance(value.value, int):
        return None
    if value.value not in _DGE_MODES:
        raise Undecided(f"`dge_mode={value.value}` is a member of `nisa.dge_mode`: name it")
    return in_names(r, node, {"dge_mode": f"{r.module('isa')}.dge_mode.{_DGE_MODES[value.value]}"})


def _added(r: Rewriter, node: ast.Call, given: dict[str | None, ast.expr], operator: ast.expr) -> str:
    """`dma_copy(dst, src, dst_rmw_op=nl.add)`, which adds to `dst`."""
    if r.dotted(operator) is None:
        raise Undecided("`dst_rmw_op` is chosen at another place: use `nisa.dma_compute` where it adds")
    positional = dict(zip(("dst", "src"), node.args, strict=False))
    dst, src = (r.render(positional.get(name) or given[name]) for name in ("dst", "src"))
    unique = f", unique_indices={r.render(given['unique_indices'])}" if "unique_indices" in given else ""
    return f"{r.module('isa')}.dma_compute(dst={dst}, srcs=[{src}, {dst}], reduce_op={r.render(operator)}{unique})"


@STEP.calls("isa.dma_compute")
def dma_compute(r: Rewriter, node: ast.Call) -> str | None:
    """`dma_compute(dst, srcs, scales, reduce_op)`."""
    return in_names(r, node, {}, ("dst", "srcs", "scales", "reduce_op")) if len(node.args) > 2 else None


@STEP.calls("isa.affine_select")
def affine_select(r: Rewriter, node: ast.Call) -> str | None:
    """`affine_select(dst, pattern, offset, ...)`."""
    names = ("dst", "pattern", "offset", "channel_multiplier", "on_true_tile", "on_false_value", "cmp_op")
    return in_names(r, node, {}, names) if len(node.args) > 2 else None


@STEP.calls("isa.register_move")
def register_move(r: Rewriter, node: ast.Call) -> str | None:
    """`register_move(dst, imm=42)`."""
    given = {k.arg: k.value for k in node.keywords}
    if "imm" not in given:
        return None
    dst = r.render(node.args[0] if node.args else given["dst"])
    nisa = r.module("isa")
    return f"{r.render(node.func)}({dst}, {nisa}.register_alloc({r.render(given['imm'])}))"


@STEP.calls("isa.sendrecv")
def sendrecv(r: Rewriter, node: ast.Call) -> str | None:
    """`use_gpsimd_dma=True`."""
    for keyword in node.keywords:
        if keyword.arg == "use_gpsimd_dma":
            nisa, value = r.module("isa"), r.render(keyword.value)
            engines = f"{nisa}.dma_engine.gpsimd_dma", f"{nisa}.dma_engine.dma"
            chosen = {"True": engines[0], "False": engines[1]}.get(value, f"{engines[0]} if {value} else {engines[1]}")
            text = in_names(r, node, {"use_gpsimd_dma": chosen})
            return text.replace("use_gpsimd_dma=", "dma_engine=", 1)
    return None


@STEP.calls("isa.memset")
def memset(r: Rewriter, node: ast.Call) -> str | None:
    """`memset(integers, 2.0)`."""
    given: dict[str | None, ast.expr] = dict(zip(("dst", "value"), node.args, strict=False))
    given.update({k.arg: k.value for k in node.keywords})
    dst, value = given.get("dst"), given.get("value")
    if dst is None or not isinstance(value, ast.Constant) or not isinstance(value.value, float):
        return None
    views = r.views(dst)
    whole = views and all(getattr(v.dtype, "is_integer", False) is True for v in views) and value.value.is_integer()
    return r.plain_with(node, {value: str(int(value.value))}) if whole else None


@STEP.calls("collectives.collective_permute_implicit_current_processing_rank_id")
def rank_id(r: Rewriter, node: ast.Call) -> str | None:
    """`num_channels=`, which is gone."""
    if not any(k.arg == "num_channels" for k in node.keywords):
        return None
    parts = [*(r.render(a) for a in node.args)]
    parts += [f"{k.arg}={r.render(k.value)}" for k in node.keywords if k.arg != "num_channels"]
    return f"{r.render(node.func)}({', '.join(parts)})"
