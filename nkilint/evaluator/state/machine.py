"""The state of an evaluation: variables, journal of changes, facts, loops, and the trace being written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING, Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.atoms import Int
from nkilint.symbolic.conditions import Cond, Opaque, opaque_parts
from nkilint.symbolic.integers import Sym, key_of, sym
from nkilint.symbolic.work import charge
from nkilint_rules.rule import Message, Rule
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown, negation
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.targets import Target

from ..values import substitution
from ..values.cells import MISSING, Cell
from ..values.choices import Either
from ..values.dtypes import told_by
from ..values.grown import Made
from ..values.objects import Environment, ModuleValue
from ..values.tensors import View
from .havoc import havoc
from .trace import Event, Facts, Loop, Obligation, Site, Trace, Unrolled, in_order

if TYPE_CHECKING:
    from .modules import Modules
    from .paths import Frame

MAX_DEPTH = 60
STEP = 20  # units of work
CHANGES = 4  # that one unit of work looks at
MAX_STEPS = 400_000


class Stop(Exception):
    """The evaluation as a whole cannot go on; the message says why."""


class Fault(Exception):
    """The program raises here on every input; what follows is not reached. `raised` is the exception, the name of a
    built-in one, or None where it is not known which."""

    def __init__(self, raised: Any = None) -> None:
        super().__init__(raised)
        self.raised = raised


class Explained(str):
    """A reason that a finding has given already: what follows from it is not said again."""

    __slots__ = ()


def explained(reason: str) -> Unknown:
    """What is left of a value after a finding."""
    return Unknown(Explained(reason))


NO_VARIABLES = "no environment variable is set"
VARIABLES_SET = "environment variables that its modules set"


class Machine:
    """One evaluation. Holds no knowledge of Python or NKI: that is in the modules beside it."""

    def __init__(
        self,
        target: Target,
        dialect: str,
        implied: Callable[[Cond, list[Any]], bool | None],
        modules: Modules,
        version: str = "",
        max_steps: int = MAX_STEPS,
    ) -> None:
        self.target, self.dialect, self.version = target, dialect, version
        self.implied = implied
        self.modules = modules
        self.trace = Trace(target=target)
        self.facts: Facts | None = None
        self.loops: tuple[Loop, ...] = ()
        self.unrolled: Unrolled = ()
        self.branches: tuple[Span, ...] = ()  # those around that the iteration or the program decides
        self.started: dict[Any, Any] = {}  # what stand-ins of loops are in the first iteration
        self.at: Span = Span("", 1, 1, 1, 1)
        self.callers: tuple[Span, ...] = ()
        self.journal: list[tuple[dict[Any, Any], Any, Any]] = []
        self.recording = 0
        self.forgetting = False  # elements of lists of which another was changed
        self.frames: list[Frame] = []  # blocks that a path can leave early, innermost last
        self.steps, self.max_steps = 0, max_steps
        self.depth = 0
        self.counters: dict[str, int] = {}
        self.supposed: Mapping[str, int] = {}  # by name, the dimensions of tensors of which nothing tells how many
        self.unset: set[str] = set()  # fields of objects that a kernel takes which their classes leave None
        self.in_kernel = False
        self.importing: ModuleValue | None = None  # of which the statements are run now
        self.is_program = False  # what is followed is run as a script or a test, and is no import
        self.host_only = False  # what asks the device for something, and is no kernel, is not followed
        self.variables_set = False  # whether environment variables may be set before the kernel asks for them
        self.raising: Any = None  # what the path raises that is being left
        self.caught: list[Any] = []  # exceptions that are being handled, the innermost last
        self.doubts = 0  # times that something came out unknown, which may have raised instead
        self.callee: ir.Expr | None = None  # what the innermost call that is evaluated calls
        self.harmless: ir.Call | None = None  # the last call whose result is not known, and that raises nothing
        self.trusting = False  # what raises is no fault: it is the test of an assertion, or of an attribute
        self.chosen: tuple[Any, ...] = ()  # conditions under which values are those that are looked at just now
        self.unknowns = 0  # values of expressions that came out unknown
        self.functions: list[ir.FunctionDef] = []  # being evaluated, the innermost last
        self.launches: list[Any] = []
        self.grid: tuple[Any, ...] | None = None
        self.must_unroll: set[int] = set()
        self.like: AbstractSet[int] = frozenset()  # loops that are not unrolled, though their trips may be few
        self.selecting: set[Any] = set()  # variables that pick one of several tensors
        self.undetermined: list[Any] = []  # variables that stand for what is not known, in the order of their making
        self.memo: dict[Any, Any] = {}

    # --- state ---

    def set(self, cell: dict[Any, Any], key: Any, value: Any) -> None:
        """Change a cell so that the change can be undone."""
        if self.recording:
            self.journal.append((cell, key, cell.get(key, MISSING)))
        cell[key] = value
        if isinstance(cell, Cell) and (cell.one_of is not None or cell.stands_for or cell.kin) and not self.forgetting:
            self._change_one(cell.one_of, (*cell.stands_for, *cell.kin))

    def _change_one(self, one_of: tuple[Made, Any] | None, others: tuple[Any, ...]) -> None:
        """Of containers that may be one and the same one is changed: of the others it is not known what they hold."""
        self.forgetting = True
        havoc(self, others, "a list or dict that may be one that a loop carries")
        while one_of is not None:
            made, position = one_of
            self.set(made.changed, key_of(position), True)
            others = (*made.others(position), *made.kin)
            havoc(self, others, "an element of a list that may be the one that was changed")
            one_of = made.around
        self.forgetting = False

    def delete(self, cell: dict[Any, Any], key: Any) -> None:
        """The program takes away what stands there: an iteration may have bound it, and a later one not leave it."""
        self.memo.setdefault("deleted", set()).add(key)
        self.forget(cell, key)

    def forget(self, cell: dict[Any, Any], key: Any) -> None:
        if self.recording:
            self.journal.append((cell, key, cell.get(key, MISSING)))
        cell.pop(key, None)

    @contextmanager
    def recorded(self) -> Iterator[int]:
        """A stretch whose changes can be read and undone; gives the mark of its start."""
        self.recording += 1
        try:
            yield len(self.journal)
        finally:
            self.recording -= 1
            if not self.recording:
                self.journal.clear()

    def changes(self, mark: int, born: float = inf) -> dict[tuple[int, Any], tuple[dict[Any, Any], Any, Any, Any]]:
        """By cell and key: (cell, key, value before, value now) for all that changed since `mark`.

        Cells made after the moment `born` are left out: nothing outside can see them change.
        """
        charge((len(self.journal) - mark) // CHANGES)
        found: dict[tuple[int, Any], tuple[dict[Any, Any], Any, Any, Any]] = {}
        for cell, key, old in self.journal[mark:]:
            if isinstance(cell, Cell) and cell.born > born:
                continue
            place = (id(cell), key)
            if place not in found:
                found[place] = (cell, key, old, cell.get(key, MISSING))
        return found

    def undo(self, mark: int, born: float = inf) -> None:
        """Take back all since `mark`, except in cells made after `born`: what refers to those is to keep them whole,
        and blocks around, which paths may have left before that, are to know of them."""
        kept = []
        for change in reversed(self.journal[mark:]):
            cell, key, old = change
            if isinstance(cell, Cell) and cell.born > born:
                kept.append(change)
                continue
            if old is MISSING:
                cell.pop(key, None)
            else:
                cell[key] = old
        self.journal[mark:] = kept[::-1]

    def fresh(self, name: str) -> str:
        """`name`, made unique within this evaluation."""
        count = self.counters.get(name, 0)
        self.counters[name] = count + 1
        return name if count == 0 else f"{name}.{count}"

    def fresh_sym(self, name: str, kind: str, low: Int | None, high: Int | None, source: str = "") -> Sym:
        made = sym(self.fresh(name), kind, low, high, source)
        if kind in ("carried", "runtime"):
            self.undetermined.append(made.variable)
        return made

    # --- program points ---

    def site(self, at: Span | None = None) -> Site:
        return Site(at or self.at, self.loops, self.facts, self.callers, self.unrolled, self.branches)

    def assume(self, condition: Any, origin: str = "path") -> None:
        """From here on, on this path, `condition` holds (see `Facts` for its origin)."""
        if isinstance(condition, Opaque) and self._is_fact(condition):
            return
        if isinstance(condition, Cond):
            self.facts = Facts(condition, self.facts, origin)
            if origin != "told":
                self._tell(condition)

    def _tell(self, condition: Cond) -> None:
        """Take what a condition tells of dtypes, and of what was asked about these."""
        names = [fact.name for fact in opaque_parts(condition) if fact.kind == "dtype"]
        known = self.memo.setdefault("dtypes", {}) if names else {}
        for told in told_by(condition, [*known]) if names else ():
            self.assume(told, "told")
        known.update(dict.fromkeys(names))

    def _is_fact(self, condition: Cond) -> bool:
        key, known = condition.key, self.facts
        while known is not None and known.condition.key != key:
            known = known.below
        return known is not None

    def undecided(self, words: str, kind: str = "unknown", of: tuple[Sym, ...] = ()) -> Opaque:
        """A condition that holds or not, in place of one that is not known: another one each time, and in each
        iteration of the loops around."""
        number = self.counters.get(f"? {words}", 0)
        self.counters[f"? {words}"] = number + 1
        return Opaque(words, kind, number=number, of=(*(loop.index for loop in self.loops), *of))

    def fact_list(self) -> list[Any]:
        """The facts in the order in which they became known."""
        return in_order(self.facts)

    def under_facts(self, value: Any) -> Any:
        """`value` as the facts leave it: of two the one that holds, with the numbers that they leave for inputs; of
        tensors, in inputs only."""
        while isinstance(value, Either) and (decided := self.truth(value.condition)) is not None:
            value = value.then if decided else value.otherwise
        if self.facts is None or not self.facts.settled:
            return value
        if isinstance(value, Sym) or (isinstance(value, tuple) and any(isinstance(v, Sym) for v in value)):
            return substitution.in_value(value, self.facts.settled)
        if isinstance(value, View) and value.base.kind == "input":
            done = self.memo.setdefault("settled", {})
            place = id(value), id(self.facts.settled)
            if place not in done:
                done[place] = substitution.in_value(value, self.facts.settled), value, self.facts
            return done[place][0]
        return value

    def truth(self, condition: Any) -> bool | None:
        """Whether `condition` holds here: True, False, or None where it depends on the input."""
        if isinstance(condition, bool):
            return condition
        if isinstance(condition, Cond):
            known = self.implied(condition, self.fact_list())
            return True if known is None and negation(condition) is False else known
        if isinstance(condition, Unknown):
            raise IsUnknown(condition.reason)
        raise AssertionError(f"not a condition: {condition!r}")

    def need(
        self,
        message: Message,
        goal: Any,
        at: Span | None = None,
        related: tuple[tuple[str, Span], ...] = (),
        call: Span | None = None,
    ) -> None:
        """State at `at` that `goal` holds, or else `message`; what holds by constants alone is only counted."""
        if goal is True:
            self.holds(message.rule)
        elif isinstance(goal, Unknown):
            self.unknown(message.rule, goal.reason, at)
        elif self.in_kernel:
            made = Obligation(message, goal, self.site(at), related, call, chosen=self.chosen)
            if isinstance(goal, Cond) and any(leaf.kind == "dtype" for leaf in opaque_parts(goal)):
                self._grant(goal, made)
            else:
                self.trace.obligations.append(made)

    @contextmanager
    def choosing(self, condition: Any) -> Iterator[None]:
        """Within it values are looked at that are so under `condition` only."""
        before, self.chosen = self.chosen, (*self.chosen, condition)
        try:
            yield
        finally:
            self.chosen = before

    def holds(self, rule: type[Rule]) -> None:
        """Count an obligation that holds by constants alone."""
        if self.in_kernel:
            self.trace.proved[rule.code] = self.trace.proved.get(rule.code, 0) + 1

    def unknown(
        self,
        rule: type[Rule],
        reason: str,
        at: Span | None = None,
        hides_writes: bool = True,
        hides_reads: bool = True,
    ) -> None:
        """State an obligation whose goal is not known; it is excused where a finding gives the reason."""
        if self.in_kernel:
            goal = Unknown(reason)
            made = Obligation(rule, goal, self.site(at), hides_writes=hides_writes, hides_reads=hides_reads)
            (self.trace.excused if isinstance(reason, Explained) else self.trace.obligations).append(made)

    def doubt(self, reason: str) -> None:
        """What comes out unknown here may have raised instead: no kernel is verified then. The first place is told."""
        self.doubts += 1
        told, place = self.trace.obligations, self.trace.doubted
        if self.importing is not None and not self.trusting:
            self.importing.doubts.setdefault(reason)
        elif not self.trusting and (place is None or place[0] >= len(told) or told[place[0]] is not place[1]):
            count = len(told)
            self.unknown(IncompleteAnalysis, reason, hides_writes=False, hides_reads=False)
            if len(told) > count:
                self.trace.doubted = count, told[count]

    def _grant(self, goal: Cond, made: Obligation) -> None:
        """Take for granted what hangs on a dtype that nothing specifies, and say so; once on each path."""
        if isinstance(goal, Opaque) and not goal.negated:
            self.trace.assumptions.setdefault(goal.name, None)
        granted, places = self.trace.granted, self.memo.setdefault("granted", {})
        key = goal.key, id(self.facts)
        place = places.get(key, len(granted))
        if place >= len(granted) or granted[place].goal is not goal or granted[place].site.facts is not self.facts:
            places[key] = len(granted)
            granted.append(made)

    def trust(self, at: Span) -> None:
        """Take for granted that what only the running kernel knows of an index keeps inside."""
        self.trace.assumptions.setdefault(f"indices held in tensors on line {at.row} are in bounds", None)

    def emit(self, event: Event) -> None:
        if self.in_kernel:
            self.trace.events.append(event)

    def contain(self, *values: Any) -> None:
        """Note which tensors are put into a container, which outlives Python's loops."""
        self.trace.contained.update(id(value.base) for value in values if isinstance(value, View))

    def step(self) -> None:
        self.steps += 1
        charge(STEP)
        if self.steps > self.max_steps:
            raise Stop(f"evaluation is longer than {self.max_steps} steps")

    # --- names ---

    def lookup(self, env: Environment, name: str) -> Any:
        """The value of a name, MISSING where there is none."""
        here: Environment | None = env
        while here is not None:
            if here is env or not here.is_class:
                if here.redirected and name in here.redirected:
                    return here.redirected[name].vars.get(name, MISSING)
                found = here.vars.get(name, MISSING)
                if found is not MISSING:
                    return found
                if name in here.own:
                    if here.is_class:
                        break  # what a class binds and has not bound yet is looked for in the module
                    return MISSING
            here = here.parent
        return env.module.env.vars.get(name, MISSING)

    def assign(self, env: Environment, name: str, value: Any) -> None:
        target = env.redirected.get(name, env) if env.redirected else env
        self.set(target.vars, name, value)

    @property
    def unrolls(self) -> bool:
        """Whether every loop of the dialect is unrolled when the kernel is traced."""
        return self.dialect == NKI
