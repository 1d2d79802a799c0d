"""Which elements the accesses of a trace touch, when, and whether two of them can meet.

A *touch* is an access at its place in the trace. An *occurrence* is one execution of a touch on one element: the loops
around it stand at certain iterations, its axes at a certain element, written with variables of their own ("renamed
apart") so that two occurrences of the same touch can be compared. Conditions about occurrences are ordinary
conditions, to be decided by the prover:

    first = occurrence(write, "'")
    second = occurrence(read, '"', shared=common_loops(write, read)[:1])
    facts = [*first.conditions, *second.conditions]
    goal = negation(all_of((same_element(first, second), precedes(first, second))))

Variables keep their kinds, so the prover treats them as iterations and elements. What is not known about an access
(an index held in a tensor, a mask that is not followed) stands in `problem`; then nothing can be concluded from its
element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import zip_longest
from typing import Any

from nkilint.evaluator.state.trace import Access, Event, Loop, Site, Trace
from nkilint.evaluator.values.axes import linear_offset, replace_in
from nkilint.evaluator.values.choices import is_told
from nkilint.evaluator.values.tensors import Declaration, View
from nkilint.symbolic.atoms import Atom, Var
from nkilint.symbolic.conditions import Cond, Opaque, opaque_parts
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, key_of, sym
from nkilint.symbolic.substitution import Substitution
from nkilint_rules.words.conditions import Unknown, all_of, any_of
from nkilint_rules.words.records import dataclass

WRITES = frozenset({"write", "update", "accumulate"})
READS = frozenset({"read", "update", "accumulate"})
MOVING = frozenset({"loop", "axis", "carried", "runtime"})  # what differs from one execution to the next
HELD = "the index is held in a tensor"


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """An access at position `position` of the trace. `view` is of `base`, the tensor that has the memory.

    `sure` is False where the access goes through a name that may stand for several tensors, and it is not known when
    for this one.
    """

    position: int
    event: Event
    access: Access
    view: View
    sure: bool = True
    occurrences: dict[Any, Occurrence] = field(default_factory=dict, init=False)  # that were asked for

    @property
    def base(self) -> Declaration:
        return self.view.base

    @property
    def loops(self) -> tuple[Loop, ...]:
        return self.event.site.loops

    @property
    def role(self) -> str:
        return self.access.role

    @property
    def mask(self) -> Any:
        """The elements that are touched: True, a condition over the axes, or Unknown."""
        parts = [self.access.mask, self.view.when]
        if self.access.operand == "result":
            parts.append(self.view.mask)
        parts = [part for part in parts if part is not True]
        return all_of(parts) if len(parts) > 1 else parts[0] if parts else True

    @property
    def problem(self) -> str:
        """Why its elements are not known, if so."""
        if self.view.problem:
            return self.view.problem
        if self.view.dynamic:
            return HELD
        mask = self.mask
        if isinstance(mask, Unknown):
            return mask.reason
        if self.role in WRITES and self.view.is_cast and _is_narrower(self.view):
            return "parts of elements are written"
        return "" if self.sure else f"`{self.base.name}` is reached through a name that may stand for another tensor"


def _is_narrower(view: View) -> bool:
    """Whether its elements may be parts of those of its tensor."""
    own, others = (getattr(dtype, "itemsize", None) for dtype in (view.dtype, view.base.dtype))
    return not (isinstance(own, int) and isinstance(others, int) and own > others)


@dataclass(slots=True)
class Touches:
    """All accesses of a trace, by the tensor they reach, in program order."""

    trace: Trace
    seen_as: Callable[[View, Site], View] = lambda view, site: view  # how to look at what an access reaches
    writes: dict[int, list[Touch]] = field(default_factory=dict)
    reads: dict[int, list[Touch]] = field(default_factory=dict)
    bases: dict[int, Declaration] = field(default_factory=dict)
    chosen: dict[int, list[Touch]] = field(default_factory=dict)  # writes to what was chosen among tensors, by choice
    extents: dict[int, tuple[int, int]] = field(default_factory=dict)  # the first and last position in each loop

    def __post_init__(self) -> None:
        for position, event in enumerate(self.trace.events):
            for loop in event.site.loops:
                self.extents[id(loop)] = self.extents.get(id(loop), (position, position))[0], position
            for access in event.accesses:
                if access.view.base.kind == "merged" and access.role in WRITES:
                    touch = Touch(position, event, access, access.view)
                    self.chosen.setdefault(id(access.view.base), []).append(touch)
                for view, sure in real_views(access.view):
                    touch = Touch(position, event, access, self.seen_as(view, event.site), sure)
                    self.bases.setdefault(id(view.base), view.base)
                    if access.role in WRITES:
                        self.writes.setdefault(id(view.base), []).append(touch)
                    if access.role in READS:
                        self.reads.setdefault(id(view.base), []).append(touch)

    def writes_of(self, base: Declaration) -> list[Touch]:
        return self.writes.get(id(base)) or self.chosen.get(id(base), [])

    def reads_of(self, base: Declaration) -> list[Touch]:
        return self.reads.get(id(base), [])


def is_its_own(read: Touch) -> bool:
    """Whether what reads elements writes to these alone: it goes on with what stands there."""
    written = [access.view for access in read.event.accesses if access.role in WRITES]
    if not written or any(view.base is not read.base for view in written):
        return False
    return any(view.whole or same_layout(view.index, read.view.index) for view in written)


def is_inside(touch: Touch, loop: Loop) -> bool:
    return any(around is loop for around in touch.loops)


def real_views(view: View, sure: bool = True) -> Iterable[tuple[View, bool]]:
    """The views of real tensors that a view may stand for; more than one after branches that chose between tensors."""
    if view.base.kind != "merged":
        yield view, sure
        return
    for source, when in _sources(view.base):
        moves = {}
        for variable, where in zip(source.axes(), view.index, strict=False):
            if isinstance(variable, Sym) and key_of(variable) != key_of(where):
                moves[variable.variable] = where
        fits = len(source.shape) == len(view.index) and not view.problem
        if fits or not source.whole:
            found = source.with_(index=tuple(replace_in(i, moves) for i in source.index))
        else:  # in another layout all of a tensor is still all of it
            found = source.with_(index=view.index, layout=view.layout)
            fits = not view.problem
        inner = found.with_(
            shape=view.shape,
            mask=view.mask,
            when=all_of((view.when, when)) if when is not None else view.when,
            bounds=view.bounds,
            problem=source.problem or view.problem or ("" if fits else "a reshaped choice between tensors"),
            dynamic=(*source.dynamic, *view.dynamic),
        )
        yield from real_views(inner, sure and when is not None)


def _sources(base: Declaration) -> Iterator[tuple[View, Any]]:
    """The tensors that a name may stand for, each with the condition under which it does; None where that is not
    known."""
    told = base.choices if all(is_told(c) for c in base.choices) else ()
    for source, when in zip_longest(base.sources, told):
        if isinstance(source, View) and when is not False:
            yield source, when


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """One execution of a touch on one element.

    `iterations` are those of the loops around it, `element` is the index into the tensor in `layout`, `instance` says
    which of the tensors that loops made it is (the iterations of `base.loops`). `conditions` hold when it happens;
    `variables` are its own, oldest first. `loose` says that a condition was left out because it cannot be told apart
    between executions, so that the occurrence may happen less often than `conditions` say.
    """

    touch: Touch
    iterations: tuple[Any, ...]
    element: tuple[Any, ...]
    instance: tuple[Any, ...]
    conditions: tuple[Cond, ...]
    variables: tuple[Var, ...]
    problem: str
    loose: bool

    @property
    def layout(self) -> tuple[Any, ...]:
        return self.touch.view.layout


def common_loops(a: Touch, b: Touch) -> tuple[Loop, ...]:
    """The loops around both, outermost first."""
    return common_prefix(a.loops, b.loops)


def common_prefix(a: tuple[Loop, ...], b: tuple[Loop, ...]) -> tuple[Loop, ...]:
    """The loops that two nests begin with."""
    count = 0
    for x, y in zip(a, b, strict=False):
        if x is not y:
            break
        count += 1
    return a[:count]


def occurrence(
    touch: Touch, mark: str, shared: Sequence[Loop] = (), programs: bool = False, extra: Sequence[Any] = ()
) -> Occurrence:
    """An occurrence whose variables carry `mark`; those of the loops in `shared` (and the position in the launch grid,
    unless `programs`) remain the trace's own, so that they mean the same iteration everywhere. `extra` are more
    conditions on it, in the trace's own variables."""
    kept = tuple([loop.index.variable for loop in shared])
    key = mark, kept, programs, tuple([c.key if isinstance(c, Cond) else c is False for c in extra])
    known = touch.occurrences.get(key)
    if known is None:
        known = touch.occurrences[key] = _occurrence(touch, mark, kept, programs, extra)
    return known


def _occurrence(touch: Touch, mark: str, kept: Sequence[Atom], programs: bool, extra: Sequence[Any]) -> Occurrence:
    site, view, mask = touch.event.site, touch.view, touch.mask
    there = has_elements(view)
    conditions = [c for c in (*site.conditions(), *extra, mask, there) if isinstance(c, Cond)]
    indices = tuple(loop.index for loop in site.loops)
    instance = view.instance if view.instance is not None else tuple(loop.index for loop in view.base.loops)
    moved = [i.variable for i in indices if i.variable not in kept]
    substitution, fresh = _renaming((*indices, *view.index, *instance, *conditions), kept, moved, mark, programs)
    loose = False
    renamed: list[Cond] = []
    for condition in conditions:
        if moved and any(part.kind == "runtime" for part in opaque_parts(condition)):
            loose = True
            continue
        condition = substitution.of(condition)
        if isinstance(condition, Cond):
            renamed.append(condition)
        elif condition is False:
            renamed.append(NEVER)
    if mask is False or there is False or any(c is False for c in extra):
        renamed.append(NEVER)
    return Occurrence(
        touch,
        tuple([substitution.of(i) for i in indices]),
        tuple([substitution.of(i) for i in view.index]),
        tuple([substitution.of(i) for i in instance]),
        tuple(renamed),
        fresh,
        touch.problem or _unbound_instance(instance, indices, view),
        loose,
    )


def has_elements(view: View) -> Any:
    """Whether no axis of the view is empty, of those that its indices say nothing about: where a dimension of size 1 is
    cut to a slice, the index is 0."""
    indexed = set(variables(*view.index))
    plain = [
        size
        for size, along in zip(view.shape, view.axes(), strict=True)
        if not (isinstance(along, Sym) and along.variable in indexed)
    ]
    return all_of(size >= 1 for size in plain)


NEVER: Cond = Opaque("never", "input") & Opaque("never", "input", True)


def _unbound_instance(instance: tuple[Any, ...], indices: tuple[Sym, ...], view: View) -> str:
    """A tensor kept in a list may be one of an iteration that nothing names."""
    inside = {i.variable for i in indices}
    for where in instance:
        for variable in variables(where):
            if variable.kind == "loop" and variable not in inside:
                return f"nothing says in which iteration `{view.base.name}` was made"
    return ""


def _renaming(
    values: Iterable[Any], kept: Sequence[Atom], moved: Sequence[Atom], mark: str, programs: bool
) -> tuple[Substitution, tuple[Var, ...]]:
    """Fresh variables for all that differs between executions: what was there before the loops that move does not."""
    first = min((v.uid for v in moved), default=None)
    found = variables(*(v for v in values if isinstance(v, (Sym, Cond))), through_bounds=True)
    renaming = Substitution({})
    fresh: list[Var] = []
    for variable in sorted(found, key=lambda v: v.uid):
        if variable in kept or not _moves(variable, first, moved, programs):
            continue
        low, high = renaming.of(variable.low), renaming.of(variable.high)
        new = sym(variable.name + mark, variable.kind, low, high, variable.source)
        renaming.replace(variable, new)
        fresh.append(new.variable)  # type: ignore[arg-type]
    return renaming, tuple(fresh)


def _moves(variable: Var, first: int | None, moved: Sequence[Atom], programs: bool) -> bool:
    if variable.kind == "axis":
        return True
    if variable.kind == "loop":
        return variable in moved
    if variable.kind == "program":
        return programs
    return variable.kind in MOVING and first is not None and variable.uid > first


# --- questions ---


def same_instance(a: Occurrence, b: Occurrence) -> Any:
    """Whether both are of the same one of the tensors that loops made."""
    if a.touch.base is not b.touch.base:
        return False
    return all_of(key_of(x) == key_of(y) or x == y for x, y in zip(a.instance, b.instance, strict=True))


def same_element(a: Occurrence, b: Occurrence) -> Any:
    """Whether both touch the same element of the same tensor: a bool, a condition, or Unknown with a reason."""
    instance = same_instance(a, b)
    if instance is False:
        return False
    for one in (a, b):
        if one.problem:
            return Unknown(one.problem)
    return all_of((instance, same_index(a.element, a.layout, b.element, b.layout)))


def meet_wherever(a: Occurrence, b: Occurrence) -> Any:
    """The same, where tensors may hold any indices: what is false for all of these is so for those that they hold."""
    if any(one.problem not in ("", HELD) for one in (a, b)):
        return same_element(a, b)
    renaming = Substitution({})
    for held in variables(*(where for where in b.element if isinstance(where, Sym))):
        if held.kind == "runtime":
            renaming.replace(held, sym(f"{held.name}'", held.kind, held.low, held.high, held.source))
    element = tuple([renaming.of(where) for where in b.element])
    return all_of((same_instance(a, b), same_index(a.element, a.layout, element, b.layout)))


def same_layout(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether two rows of sizes, or of indices, are the same."""
    return len(a) == len(b) and all(key_of(x) == key_of(y) for x, y in zip(a, b, strict=True))


def same_index(a: tuple[Any, ...], layout: tuple[Any, ...], b: tuple[Any, ...], other: tuple[Any, ...]) -> Any:
    """Whether two indices, each into a tensor seen in its layout, mean the same element."""
    if same_layout(layout, other):
        return all_of(key_of(x) == key_of(y) or x == y for x, y in zip(a, b, strict=True))
    return linear_offset(a, layout) == linear_offset(b, other)


def precedes(a: Occurrence, b: Occurrence) -> Any:
    """Whether `a` happens before `b` when every loop runs in order. Within one operation, reads come before writes."""
    cases: list[Any] = []
    same: list[Any] = []
    for x, y in _common_iterations(a, b):
        cases.append(all_of((*same, x < y)))
        same.append(key_of(x) == key_of(y) or x == y)
    if stands_before(a.touch, b.touch):
        cases.append(all_of(same))
    return any_of(cases)


def stands_before(a: Touch, b: Touch) -> bool:
    """Whether `a` comes first within one iteration of the common loops."""
    if a.position != b.position:
        return a.position < b.position
    return a.role == "read" and b.role in WRITES


def _common_iterations(a: Occurrence, b: Occurrence) -> list[tuple[Any, Any]]:
    return list(zip(a.iterations, b.iterations, strict=False))[: len(common_loops(a.touch, b.touch))]
