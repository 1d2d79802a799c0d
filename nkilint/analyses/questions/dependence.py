"""Which elements of its operands an operation's result depends on, as axes: what its effects say of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from nkilint.evaluator.state.trace import Access, Event
from nkilint.evaluator.values.axes import axis, fit_axes, linear_offset
from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.atoms import Int, Var
from nkilint.symbolic.integers import Sym, is_one, key_of, sym
from nkilint_rules.operations import effects as rule
from nkilint_rules.words.conditions import any_of, negation
from nkilint_rules.words.records import dataclass


@dataclass(frozen=True, slots=True)
class Dependence:
    """An element of the result depends on the elements of the operand whose axes in `kept` are those of the result
    (axis variables of the operand, with what they are there), and on all along the other axes; of these, under names
    of their own (`renamed`), only `among`. If not `exact`, it may depend on fewer."""

    kept: Mapping[Var, Int]
    exact: bool
    renamed: Mapping[Var, Int] = field(default_factory=dict)
    among: Any = True

    def name_of(self, variable: Var) -> Var:
        """The name under which `among` speaks of an axis of the operand."""
        found = getattr(self.renamed.get(variable), "variable", None)
        return found if isinstance(found, Var) else variable

    def has_none(self, source: View) -> Any:
        """Under which condition the operand has no elements along the other axes."""
        axes = zip(source.axes(), source.shape, strict=True)
        return any_of(size <= 0 for at, size in axes if not (isinstance(at, Sym) and at.variable in self.kept))


ANYTHING = Dependence({}, False)


def dependence(event: Event, read: Access, write: Access) -> Dependence:
    """How the elements of `write` depend on those of `read`, both of the same operation."""
    how = rule.ALIGNED if read.operand == "index" else stated(event, read, write)
    if how is None:
        return ANYTHING
    if isinstance(how, rule.Chosen) and selection(event, read) is not None:
        how = how.of
    return _as_axes(how, read.view, write.view)


def selection(event: Event, read: Access) -> Any:
    """The elements of an operand that its operation selects by a condition on indices, over the operand's axes: a bool,
    a condition, or None where there is no such condition, or none that is known."""
    if event.effects is None:
        return None
    name = argument_of(read)
    found = {w.sources[name] for w in event.effects.writes.values() if name in w.sources}
    how = next(iter(found)) if len(found) == 1 else None
    chosen = event.arguments.get(how.by) if isinstance(how, rule.Chosen) else None
    if not isinstance(how, rule.Chosen) or not isinstance(chosen, Grid) or chosen.dynamic or not chosen.is_mask:
        return None
    if len(chosen.shape) != len(read.view.shape):
        return None
    fitted = fit_axes(chosen.value, chosen.shape, read.view.shape)
    return negation(fitted) if how.negated else fitted


def argument_of(access: Access) -> str:
    """The argument that an operand is, or is an element of."""
    return access.operand.partition("[")[0]


def stated(event: Event, read: Access, write: Access) -> rule.Dependence | None:
    """What the operation says; None where it says nothing."""
    written = event.effects.writes.get(argument_of(write)) if event.effects is not None else None
    return written.sources.get(argument_of(read)) if written is not None else None


def _as_axes(how: rule.Dependence, source: View, result: View) -> Dependence:
    if not source.shape or not result.shape:
        return ANYTHING
    return _READINGS[type(how)](how, source, result)


# --- the readings of the kinds of dependence ---


def _aligned(how: rule.Dependence, source: View, result: View) -> Dependence:
    """The axes of an operand that has the result's shape, perhaps broadcast."""
    kept: dict[Var, Int] = {}
    offset = len(result.shape) - len(source.shape)
    if offset > 0 and _is_column(source) and _same(source.shape[0], result.shape[0]):
        return Dependence(_mapped(source, 0, result, 0), True)
    for dimension, size in enumerate(source.shape):
        if is_one(size):
            continue
        other = result.shape[offset + dimension] if offset >= 0 else None
        if other is None or (isinstance(size, int) and isinstance(other, int) and size != other):
            return _rearranged(source, result)  # sizes in different words are equal where the operation is legal
        kept.update(_mapped(source, dimension, result, offset + dimension))
    return Dependence(kept, True)


def _is_column(source: View) -> bool:
    return all(is_one(size) for size in source.shape[1:])


def _rearranged(source: View, result: View) -> Dependence:
    """Free axes are arranged otherwise: the partition stays, if there are as many."""
    if _same(source.shape[0], result.shape[0]):
        return Dependence(_mapped(source, 0, result, 0), False)
    return ANYTHING


def _rows(how: rule.Rows, source: View, result: View) -> Dependence:
    if _same(source.shape[0], result.shape[0]):
        return Dependence(_mapped(source, 0, result, 0), True)
    return ANYTHING


def _scanned(how: rule.Scanned, source: View, result: View) -> Dependence:
    if list(map(key_of, source.shape)) != list(map(key_of, result.shape)):
        return replace(_rows(rule.ROWS, source, result), exact=False)
    renamed: dict[Var, Int] = {}
    earlier, free = [], _axes(result)[1:]
    for variable in free:
        if isinstance(variable, Sym) and isinstance(variable.variable, Var):
            own = variable.variable
            renamed[own] = sym(f"{own.name}'", own.kind, own.low, own.high)
        earlier.append(renamed[variable.variable] if isinstance(variable, Sym) else variable)  # type: ignore[index]
    layout = result.shape[1:]
    before = linear_offset(tuple(earlier), layout) <= linear_offset(tuple(free), layout)
    return Dependence(_mapped(source, 0, result, 0), True, renamed, before)


def _reduced(how: rule.Reduced, source: View, result: View) -> Dependence:
    left = [d for d in range(len(source.shape)) if d not in how.axes]
    places = left if how.kept else list(range(len(left)))
    if left == [0]:
        return _rows(rule.ROWS, source, result)
    if len(result.shape) < len(places) or not all(
        p < len(result.shape) and _same(source.shape[d], result.shape[p]) for d, p in zip(left, places, strict=True)
    ):
        return ANYTHING if 0 in how.axes else _rearranged(source, result)
    return Dependence(_several(source, left, result, places), True)


def _permuted(how: rule.Permuted, source: View, result: View) -> Dependence:
    if not len(source.shape) == len(result.shape) == len(how.order):
        return ANYTHING
    return Dependence(_several(source, how.order, result, range(len(how.order))), True)


def _contracted(how: rule.Contracted, source: View, result: View) -> Dependence:
    first = 1 if how.rows == 1 else 2
    if len(source.shape) != first + 1 or len(result.shape) != 2:
        return ANYTHING
    return Dependence(_mapped(source, first, result, how.axis), True)


def _possible(how: rule.Possible, source: View, result: View) -> Dependence:
    return replace(_as_axes(how.among, source, result), exact=False)


def _chosen(how: rule.Chosen, source: View, result: View) -> Dependence:
    return replace(_as_axes(how.of, source, result), exact=False)


def _gathered(how: rule.Gathered, source: View, result: View) -> Dependence:
    return replace(_rows(rule.ROWS, source, result), exact=False)


def _anything(how: rule.Dependence, source: View, result: View) -> Dependence:
    return ANYTHING


_READINGS: Mapping[type[rule.Dependence], Callable[[Any, View, View], Dependence]] = {
    rule.Aligned: _aligned,
    rule.Rows: _rows,
    rule.Scanned: _scanned,
    rule.Reduced: _reduced,
    rule.Permuted: _permuted,
    rule.Contracted: _contracted,
    rule.Possible: _possible,
    rule.Exchanged: _aligned,
    rule.Chosen: _chosen,
    rule.Gathered: _gathered,
    rule.Blocks: _anything,
    rule.Shuffled: _anything,
    rule.Everything: _anything,
}


def _axes(view: View) -> list[Int]:
    """The variables of the axes of a view, from the left."""
    return [axis(len(view.shape) - 1 - dimension, size) for dimension, size in enumerate(view.shape)]


def _same(size: Any, other: Any) -> bool:
    return bool(key_of(size) == key_of(other))


def _several(source: View, dimensions: Sequence[int], result: View, places: Sequence[int]) -> dict[Var, Int]:
    kept: dict[Var, Int] = {}
    for dimension, place in zip(dimensions, places, strict=True):
        kept.update(_mapped(source, dimension, result, place))
    return kept


def _mapped(source: View, dimension: int, result: View, other: int) -> dict[Var, Int]:
    variable: Any = _axes(source)[dimension]
    if not isinstance(variable, Sym):
        return {}
    return {variable.variable: _axes(result)[other]}  # type: ignore[dict-item]
