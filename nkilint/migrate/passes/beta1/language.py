"""Operations of `nki.language` lose their masks and take the arguments of `nki`.

A masked load fills the first part of a whole tile; of what is computed element by element, the part that the mask
left undefined may as well be computed, but where it is assigned to elements that there are: these keep their values.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.objects import Api
from nkilint.migrate.clips import Clip, clip, clip_if_known
from nkilint.migrate.destinations import Pending
from nkilint.migrate.left_out import with_left_out
from nkilint.migrate.naming import parameters
from nkilint.migrate.operations import arguments_of, hangs_on_several, numpy_dtype
from nkilint.migrate.regions import region
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.spelling import dtype, shape
from nkilint.migrate.steps import Example, Step
from nkilint.migrate.stretching import fills, may_be_larger, named, named_shape, stretched
from nkilint.symbolic.integers import is_one
from nkilint_rules.operations import load_operations, lookup
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.memory import SBUF

STEP = Step(
    "language-operations",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "i = nl.arange(128)[:, None]\nj = nl.arange(100)[None, :]\nfor t in nl.affine_range(3):\n"
            "    a = nl.load(x[i, 100 * t + j], mask=100 * t + j < 256)\n"
            "    nl.store(out[i, 100 * t + j], a, mask=100 * t + j < 256)",
            "for t in nl.affine_range(3):\n"
            "    a = nl.ndarray((128, 100), dtype=x.dtype, buffer=nl.sbuf)\n"
            "    nisa.dma_copy(dst=a[:, 0:min(100, 256 - 100 * t)], "
            "src=x[0:128, 100 * t:100 * t + min(100, 256 - 100 * t)])\n"
            "    nl.store(out[0:128, 100 * t:100 * t + min(100, 256 - 100 * t)], a[:, 0:min(100, 256 - 100 * t)])",
        ),
        Example(
            "i = nl.arange(128)[:, None]\nj = nl.arange(128)[None, :]\nfor t in nl.affine_range(3):\n"
            "    nl.store(out[i, 128 * t + j], nl.load(x[i, 128 * t + j], mask=t < 2), mask=t < 2)",
            "for t in nl.affine_range(3):\n    if t < 2:\n"
            "        load_tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)\n"
            "        nisa.dma_copy(dst=load_tile, src=x[0:128, 128 * t:128 * t + 128])\n"
            "        nl.store(out[0:128, 128 * t:128 * t + 128], load_tile)",
        ),
        Example(
            "i = nl.arange(128)[:, None]\nj = nl.arange(256)[None, :]\na = nl.load(x)\n"
            "b = nl.zeros((128, 256), dtype=x.dtype, buffer=nl.sbuf)\nb[i, j] = nl.exp(a[i, j], mask=j < 100)\n"
            "nl.store(out, b)",
            "a = nl.load(x)\nb = nl.zeros((128, 256), dtype=x.dtype, buffer=nl.sbuf)\n"
            "b[0:128, 0:100] = nl.exp(a[0:128, 0:100])\nnl.store(out, b)",
        ),
    ),
)

_RENAMED = {
    "language.copy": {"src": "x"},
    "language.broadcast_to": {"src": "x"},
    "language.expand_dims": {"data": "x"},
    "language.zeros_like": {"a": "x"},
    "language.empty_like": {"a": "x"},
    "language.device_print": {"prefix": "print_prefix", "x": "tensor"},
}
_OWN = frozenset(
    {"load", "load_transpose2d", "store", "ndarray", "zeros", "full", "ones", "par_dim", "arange", "divide", "matmul"}
)
_KINDS = frozenset({"compute", "dma", "print", "method", "create", "matmul"})


def _usual() -> list[str]:
    return [
        name
        for name, o in load_operations().items()
        if name.startswith("language.") and o.signature(BETA1) and o.kind in _KINDS and o.leaf not in _OWN
    ]


@STEP.calls("language.load")
def load(r: Rewriter, node: ast.Call) -> Pending | str | None:
    """A load under a mask fills a part of a tile; any other stays a load."""
    given = arguments_of(node, lookup(BETA1, "language.load"))  # type: ignore[arg-type]
    guards = len(r.guards)
    within = clip(r, given.get("mask"))
    skipped = len(r.guards) > guards and not is_assigned_to_part(r, node)  # its tile is there all the same
    if r.reaches("0.3") and not within and not skipped:
        return _call(r, node, given, {})
    source = region(r, given["src"], within)
    found = Pending(f"{r.module('isa')}.dma_copy", (f"src={source}",), (), "", "load", "", within or None)
    return _loaded(r, node, given, found)


@STEP.calls("language.load_transpose2d")
def load_transposed(r: Rewriter, node: ast.Call) -> Pending | str | None:
    """A load whose rows become columns: what a mask leaves of one is left of the other."""
    given = arguments_of(node, lookup(BETA1, "language.load_transpose2d"))  # type: ignore[arg-type]
    if not r.reaches("0.3"):
        raise Undecided("`load_transpose2d` is not there before 0.3")
    within = clip(r, given.get("mask"))
    if not within:
        return _call(r, node, given, {})
    across = {1 - position: part for position, part in within.items() if position < 2}
    texts = [region(r, given["src"], within)]
    if "dtype" in given:
        texts.append(f"dtype={numpy_dtype(r, given['dtype'], r.render(given['dtype']))}")
    found = Pending(r.render(node.func), tuple(texts), (), "", "load_transpose2d", "", across, gives=True)
    return _loaded(r, node, given, found)


def _loaded(r: Rewriter, node: ast.Call, given: Mapping[str, ast.expr], found: Pending) -> Pending:
    """A load into a tile, with what this is like."""
    views = r.views(node)
    if not views:
        raise Undecided(f"what is loaded is not known{r.because(node)}")
    found = replace(found, views=tuple(views))
    try:
        kind = r.render(given["dtype"]) if "dtype" in given else dtype(r, views, (), node)
        kind = numpy_dtype(r, given.get("dtype"), kind)
        return replace(found, dtype=kind, shape=shape(r, views, [given["src"]], node))
    except Undecided as undecided:  # what it is assigned to may be there already
        return replace(found, unnamed=str(undecided))


@STEP.calls("language.store")
def store(r: Rewriter, node: ast.Call) -> str | None:
    """A store of the part that its mask lets through."""
    given = arguments_of(node, lookup(BETA1, "language.store"))  # type: ignore[arg-type]
    within = clip(r, given.get("mask"))
    value = given["value"]
    if "mask" not in given and r.memory(value) != "psum" and r.reaches("0.3"):
        plain = r.plain(node)
        return plain if plain != r.source.text_of(node) else None
    dst = region(r, given["dst"], within)
    text = region(r, value, within) if r.is_tensor(value) else r.render(value)
    if r.memory(value) == "psum":
        text = f"{r.module('language')}.copy({text})"
    if r.reaches("0.3"):
        named = "value=" if any(k.arg == "value" for k in node.keywords) else ""
        return f"{r.render(node.func)}({dst}, {named}{text})"
    return f"{r.module('isa')}.dma_copy(dst={dst}, src={text})"


_USUAL = frozenset(_usual())


@STEP.calls(*sorted(_USUAL))
def compute(r: Rewriter, node: ast.Call) -> str | None:
    """Any other operation, which gives a tile in `nki` too."""
    name = r.operation(node) or ""
    old, new = lookup(BETA1, name), lookup(NKI, name)
    assert old is not None
    if new is None or not r.reaches("0.3"):
        where = "is not there any more" if new is None else "is not there before 0.3"
        raise Undecided(f"`{old.leaf}` {where}")
    given = arguments_of(node, old)
    part = is_assigned_to_part(r, node)
    within = clip(r, given.get("mask")) if part or old.name not in _ELEMENTWISE else clip_if_known(r, given.get("mask"))
    if within and old.name not in _ELEMENTWISE:
        return _reduced(r, node, given, within)
    if not part:
        r.cut.update(within)  # what is undefined may as well be computed
    if name == "language.where":
        return _chosen(r, node, given, within if part else {})
    text = _call(r, node, given, _RENAMED.get(name, {}), within if part else {})
    if name == "language.transpose" and any(str(v.memory) == SBUF for v in r.views(node)):
        return f"{r.module('language')}.copy({text or r.plain(node)})"  # it gives a tile in PSUM
    if name == "language.random_seed":
        return _seeded(r, given["seed"], text or r.plain(node))
    if name in ("language.mod", "language.fmod"):
        raise Undecided(f"`{old.leaf}` is no instruction: it works in simulation only")
    if name == "language.rand" and "dtype" not in given:
        return f"{(text or r.plain(node))[:-1]}, dtype={r.module('language')}.float32)"
    return text


def _chosen(r: Rewriter, node: ast.Call, given: dict[str, ast.expr], within: Clip) -> str | None:
    """`nl.where`, with what is chosen from as large as what chooses, and the dtype of the result."""
    text = _call(r, node, given, {}, within, _as_large(r, node, given) if not within else {})
    if "dtype" in given or _keeps_dtype(r, node, given):
        return text
    kind = dtype(r, r.views(node), [given["x"], given["y"]], node)
    return f"{(text or r.plain(node))[:-1]}, dtype={kind})"


def _as_large(r: Rewriter, node: ast.Call, given: dict[str, ast.expr]) -> dict[ast.expr, str]:
    """The texts of what `nl.where` chooses from, where they may have to be stretched."""
    condition = given["condition"]
    if narrow := _narrow(r, node, [given[name] for name in ("condition", "x", "y")]):
        return narrow
    wide, texts = named_shape(r, condition), dict[ast.expr, str]()
    tiles = [x for x in (given["x"], given["y"]) if r.is_tensor(x) and not (wide and named_shape(r, x) == wide)]
    if not any(may_be_larger(r, node, condition, x) for x in tiles):
        return texts
    if not wide:
        wide = texts[condition] = named(r, condition, "condition", region(r, condition))
    return texts | {x: stretched(r, node, condition, x, (f"{wide}.shape", region(r, x))) for x in tiles}


def _narrow(r: Rewriter, node: ast.Call, operands: Sequence[ast.expr]) -> dict[ast.expr, str]:
    """The texts of operands that are proved to be smaller than the result, as large as it is."""
    tiles = [x for x in operands if r.is_tensor(x)]
    whole = [x for x in tiles if fills(r, node, x)]
    narrow = [x for x in tiles if x not in whole and fills(r, node, x, stretched=True)]
    if not narrow:
        return {}
    name = next((found for x in whole if (found := named_shape(r, x))), "")
    size = f"{name}.shape" if name else shape(r, r.views(node), whole, node)
    texts = {x: with_left_out(r, x, region(r, x)) for x in narrow}
    return {x: f"{r.module('language')}.broadcast_to({text}, {size})" for x, text in texts.items()}


def _keeps_dtype(r: Rewriter, node: ast.Call, given: dict[str, ast.expr]) -> bool:
    """Whether both tiles that are chosen from have the dtype of the result, or are taken to have one: `nki` does not
    say what two give."""
    if hangs_on_several(r.views(node)):
        return True
    results = [str(v.dtype) for v in r.views(node)]
    tiles = [given[name] for name in ("x", "y") if r.is_tensor(given[name])]
    return not results or all([str(v.dtype) for v in r.views(tile)] == results for tile in tiles)


def _seeded(r: Rewriter, seed: ast.expr, text: str) -> str:
    """A seed is a tile of one element."""
    if r.is_tensor(seed):
        return text
    nl = r.module("language")
    return f"{nl}.random_seed({nl}.full((1, 1), {r.render(seed)}, dtype={nl}.int32, buffer={nl}.sbuf))"


def is_assigned_to_part(r: Rewriter, node: ast.expr) -> bool:
    """Whether a result goes to elements of a tile that there is."""
    statement = r.source.parents[node]
    if isinstance(statement, ast.AugAssign):
        return True
    return isinstance(statement, ast.Assign) and any(isinstance(t, ast.Subscript) for t in statement.targets)


def written(r: Rewriter, node: ast.expr) -> Clip:
    """How many elements of each axis an operation of the language under a mask writes, where it is assigned to a part
    of a tile; empty for all."""
    name = r.operation(node) if isinstance(node, ast.Call) else None
    old = lookup(BETA1, name) if name in _USUAL else None
    if old is None or not isinstance(node, ast.Call) or not is_assigned_to_part(r, node):
        return {}
    given = arguments_of(node, old)
    within = clip(r, given.get("mask"))
    operands, results = r.views(given["x"]) if "x" in given else [], r.views(node)
    if old.name in _ELEMENTWISE or not within or not operands or not results:
        return within
    rows = within.get(len(operands[0].shape) - 1)  # a reduction keeps these
    return {len(results[0].shape) - 1: rows} if rows is not None else {}


def _reduced(r: Rewriter, node: ast.Call, given: dict[str, ast.expr], within: Clip) -> str:
    """A reduction over as many elements as the mask lets through; rows do without it, which are undefined then."""
    leaf = (r.operation(node) or "").rpartition(".")[2]
    operands, results = r.views(given["x"]) if "x" in given else [], r.views(node)
    if leaf not in _REDUCTIONS or not operands or not results:
        raise Undecided(f"a mask on `{leaf}`")
    rank = len(operands[0].shape)
    free = {position: cut for position, cut in within.items() if position != rank - 1}
    taken = within if is_assigned_to_part(r, node) else free
    r.cut.update(set(within) - set(taken))
    if any(len(v.shape) == rank and not is_one(v.shape[-1 - p]) for v in results for p in free):
        raise Undecided(f"a mask on `{leaf}` along an axis that it keeps")
    texts = {value: r.render(value) for key, value in given.items() if key not in ("x", "mask")}
    texts[given["x"]] = region(r, given["x"], taken)
    parts = [texts[a] for a in node.args]
    parts += [f"{k.arg}={texts[k.value]}" for k in node.keywords if k.arg != "mask"]
    return f"{r.render(node.func)}({', '.join(parts)})"


_REDUCTIONS = frozenset({"max", "min", "sum", "prod", "mean"})
_ELEMENTWISE = frozenset(
    name
    for name, o in load_operations().items()
    if name.startswith("language.") and o.signature(BETA1) and ("x" in o.operands or "src" in o.operands)
    if not o.signature(BETA1).names & {"axis", "axes"}  # type: ignore[union-attr]
)


def _call(
    r: Rewriter,
    node: ast.Call,
    given: dict[str, ast.expr],
    renamed: dict[str, str],
    within: Clip | None = None,
    texts: Mapping[ast.expr, str] = MappingProxyType({}),
) -> str | None:
    """The call without its mask, its other arguments where they were, or as `texts` has them, and of these what takes
    part."""
    if "mask" not in given and not renamed and not texts:
        plain = r.plain(node)
        return plain if plain != r.source.text_of(node) else None
    parts = []
    for value in node.args:
        parts.append(texts.get(value) or (region(r, value, within) if r.is_tensor(value) else r.render(value)))
    for keyword in node.keywords:
        if keyword.arg != "mask":
            value = keyword.value
            text = texts.get(value) or (region(r, value, within) if r.is_tensor(value) else r.render(value))
            if keyword.arg == "dtype":
                text = numpy_dtype(r, value, text)
            parts.append(f"{renamed.get(keyword.arg or '', keyword.arg)}={text}")
    return f"{r.render(node.func)}({', '.join(parts)})"


_GONE = frozenset(
    f"language.{name}" for name in ("all_reduce", "gemm_grid", "gemm_stationary_grid", "loop_reduce", "static_cast")
)


@STEP.rewrites(ast.Call)
def method(r: Rewriter, node: ast.Call) -> str | None:
    """`tile.broadcast_to(shape)`, which is a function in `nki`; functions that are gone."""
    called, name = node.func, r.operation(node) or ""
    if name in _GONE and not r.rewrites(name):
        raise Undecided(f"`{name.rpartition('.')[2]}` is not there any more")
    if any(k.arg == "mask" for k in node.keywords) and r.api(called) is None:
        return _of_operation(r, node)
    if not isinstance(called, ast.Attribute) or not r.is_tensor(called.value):
        return None
    if called.attr == "broadcast_to" and r.memory(called.value) != "hbm":
        sizes = r.render(node.args[0]) if len(node.args) == 1 else f"({', '.join(r.render(a) for a in node.args)})"
        return f"{r.module('language')}.broadcast_to({r.render(called.value)}, {sizes})"
    if called.attr == "astype":
        return f"{r.module('language')}.copy({r.render(called.value)}, dtype={r.render(node.args[0])})"
    return None


def _of_operation(r: Rewriter, node: ast.Call) -> str | None:
    """`function(tile, mask=mask)`, where the function is an operation of the language that somebody handed over."""
    values, text = r.values(node.func), r.source.text_of(node.func)
    mask = next(k.value for k in node.keywords if k.arg == "mask")
    is_mask = any(isinstance(v, Grid) for v in r.values(mask))
    if not any(isinstance(v, Api) for v in values):
        if is_mask and not values and _is_local(r, node.func):
            raise Undecided(f"`{text}` is not known, and no operation takes a mask any more{r.because(node.func)}")
        return None
    names = {v.name for v in values if isinstance(v, Api)}
    if is_assigned_to_part(r, node) or not names <= _ELEMENTWISE or not all(isinstance(v, Api) for v in values):
        raise Undecided(f"a mask on `{text}`, which is an operation that takes none any more")
    parts = [
        *(r.render(a) for a in node.args),
        *(f"{k.arg}={r.render(k.value)}" for k in node.keywords if k.arg != "mask"),
    ]
    return f"{r.render(node.func)}({', '.join(parts)})"


def _is_local(r: Rewriter, node: ast.expr) -> bool:
    """Whether a name is bound in the function around it."""
    function = r.source.function(node)
    if not isinstance(node, ast.Name) or function is None:
        return False
    bound = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return node.id in bound | set(parameters(function))
