"""What a kernel's text says about the ranks and names of its tensors' dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.project.docstrings import docstring_ranks


@dataclass(slots=True)
class Hint:
    """`exact` is a rank that the code relies on, `told` one that a docstring gives, as the `only` one or as the first
    of several; `least` and `subscripts` are what sizes and elements are used with.
    `whole` says that one plain index takes a part of unknown rank, `reshaped` that it is given another shape, `asked`
    that its shape is read."""

    exact: int | None = None
    told: int = 0
    only: bool = False
    by_path: bool = False  # functions that get it rely on several ranks, or its uses on several forms of a docstring
    least: int = 0
    whole: bool = False
    reshaped: bool = False
    asked: bool = False
    other_sizes: int = 0  # uses of its shape but for the first size
    names: dict[int, str] = field(default_factory=dict)
    subscripts: int = 0
    is_size: bool = False  # a tensor is made with it as a size
    passed: list[tuple[str, Any, bool]] = field(default_factory=list)
    """Functions that are called with it, at which position or keyword, and whether by their names alone."""

    @property
    def rank(self) -> int | None:
        if self.exact is not None:
            return self.exact
        if self.told >= max(self.least, self.subscripts, 1):
            return self.told
        if self.by_path or not (self.least or self.subscripts or self.reshaped):
            return None
        flat = self.subscripts == 1 or (self.reshaped and not self.other_sizes)
        return max(self.least, self.subscripts, 1 if flat else 2)

    @property
    def is_open(self) -> bool:
        """Whether nothing but its parts, whose rank is unknown too, tells about the rank; a size that is asked for, say
        the third, tells."""
        part = self.whole and self.subscripts == 1 and self.least <= 1
        return not self.told and (self.by_path or (self.exact is None and part))


def rank_hints(function: ir.FunctionDef) -> dict[str, Hint]:
    """By parameter."""
    found = _hints(function)
    return {name: replace(hint, names=dict(hint.names), passed=list(hint.passed)) for name, hint in found.items()}


@lru_cache(1_024)
def _hints(function: ir.FunctionDef) -> dict[str, Hint]:
    hints = {p.name: Hint() for p in function.params}
    nodes = nodes_as_written(function)
    aliases = {name: alias for node in nodes for name, alias in _aliases(node, hints)}
    for node in nodes:
        _look(node, hints)
        if isinstance(node, ir.Index) and isinstance(node.value, ir.Name) and node.value.id in aliases:
            name, used = aliases[node.value.id]
            _look_at_subscript(node, hints[name], used)
    _share(nodes, hints)
    for name, (rank, only) in docstring_ranks(function).items():
        hint = hints[name]
        hint.told, hint.only = rank, only
        hint.by_path = not only and hint.exact is None and hint.subscripts > rank
    return hints


@lru_cache(64)
def nodes_as_written(function: ir.FunctionDef) -> list[ir.Node]:
    """What stands in a function where nobody asks about it."""
    nodes = list(walk(function.body))
    asked = any(isinstance(n, ir.Name) and n.id == "reveal" for n in nodes)
    return list(walk(_as_written(function.body))) if asked else nodes


def unpacked_sizes(function: ir.FunctionDef, tensor: str) -> dict[int, str]:
    """By position, what a function itself first calls the sizes of a tensor."""
    for node in function.body:
        if isinstance(node, ir.Assign) and _shape_owner(node.value) == tensor:
            items = node.targets[0].items if isinstance(node.targets[0], ir.Sequence) else ()
            names = {position: item.id for position, item in enumerate(items) if isinstance(item, ir.Name)}
            if len(names) == len(items) > 0:
                return {position: name for position, name in names.items() if not name.startswith("_")}
    return {}


def is_none(node: Any) -> bool:
    return isinstance(node, ir.Const) and node.value is None


def unless_none(annotation: ir.Expr | None, is_optional: Callable[[ir.Expr], bool]) -> ir.Expr | None:
    """What an annotation names for values that are not None, without what it says of their parts."""
    if isinstance(annotation, ir.Index) and isinstance(annotation.value, (ir.Name, ir.Attr)):
        return annotation.key if is_optional(annotation.value) else annotation.value
    if isinstance(annotation, ir.Binary) and annotation.op == "|":
        sides = [side for side in (annotation.left, annotation.right) if not is_none(side)]
        return sides[0] if len(sides) == 1 else None
    return annotation


def _as_written(node: Any) -> Any:
    """`reveal(x)` is `x`, and says nothing of its own."""
    if isinstance(node, tuple):
        return tuple(map(_as_written, node))
    while isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "reveal" and node.args:
        node = node.args[0][1]
    if not isinstance(node, (ir.Node, ir.Param)):
        return node
    return replace(node, **{f.name: _as_written(getattr(node, f.name)) for f in fields(node)})


def _aliases(node: ir.Node, hints: dict[str, Hint]) -> Iterator[tuple[str, tuple[str, int]]]:
    """`t = q[a, b]`: a name for part of a parameter, with the number of dimensions that are fixed in it."""
    if (
        not isinstance(node, ir.Assign)
        or not isinstance(node.value, ir.Index)
        or not isinstance(node.value.value, ir.Name)
    ):
        return
    items = node.value.key.items if isinstance(node.value.key, ir.Sequence) else (node.value.key,)
    if node.value.value.id in hints and not any(isinstance(i, (ir.SliceExpr, ir.Const)) for i in items):
        for target in node.targets:
            if isinstance(target, ir.Name):
                yield target.id, (node.value.value.id, len(items))


def _share(nodes: list[ir.Node], hints: dict[str, Hint]) -> None:
    """Parameters whose shapes are compared have the same rank."""
    for node in nodes:
        if isinstance(node, ir.Compare) and len(node.rest) == 1:
            left, right = hints.get(_shape_owner(node.left)), hints.get(_shape_owner(node.rest[0][1]))
            if left is not None and right is not None:
                left.exact = right.exact = left.exact or right.exact
                left.least = right.least = max(left.least, right.least)
                left.subscripts = right.subscripts = max(left.subscripts, right.subscripts)


def _look(node: ir.Node, hints: dict[str, Hint]) -> None:
    if isinstance(node, ir.Assign):
        name = _shape_owner(node.value)
        for target in node.targets:
            if (
                name in hints
                and isinstance(target, ir.Sequence)
                and not any(isinstance(i, ir.Starred) for i in target.items)
            ):
                hint = hints[name]
                hint.exact = hint.exact or len(target.items)
    elif isinstance(node, ir.AnnAssign):
        _look_at_annotation(node, hints)
    elif isinstance(node, ir.Compare) and len(node.rest) == 1:
        sides = (node.left, node.rest[0][1])
        for side, other in (sides, sides[::-1]):
            name = _shape_owner(side)
            if name in hints and isinstance(other, ir.Sequence):
                hints[name].exact = hints[name].exact or len(other.items)
            length = _length_owner(side)
            if (
                length in hints
                and isinstance(other, ir.Const)
                and isinstance(other.value, int)
                and node.rest[0][0] == "=="
            ):
                hints[length].exact = hints[length].exact or other.value
    elif isinstance(node, ir.Attr):
        hints.get(_shape_owner(node), Hint()).other_sizes += 1
        hints.get(_shape_owner(node), Hint()).asked = True
    elif isinstance(node, ir.Index):
        name = _shape_owner(node.value)
        if isinstance(node.key, ir.Const) and node.key.value == 0:
            hints.get(name, Hint()).other_sizes -= 1
        if name in hints and isinstance(node.key, ir.Const) and isinstance(node.key.value, int):
            hints[name].least = max(hints[name].least, node.key.value + 1)
        if isinstance(node.value, ir.Name) and node.value.id in hints:
            _look_at_subscript(node, hints[node.value.id])
    elif isinstance(node, ir.Call) and isinstance(node.func, (ir.Name, ir.Attr)):
        if isinstance(node.func, ir.Attr) and node.func.name == "reshape" and isinstance(node.func.value, ir.Name):
            hints.get(node.func.value.id, Hint()).reshaped = True
        called = node.func.id if isinstance(node.func, ir.Name) else node.func.name
        if called in _CREATING and node.args and isinstance(node.args[0][1], ir.Sequence):
            for size in node.args[0][1].items:
                hints.get(size.id if isinstance(size, ir.Name) else "", Hint()).is_size = True
        for position, (key, argument) in enumerate(node.args):
            if isinstance(argument, ir.Name) and argument.id in hints:
                by_name = isinstance(node.func, ir.Name)
                hints[argument.id].passed.append((called, key if key else position, by_name))


_CREATING = frozenset({"empty", "full", "ndarray", "ones", "rand", "zeros"})


def _look_at_annotation(node: ir.AnnAssign, hints: dict[str, Hint]) -> None:
    """`x: tensor[128, 512] = nl.load(p)` gives the rank of `p`."""
    if not isinstance(node.annotation, ir.Index) or not isinstance(node.value, ir.Call) or not node.value.args:
        return
    argument = node.value.args[0][1]
    if isinstance(argument, ir.Name) and argument.id in hints:
        key = node.annotation.key
        hint = hints[argument.id]
        hint.exact = hint.exact or (len(key.items) if isinstance(key, ir.Sequence) else 1)


def _look_at_subscript(node: ir.Index, hint: Hint, used: int = 0) -> None:
    items = node.key.items if isinstance(node.key, ir.Sequence) else (node.key,)
    if any(isinstance(i, ir.Const) and i.value is Ellipsis for i in items):
        return
    count = sum(1 for i in items if not is_none(i))
    hint.subscripts = max(hint.subscripts, count + used)
    hint.whole = hint.whole or (count == 1 and not used and not isinstance(items[0], (ir.SliceExpr, ir.Call)))


def _shape_owner(node: ir.Expr) -> str:
    if (
        isinstance(node, ir.Call)
        and len(node.args) == 1
        and isinstance(node.func, ir.Name)
        and node.func.id in ("tuple", "list")
    ):
        node = node.args[0][1]
    if isinstance(node, ir.Attr) and node.name == "shape" and isinstance(node.value, ir.Name):
        return node.value.id
    return ""


def _length_owner(node: ir.Expr) -> str:
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "len" and node.args:
        return _shape_owner(node.args[0][1])
    if isinstance(node, ir.Attr) and node.name == "ndim" and isinstance(node.value, ir.Name):
        return node.value.id
    return ""
