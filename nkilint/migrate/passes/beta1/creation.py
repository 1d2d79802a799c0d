"""Block dimensions become lists of tiles, and the partition dimension loses its mark.

A list holds the same tiles as the block dimension did, so nothing else changes.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from nkilint.migrate.destinations import blocks, lists
from nkilint.migrate.grids import assigned
from nkilint.migrate.operations import arguments_of, numpy_dtype
from nkilint.migrate.placing import address, buffer_of, evaluated, given_address, gives_addresses
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import Example, Step
from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1, NKI

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
        Example(
            "t = nl.ndarray((4, nl.par_dim(128), 64), dtype=nl.float32, buffer=nki.compiler.sbuf.mod_alloc("
            "base_addr=1024, num_free_tiles=(2,)))\nfor i in nl.affine_range(4):\n"
            "    t[i] = nl.load(x[:, nl.ds(64 * i, 64)])\n    nl.store(out[:, nl.ds(64 * i, 64)], t[i])",
            "t = [\n    nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, "
            "address=(0, 1024 + (block % 2) * 64 * 4))\n    for block in range(4)\n]\nfor i in nl.affine_range(4):\n"
            "    t[i][...] = nl.load(x[:, nl.ds(64 * i, 64)])\n    nl.store(out[:, nl.ds(64 * i, 64)], t[i])",
        ),
        Example(
            "def place(idx, pdim_size, fdim_size):\n    return 0, 512 + idx[0] % 2 * fdim_size\n"
            "t = nl.ndarray((4, nl.par_dim(128), 64), dtype=nl.float32, buffer=nki.compiler.sbuf.alloc(place))\n"
            "for i in nl.affine_range(4):\n"
            "    t[i] = nl.load(x[:, nl.ds(64 * i, 64)])\n    nl.store(out[:, nl.ds(64 * i, 64)], t[i])",
            "t = [\n    nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, "
            "address=(0, 256 * (block % 2) + 512))\n    for block in range(4)\n]\nfor i in nl.affine_range(4):\n"
            "    t[i][...] = nl.load(x[:, nl.ds(64 * i, 64)])\n    nl.store(out[:, nl.ds(64 * i, 64)], t[i])",
        ),
        Example(
            "t = nl.full((128, 256), 1.0, dtype=x.dtype, buffer=nl.sbuf, lazy=False)\n"
            "nl.store(out, nl.add(t, nl.load(x)))",
            "t = nl.full((128, 256), 1.0, dtype=x.dtype, buffer=nl.sbuf)\nnl.store(out, nl.add(t, nl.load(x)))",
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
    count = counts.pop() if counts else 0
    placed = buffer_of(r, given.get("buffer"))
    if not views and placed is not None:
        count = _as_in_the_other_branch(r, node)
    unknown = _unknown(r, node)
    if placed is None and not count:
        return _without(r, node, unknown) if unknown else _plain(r, node)
    given = {key: value for key, value in given.items() if key not in unknown}
    return _listed(r, node, given, count, placed)


def _as_in_the_other_branch(r: Rewriter, node: ast.Call) -> int:
    """The block dimensions of a tensor that no evaluation makes: those of what the same name gets in another branch,
    where the shape has as many before that of the partitions."""
    statement, function = r.source.statement(node), r.source.function(node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is node else None
    elements = _elements(arguments_of(node, lookup(BETA1, r.operation(node) or ""))["shape"]) or []  # type: ignore[arg-type]
    marked = [n for n, e in enumerate(elements) if isinstance(e, ast.Call) and r.operation(e) == "language.par_dim"]
    if not isinstance(target, ast.Name) or function is None or len(marked) != 1:
        return 0
    others = [n for n in ast.walk(function) if isinstance(n, ast.Assign) and n is not statement]
    same = [n for n in others if any(isinstance(t, ast.Name) and t.id == target.id for t in n.targets)]
    found = {blocks(v) for n in same for v in r.views(n.value)}
    return marked[0] if found == {marked[0]} else 0


def _listed(
    r: Rewriter,
    node: ast.Call,
    given: dict[str, ast.expr],
    count: int,
    placed: tuple[str, dict[str, ast.expr] | None] | None,
) -> str:
    """Lists in lists, a loop for each block dimension; `placed` is what an allocator of Beta 1 says."""
    written = given["shape"]
    made = assigned(r, written) if isinstance(written, ast.Name) and count else None
    written = made[1] if made is not None else written
    elements = _elements(written)
    if count and elements is None:
        raise Undecided("a shape with block dimensions that is not written out")
    sizes = [r.render(e) for e in elements or ()]
    indices = ["_"] * count
    whole = f"({', '.join(sizes[count:])}{',' if len(sizes) - count == 1 else ''})"
    parts = [whole if elements is not None else r.render(written)]
    for key, value in given.items():
        text = r.render(value) if key not in ("shape", "buffer") or placed is None else ""
        if key == "buffer" and placed is not None:
            parts.append(f"buffer={r.module('language')}.{placed[0]}")
        elif key != "shape":
            parts.append(f"{key}={numpy_dtype(r, value, text) if key == 'dtype' else text}")
    if placed is not None and placed[1] is not None:
        _check_empty(r, node)
        names = [r.fresh("block") for _ in range(count)]
        allocated = given["buffer"]
        if isinstance(allocated, ast.Call) and gives_addresses(r, allocated):
            at = r.render(allocated)
        else:
            at = _address(r, node, placed[0], placed[1], sizes[count:], dict(zip(names, sizes, strict=False)))
        indices = [name if name in at else "_" for name in names]
        parts.append(f"address={at}")
    text = f"{r.render(node.func)}({', '.join(parts)})"
    for name, size in reversed(list(zip(indices, sizes[:count], strict=True))):
        text = f"[{text} for {name} in range({size})]"
    return text


def _check_empty(r: Rewriter, node: ast.Call) -> None:
    """What is placed directly has no initial value, in either dialect."""
    leaf = (r.operation(node) or "").rpartition(".")[2]
    if leaf not in ("ndarray", "empty"):
        raise Undecided(f"`{leaf}` gives an initial value to a tensor that is placed directly: make it by `ndarray`")


def _elements(shape: ast.expr) -> list[ast.expr] | None:
    """The sizes of a shape that is written out, if need be in several lists."""
    if isinstance(shape, (ast.Tuple, ast.List)):
        return None if any(isinstance(e, ast.Starred) for e in shape.elts) else list(shape.elts)
    if isinstance(shape, ast.BinOp) and isinstance(shape.op, ast.Add):
        left, right = _elements(shape.left), _elements(shape.right)
        return None if left is None or right is None else left + right
    return None


def _address(
    r: Rewriter,
    node: ast.Call,
    memory: str,
    given: dict[str, ast.expr],
    sizes: Sequence[str],
    blocks: Mapping[str, str],
) -> str:
    if not given:
        return evaluated(r, node, list(blocks))
    try:
        return address(r, node, memory, given, sizes, blocks)
    except Undecided as undecided:
        try:
            return evaluated(r, node, list(blocks))
        except Undecided:
            raise undecided from None


def _unknown(r: Rewriter, node: ast.Call) -> list[str]:
    """Keywords of a creation that no page of Beta 1 names, which takes any, and `nki` does not take."""
    name = r.operation(node) or ""
    signatures = [o.signature(dialect) for dialect in (BETA1, NKI) if (o := lookup(dialect, name)) is not None]
    known = {n for s in signatures if s is not None for n in s.names}
    found = [k.arg for k in node.keywords if k.arg is not None and k.arg not in known]
    for each in found:
        r.note(node, "E", STEP.name, f"`{each}` is on no page, and `nki` does not take it: it is left out")
    return found


def _without(r: Rewriter, node: ast.Call, dropped: Sequence[str]) -> str:
    """The call without some of its keywords."""
    parts = [r.render(a) for a in node.args]
    parts += [f"{k.arg}={r.render(k.value)}" for k in node.keywords if k.arg not in dropped]
    return f"{r.render(node.func)}({', '.join(parts)})"


def _plain(r: Rewriter, node: ast.Call) -> str | None:
    plain = r.plain(node)
    return plain if plain != r.source.text_of(node) else None


@STEP.rewrites(ast.Attribute)
def of_first(r: Rewriter, node: ast.Attribute) -> str | None:
    """The dtype of a tensor that is a list of tiles now, and its shape: lengths of lists, then that of a tile."""
    count = _lists(r, node.value)
    if not count:
        return None
    name = r.source.text_of(node.value)
    if node.attr == "dtype":
        return f"{name}{'[0]' * count}.dtype"
    if node.attr != "shape":
        raise Undecided(f"`{name}` is a list of tiles now, which has no `{node.attr}`")
    sizes = [_length(name, count, d) for d in range(len(r.views(node.value)[0].shape))]
    return f"({', '.join(sizes)})"


@STEP.rewrites(ast.Subscript)
def size_of_first(r: Rewriter, node: ast.Subscript) -> str | None:
    """One size of a tensor that is a list of tiles now."""
    value = node.value
    if not isinstance(value, ast.Attribute) or value.attr != "shape" or not isinstance(node.slice, ast.Constant):
        return None
    count, number = _lists(r, value.value), node.slice.value
    if not count or not isinstance(number, int):
        return None
    rank = len(r.views(value.value)[0].shape)
    return _length(r.source.text_of(value.value), count, number if number >= 0 else rank + number)


def _lists(r: Rewriter, node: ast.expr) -> int:
    """How many lists in lists a tensor has become; 0 for one that stays a tensor."""
    views = r.views(node) if isinstance(node, ast.Name) else []
    counts = {(lists(v), len(v.shape)) for v in views}
    if len(counts) > 1 and any(count for count, _ in counts):
        raise Undecided(f"`{r.source.text_of(node)}` is a list of tiles in some calls only")
    return next((count for count, _ in counts), 0)


def _length(name: str, count: int, dimension: int) -> str:
    """A size of lists of tiles."""
    if dimension < count:
        return f"len({name}{'[0]' * dimension})"
    return f"{name}{'[0]' * count}.shape[{dimension - count}]"


@STEP.calls("compiler.sbuf.mod_alloc", "compiler.psum.mod_alloc")
def placed(r: Rewriter, node: ast.Call) -> str | None:
    """What functions give that other calls place tensors by."""
    return given_address(r, node)


@STEP.calls("language.par_dim")
def partition(r: Rewriter, node: ast.Call) -> str | None:
    """The partition dimension is the first one."""
    return r.render(node.args[0]) if len(node.args) == 1 else None
