"""Parameters that are tuples of numbers or tensors, by how their items are used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from nkilint.base import ir
from nkilint.base.walk import walk

from .hints import nodes_as_written

_OF_TENSORS = frozenset({"shape", "dtype", "ndim", "reshape", "ap"})
_COUNTING = frozenset({"affine_range", "arange", "ds", "range", "sequential_range", "static_range"})


@lru_cache(1_024)
def indexed_tuples(function: ir.FunctionDef) -> dict[str, int]:
    """By parameter, how many items it has at least: of those that nothing but a plain number ever selects from, or that
    are unpacked into names, where such an item, or its name, is what a range counts to, or where a slice ends, or where
    something is asked of such a name that tensors have."""
    nodes = nodes_as_written(function)
    items: dict[str, list[int]] = {p.name: [] for p in function.params if p.annotation is None}
    uses = dict.fromkeys(items, 0)
    for node in nodes:
        if isinstance(node, ir.Name) and node.id in uses:
            uses[node.id] += 1
        if isinstance(node, ir.ExprStmt) and isinstance(node.value, ir.Name) and node.value.id in uses:
            uses[node.value.id] -= 1  # it is only looked at
        name, number = _item(node)
        if not name and (unpacked := _unpacked(node)):
            name, number = unpacked[0][1], len(unpacked) - 1
        if name in items:
            items[name].append(number)
    only = {name: found for name, found in items.items() if found and uses[name] == len(found)}
    if not only:
        return {}
    names = {name: owner for node in nodes for name, owner in _named(node) if owner in only}
    counted = {names.get(name, name) for node in nodes for name in _counted(node)}
    parts = {name: owner for node in nodes for name, owner in _unpacked(node) if owner in only}
    counted |= {parts[name] for node in nodes if (name := _tensor_asked(node)) in parts}
    return {name: 1 + max(found) for name, found in only.items() if name in counted}


@lru_cache(1_024)
def unpacked_tuples(function: ir.FunctionDef) -> dict[str, tuple[int | None, ...]]:
    """By parameter, or key of what `**` takes, how many items each of its items has, None where nothing tells: of those
    that nothing but a plain number ever selects from, where such an item is unpacked into names. No tensor can be."""
    nodes = nodes_as_written(function)
    held = _held(function, nodes)
    items: dict[str, dict[int, int]] = {}
    uses, selected = Counter[str](), Counter[str]()
    for node in nodes:
        if isinstance(node, ir.Name) and node.id in held:
            uses[node.id] += 1
        if isinstance(node, ir.ExprStmt) and isinstance(node.value, ir.Name):
            uses[node.value.id] -= 1  # it is only looked at
        if (name := _item(node)[0]) in held:
            selected[name] += 1
        if isinstance(node, ir.Assign) and (name := _item(node.value)[0]) in held:
            number = _item(node.value)[1]
            for target in node.targets:
                if isinstance(target, ir.Sequence) and all(isinstance(t, ir.Name) for t in target.items):
                    count = items.setdefault(name, {}).setdefault(number, len(target.items))
                    items[name][number] = count if count == len(target.items) else 0
    bound = {name: 0 if any(p.name == name for p in function.params) else 1 for name in held}
    found = {
        name: counts
        for name, counts in items.items()
        if all(counts.values()) and _bindings(nodes, name) == bound[name] == uses[name] - selected[name]
    }
    return {held[name]: tuple(i.get(n) for n in range(1 + max(i))) for name, i in found.items()}


def _held(function: ir.FunctionDef, nodes: list[ir.Node]) -> dict[str, str]:
    """By name, the parameter that it is, or the key that what is taken by `**` had for it."""
    keywords = {p.name for p in function.params if p.kind == "**"}
    found = {p.name: p.name for p in function.params if p.annotation is None and p.kind not in ("*", "**")}
    for node in nodes:
        value = node.value if isinstance(node, ir.Assign) else None
        taken = isinstance(value, ir.Index) and isinstance(value.value, ir.Name) and value.value.id in keywords
        key = value.key.value if taken and isinstance(value.key, ir.Const) else None  # type: ignore[union-attr]
        if isinstance(key, str) and isinstance(node.targets[0], ir.Name) and len(node.targets) == 1:  # type: ignore[attr-defined]
            found.setdefault(node.targets[0].id, key)  # type: ignore[attr-defined]
    return found


def _bindings(nodes: list[ir.Node], name: str) -> int:
    """How often a name is assigned to: as a target it selects nothing."""
    targets = (t for n in nodes if isinstance(n, ir.Assign) for t in n.targets)
    return sum(isinstance(t, ir.Name) and t.id == name for t in targets)


def _item(node: ir.Node) -> tuple[str, int]:
    """What a plain number selects from, and the number; no name for anything else."""
    if isinstance(node, ir.Index) and isinstance(node.value, ir.Name) and isinstance(node.key, ir.Const):
        number = node.key.value
        if type(number) is int and number >= 0:
            return node.value.id, number
    return "", 0


def _named(node: ir.Node) -> Iterator[tuple[str, str]]:
    """Names that an assignment gives an item, with the names of what that is one of."""
    if not isinstance(node, ir.Assign):
        return
    yield from _unpacked(node)
    for target in node.targets:
        pairs = [(target, node.value)]
        if isinstance(target, ir.Sequence) and isinstance(node.value, ir.Sequence):
            pairs = list(zip(target.items, node.value.items, strict=False))
        yield from ((one.id, owner) for one, value in pairs if isinstance(one, ir.Name) and (owner := _item(value)[0]))


def _unpacked(node: ir.Node) -> list[tuple[str, str]]:
    """The names of `top, bottom = pad`, each with what it is an item of."""
    if not isinstance(node, ir.Assign) or not isinstance(node.value, ir.Name) or len(node.targets) != 1:
        return []
    target = node.targets[0]
    names = target.items if isinstance(target, ir.Sequence) else ()
    if not all(isinstance(name, ir.Name) for name in names):
        return []
    return [(name.id, node.value.id) for name in names if isinstance(name, ir.Name)]


def _tensor_asked(node: ir.Node) -> str:
    """The name of which something is asked that tensors have."""
    asked = isinstance(node, ir.Attr) and node.name in _OF_TENSORS and isinstance(node.value, ir.Name)
    return node.value.id if asked else ""  # type: ignore[attr-defined]


def _counted(node: ir.Node) -> Iterator[str]:
    """The names in what a range counts to, or where a slice ends."""
    if isinstance(node, ir.SliceExpr):
        yield from (n.id for n in walk((node.start, node.stop)) if isinstance(n, ir.Name))
    called = node.func if isinstance(node, ir.Call) else None
    leaf = called.name if isinstance(called, ir.Attr) else called.id if isinstance(called, ir.Name) else ""
    if isinstance(node, ir.Call) and leaf in _COUNTING:
        yield from (n.id for _, argument in node.args for n in walk((argument,)) if isinstance(n, ir.Name))
