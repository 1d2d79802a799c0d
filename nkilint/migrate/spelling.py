"""Sizes, shapes and dtypes that the evaluator computed, in the names that the author gave them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nkilint.base.trees import Function
from nkilint.evaluator.values.dtypes import SymbolicDType
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import DType

from .rewriting import Rewriter, Undecided

_PARTS = (ast.Name, ast.Attribute, ast.Subscript)
_FREE = frozenset({"min", "max", "ceil"})


def size(r: Rewriter, values: Sequence[Any], at: ast.expr | ast.stmt) -> str:
    """A size, by its value in each evaluation."""
    keys = tuple(map(key_of, values))
    if keys and all(isinstance(v, int) for v in values) and len(set(keys)) == 1:
        return str(values[0])
    for name, known in _sizes(r, at):
        if known == keys:
            return name
    texts = {str(v) for v in values}
    if len(texts) == 1 and isinstance(values[0], Sym) and _is_in_scope(r, values[0], at):
        return texts.pop()
    raise Undecided(f"the size `{', '.join(sorted(texts)) or '?'}` has no name here")


def _sizes(r: Rewriter, at: ast.expr | ast.stmt) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The sizes that have names before a place, in the same function: plain names first."""
    function = r.source.function(at)
    if function is None:
        return
    found: dict[str, tuple[Any, ...]] = {}
    for node in ast.walk(function):
        if isinstance(node, _PARTS) and node.lineno < at.lineno:
            if isinstance(node, ast.Name) and not _is_constant(function, node.id):
                continue
            values = r.values(node)
            text = r.source.text_of(node)
            if values and all(isinstance(v, (int, Sym)) for v in values) and "\n" not in text:
                found.setdefault(text, tuple(map(key_of, values)))
    yield from sorted(found.items(), key=lambda item: (not item[0].isidentifier(), len(item[0]), item[0]))


def _is_constant(function: Function, name: str) -> bool:
    """Whether a name is bound once in a function, or is a parameter that keeps its value."""
    stored = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    count = sum(not isinstance(n.ctx, ast.Load) for n in stored)
    return count == (0 if name in parameters(function) else 1) and not _loops(function, name)


def _loops(function: Function, name: str) -> bool:
    """Whether a name is the variable of a loop."""
    targets = [n.target for n in ast.walk(function) if isinstance(n, (ast.For, ast.comprehension))]
    return any(isinstance(n, ast.Name) and n.id == name for t in targets for n in ast.walk(t))


def parameters(function: Function) -> set[str]:
    a = function.args
    return {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}


def _is_in_scope(r: Rewriter, value: Sym, at: ast.expr | ast.stmt) -> bool:
    """Whether the parameters that a size is written with are those of the function."""
    function = r.source.function(at)
    try:
        tree = ast.parse(str(value), mode="eval")
    except SyntaxError:
        return False
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - _FREE
    return function is not None and all(_is_itself(r, function, n, at) for n in names)


def _is_itself(r: Rewriter, function: Function, name: str, at: ast.expr | ast.stmt) -> bool:
    """Whether a name stands for the size that is called so: a parameter, or what a size was bound to."""
    if not _is_constant(function, name):
        return False
    if name in parameters(function):
        return True
    stored = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name and n.lineno < at.lineno)
    values = [v for n in stored for v in r.values(n)]
    return bool(values) and all(str(v) == name for v in values)


def _listed(r: Rewriter, node: ast.expr) -> bool:
    """Whether a tensor becomes a list of tiles."""
    return any(v.base.blocks and len(v.shape) == len(v.base.shape) for v in r.views(node))


def shape(r: Rewriter, views: Sequence[View], operands: Iterable[ast.expr], at: ast.expr | ast.stmt) -> str:
    """The shape of a new tile: that of an operand that has a name, or size by size."""
    wanted = [tuple(map(key_of, v.shape)) for v in views]
    for operand in operands:
        named = isinstance(operand, ast.Name) and not _listed(r, operand)
        if named and [tuple(map(key_of, v.shape)) for v in r.views(operand)] == wanted:
            return f"{r.source.text_of(operand)}.shape"
    ranks = {len(v.shape) for v in views}
    if len(ranks) != 1:
        raise Undecided("the rank of the result changes from call to call")
    sizes = [size(r, [v.shape[d] for v in views], at) for d in range(ranks.pop())]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def dtype(r: Rewriter, views: Sequence[View], operands: Iterable[ast.expr], at: ast.expr | ast.stmt) -> str:
    """The dtype of a new tile."""
    operands = list(operands)
    if any(isinstance(v.dtype, Unknown) for v in views):  # the operands are taken to have one dtype
        views = next((found for o in operands if (found := r.views(o))), views)
    names = [str(v.dtype) for v in views]
    function = r.source.function(at)
    if len(set(names)) == 1:
        first = views[0].dtype
        if isinstance(first, DType):
            return f"{r.module('language')}.{'bool_' if first.name == 'bool' else first.name}"
        known = parameters(function) if function is not None else set()
        if isinstance(first, SymbolicDType) and first.source.partition(".")[0] in known:
            return first.source
    for operand in operands:
        if (
            isinstance(operand, ast.Name)
            and [str(v.dtype) for v in r.views(operand)] == names
            and not _listed(r, operand)
        ):
            return f"{operand.id}.dtype"
    raise Undecided(f"the dtype `{', '.join(sorted(set(names)))}` has no name here")
