"""Sizes, conditions, shapes and dtypes that the evaluator computed, in the names that the author gave them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from nkilint.evaluator.values.dtypes import SymbolicDType
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.atoms import Atom, FloorDiv, Ite, Max, Min, Var
from nkilint.symbolic.conditions import And, Compare, Or
from nkilint.symbolic.division import split_remainders
from nkilint.symbolic.integers import Sym, itself, key_of
from nkilint_rules.words.conditions import maximum, minimum
from nkilint_rules.words.dtypes import FLOAT32, DType
from nkilint_rules.words.promotion import BITS

from .constants import constants, varying
from .counters import by_loops
from .destinations import lists
from .facts import ALONE, DEFAULTS, LAUNCHED
from .naming import Named, names_at, parameters, signature
from .rewriting import Rewriter, Undecided
from .texts import enclosed, plus

Key = tuple[Any, ...]


class Speller:
    """Writes integers and conditions in the names that hold at one place; `only` looks at one evaluation of several."""

    def __init__(
        self, r: Rewriter, at: ast.expr | ast.stmt, only: tuple[int, int] | None = None, rank: int | None = None
    ) -> None:
        self.r, self.at, self.only = r, at, only
        self.rank = r.rank(r.source.statement(at) or at) if rank is None else rank
        self.names = dict(self._names())
        self._sums = [(t, v) for t, v in self.known.items() if isinstance(v, Sym) and len(v.terms) > 1]
        self._single: dict[tuple[int, int], Speller] = {}

    def _names(self) -> Iterator[tuple[Key, str]]:
        found: dict[Key, str] = {}
        for text, values in _values(self.r, self.at, self.rank):
            key = signature(values)
            if self.only is not None:
                number, count = self.only
                if len(key) != 1 and len(values) != count:
                    continue
                key = (key_of(values[number if len(values) == count else 0]),)
            found.setdefault(key, text)
        yield from found.items()

    def integers(self, values: Sequence[Any]) -> str | None:
        """An integer, by its value in each evaluation."""
        wanted = signature(values)
        if len(wanted) == 1:
            return self.integer(values[0])
        return self.names.get(wanted) or self._everywhere(values) or by_loops(self, values)

    def _everywhere(self, values: Sequence[Any]) -> str | None:
        """What one evaluation makes of an integer that the others agree to."""
        words = [self._of((number, len(values))) for number in range(len(values))]
        for each, value in zip(words, values, strict=True):
            text = each.integer(value)
            if text is not None and all(other.value(text) == key_of(v) for other, v in zip(words, values, strict=True)):
                return text
        return None

    def _of(self, only: tuple[int, int]) -> Speller:
        if only not in self._single:
            self._single[only] = Speller(self.r, self.at, only, self.rank)
        return self._single[only]

    def value(self, text: str) -> Any:
        """The key of what a sum, product or remainder of names comes to; None for anything else."""
        number = self.number(text)
        return None if number is None else key_of(number)

    def number(self, text: str) -> Any:
        """What a sum, product or remainder of names comes to; None for anything else."""
        try:
            return _computed(ast.parse(text, mode="eval").body, self.known)
        except (KeyError, TypeError, ArithmeticError):
            return None

    @cached_property
    def known(self) -> dict[str, Any]:
        """What the names stand for."""
        return dict(self._known())

    @cached_property
    def changing(self) -> list[tuple[str, Sequence[Any]]]:
        """The names that stand for several integers."""
        return [(text, values) for text, values in _values(self.r, self.at, self.rank) if len(signature(values)) > 1]

    def in_each(self, text: str, count: int) -> list[Any]:
        """What a text comes to in each of so many evaluations; None where that is not known."""
        return [(self if count == 1 else self._of((number, count))).number(text) for number in range(count)]

    def _known(self) -> Iterator[tuple[str, Any]]:
        for text, values in _values(self.r, self.at, self.rank):
            if self.only is not None and len(values) == self.only[1]:
                yield text, values[self.only[0]]
            elif len(signature(values)) == 1:
                yield text, values[0]

    def integer(self, value: Any) -> str | None:
        """One integer: by its name, or by the names of its parts."""
        if isinstance(value, int):
            return str(value)
        if not isinstance(value, Sym):
            return None
        known = self.names.get((key_of(value),))
        return known or self._sum(value) or self._with_sum(value)

    def _with_sum(self, value: Sym) -> str | None:
        """A sum of which a part has a name."""
        for text, part in self._sums:
            mono = next(iter(part.terms))
            factor, left = divmod(value.terms.get(mono, 0), part.terms[mono])
            if not factor or left or any(value.terms.get(m) != factor * c for m, c in part.terms.items()):
                continue
            rest = value - part * factor
            other = self.integer(rest)
            if other is not None:
                return plus(text, factor, other)
        return None

    def _sum(self, value: Sym) -> str | None:
        """A sum of products, remainders first."""
        moduli, rest = split_remainders(value)
        parts: list[tuple[int, str]] = []
        for scale, atom in moduli:
            sides = self.integer(atom.dividend), self.integer(atom.divisor)
            if sides[0] is None or sides[1] is None:
                return None
            parts.append((scale, f"{enclosed(sides[0])} % {enclosed(sides[1])}"))
        const = rest if isinstance(rest, int) else rest.const
        for mono, factor in rest.terms.items() if isinstance(rest, Sym) else ():
            text = self._product(mono)
            if text is None:
                return None
            parts.append((factor, text))
        text = ""
        for factor, part in sorted(parts, key=lambda p: p[0] < 0):
            scaled = part if abs(factor) == 1 else f"{abs(factor)} * {enclosed(part)}"
            scaled = enclosed(scaled, (ast.Mult, ast.FloorDiv, ast.Mod)) if factor < 0 or text else scaled
            text = f"{text} {'-' if factor < 0 else '+'} {scaled}" if text else ("-" if factor < 0 else "") + scaled
        if const:
            text += f" {'-' if const < 0 else '+'} {abs(const)}" if text else str(const)
        return text

    def _product(self, mono: tuple[Atom, ...]) -> str | None:
        known = self.names.get((key_of(Sym({mono: 1}, 0)),))
        if known is not None:
            return known
        factors = [self.names.get((key_of(itself(a)),)) or self._atom(a) for a in mono]
        if any(f is None for f in factors):
            return None
        return factors[0] if len(factors) == 1 else " * ".join(enclosed(str(f)) for f in factors)

    def _atom(self, atom: Atom) -> str | None:
        """A variable by its own name, anything else by its operands."""
        if isinstance(atom, Var):
            return atom.name if _is_itself(self.r, atom.name, self.at) else None
        if isinstance(atom, Ite):
            texts = [self.integer(atom.then), self.condition(atom.condition), self.integer(atom.otherwise)]
            return None if None in texts else "({} if {} else {})".format(*texts)
        if not isinstance(atom, (FloorDiv, Min, Max)):
            return None
        left, right = map(self.integer, atom.operands)
        if left is None or right is None:
            return None
        if isinstance(atom, FloorDiv):
            return f"{enclosed(left)} // {enclosed(right)}"
        return f"{atom.operator}({left}, {right})"

    def condition(self, condition: Any) -> str | None:
        """A condition on integers."""
        if isinstance(condition, bool):
            return str(condition)
        if isinstance(condition, (And, Or)):
            parts = [self.condition(p) for p in condition.parts]
            word = " and " if isinstance(condition, And) else " or "
            return None if None in parts else word.join(f"({p})" for p in parts)
        if not isinstance(condition, Compare):
            return None
        left = condition.left
        more = {m: c for m, c in left.terms.items() if c > 0}
        less = {m: -c for m, c in left.terms.items() if c < 0}
        sides = Sym(more, max(left.const, 0)), Sym(less, max(-left.const, 0))
        texts = [self.integer(s if s.terms else s.const) for s in sides]
        return None if None in texts else f"{texts[0]} {condition.relation} {texts[1]}"


_ARITHMETIC: dict[type[ast.AST], Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}  # fmt: skip


_ENDS = {"min": minimum, "max": maximum}


def _computed(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """What an expression over known names comes to."""
    text = ast.unparse(node)
    if text in known:
        return known[text]
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_computed(node.operand, known)
    if isinstance(node, ast.BinOp):
        return _ARITHMETIC[type(node.op)](_computed(node.left, known), _computed(node.right, known))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _ENDS[node.func.id](*(_computed(a, known) for a in node.args))
    raise KeyError(text)


def speller(r: Rewriter, at: ast.expr | ast.stmt, rank: int | None = None) -> Speller:
    """The one for the statement of a place, for evaluations of a rank or those that say most."""
    key = r.source.statement(at), rank
    if key not in r.spellers:
        r.spellers[key] = Speller(r, at, None, rank)
    return r.spellers[key]


def _values(r: Rewriter, at: ast.expr | ast.stmt, rank: int) -> Iterator[tuple[str, list[Any]]]:
    """The integers that have names at a place, plain names first; the sizes of tensors last."""
    tensors: list[tuple[str, list[View]]] = []
    for named in names_at(r, at):
        values = r.values(named.node, rank)
        if values and all(isinstance(v, (int, Sym)) for v in values):
            if not (isinstance(named.node, ast.Attribute) and _listed(r, named.node.value)):
                yield named.text, values
        elif _is_tensor(r, named, values):
            tensors.append((named.text, values))
    for text, views in tensors:
        for d in range(min(len(v.shape) for v in views)):
            yield f"{text}.shape[{d}]", [v.shape[d] for v in views]


def _is_tensor(r: Rewriter, named: Named, values: Sequence[Any]) -> bool:
    """Whether something is one tensor with a name."""
    tensors = bool(values) and all(isinstance(v, View) for v in values)
    return tensors and named.text.isidentifier() and not _listed(r, named.node)


def size(r: Rewriter, values: Sequence[Any], at: ast.expr | ast.stmt, rank: int | None = None) -> str:
    """A size, by its value in each evaluation of a rank or of those that say most."""
    wanted = signature(values)
    if len(wanted) == 1 and isinstance(values[0], int):
        return str(values[0])
    text = speller(r, at, rank).integers(values) if wanted else None
    if text is None:
        texts = sorted({str(v) for v in values})
        raise Undecided(f"the size `{', '.join(texts) or '?'}` has no name here")
    return text


def _is_itself(r: Rewriter, name: str, at: ast.expr | ast.stmt) -> bool:
    """Whether a name stands for the size that is called so: a parameter, or what a size was bound to."""
    root = name.partition(".")[0].partition("[")[0]
    function = r.source.function(at)
    if function is None or not name.replace(".shape", "").replace("[", "").replace("]", "").isidentifier():
        return False
    known = any(n.text == root for n in names_at(r, at))
    return known and (root in parameters(function)) and not any(isinstance(v, int) for v in _root(r, function, root))


def _root(r: Rewriter, function: Any, name: str) -> list[Any]:
    return [v for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name for v in r.values(n)][:1]


def _listed(r: Rewriter, node: ast.expr) -> bool:
    """Whether a tensor becomes a list of tiles."""
    return r.dialect == "neuronxcc" and any(lists(v) for v in r.views(node))


def _shapes(views: Iterable[View]) -> list[tuple[object, ...]]:
    return [tuple(map(key_of, v.shape)) for v in views]


def shape(r: Rewriter, views: Sequence[View], operands: Iterable[ast.expr], at: ast.expr | ast.stmt) -> str:
    """The shape of a new tile: that of an operand that has a name, or size by size."""
    wanted, operands = [tuple(map(key_of, v.shape)) for v in views], list(operands)
    seen = r.facts.of(r.source.path, r.source.place(at))[:1]  # another operand may be known for more inputs
    for operand in operands:
        named = isinstance(operand, ast.Name) and not _listed(r, operand)
        for rank in (None, *(s.rank for s in seen)) if named else ():
            values = r.values(operand, rank)
            if all(isinstance(v, View) for v in values) and _shapes(values) == wanted:
                return f"{r.source.text_of(operand)}.shape"
    ranks = {len(v.shape) for v in views}
    if len(ranks) != 1:
        raise Undecided("the rank of the result changes from call to call")
    names = constants(r, operands, at)
    sizes = [size(r, [v.shape[d] for v in views], at) for d in range(ranks.pop())]
    sizes = [varying(r, at, d, text) or names.get(text, text) for d, text in enumerate(sizes)]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def dtype(r: Rewriter, views: Sequence[View], operands: Iterable[ast.expr], at: ast.expr | ast.stmt) -> str:
    """The dtype of a new tile."""
    operands = list(operands)
    if any(not isinstance(v.dtype, (DType, SymbolicDType)) for v in views):
        # the operands are taken to have one dtype
        views = next((found for o in operands if (found := r.views(o))), views)
    kinds = [settled(v.dtype) for v in views]
    names = [str(kind) for kind in kinds]
    function, ranked = r.source.function(at), _by_rank(r, at)
    if len({frozenset(kinds) for kinds in ranked.values()}) > 1:
        return _varying(r, ranked, [o for o in operands if isinstance(o, ast.Name)], at)
    if len(set(names)) == 1:
        first = kinds[0]
        if isinstance(first, DType):
            return f"{r.module('language')}.{'bool_' if first.name == 'bool' else first.name}"
        known = parameters(function) if function is not None else frozenset()
        if isinstance(first, SymbolicDType) and first.source.partition(".")[0] in known:
            return _of_parameter(r, first.source, at)
    for operand in operands:
        if (
            isinstance(operand, ast.Name)
            and [str(settled(v.dtype)) for v in r.views(operand)] == names
            and not _listed(r, operand)
        ):
            return f"{operand.id}.dtype"
    named = _named_dtype(r, names, at)
    if named is None:
        raise Undecided(f"the dtype `{', '.join(sorted(set(names)))}` has no name here")
    return named


def _of_parameter(r: Rewriter, source: str, at: ast.expr | ast.stmt) -> str:
    """The dtype of a parameter, or that of its first tile where it is a list of tiles."""
    root, dot, rest = source.partition(".")
    nodes = [n.node for n in names_at(r, at) if n.text == root and _listed(r, n.node)]
    depth = max((lists(v) for node in nodes for v in r.views(node)), default=0)
    return f"{root}{'[0]' * depth}{dot}{rest}"


def _by_rank(r: Rewriter, node: ast.AST) -> dict[int, set[str]]:
    """The dtypes that an expression stands for, or has, by evaluation: other values than defaults may bring others."""
    found: dict[int, set[str]] = {}
    if isinstance(node, ast.expr):
        for seen in r.facts.everywhere(r.source.path, r.source.place(node)):
            value = seen.value.dtype if isinstance(seen.value, View) else seen.value
            if isinstance(value, (DType, SymbolicDType)):
                found.setdefault(seen.rank, set()).add(str(settled(value)))
    if found.keys() & {0, DEFAULTS}:  # what one launch gives says nothing of others
        found.pop(LAUNCHED, None)
    called = {rank: kinds for rank, kinds in found.items() if rank < ALONE}
    return called or found


def settled(kind: Any) -> Any:
    """A dtype that several operands give: float32 if one of them is, else that of the first one that is no integer."""
    if not isinstance(kind, SymbolicDType) or not kind.parts:
        return kind
    parts = [settled(part) for part in kind.parts]
    floats = [part for part in parts if part not in BITS]
    return FLOAT32 if FLOAT32 in parts else (floats or parts)[0]


def _varying(r: Rewriter, wanted: Mapping[int, set[str]], operands: Sequence[ast.Name], at: ast.expr | ast.stmt) -> str:
    """A dtype that hangs on the arguments of the kernel: what has it whatever they are."""
    named = [(n.text, n.node) for n in names_at(r, at)]
    for text, node in [*((o.id, o) for o in operands), *named]:
        known = _by_rank(r, node)
        if all(known.get(rank) == kinds for rank, kinds in wanted.items()) and not _listed(r, node):
            return f"{text}.dtype" if r.is_tensor(node) else r.render(node)
    raise Undecided("its dtype hangs on the arguments of the kernel, and nothing here has it")


def _named_dtype(r: Rewriter, names: Sequence[str], at: ast.expr | ast.stmt) -> str | None:
    """What has that dtype at a place: a name for it, or a tensor."""
    wanted = signature(list(names))
    tensors = []
    for named in names_at(r, at):
        values = r.values(named.node)
        if values and all(isinstance(v, (DType, SymbolicDType)) for v in values):
            if signature([str(v) for v in values]) == wanted:
                return r.render(named.node)
        elif _is_tensor(r, named, values) and signature([str(settled(v.dtype)) for v in values]) == wanted:
            tensors.append(f"{named.text}.dtype")
    return tensors[0] if tensors else None
