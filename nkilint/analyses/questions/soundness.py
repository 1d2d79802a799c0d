"""Which writes are *sound*: made of elements that were written.

Kernels load partial tiles, compute on whole ones and store the valid part, so each write gets the condition on its
elements under which it is sound. Writes are taken to be sound at first; loops are followed until nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from nkilint.evaluator.device.effects import is_turned
from nkilint.evaluator.state.trace import Access, Event
from nkilint.evaluator.values.axes import replace_in
from nkilint.evaluator.values.tensors import Declaration, View, whole_view
from nkilint.prover.elimination import Existence, either, exists
from nkilint.symbolic.conditions import Cond, conjunction
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import Unknown, all_of, any_of, negation
from nkilint_rules.words.memory import HBM

from ..findings import Analysis
from .accesses import (
    NEVER,
    READS,
    WRITES,
    Touch,
    common_loops,
    common_prefix,
    occurrence,
    precedes,
    real_views,
    same_element,
    same_layout,
    stands_before,
)
from .coverage import added_to, covers_plainly, is_below, seen_from
from .dependence import dependence, selection
from .exchanges import as_sent
from .left_behind import LeftBehind
from .operands import indices, operation_mask

OVERWRITTEN = "what was not written may be overwritten before it is read"
KINDS = frozenset({"compute", "dma", "matmul", "collective", "register"})
SOUND = Existence(True)
Found = tuple[Existence, Touch | None]


@dataclass(slots=True)
class Soundness:
    """By write: under which condition it writes sound elements (True is left out), and which read went wrong first.

    A `hopeful` one takes a write of which that is not known exactly for sound. Since conditions only become stricter
    from pass to pass, what goes wrong in its first pass does go wrong."""

    analysis: Analysis
    hopeful: bool = False
    writes: dict[int, Existence] = field(default_factory=dict)
    origins: dict[int, Touch] = field(default_factory=dict)
    outputs: set[int] = field(default_factory=set)
    made: dict[int, Event] = field(default_factory=dict)
    changes: dict[int, int] = field(default_factory=dict)  # by tensor: how often one of its writes changed
    known: dict[int, tuple[list[int], Found]] = field(default_factory=dict)  # by read: the answer, and when
    filled: dict[int, list[Cond]] = field(default_factory=dict)
    given: list[Cond] = field(default_factory=list)  # what other obligations ask of the inputs
    left: LeftBehind = field(init=False)

    def __post_init__(self) -> None:
        self.left = LeftBehind(self.analysis.run.trace.events, self._as_at_the_end)
        self.given = [*self.analysis.given, *self.analysis.asked()]
        for event in self.analysis.run.trace.events:
            tensor = event.arguments.get("tensor")
            if event.kind == "allocation" and isinstance(tensor, View):
                self.made[id(tensor.base)] = event
            if event.kind == "return":
                self.outputs.update(id(v.base) for a in event.accesses for v, _ in real_views(a.view))

    def pass_over(self) -> bool:
        """One pass over all operations; whether anything was news."""
        news = False
        for position, event in enumerate(self.analysis.run.trace.events):
            operation = event.operation
            if event.kind != "operation" or operation is None or operation.kind not in KINDS:
                continue
            for access in event.accesses:
                if access.role in WRITES and not self.is_output(access.view.base):
                    news |= self._update(position, event, access)
        return news

    def is_output(self, base: Declaration) -> bool:
        return base.kind == "input" or (base.memory == HBM and id(base) in self.outputs)

    def _update(self, position: int, event: Event, access: Access) -> bool:
        found, origin = self._made_of(position, event, access)
        found = found if found.exact or not self.hopeful else SOUND
        before = self.writes.get(id(access), SOUND)
        if _key(found.condition) == _key(before.condition) and found.exact == before.exact:
            return False
        self.writes[id(access)] = found
        for view, _ in real_views(access.view):
            self.changes[id(view.base)] = self.changes.get(id(view.base), 0) + 1
        if origin is not None:
            self.origins[id(access)] = origin
        return True

    def _made_of(self, position: int, event: Event, write: Access) -> Found:
        """Under which condition an element of `write` is made of sound elements only."""
        if event.operation is not None and is_turned(event.effects, event.arguments.get("mask"), event.accesses):
            return Existence(False, False, f"which elements a masked `{event.operation.leaf}` writes"), None
        parts: list[Existence] = []
        origin: Touch | None = None
        for read in (*event.accesses, *(i for a in event.accesses for i in indices(a))):
            if read.role not in READS or read.role == "accumulate" or read.view.base.kind == "input":
                continue
            found, source = self.sound(position, event, read)
            found = as_sent(found, event, read, write, self.analysis.run.trace.events, self.sound)
            if found.condition is True:
                continue
            parts.append(self.carried(event, read, write, found))
            origin = origin or source
        return _all(parts), origin

    def carried(self, event: Event, read: Access, write: Access, found: Existence) -> Existence:
        """The condition on the operand's elements, for all those that one element of the result depends on."""
        if isinstance(found.condition, Unknown):
            return Existence(False, False, found.condition.reason)
        how = dependence(event, read, write)
        own = {a.variable for a in read.view.axes() if isinstance(a, Sym)}
        axes = [v for v in variables(found.condition) if v in own and v not in how.kept]
        condition = replace_in(found.condition, dict(how.renamed))
        exact, reason = found.exact, found.reason
        if axes and condition is not False:
            domain = [replace_in(c, dict(how.renamed)) for c in self._domain(event, read)]
            among = [negation(condition), *domain, *([how.among] if isinstance(how.among, Cond) else [])]
            failing = exists([how.name_of(v) for v in axes], [], among, self._holds(event))
            condition = negation(failing.condition)
            if not failing.exact:
                condition, exact, reason = False, False, reason or failing.reason
        elif condition is False and not self._holds(event)(negation(how.has_none(read.view))):
            condition = how.has_none(read.view)
        if not how.exact and condition is not True:
            name = event.operation.leaf if event.operation is not None else "an operation"
            exact, reason = False, reason or f"`{name}` may leave out what was not written"
        chosen = selection(event, read)
        if isinstance(chosen, (bool, Cond)):
            condition = any_of((negation(chosen), condition))
        return Existence(replace_in(condition, dict(how.kept)), exact or condition is True, reason)

    def _holds(self, event: Event) -> Any:
        facts = [*event.site.conditions(), *self.given]
        return lambda c: self.analysis.prover.shows(c, facts)

    @staticmethod
    def _domain(event: Event, read: Access) -> list[Cond]:
        mask = operation_mask(event, read)
        return [mask] if isinstance(mask, Cond) else []

    # --- one read ---

    def sound(self, position: int, event: Event, read: Access) -> Found:
        """Under which condition an element that `read` takes is sound, and where that first went wrong."""
        views = [(v, sure) for v, sure in real_views(read.view) if v.base.kind != "input"]
        state = [self.changes.get(id(v.base), 0) for v, _ in views]
        before = self.known.get(id(read))
        if before is not None and before[0] == state:
            return before[1]
        domain = operation_mask(event, read)
        answer = self._sound_where(position, event, read, domain, views)
        if answer[0].condition is not True and not isinstance(domain, Unknown):
            chosen = selection(event, read)
            if chosen is not None:
                answer = self._sound_where(position, event, read, all_of((domain, chosen)), views)
        if read.operand != "index":  # the others live as long as the trace, so that their ids stay theirs
            self.known[id(read)] = state, answer
        return answer

    def _sound_where(
        self, position: int, event: Event, read: Access, domain: Any, views: Sequence[tuple[View, bool]]
    ) -> Found:
        """The same for the elements in `domain`."""
        if domain is False:
            return SOUND, None
        whole = replace(read, mask=domain if isinstance(domain, Cond) else True)
        parts: list[Existence] = []
        if read.view.base.kind == "merged":
            as_one = self._chosen_as_one(Touch(position, event, whole, read.view), views)
            if as_one is not None:
                return as_one
            if (another := self.left.unsound(read.view)) is not None:
                parts.append(Existence(False, False, f"`{another.told}` may stand for several tensors"))
        origin: Touch | None = None
        for view, sure in (v for v in views if not self.left.is_made_there(read.view.base, v[0].base)):
            chosen = event if view.base is read.view.base else self._as_chosen(event, view.base)
            found, source = self._sound_view(Touch(position, chosen, whole, view, sure))
            if found.condition is not True and not sure:
                found = Existence(found.condition, False, f"`{read.view.base.name}` may stand for several tensors")
            parts.append(found.where(view.when))
            origin = origin or source
        return _all(parts), origin

    def _chosen_as_one(self, read: Touch, views: Sequence[tuple[View, bool]]) -> Found | None:
        """The answer for a choice among tensors that was written as such before, as if it were a tensor of its own:
        where nothing else writes to them, or all that does is sound."""
        touches = self.analysis.coverage.touches
        writers, read = touches.chosen.get(id(read.base), []), self.left.within(read)
        if not any(covers_plainly(w, read) for w in writers):
            within = self.left.depth(read.base)  # in other iterations it stands for another tensor
            covered = self.analysis.coverage.written_before(read, within, writers) if writers else Existence(False)
            if not self._shown_with(covered.condition, self.facts(read)):
                return None
        others = [w for v, _ in views for w in touches.writes_of(v.base) if w.access.view.base is not read.base]
        if any(self._of(w).condition is not True for w in others):
            return None
        if all(self._of(w).condition is True for w in writers):
            return SOUND, None
        return None if others else self._sound_view(read)

    def _as_at_the_end(self, position: int, event: Event, view: View) -> bool:
        """Whether a tensor is sound where an iteration ends."""
        read = Access("read", view, True)
        views = [(v, sure) for v, sure in real_views(view) if v.base.kind != "input"]
        return self._sound_where(position, event, read, True, views)[0].condition is True

    def _as_chosen(self, event: Event, base: Declaration) -> Event:
        """The event where a tensor that was made on some path is taken: on that path."""
        made = self.made.get(id(base))
        if made is None:
            writes = self.analysis.coverage.touches.writes_of(base)
            made = writes[0].event if writes and base.kind == "result" else None
        loops = event.site.loops
        if made is None or made.site.loops != loops[: len(made.site.loops)]:
            return event
        if is_below(made.site.facts, event.site.facts):
            return event
        return replace(event, site=replace(event.site, facts=made.site.facts))

    def _sound_view(self, read: Touch) -> tuple[Existence, Touch | None]:
        writers = self.analysis.coverage.touches.writes_of(read.base)
        last = next((w for w in reversed(writers) if covers_plainly(w, read)), None)  # they are in program order
        if last is None:
            if read.view.problem or read.view.dynamic:
                return self._all_of_it(read) if writers or read.view.problem else (Existence(False), read)
            found, within, later = self._written_soundly(read, writers), 0, writers
        else:  # what came before it is overwritten or in its sum, in this iteration of its loops
            found, within = seen_from(read, last, self._of(last)), len(last.loops)
            later = [w for w in writers if w.position > last.position and w.loops[:within] == last.loops]
            if found.condition is not True and later:
                found = either([found, self._written_soundly(read, later, within)])
            later += added_to(last, writers)
        doubtful = [w for w in later if self._of(w).condition is not True and not _is_hidden(w, read, writers)]
        if found.condition is True and not doubtful:
            return SOUND, None
        facts = self.facts(read)
        parts: list[Existence] = []
        for part in chain([found], (self._spoilt(w, read, within) for w in doubtful)):
            if not self._shown_with(part.condition, facts):
                parts.append(part)
            if part.condition is False and not part.exact:
                break  # nothing more can be found out
        if not parts:
            return SOUND, None
        known = [*facts, *self._further(read)]
        condition = conjunction(p.condition for p in parts)
        condition = self.analysis.prover.simplified(condition, known)
        reason = next((p.reason for p in parts if p.reason), "")
        blamed = [w for w in ([last] if last is not None else []) if self._of(w).condition is not True] + doubtful
        origin = self._origin(blamed[-1]) if blamed else read
        return Existence(condition, all(p.exact for p in parts), reason), origin

    def _all_of_it(self, read: Touch) -> tuple[Existence, Touch | None]:
        """Which elements the read takes is not known: whether all of the tensor is sound."""
        everything = replace(read, view=whole_view(read.base).with_(instance=read.view.instance))
        found, origin = self._sound_view(everything)
        return Existence(found.condition is True, found.condition is True, read.problem), origin

    def _written_soundly(self, read: Touch, writers: Sequence[Touch], within: int = 0) -> Existence:
        """Whether an earlier one of `writers` wrote the element soundly."""
        extra = self._further(read)
        return self.analysis.coverage.written_before(read, within, only=writers, sound=self._of, extra=extra)

    def _further(self, read: Touch) -> list[Cond]:
        key = id(read.event.site.facts)
        if key not in self.filled:
            self.filled[key] = [*self.analysis.coverage.nonempty(read.event.site), *self.given]
        return self.filled[key]

    def _of(self, write: Touch) -> Existence:
        return self.writes.get(id(write.access), SOUND)

    def _origin(self, write: Touch) -> Touch | None:
        return self.origins.get(id(write.access))

    def facts(self, read: Touch) -> list[Any]:
        """Under what the read happens; that it stays inside its tensor is NKI301's to say."""
        mask = [m for m in (read.access.mask, read.view.when) if isinstance(m, Cond)]
        inside = [c for b in read.view.bounds for c in (b.reach >= 0, b.reach < b.size) if isinstance(c, Cond)]
        return [*read.event.site.conditions(), *mask, *inside, *self.given]

    def _shown_with(self, condition: Any, facts: list[Any]) -> bool:
        return condition if isinstance(condition, bool) else self.analysis.prover.shows(condition, facts, deep=True)

    def _spoilt(self, write: Touch, read: Touch, within: int) -> Existence:
        """Under which condition no unsound element of `write`, in the same iteration of the `within` outermost loops,
        is among those that `read` takes."""
        found = self._of(write)
        bad = Existence(negation(found.condition))  # even where it is not exact: it is enough for sound elements
        coverage = self.analysis.coverage
        writers = coverage.touches.writes_of(write.base)
        common = len(common_loops(write, read))
        if common > within:
            again = coverage.written_before(read, common, only=[write], sound=lambda _: SOUND)
            if self._shown_with(again.condition, self.facts(read)):
                within = common  # what earlier iterations left is written again
        touched = coverage.written_before(read, within, only=[write], sound=lambda _: bad)
        if not touched.exact:
            return Existence(False, False, touched.reason)
        mended = any(self._may_mend(w, write, read, within) for w in writers)
        exact = found.exact and not mended
        return Existence(negation(touched.condition), exact, "" if exact else found.reason or OVERWRITTEN)

    def _may_mend(self, other: Touch, write: Touch, read: Touch, within: int) -> bool:
        """Whether `other` may overwrite, soundly, what `write` left, before `read` and in the same iteration of the
        `within` outermost loops."""
        if other.role != "write" or self._is_made_of(other.event, other.access, other.view):
            return False
        common, around = common_loops(other, write), common_loops(write, read)
        made_in = max(within, len(common_prefix(write.base.loops, around)))
        between = stands_before(write, other) and stands_before(other, read)
        if not between and len(common) <= made_in:
            return False
        return self._meet(write, other, made_in) and self._meet(write, read, made_in)

    def _is_made_of(self, event: Event, write: Access, target: View) -> bool:
        """Whether each element of `write` is made of the element of `target` at its place: no sound one where that is
        not."""
        for read in event.accesses:
            how = dependence(event, read, write)
            if (
                read.role not in READS
                or not how.exact
                or any(getattr(k, "as_atom", None) is not v for v, k in how.kept.items())
            ):
                continue
            view = read.view
            if view.base is target.base and same_layout(view.index, target.index):
                return view.instance is None and target.instance is None
            writers = self.analysis.coverage.touches.writes_of(view.base) if view.base.kind == "result" else []
            if len(writers) == 1 and view.whole and self._is_made_of(writers[0].event, writers[0].access, target):
                return True
        return False

    def _meet(self, write: Touch, other: Touch, shared: int) -> bool:
        """Whether `other` may touch, soundly, an element that `write` left unsound, in the same iteration of the
        `shared` outermost loops."""
        unsound = self._of(write)
        bad = negation(unsound.condition) if unsound.exact else True
        first = occurrence(write, "'", shared=write.loops[:shared], extra=[bad])
        second = occurrence(other, '"', shared=write.loops[:shared], extra=[self._of(other).condition])
        same, before = same_element(first, second), precedes(first, second)
        if before is False:
            return False
        if isinstance(same, (bool, Unknown)):
            return same is not False
        facts = [*first.conditions, *second.conditions, *self.given]
        facts += [before] if isinstance(before, Cond) else []
        keys = {f.key for f in facts}
        if any(f is NEVER or getattr(negation(f), "key", None) in keys for f in facts):
            return False
        return self.analysis.prover.shows(negation(same), facts, deep=True) is False


def _is_hidden(write: Touch, read: Touch, writers: Sequence[Touch]) -> bool:
    """Whether each element of `write` is written once more in the same iteration, and not read between."""
    return any(
        other.position > write.position
        and not write.position < read.position <= other.position
        and other.loops == write.loops
        and covers_plainly(
            other, replace(write, position=other.position + 1, access=replace(write.access, role="read"))
        )
        for other in writers
        if other.role == "write" and is_below(other.event.site.facts, write.event.site.facts)
    )


def _all(parts: Sequence[Existence]) -> Existence:
    """All of them at once."""
    failing = next((p for p in parts if p.exact and p.condition is False), None)
    if failing is not None:
        return failing
    condition = conjunction(p.condition for p in parts)
    exact = all(p.exact for p in parts) or condition is True
    return Existence(condition, exact, next((p.reason for p in parts if p.reason), ""))


def _key(condition: Any) -> Any:
    return condition if isinstance(condition, bool) else getattr(condition, "key", id(condition))
