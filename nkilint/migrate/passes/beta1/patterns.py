"""Constants and patterns are written to `dst`, index expressions as strides.

`nisa.iota` and `nisa.affine_select` took an expression over index grids; they take the steps and sizes of it.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import replace
from typing import Any

from nkilint.evaluator.values.grids import Grid
from nkilint.migrate.axes import steps_of
from nkilint.migrate.clips import clip
from nkilint.migrate.destinations import Pending
from nkilint.migrate.grids import assigned, index
from nkilint.migrate.operations import arguments_of, numpy_dtype, operator, with_destination
from nkilint.migrate.regions import region
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.spelling import dtype, shape, size
from nkilint.migrate.steps import Example, Step
from nkilint.symbolic.conditions import Compare
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import PSUM

STEP = Step(
    "patterns",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "a = nisa.memset((128, 256), 1.5, dtype=nl.float32)\nnl.store(out, a)",
            "a = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)\nnisa.memset(dst=a, value=1.5)\n"
            "nl.store(out, a)",
        ),
    ),
)


def _pending(r: Rewriter, node: ast.Call, given: dict[str, ast.expr], arguments: list[str]) -> Pending:
    views = r.views(node)
    if not views:
        raise Undecided(f"what `{r.source.text_of(node.func)}` gives is not known{r.because(node)}")
    kind = given.get("dtype")
    text = numpy_dtype(r, kind, r.render(kind)) if kind is not None else dtype(r, views, (), node)
    written = given.get("shape")
    sizes = r.render(written) if written is not None else shape(r, views, (), node)
    leaf = (r.operation(node) or "").rpartition(".")[2]
    return Pending(r.render(node.func), tuple(arguments), tuple(views), text, leaf, sizes)


@STEP.calls("isa.memset")
def memset(r: Rewriter, node: ast.Call) -> Pending:
    """`nisa.memset(shape, value, dtype)`."""
    given = arguments_of(node, lookup(BETA1, "isa.memset"))  # type: ignore[arg-type]
    if "mask" in given:
        raise Undecided("a mask on `memset`")
    value = r.render(given["value"])
    if all(getattr(v.dtype, "is_integer", False) for v in r.views(node)) and _is_whole(given["value"]):
        value = value.removesuffix(".0").removesuffix(".")
    more = [f"engine={r.render(given['engine'])}"] if "engine" in given else []
    return _pending(r, node, given, [f"value={value}", *more])


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value.is_integer()


@STEP.calls("isa.iota")
def iota(r: Rewriter, node: ast.Call) -> Pending:
    """`nisa.iota(expression, dtype)`."""
    given = arguments_of(node, lookup(BETA1, "isa.iota"))  # type: ignore[arg-type]
    if "mask" in given:
        raise Undecided("a mask on `iota`")
    return _pending(r, node, given, affine(r, given["expr"]))


def affine(r: Rewriter, node: ast.expr) -> list[str]:
    """An expression over index grids as `pattern`, `offset` and `channel_multiplier`."""
    seen: list[Any] = r.values(node)
    if not seen or not all(isinstance(g, Grid) and isinstance(g.value, (int, Sym)) for g in seen):
        raise Undecided(f"`{r.source.text_of(node)}` is no index that is known")
    parts = [_steps(g) for g in seen]
    rank = {len(g.shape) for g in seen}
    if len(rank) != 1:
        raise Undecided(f"`{r.source.text_of(node)}` has another rank from call to call")
    steps = [size(r, [steps[d] for steps, _ in parts], node) for d in range(rank.pop())]
    counts = [size(r, [g.shape[d] for g in seen], node) for d in range(len(steps))]
    offset = size(r, [rest for _, rest in parts], node)
    pattern = ", ".join(f"[{s}, {n}]" for s, n in zip(steps[1:], counts[1:], strict=True)) or "[1, 1]"
    return [f"pattern=[{pattern}]", f"offset={offset}", f"channel_multiplier={steps[0]}"]


def _steps(grid: Grid) -> tuple[list[Any], Any]:
    """The step along each axis, and what is left."""
    rank = len(grid.shape)
    steps, rest = steps_of(grid)
    return [steps.get(rank - 1 - d, 0) for d in range(rank)], rest


@STEP.calls("isa.affine_select")
def affine_select(r: Rewriter, node: ast.Call) -> Pending:
    """`nisa.affine_select(predicate, tile, value)`."""
    given = arguments_of(node, lookup(BETA1, "isa.affine_select"))  # type: ignore[arg-type]
    parts, name = _comparison(r, given["pred"])
    if clip(r, given.get("mask")):
        raise Undecided("a mask on `affine_select` that bounds an index")
    nl = r.module("language")
    tile = region(r, given["on_true_tile"])
    if r.memory(given["on_true_tile"]) == PSUM:
        tile = f"{nl}.copy({tile})"
    value = r.render(given["on_false_value"])
    new = [*parts, f"on_true_tile={tile}", f"on_false_value={value}", f"cmp_op={nl}.{name}"]
    without = {k: v for k, v in given.items() if k in ("dtype",)}
    views = r.views(node)
    operands = [given["on_true_tile"]]
    kind = numpy_dtype(r, without["dtype"], r.render(without["dtype"])) if without else dtype(r, views, operands, node)
    sizes = shape(r, views, operands, node)
    return Pending(r.render(node.func), tuple(new), tuple(views), kind, "affine_select", sizes)


_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "equal", ast.NotEq: "not_equal", ast.Gt: "greater", ast.GtE: "greater_equal", ast.Lt: "less",
    ast.LtE: "less_equal",
}  # fmt: skip


def _comparison(r: Rewriter, predicate: ast.expr) -> tuple[list[str], str]:
    """The pattern of what is compared with 0, and how."""
    seen: list[Any] = r.values(predicate)
    if not seen or not all(isinstance(g, Grid) and g.is_mask and not g.dynamic for g in seen):
        raise Undecided(f"a predicate that is not known{r.because(predicate)}")
    node: ast.expr | None = predicate
    while isinstance(node, ast.Name):
        made = assigned(r, node)
        node = made[1] if made is not None and isinstance(made[0], ast.Name) else None
    kind = type(node.ops[0]) if isinstance(node, ast.Compare) and len(node.ops) == 1 else None
    if isinstance(node, ast.Compare) and kind in _COMPARISONS:
        with suppress(Undecided):
            return _written(r, node, seen), _COMPARISONS[kind]
        sides = r.values(node.left), r.values(node.comparators[0])
        if len(sides[0]) == len(sides[1]) == len(seen):
            grids = [_minus(a, b, g.shape) for a, b, g in zip(*sides, seen, strict=True)]
            return _pattern(r, grids, predicate), _COMPARISONS[kind]
    conditions = [g.value for g in seen]
    relations = {c.relation for c in conditions if isinstance(c, Compare)}
    if len(relations) != 1 or not all(isinstance(c, Compare) for c in conditions):
        raise Undecided("a predicate that is no single comparison")
    name = {">=": "greater_equal", "==": "equal", "!=": "not_equal"}[relations.pop()]
    return _pattern(r, [Grid(g.value.left, g.shape) for g in seen], predicate), name


def _written(r: Rewriter, node: ast.Compare, seen: list[Grid]) -> list[str]:
    """The pattern of a comparison in the words of the author."""
    whole = index(r, node.left) + index(r, node.comparators[0]).negative()
    by_axis = {x.position: x for x in whole.ranges}
    ranks = {len(g.shape) for g in seen}
    if len(ranks) != 1 or len(by_axis) != len(whole.ranges) or any(x.start for x in whole.ranges):
        raise Undecided("a predicate of another form")
    steps, counts = [], []
    for axis in range(rank := ranks.pop()):
        found = by_axis.get(rank - 1 - axis)
        steps.append(str(found.coefficient) if found else "0")
        counts.append(found.size if found else size(r, [g.shape[axis] for g in seen], node))
    pattern = ", ".join(f"[{s}, {n}]" for s, n in zip(steps[1:], counts[1:], strict=True))
    return [f"pattern=[{pattern}]", f"offset={whole.base or '0'}", f"channel_multiplier={steps[0]}"]


def _pattern(r: Rewriter, grids: list[Grid], node: ast.expr) -> list[str]:
    """Steps, sizes and offset of what is compared with 0."""
    parts = [_steps(g) for g in grids]
    ranks = {len(g.shape) for g in grids}
    if len(ranks) != 1:
        raise Undecided("a predicate of another rank from call to call")
    rank = ranks.pop()
    steps = [size(r, [steps[d] for steps, _ in parts], node) for d in range(rank)]
    counts = [size(r, [g.shape[d] for g in grids], node) for d in range(rank)]
    offset = size(r, [rest for _, rest in parts], node)
    pattern = ", ".join(f"[{s}, {n}]" for s, n in zip(steps[1:], counts[1:], strict=True))
    return [f"pattern=[{pattern}]", f"offset={offset}", f"channel_multiplier={steps[0]}"]


def _minus(left: Any, right: Any, shape: tuple[Any, ...]) -> Grid:
    first, second = (v.value if isinstance(v, Grid) else v for v in (left, right))
    return Grid(first - second, shape)


@STEP.calls("isa.dma_copy")
def dma_copy(r: Rewriter, node: ast.Call) -> Pending | str:
    """A copy; what `dst_rmw_op` adds is for the step to 0.3."""
    given = arguments_of(node, lookup(BETA1, "isa.dma_copy"))  # type: ignore[arg-type]
    added = given.get("dst_rmw_op")
    if added is None or (isinstance(added, ast.Constant) and added.value is None):
        return with_destination(r, node, "isa.dma_copy")
    if set(given) - {"dst", "src", "dst_rmw_op"}:
        raise Undecided("what `dma_copy` adds to: use `nisa.dma_compute`")
    dst, src = region(r, given["dst"]), region(r, given["src"])
    return f"{r.render(node.func)}(dst={dst}, src={src}, dst_rmw_op={operator(r, added)})"


@STEP.calls("isa.nc_transpose")
def transpose(r: Rewriter, node: ast.Call) -> Pending | str:
    """The Tensor Engine writes to PSUM; where no engine was named, the result was in SBUF."""
    found = with_destination(r, node, "isa.nc_transpose")
    assert isinstance(found, Pending)
    if found.clip:  # what a mask leaves of its operand stands across
        found = replace(found, clip={1 - position: cut for position, cut in found.clip.items() if position < 2})
    given = arguments_of(node, lookup(BETA1, "isa.nc_transpose"))  # type: ignore[arg-type]
    small = all(isinstance(n, int) and n <= 32 for v in found.views for n in (v.shape[0], v.free))
    in_psum = all(str(v.memory) == "psum" for v in found.views)
    if in_psum or small or ("engine" in given and "vector" in r.source.text_of(given["engine"])):
        return found
    if _goes_to_psum(r, node, given["data"]):
        return replace(found, views=(), dtype="")
    nl = r.module("language")
    stem = getattr(r.statement, "targets", [None])[0]
    if found.unnamed:
        raise Undecided(found.unnamed)
    name = r.fresh(f"{stem.id if isinstance(stem, ast.Name) else 'transpose'}_psum")
    kind = dtype(r, r.views(given["data"]), [given["data"]], node)
    r.pending.append(f"{name} = {nl}.ndarray({found.shape}, dtype={kind}, buffer={nl}.psum)")
    r.pending.append(found.into_new(name))
    if found.dtype == kind and _is_copied(r, node):
        return name
    return f"{nl}.copy({name}{f', dtype={found.dtype}' if found.dtype != kind else ''})"


def _goes_to_psum(r: Rewriter, node: ast.Call, data: ast.expr) -> bool:
    """Whether what is transposed is assigned to a part of PSUM that is as large, and of the same dtype."""
    around = r.source.parents[node]
    target = around.targets[0] if isinstance(around, ast.Assign) and len(around.targets) == 1 else None
    if not isinstance(target, ast.Subscript):
        return False
    views, results, operands = r.views(target), r.views(node), r.views(data)
    return bool(views) and all(
        str(view.memory) == PSUM
        and str(view.dtype) == str(operand.dtype)
        and tuple(map(key_of, view.shape)) == tuple(map(key_of, result.shape))
        for view, result, operand in zip(views, results, operands, strict=False)
    )


def _is_copied(r: Rewriter, node: ast.Call) -> bool:
    """Whether a copy is all that is made of a result."""
    around = r.source.parents[node]
    keyword = around if isinstance(around, ast.keyword) else None
    call = r.source.parents[around] if keyword is not None else around
    is_copy = isinstance(call, ast.Call) and r.operation(call) in ("language.copy", "isa.tensor_copy")
    others = {k.arg for k in call.keywords if k is not keyword} if isinstance(call, ast.Call) else set()
    return is_copy and others <= {"dtype"} and getattr(call, "args", [])[:1] == ([] if keyword else [node])
