"""Operations of `nki.isa` write to `dst` instead of giving a tile.

The new tile has the shape, dtype and memory of the result that Beta 1 gave.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from nkilint.evaluator.values.tensors import View
from nkilint.fixes.edits import piece
from nkilint.migrate.clips import Clip
from nkilint.migrate.destinations import Pending, fitting, shortened
from nkilint.migrate.operations import OPERATORS, as_float32, inverse, with_destination
from nkilint.migrate.regions import cut, is_container, region
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step
from nkilint.migrate.stretching import BINARY, as_wide, fits, shown_equal
from nkilint.migrate.sums import holds_products, is_copied_to, may_hold
from nkilint.migrate.texts import enclosed
from nkilint.migrate.unseen import check_known
from nkilint.symbolic.integers import is_one, key_of
from nkilint_rules.operations import load_operations
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import PSUM, SBUF

from .language import written
from .operators import STEP as OPERATORS_STEP
from .traced_loops import check

STEP = Step(
    "destinations",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "a = nl.load(x)\nb = nisa.reciprocal(a)\nnl.store(out, b)",
            "a = nl.load(x)\nb = nl.ndarray(a.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
            "nisa.reciprocal(dst=b, data=a)\nnl.store(out, b)",
        ),
        Example(
            "a = nl.load(x)\np = nl.zeros((128, 256), dtype=nl.float32, buffer=nl.psum)\nfor k in nl.affine_range(2):\n"
            "    p += nisa.nc_matmul(a[:, nl.ds(128 * k, 128)], a)\nnl.store(out, p)",
            "a = nl.load(x)\np = nl.zeros((128, 256), dtype=nl.float32, buffer=nl.psum)\nfor k in nl.affine_range(2):\n"
            "    nisa.nc_matmul(dst=p, stationary=a[:, nl.ds(128 * k, 128)], moving=a)\nnl.store(out, nl.copy(p))",
        ),
    ),
)

_OTHERS = frozenset(
    {
        "isa.affine_select",
        "isa.iota",
        "isa.memset",
        "isa.get_nc_version",
        "isa.nc_transpose",
        "isa.dma_copy",
        "isa.tensor_tensor",
    }
)


def _usual() -> list[str]:
    return [
        name
        for name, o in load_operations().items()
        if name.startswith("isa.") and o.signature(BETA1) and o.signature(NKI) and name not in _OTHERS
    ]


@STEP.calls(*_usual())
def destination(r: Rewriter, node: ast.Call) -> Pending | str:
    return with_destination(r, node, r.operation(node) or "")


@STEP.rewrites(ast.Attribute, ast.Name)
def handed_on(r: Rewriter, node: ast.Attribute | ast.Name) -> None:
    """An operation that is not called where it is named, but by who gets it."""
    named = r.api(node)
    around = r.source.parents.get(node)
    if named is None or named[0] != BETA1 or named[1] not in _HANDED or isinstance(around, (ast.Assign, ast.Attribute)):
        return
    if not (isinstance(around, ast.Call) and around.func is node):
        text = r.source.text_of(node)
        raise Undecided(f"`{text}` is handed on as a function, which writes to `dst` now instead of giving a tile")


_HANDED = frozenset(_usual())


@STEP.rewrites(ast.Assign)
def assign(r: Rewriter, node: ast.Assign) -> str | None:
    """`x = nisa.f(...)` and `x[...] = nisa.f(...)`."""
    if len(node.targets) != 1:
        return None
    target = node.targets[0]
    check(r, node, target)
    named = r.api(node.value)
    if named is not None and named[0] == BETA1 and named[1].startswith(("compiler.", "simulate_kernel")):
        if r.api(target) == named and node not in r.source.tree.body:
            return ""  # another name for what is gone, in whose place it is written
        if r.api(target) != named and named[1] != "simulate_kernel":
            raise Undecided(f"`{r.source.text_of(node.value)}` is not there any more")
    found, part = translated(r, node.value)
    if isinstance(found, str):
        new = masked_part(r, target, part) if part else r.render(target)
        if new.endswith(")") and isinstance(target, ast.Subscript):  # an access pattern, which only a call can write
            return f"{r.module('isa')}.tensor_copy(dst={new}, src={_without_copy(r, found)})"
        place = r.source.place(target)
        between = r.source.place(node.value)
        return new + piece(r.source.lines, *place[2:], *between[:2]) + found + _closing(r, node)
    return assigned(r, target, found, node.value)


def _without_copy(r: Rewriter, text: str) -> str:
    """What a call of `nl.copy` copies, where it does nothing else; any other text as it is."""
    node = ast.parse(text, mode="eval").body
    plain = isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords
    if not isinstance(node, ast.Call) or not plain or ast.unparse(node.func) != f"{r.module('language')}.copy":
        return text
    return ast.get_source_segment(text, node.args[0]) or text


def translated(r: Rewriter, value: ast.expr) -> tuple[str | Pending, Clip]:
    """What is assigned, and how many elements of each axis, where that is not all."""
    found, part = r.translate(value), written(r, value)
    if part and isinstance(value, ast.Call) and r.operation(value) in _OF_TWO:  # computed whole, and written in part
        text = found if isinstance(found, str) else r.temporary(found)
        return cut(r, value, text, fitting(r.views(value), part)), part
    return found, part


_OF_TWO = frozenset(f"language.{name}" for name in BINARY)


def _closing(r: Rewriter, node: ast.Assign) -> str:
    """What stands between the value and the end of the statement: parentheses."""
    return piece(r.source.lines, *r.source.place(node.value)[2:], *r.source.place(node)[2:])


def assigned(r: Rewriter, target: ast.expr, found: Pending, value: ast.expr) -> str:
    """An operation whose result is assigned."""
    if isinstance(target, ast.Name):
        names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        if target.id not in names:
            r.declare(target.id, found)
            return found.into_new(target.id)
        name = r.fresh(f"{target.id}_{found.leaf}")
        r.declare(name, found)
        r.pending.append(found.into_new(name))
        return f"{target.id} = {name}"
    if isinstance(target, ast.Attribute) or (isinstance(target, ast.Subscript) and is_container(r, target.value)):
        name = r.temporary(found)  # another tile takes the place of what was there, which stays as it is
        return f"{r.render(target)} = {name}"
    views = r.views(target)
    if not isinstance(target, ast.Subscript) or not views:
        raise Undecided("the result is assigned to something of which not enough is known")
    again = found.leaf == "nc_matmul" and str(views[0].memory) == PSUM and may_hold(r, target)
    if again and r.reaches("0.3"):
        found = replace(found, arguments=(*found.arguments, "accumulate=False"))
        again = False
    if _fits(found, views) and not again:
        return found.into(destination_of(r, target, found))
    name = r.temporary(found)
    name += shortened(len(found.views[0].shape), fitting(found.views, found.clip or {}))
    try:
        by_engine = {position: replace(part, by_engine=True) for position, part in (found.clip or {}).items()}
        into = destination_of(r, target, replace(found, clip=by_engine))
    except Undecided:
        if not _moves_by_dma(found, views):
            raise
        return f"{r.module('isa')}.dma_copy(dst={destination_of(r, target, found)}, src={name})"
    return f"{r.module('isa')}.tensor_copy(dst={into}, src={name})"


def _moves_by_dma(found: Pending, views: Sequence[View]) -> bool:
    """Whether DMA, which begins at any partition and casts by way of float32, moves a loaded tile to another one."""
    to_float = all(isinstance(v.dtype, DType) and not v.dtype.is_integer for v in views)
    return found.leaf == "load" and to_float and all(str(v.memory) == SBUF for v in (*found.views, *views))


def masked_part(r: Rewriter, target: ast.expr, within: Clip) -> str:
    """The elements of a part of a tile that a mask leaves."""
    kept = fitting(r.views(target), within)
    if set(kept) != set(within):
        raise Undecided("a mask of another form than what is assigned to")
    return region(r, target, within)


def destination_of(r: Rewriter, target: ast.expr, found: Pending | None = None) -> str:
    """What is assigned to, as `dst`: a whole tile needs no dots."""
    return region(r, target, found.clip if found is not None else None).removesuffix("[...]")


def _fits(found: Pending, views: list) -> bool:  # type: ignore[type-arg]
    """Whether an operation may write to what its result was assigned to: the same memory, and no rounding lost."""
    if not found.views:
        return found.dtype.rpartition(".")[2] in ("", "float32", *({str(v.dtype) for v in views} if views else ()))
    for result, view in zip(found.views, views, strict=False):
        same = str(result.dtype) in (str(view.dtype), "float32")
        if not same or str(result.memory) != str(view.memory):
            return False
        if tuple(map(key_of, result.shape)) != tuple(map(key_of, view.shape)):
            return False
    return True


@STEP.rewrites(ast.AnnAssign)
def annotated(r: Rewriter, node: ast.AnnAssign) -> str | None:
    """`x: tensor[128, 512] = nisa.f(...)`: the annotation goes with the new tile."""
    if node.value is None:
        return None
    found = r.translate(node.value)
    if isinstance(found, str):
        before = piece(r.source.lines, *r.source.place(node)[:2], *r.source.place(node.value)[:2])
        return before + found
    if not isinstance(node.target, ast.Name):
        raise Undecided("the result is assigned to something that has an annotation")
    new = assigned(r, node.target, found, node.value)
    r.pending[-1] = r.pending[-1].replace(" = ", f": {r.source.text_of(node.annotation)} = ", 1)
    return new


@OPERATORS_STEP.rewrites(ast.AugAssign)
def accumulate(r: Rewriter, node: ast.AugAssign) -> str | None:
    """`psum += nisa.nc_matmul(...)` adds to what `dst` holds."""
    views = r.views(node.target)
    if not views:
        check_known(r, node, node.target, node.value)
        return None
    found, part = translated(r, node.value)
    plus = isinstance(node.op, ast.Add)
    in_psum = all(str(v.memory) == "psum" for v in views)
    product = isinstance(found, Pending) and found.leaf == "nc_matmul" and plus and in_psum
    if isinstance(found, Pending) and product and holds_products(r, node.target) and not is_copied_to(r, node.target):
        target = destination_of(r, node.target, found)
        whole = found if found.clip else as_wide(r, node.target, target, node.value, found)
        if whole is not None:
            return whole.into(target)
    if type(node.op) not in OPERATORS:
        raise Undecided("an operator on tiles that is no operation")
    value = found if isinstance(found, str) else r.temporary(found)
    if isinstance(found, Pending) and found.clip:
        value, part = value + shortened(len(found.views[0].shape), fitting(found.views, found.clip)), found.clip
    return updated(r, node, OPERATORS[type(node.op)], value, part)


def updated(r: Rewriter, node: ast.AugAssign, name: str, value: str, part: Clip) -> str:
    """`tile += value`, in place, or a part of it."""
    nl, nisa = r.module("language"), r.module("isa")
    target = masked_part(r, node.target, part) if part else destination_of(r, node.target)
    views, others = r.views(node.target), r.views(node.value)
    divided = name == "divide"
    if divided:
        value = inverse(r, value, others) if r.is_tensor(node.value) else f"1 / {enclosed(value)}"
        name = "multiply"
    same = [tuple(map(key_of, v.shape)) for v in views] == [tuple(map(key_of, v.shape)) for v in others]
    if others and same:
        if all(str(v.memory) == PSUM for v in (*views, *others)):
            value = f"{nl}.copy({value})"  # an operation reads one operand from PSUM
        return f"{nisa}.tensor_tensor(dst={target}, data1={target}, data2={value}, op={nl}.{name})"
    column = all(all(is_one(n) for n in v.shape[1:]) for v in others)
    if others and not column:
        value = _stretched(r, node, target, value)
        return f"{nisa}.tensor_tensor(dst={target}, data1={target}, data2={value}, op={nl}.{name})"
    value = as_float32(r, value, others, name) if others and not divided else value
    return f"{nisa}.tensor_scalar(dst={target}, data={target}, op0={nl}.{name}, operand0={value})"


def _stretched(r: Rewriter, node: ast.AugAssign, target: str, value: str) -> str:
    """A value as large as what it is added to."""
    nl, pairs = r.module("language"), list(zip(r.views(node.target), r.views(node.value), strict=False))
    if not pairs or any(len(a.shape) != len(b.shape) for a, b in pairs):
        raise Undecided("a value of another shape is added in place")
    if all(str(view.memory) == PSUM for pair in pairs for view in pair):
        value = f"{nl}.copy({value})"  # an operation reads one operand from PSUM
    seen = r.facts.of(r.source.path, r.source.place(node.value))
    if len(seen) == len(pairs) and all(shown_equal(r, s, *pair) for s, pair in zip(seen, pairs, strict=True)):
        return value
    if all(fits(b.shape, a.shape) for a, b in pairs):
        return f"{nl}.broadcast_to({value}, {target}.shape)"
    sizes = [n for a, b in pairs for n in zip(a.shape, b.shape, strict=True)]
    if any(isinstance(wide, int) and isinstance(n, int) and n not in (1, wide) for wide, n in sizes):
        raise Undecided("a value of another shape is added in place")
    if not value.isidentifier():
        name = r.fresh("value" if not isinstance(node.target, ast.Name) else f"{node.target.id}_part")
        r.pending.append(f"{name} = {value}")
        value = name
    return f"{value} if {value}.shape == {target}.shape else {nl}.broadcast_to({value}, {target}.shape)"
