"""Whether elements are written: by any execution in the kernel, or by one that comes before a read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from nkilint.evaluator.state.trace import Facts, Site, Trace
from nkilint.evaluator.values.axes import linear_offset, replace_in
from nkilint.evaluator.values.tensors import Declaration, View
from nkilint.prover import Prover
from nkilint.prover.elimination import Existence, either, exists
from nkilint.symbolic.atoms import UNKNOWABLE, Max, Var
from nkilint.symbolic.conditions import Cond, leaves, opaque_parts
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.memory import HBM

from .accesses import (
    NEVER,
    Occurrence,
    Touch,
    Touches,
    common_loops,
    common_prefix,
    occurrence,
    same_layout,
    stands_before,
)
from .meetings import Meetings
from .positions import in_own_shape
from .sums import sums_of

NOWHERE = Existence(False)
CALLERS = frozenset({"input", "dtype"})  # kinds of facts that the caller chooses
Sound = Callable[[Touch], Existence]


class Coverage:
    """Answers for one trace."""

    def __init__(self, trace: Trace, prover: Prover) -> None:
        self.trace, self.prover = trace, prover
        self.touches = Touches(trace, self._in_own_shape)
        self.sums = sums_of(self.touches)
        self.meetings = Meetings(trace, prover, self.touches)
        self._given: tuple[Sequence[Cond], frozenset[Any]] = (), frozenset()

    def _keys_of(self, facts: Sequence[Cond]) -> frozenset[Any]:
        """What `facts` say; they are the same for one writer after the other."""
        if self._given[0] is not facts:
            self._given = facts, frozenset(f.key for f in leaves(facts))
        return self._given[1]

    def _in_own_shape(self, view: View, site: Site) -> View:
        return in_own_shape(view, lambda claim: self.prover.shows(claim, site.conditions(), deep=True))

    def nonempty(self, site: Site) -> list[Cond]:
        """Tiles have elements: a scalar argument that is the size of one, wherever `site` is reached, is at least 1."""
        known = {c.key for c in site.conditions()}
        reached: dict[int, bool] = {}
        found: dict[Any, Cond] = {}
        for facts, conditions, factors in self._sized:
            if facts not in reached:
                reached[facts] = all(c.key in known or not over_inputs(c) for c in conditions)
            if reached[facts]:
                found.update({f.key: f >= 1 for f in factors if f.key not in found})
        return list(found.values())

    @cached_property
    def _sized(self) -> list[tuple[int, list[Any], list[Sym]]]:
        """Of each event with tiles of sizes that may be less than 1: its facts, by identity and as conditions, and the
        inputs among the factors of the sizes."""
        found = []
        for event in self.trace.events:
            sizes = [n for a in event.accesses for n in a.view.shape if isinstance(n, Sym) and n.bounds[0] < 1]
            factors = [(f, f.as_atom) for size in sizes for f in _factors(size)]
            inputs = [f for f, atom in factors if isinstance(atom, Var) and atom.kind == "input"]
            if inputs:
                found.append((id(event.site.facts), event.site.conditions(), inputs))
        return found

    # --- what is written at all ---

    def written(
        self, base: Declaration, element: tuple[Any, ...], facts: Sequence[Cond], writers: Sequence[Touch]
    ) -> Existence:
        """Whether some execution of `writers`, in any program of the launch grid, writes `element` (an index into the
        tensor in its own shape) of a tensor that is made once."""
        found: list[Existence] = []
        for touch in writers:
            writer = occurrence(touch, "'", programs=True)
            found.append(self._exists(writer, element, base.shape, (), facts, []))
            if found[-1].condition is True:
                break
        return either(found) if found else NOWHERE

    # --- what is written before a read ---

    def written_before(
        self,
        read: Touch,
        within: int = 0,
        only: Sequence[Touch] | None = None,
        sound: Sound | None = None,
        extra: Sequence[Cond] = (),
    ) -> Existence:
        """Whether each element of `read`, in the trace's own variables, is written by an earlier execution, in the same
        iteration of the `within` outermost loops around it. `only` names the writes to look at; `sound` gives for each
        the condition on its element under which it counts; `extra` are more facts."""
        writers = self.touches.writes_of(read.base) if only is None else only
        if sound is None:
            plain = [w for w in writers if len(w.loops) >= within]
            if any(covers_plainly(w, read) for w in reversed(plain)):
                return Existence(True)
        reader = occurrence(read, "", shared=read.loops, extra=extra)
        found: list[Existence] = []
        for touch in reversed(writers):
            counts = Existence(True) if sound is None else sound(touch)
            if counts.condition is False:
                found.append(counts)
                continue
            for case in self._earlier(touch, reader, within, counts):
                found.append(case)
                if case.condition is True and case.exact:
                    return case
        return either(found) if found else NOWHERE

    def overwritten(self, first: Occurrence, second: Occurrence) -> Existence:
        """Whether an execution writes the element of `first`, a write, too: one like `second`, in its variables."""
        return self._exists(second, first.element, first.layout, first.instance, first.conditions, [])

    def _earlier(self, touch: Touch, reader: Occurrence, within: int, counts: Existence) -> Iterable[Existence]:
        """Executions of `touch` before `reader`: in the same iteration of the loops around both, or in an earlier one
        of each of them."""
        common = common_loops(touch, reader.touch)
        if len(common) < within:
            return
        place = reader.element, reader.layout, reader.instance
        if stands_before(touch, reader.touch):
            met = is_shared(touch.base) and self.meetings.between(touch, reader.touch)
            for everyones, extra in _writers(met):
                writer = occurrence(touch, "'", shared=common, programs=everyones, extra=[counts.condition, *extra])
                yield self._counting(self._exists(writer, *place, reader.conditions, []), counts)
            if isinstance(met, Unknown):
                yield Existence(False, False, met.reason)
        made_in = len(common_prefix(touch.base.loops, common)) if touch.view.instance is None else 0
        for depth in range(max(made_in, within), len(common)):
            met = is_shared(touch.base) and self.meetings.before_next(touch, reader.touch, common[depth])
            writer = occurrence(touch, "'", shared=common[:depth], programs=met is True, extra=[counts.condition])
            earlier = writer.iterations[depth] < common[depth].index
            yield self._counting(self._exists(writer, *place, reader.conditions, [earlier]), counts)
            if isinstance(met, Unknown):
                yield Existence(False, False, met.reason)

    @staticmethod
    def _counting(found: Existence, counts: Existence) -> Existence:
        """`found`, where `counts` says only for some elements that they count."""
        if counts.exact or (found.condition is False and found.exact):
            return found
        return Existence(found.condition, False, found.reason or counts.reason)

    def _exists(
        self,
        writer: Occurrence,
        element: tuple[Any, ...],
        layout: tuple[Any, ...],
        instance: tuple[Any, ...],
        facts: Sequence[Cond],
        extra: list[Any],
    ) -> Existence:
        """Whether an execution of `writer` touches `element`, where `facts` hold."""
        if writer.problem:
            return Existence(False, False, writer.problem)
        if any(c is NEVER for c in writer.conditions):
            return NOWHERE
        equations = [a - b for a, b in zip(writer.instance, instance, strict=True)]
        if same_layout(writer.layout, layout):
            equations += [a - b for a, b in zip(writer.element, element, strict=True)]
        else:
            equations.append(linear_offset(writer.element, writer.layout) - linear_offset(element, layout))
        known = self._keys_of(facts)
        granted = writer.touch.event.site.granted()  # obligations of their own ask for those
        conditions = [c for c in leaves(writer.conditions) if c.key not in known and c.key not in granted]
        own = {*writer.variables}  # of others there is one value, here and there
        unknowable = [v for v in variables(*conditions, *equations) if v.kind in UNKNOWABLE and v in own]
        if unknowable:
            return Existence(False, False, f"it depends on {unknowable[0].told}")
        open_ = [c for c in conditions if any(o.kind not in CALLERS for o in opaque_parts(c))]
        told = next((f"it depends on `{o.name}`" for c in open_ for o in opaque_parts(c) if o.kind not in CALLERS), "")
        if set(variables(*open_)).intersection(writer.variables):
            return Existence(False, False, told)
        found = exists(
            [v for v in writer.variables if v.kind not in UNKNOWABLE],
            equations,
            [*conditions, *extra],
            lambda c: self.prover.shows(c, list(facts), deep=over_inputs(c)),
        )
        if writer.loose and found.exact:
            return Existence(False, False, "a branch that only the device decides")
        if open_ and found.condition is not False:  # another write may stand on the other side
            return Existence(found.condition, False, told)
        return found


def _writers(met: Any) -> Iterable[tuple[bool, tuple[Any, ...]]]:
    """Whose writes are seen, all programs' or one's own, and under which further condition."""
    if met is not True:
        yield False, ()
    if met is True or isinstance(met, Cond):
        yield True, () if met is True else (met,)


def is_shared(base: Declaration) -> bool:
    """Whether all programs of the grid see one tensor."""
    return base.memory == HBM and (base.kind == "input" or base.region == "shared_hbm")


def _factors(size: Sym) -> Iterable[Sym]:
    """What a size is the product of; `max(n, 0)`, the length of `range(n)`, counts `n`."""
    monomials = list(size.terms.items())
    if len(monomials) != 1 or size.const != 0 or monomials[0][1] != 1:
        return
    for atom in monomials[0][0]:
        sides = [s for s in (atom.left, atom.right) if isinstance(s, Sym)] if isinstance(atom, Max) else []
        yield sides[0] if len(sides) == 1 else Sym({(atom,): 1}, 0)


# --- the plain cases ---


def covers_plainly(write: Touch, read: Touch) -> bool:
    """Whether the same path and iteration writes just these elements first, or the whole tensor."""
    if not stands_before(write, read) or write.problem or not _dominates(write, read):
        return False
    w, r = write.view, read.view
    if not _same_instance(w, r, write, read):
        return False
    mask = write.mask
    if w.whole and mask is True:
        return True
    if r.problem or r.dynamic or not same_layout(w.layout, r.layout) or not same_layout(w.shape, r.shape):
        return False
    if mask is not True and not (isinstance(mask, Cond) and isinstance(read.mask, Cond) and mask.key == read.mask.key):
        return False
    return all(key_of(a) == key_of(b) for a, b in zip(w.index, r.index, strict=True))


def added_to(write: Touch, writers: Sequence[Touch]) -> list[Touch]:
    """The earlier ones of the writes that one adds to: what they left is in the sum."""
    return [w for w in writers if write.role == "accumulate" and w.position < write.position]


def _dominates(write: Touch, read: Touch) -> bool:
    """Whether the read is reached only through the write's iteration and path."""
    outer, inner = write.loops, read.loops
    if len(outer) > len(inner) or any(a is not b for a, b in zip(outer, inner, strict=False)):
        return False
    return is_below(write.event.site.facts, read.event.site.facts)


def is_below(older: Facts | None, newer: Facts | None) -> bool:
    """Whether all of `older` was known before what makes up `newer`."""
    if older is None:
        return True
    here = newer
    while here is not None:
        if here is older:
            return True
        here = here.below
    return False


def _same_instance(w: View, r: View, write: Touch, read: Touch) -> bool:
    if w.instance is None and r.instance is None:
        return True
    a = w.instance if w.instance is not None else tuple(loop.index for loop in w.base.loops)
    b = r.instance if r.instance is not None else tuple(loop.index for loop in r.base.loops)
    return same_layout(a, b)


def seen_from(read: Touch, write: Touch, found: Existence) -> Existence:
    """The condition on the elements of a write that covers the read plainly, on those that the read takes."""
    if not isinstance(found.condition, Cond):
        return found
    axes = [a for a in write.view.axes() if isinstance(a, Sym)]
    if not {a.variable for a in axes} & set(variables(found.condition)):
        return found
    if same_layout(write.view.shape, read.view.shape) and same_layout(write.view.index, read.view.index):
        return found
    if not same_layout(write.view.layout, read.view.layout) or not write.view.whole:
        return Existence(False, False, "a tile is seen in another layout")
    moves = {a.variable: i for a, i in zip(write.view.axes(), read.view.index, strict=True) if isinstance(a, Sym)}
    return replace(found, condition=replace_in(found.condition, moves))
