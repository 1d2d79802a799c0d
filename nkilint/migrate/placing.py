"""Direct allocation as addresses: the documented formula of modulo allocation, and what allocation functions gave."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from nkilint.evaluator.device.placement.allocator import Allocator
from nkilint.symbolic.integers import key_of
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import PSUM, SBUF

from .destinations import blocks
from .grids import summed
from .launches import leaf
from .naming import names_at
from .rewriting import Rewriter, Undecided
from .spelling import Speller
from .texts import enclosed

_BANK = 2048  # bytes of a PSUM bank in each partition
_MODULO = {f"compiler.{memory}.mod_alloc": memory for memory in (SBUF, PSUM)}
_PLAIN = {f"compiler.{memory}.auto_alloc": memory for memory in (SBUF, PSUM)}


def buffer_of(r: Rewriter, buffer: ast.expr | None) -> tuple[str, dict[str, ast.expr] | None] | None:
    """The memory that an allocator of Beta 1 stands for, and what modulo allocation was given, which is empty for an
    allocation function; None for any other."""
    if isinstance(buffer, ast.Name) and _is_allocator(r, buffer):
        return r.values(buffer)[0].memory, {}
    if not isinstance(buffer, ast.Call):
        named = r.api(buffer) if buffer is not None else None
        leaf = named[1].removeprefix("compiler.") if named is not None else ""
        return (leaf, None) if named is not None and named[1].startswith("compiler.") and "." not in leaf else None
    name = (r.api(buffer.func) or ("", ""))[1]
    if name in _PLAIN:
        return _PLAIN[name], None
    if name in _MODULO and not buffer.args and all(k.arg for k in buffer.keywords):
        return _MODULO[name], {k.arg: k.value for k in buffer.keywords if k.arg is not None}
    if _is_allocator(r, buffer):
        return r.values(buffer)[0].memory, {}
    if name.startswith("compiler.") or "alloc" in r.source.text_of(buffer.func):
        raise Undecided(f"{_FUNCTION}{r.because(buffer)}")
    return None


_FUNCTION = "an allocation function: compute `address=(partition, byte offset)` for each tile"


def evaluated(r: Rewriter, node: ast.Call, indices: Sequence[str]) -> str:
    """`(partition, byte)` of the tile with these block indices, as the allocation function gave it."""
    found = r.facts.placed.get(r.source.path, {}).get(r.source.place(node), [])
    found = [p for p in found if p.rank == min(q.rank for q in found)]
    unknown = next((p.place.reason for p in found if isinstance(p.place, Unknown)), "")
    if not found or unknown:
        raise Undecided(f"{_FUNCTION}{': ' if unknown else ''}{unknown}")
    words = Speller(r, node)
    words.names.update({(key_of(v),): name for p in found for v, name in zip(p.blocks, indices, strict=True)})
    texts = [words.integers([p.place[part] for p in found]) for part in (0, 1)]
    if None in texts:
        raise Undecided(f"{_FUNCTION}: what it gives has no name here")
    return f"({texts[0]}, {texts[1]})"


def _is_allocator(r: Rewriter, node: ast.expr) -> bool:
    found = r.values(node)
    return bool(found) and all(isinstance(v, Allocator) for v in found)


def gives_addresses(r: Rewriter, node: ast.Call) -> bool:
    """Whether a call is of a function that gives modulo allocations only, to tensors without blocks only: their address
    can be what it gives."""
    name = leaf(node.func)
    functions = [n for n in ast.walk(r.source.tree) if isinstance(n, ast.FunctionDef) and n.name == name]
    returns = [n for f in functions for n in ast.walk(f) if isinstance(n, ast.Return)]
    if len(functions) != 1 or not returns or not all(_modulo(r, n.value) for n in returns):
        return False
    named = [n for n in ast.walk(r.source.tree) if isinstance(n, (ast.Name, ast.Attribute)) and leaf(n) == name]
    return all(_places_whole(r, n) for n in named)


def _modulo(r: Rewriter, node: ast.expr | None) -> str:
    """The memory of a call of `mod_alloc`; empty for anything else."""
    named = r.api(node.func) if isinstance(node, ast.Call) else None
    return _MODULO.get(named[1], "") if named is not None else ""


def _places_whole(r: Rewriter, named: ast.Name | ast.Attribute) -> bool:
    """Whether a mention of a function is a call that places a tensor without blocks."""
    call = r.source.parents[named]
    keyword = r.source.parents.get(call)
    creation = r.source.parents.get(keyword) if isinstance(keyword, ast.keyword) and keyword.arg == "buffer" else None
    views = r.views(creation) if creation is not None else []
    return isinstance(call, ast.Call) and call.func is named and bool(views) and not any(blocks(v) for v in views)


def given_address(r: Rewriter, node: ast.Call) -> str | None:
    """The address in place of the modulo allocation that a function gives; None for any other."""
    function = r.source.function(node)
    memory = _modulo(r, node)
    if function is None or not isinstance(r.source.parents[node], ast.Return) or not memory or node.args:
        return None
    calls = [n for n in ast.walk(r.source.tree) if isinstance(n, ast.Call) and leaf(n.func) == function.name]
    if not calls or not gives_addresses(r, calls[0]):
        return None
    given = {k.arg: k.value for k in node.keywords if k.arg is not None and not k.arg.startswith("num_")}
    return address(r, node, memory, given, (), {})


def only_allocates(r: Rewriter) -> set[ast.FunctionDef]:
    """The functions that nothing but allocation calls, which `address=` takes the place of."""
    mentioned = {n.id for n in ast.walk(r.source.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    chosen = {n for n in ast.walk(r.source.tree) if isinstance(n, ast.FunctionDef) and n.name in mentioned}
    before = -1
    while len(chosen) != before:
        before = len(chosen)
        names = {f.name for f in chosen}
        for node in ast.walk(r.source.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
                around = list(r.source.around(node))
                given = any(
                    isinstance(n, ast.keyword) and n.arg == "buffer" and _is_allocator(r, n.value) for n in around
                )
                if not given and not any(n in chosen for n in around):
                    chosen -= {f for f in chosen if f.name == node.id}
    return chosen


def address(
    r: Rewriter,
    node: ast.expr,
    memory: str,
    given: dict[str, ast.expr],
    sizes: Sequence[str],
    indices: Mapping[str, str],
) -> str:
    """`(partition, byte)` of the tile with these block indices, each with how many there are; `sizes` are those of one
    tile."""
    if not _is_empty(given.get("num_par_tiles")):
        raise Undecided("tiles that take turns over partitions: compute `address=(partition, byte offset)`")
    text = {name: r.render(value) for name, value in given.items()}
    terms = [("+", text.get("base_addr", "0"))]
    turn = _turn(r, given.get("num_free_tiles"), indices)
    if turn:
        terms.append(("+", f"{enclosed(turn, (ast.Mod,))} * {_bytes(r, node, sizes)}"))
    if memory == PSUM:
        banks = [("+", text["base_bank"])]
        turn = _turn(r, given.get("num_bank_tiles"), indices)
        banks += [("+", turn)] if turn else []
        bank = summed(banks) or "0"
        terms.insert(0, ("+", "0" if bank == "0" else f"{enclosed(bank)} * {_BANK}"))
    return f"({text.get('base_partition', '0')}, {summed(terms) or '0'})"


def _is_empty(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, (ast.Tuple, ast.List)) and not value.elts)


def _turn(r: Rewriter, counts: ast.expr | None, indices: Mapping[str, str]) -> str:
    """Which of its places a tile has, as row-major order counts them; empty for the only one."""
    if _is_empty(counts):
        return ""
    if not isinstance(counts, (ast.Tuple, ast.List)) or len(counts.elts) != len(indices):
        raise Undecided("counts of tiles that are not written out")
    total = ""
    for (block, number), element in zip(indices.items(), counts.elts, strict=True):
        count = r.render(element)
        place = "0" if count == "1" else block if count == number else f"{block} % {enclosed(count)}"
        if not total or total == "0":
            total = place
        else:
            total = summed([("+", f"{enclosed(total)} * {enclosed(count)}"), ("+", place)])
    return "" if total == "0" else f"({total})" if "%" in total else total


def _bytes(r: Rewriter, node: ast.expr, sizes: Sequence[str]) -> str:
    """What a tile takes of each partition."""
    return " * ".join([*(enclosed(s) for s in sizes[1:]), _width(r, node)])


def _width(r: Rewriter, node: ast.expr) -> str:
    """The size of an element of a tensor, by a name for it where it hangs on the arguments of the kernel."""
    unknown = Undecided("the size of an element is not known, and with it the address of the next tile")
    widths: dict[int, set[int]] = {}
    for seen in r.facts.everywhere(r.source.path, r.source.place(node)):
        kind = getattr(seen.value, "dtype", None)
        if not isinstance(kind, DType):
            if of := _dtype_of(r, node):
                return width_of(r, of)
            raise unknown
        widths.setdefault(seen.rank, set()).add(kind.itemsize)
    every = {width for each in widths.values() for width in each}
    if len(every) == 1:
        return str(every.pop())
    for named in names_at(r, node):
        if widths and all(
            set(map(key_of, r.values(named.node, rank))) == set(map(key_of, of)) for rank, of in widths.items()
        ):
            return named.text
    raise unknown


_BY_SIZE = {4: ("float32", "int32", "uint32"), 1: ("int8", "uint8", "float8_e4m3", "float8_e5m2")}
"""The dtypes that kernels of both versions may be given, but for those of 2 bytes."""


def width_of(r: Rewriter, kind: str) -> str:
    """The size of an element of a dtype that the arguments of a kernel say."""
    nl = r.module("language")
    chain = " else ".join(
        f"{number} if {kind} in ({', '.join(f'{nl}.{name}' for name in names)})" for number, names in _BY_SIZE.items()
    )
    return f"({chain} else 2)"


def _dtype_of(r: Rewriter, node: ast.expr) -> str:
    """The dtype that a tensor is made with, where that is the one of an argument; empty for any other."""
    given = next((k.value for k in node.keywords if k.arg == "dtype"), None) if isinstance(node, ast.Call) else None
    is_plain = isinstance(given, ast.Attribute) and isinstance(given.value, ast.Name) and given.attr == "dtype"
    return r.render(given) if given is not None and is_plain else ""
