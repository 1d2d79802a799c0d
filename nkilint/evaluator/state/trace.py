"""What the evaluation of a kernel yields: events in program order, and the obligations met on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from nkilint.base.faults import told
from nkilint.base.ir import Call, Expr, FunctionDef, Span
from nkilint.symbolic.atoms import Atom, Int, Var
from nkilint.symbolic.conditions import And, Compare, Cond, Opaque, Or
from nkilint.symbolic.evaluation import choosing, opaques, variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.rule import Message
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.records import dataclass

if TYPE_CHECKING:
    from nkilint_rules.operations.effects import Effects
    from nkilint_rules.operations.form import Operation
    from nkilint_rules.rule import Rule
    from nkilint_rules.words.targets import Target

    from ..values.tensors import Declaration, View


ITERATION = "iteration"  # the end of one, with the tensors that it leaves behind names
KEPT_LOOPS = frozenset(
    {"affine_range", "sequential_range", "range"}
)  # loops of Beta 1 that the compiler does not unroll
ITEMS, ROUNDS = "items", "rounds"  # loops of Python alone: over what is there, and `while` loops

Unrolled = tuple[tuple[Span, str, int], ...]
"""Iterations of loops that are evaluated one by one, outermost first: the loop's place, its kind and their number."""


def over_ranges(unrolled: Unrolled) -> Unrolled:
    """Those of loops that the language knows of."""
    return tuple(loop for loop in unrolled if loop[1] not in (ITEMS, ROUNDS))


GRID_RANK = "program_ndim()"


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """One level of a loop nest: iteration `index` runs from 0 to `trips - 1`; `kind` is the range's name; `value` is
    what an iteration of a range is given."""

    name: str
    kind: str
    index: Sym
    trips: Int
    at: Span
    value: Any = None


def entered(loops: Iterable[Loop]) -> list[Any]:
    """That the loops have iterations."""
    return [loop.trips >= 1 for loop in loops if isinstance(loop.trips, Sym)]


@dataclass(frozen=True, slots=True)
class Facts:
    """Conditions known to hold, newest first; shared between all who stand on the same path. `settled` are the inputs
    of which they leave one value. A fact is "asserted" by the kernel, "granted" where an obligation asks for it and the
    rest relies on it, "known" of what stands for a value that is not, "told" by another fact, or holds on this
    "path"."""

    condition: Any
    below: Facts | None
    origin: str = "path"
    settled: Mapping[Atom, int] = field(init=False)

    def __post_init__(self) -> None:
        found = dict(_settled(self.condition))
        before: Mapping[Atom, int] = self.below.settled if self.below is not None else {}
        object.__setattr__(self, "settled", {**before, **found} if found else before)

    def __iter__(self) -> Iterator[Any]:
        return (link.condition for link in links(self))


def links(facts: Facts | None) -> Iterator[Facts]:
    """The chain of facts, newest first."""
    while facts is not None:
        yield facts
        facts = facts.below


def in_order(facts: Facts | None) -> list[Any]:
    """The facts in the order in which they became known, so that what follows from the first ones is kept."""
    found = []
    while facts is not None:
        found.append(facts.condition)
        facts = facts.below
    found.reverse()
    return found


def _settled(condition: Any) -> Iterator[tuple[Atom, int]]:
    """The inputs that `condition` sets to a number."""
    if isinstance(condition, And):
        for part in condition.parts:
            yield from _settled(part)
    elif isinstance(condition, Compare) and condition.relation == "==" and len(condition.left.terms) == 1:
        ((product, factor),) = condition.left.terms.items()
        value, rest = divmod(-condition.left.const, factor)
        if len(product) == 1 and isinstance(product[0], Var) and product[0].kind == "input" and not rest:
            yield product[0], value


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A point in the evaluation: where it stands, in which loops, on which path, called from where; in which iterations
    of loops that are evaluated one by one (their place, kind and number); and under which branches that only the
    iteration or the program decides."""

    at: Span
    loops: tuple[Loop, ...]
    facts: Facts | None
    callers: tuple[Span, ...]
    unrolled: Unrolled = ()
    branches: tuple[Span, ...] = ()

    def conditions(self) -> list[Any]:
        """Facts in the order in which they became known."""
        return in_order(self.facts)

    def doubt(self, goal: Any, always: bool, anyway: bool = False) -> str:
        """What of `goal`, or of the path to here, could not be determined; empty where all is known. What `always`
        fails does so whatever is asserted of its numbers, and what fails `anyway` whatever is not determined."""
        path = self.path()
        if anyway:
            return self._carried(path)
        found = _undetermined((goal, *path)) or self._carried(path)
        concerned = set(variables(goal)) if isinstance(goal, Cond) else set()
        for link in links(self.facts) if not found else ():
            told = (Or,) if always else (Or, Opaque)
            if isinstance(link.condition, told) and concerned & set(variables(link.condition)):
                found = found or _undetermined((link.condition,))
        return found

    def _carried(self, path: Iterable[Cond]) -> str:
        """The first number that a loop changes in no closed form, and on which the path hangs; how often the loops
        around run, what is in them is judged as if they do."""
        trips = variables(*(loop.trips for loop in self.loops))
        found = (v for v in variables(*path) if v.kind == "carried" and v not in trips)
        return next((f"it depends on {v.told}" for v in found), "")

    def granted(self) -> set[Any]:
        """The keys of facts that hold here only because obligations ask for them, or others tell them."""
        return (self._keys("granted") | self._keys("told")) - self._keys("path") - self._keys("asserted")

    def path(self) -> list[Cond]:
        """The facts that lead to just this place, apart from what is asserted and granted."""
        return [
            x.condition
            for x in reversed(list(links(self.facts)))
            if x.origin == "path" and isinstance(x.condition, Cond)
        ]

    def stated(self) -> list[Cond]:
        """The facts that tests and assertions of the kernel say."""
        found = (x.condition for x in links(self.facts) if x.origin in ("path", "asserted"))
        return [condition for condition in found if isinstance(condition, Cond)]

    def _keys(self, origin: str) -> set[Any]:
        return set(_keys(link.condition for link in links(self.facts) if link.origin == origin))


def _undetermined(conditions: Iterable[Any]) -> str:
    """The first fact in some conditions that could not be determined, those included that choose between numbers."""
    return next((fact.name for fact in opaques(*choosing(conditions)) if fact.kind == "unknown"), "")


def _keys(conditions: Iterable[Any]) -> Iterator[Any]:
    """The keys of conditions and of the parts of conjunctions."""
    for condition in conditions:
        if isinstance(condition, Cond):
            yield condition.key
            if isinstance(condition, And):
                yield from _keys(condition.parts)


@dataclass(frozen=True, slots=True, eq=False)
class AtWitness:
    """A number, or a tuple of them, that a message gives as it is in the counterexample."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """What an index reaches: in the counterexample where a mask decides which elements there are, else at the end of
    the loops and axes by which it leaves."""

    value: Any
    masked: bool


@dataclass(frozen=True, slots=True, eq=False)
class Obligation:
    """`goal` has to hold for every input, iteration and element that reaches `site`; `about` is what to say where it
    does not, with places in the source for what is written there, or just the rule where nothing will be said.

    `call` is what `site` is an argument of. `element` is at fault where the message does not name one, and `tensor`
    loses its data. `chosen` are the conditions under which values are those that it is about, where the same text may
    take others.

    `hides_writes` says that what is unknown here may have written to tensors without a trace, `hides_reads`
    that it may have used them.
    """

    about: Message | type[Rule]
    goal: Any  # Cond, bool or Unknown
    site: Site
    related: tuple[tuple[str, Span], ...] = ()
    call: Span | None = None
    element: AtWitness | None = None
    tensor: Declaration | None = None
    hides_writes: bool = True
    hides_reads: bool = True
    chosen: tuple[Any, ...] = ()

    @property
    def rule(self) -> type[Rule]:
        return self.about.rule if isinstance(self.about, Message) else self.about

    @property
    def advises(self) -> bool:
        """Whether what is said is of no fault."""
        return self.about.advises if isinstance(self.about, Message) else self.rule.advises()

    @property
    def enforced(self) -> bool:
        """Whether devices and compilers keep what is said."""
        return not isinstance(self.about, Message) or self.about.enforced

    @property
    def values(self) -> Mapping[str, Any]:
        return self.about.values if isinstance(self.about, Message) else {}


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A region read or written: the elements of `view` for which `mask` holds. `operand` is the argument's name."""

    role: str  # read, write, update, accumulate
    view: View
    mask: Any
    operand: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """Something that happens on the device: an operation, an allocation or the kernel's return. Where `effects` are
    missing, what an operation writes may depend on anything that it reads."""

    kind: str  # "operation", "allocation", "return", "reveal", ITERATION
    site: Site
    operation: Operation | None = None
    accesses: tuple[Access, ...] = ()
    arguments: dict[str, Any] = field(default_factory=dict)
    effects: Effects | None = None

    def flag(self, access: Access) -> Any:
        """Whether the old elements of an operand that is updated take part: None where no argument says it."""
        written = self.effects.writes.get(access.operand) if self.effects is not None else None
        return self.arguments.get(written.flag) if written is not None and written.flag else None


@dataclass(frozen=True, slots=True, eq=False)
class Assertion:
    """An `assert`: its condition (False where nothing meets it), the values its test saw, the function it stands in."""

    condition: Any
    site: Site
    test: Expr
    function: str
    values: tuple[tuple[Span, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Outside:
    """A call of an operation outside any kernel: its name and itself, where it stands, the functions around it."""

    name: Span
    call: Span
    place: str
    functions: frozenset[int]


@dataclass(frozen=True, slots=True)
class Rebinding:
    """`name = value` where the value was computed from the tensor that `name` stood for before."""

    name: str
    before: View
    at: Span


@dataclass(frozen=True, slots=True)
class Stale:
    """`name` was read at `read`, and bound to the tensor `made` later in the iteration of a loop over `index`."""

    name: str
    made: Declaration
    read: Site
    index: Any
    trips: Any


@dataclass(frozen=True, slots=True)
class Called:
    """Who made a call, and to how many parameters something was given besides what the call says."""

    caller: FunctionDef
    receivers: int


@dataclass(slots=True)
class Tested:
    """A test that decides between paths: the function that it stands in, and how it came out."""

    function: FunctionDef
    outcomes: set[bool] = field(default_factory=set)


@dataclass(slots=True)
class Trace:
    """The evaluation of one kernel for one set of inputs."""

    events: list[Event] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    excused: list[Obligation] = field(default_factory=list)  # not known after a finding, which says why
    granted: list[Obligation] = field(default_factory=list)  # of dtypes that nothing specifies
    proved: dict[str, int] = field(default_factory=dict)  # obligations that hold by constants alone, by code
    assumptions: dict[str, None] = field(default_factory=dict)
    assertions: list[Assertion] = field(default_factory=list)
    masks: dict[Span, bool] = field(default_factory=dict)  # where a mask stands, whether it never lets anything through
    outside: list[Outside] = field(default_factory=list)
    called: set[int] = field(default_factory=set)  # ids of the function definitions that were evaluated
    calls: dict[tuple[Call, FunctionDef], Called] = field(default_factory=dict)  # each as it was made first
    ranks_guessed: dict[str, int] = field(default_factory=dict)  # of tensors that hardly anything tells about
    ranks_used: dict[str, int] = field(default_factory=dict)  # of tensors that may have more than the kernel uses
    ranks_asked: dict[str, None] = field(default_factory=dict)  # tensors whose number of dimensions nothing tells
    tests: dict[Expr, Tested] = field(default_factory=dict)  # what decides between paths
    subkernels: set[Span] = field(default_factory=set)  # calls of other kernels
    contained: set[int] = field(default_factory=set)  # ids of the tensors that were put into a list or the like
    rebound: dict[int, Rebinding] = field(default_factory=dict)  # by id of the tensor that a name was bound to anew
    stale: dict[int, Stale] = field(default_factory=dict)  # by id of such a tensor
    summarised: set[int] = field(default_factory=set)  # ids of loops whose trips are not a small number
    drifting: set[Any] = field(default_factory=set)  # iterations of loops that change state in no closed form
    directives: frozenset[str] = frozenset()  # decorators of the kernel that steer the compiler, by name
    target: Target | None = None
    grid_axes: int = 0  # axes of the launch grid that the kernel asks for
    grid_sizes: dict[str, Sym] = field(default_factory=dict)  # their sizes, and how many there are, by name
    positions: dict[str, Sym] = field(default_factory=dict)  # along these axes, by name, where it asks for its own
    doubted: tuple[int, Obligation] | None = None  # that an operation may raise, told once, and where that stands
    nothing: dict[Span, None] = field(default_factory=dict)  # where None stands for a number
    fields_asked: dict[str, None] = field(default_factory=dict)  # of inputs, which as tensors have no such attribute
    of_tensors: dict[tuple[str, str], tuple[Message, Site]] = field(default_factory=dict)
    """What raises if an input is a tensor, by the input and what is asked of it."""
    ranks_told: dict[str, int] = field(default_factory=dict)  # by docstrings of functions that inputs are handed to
    raised: Site | None = None  # where None was computed with, which no path avoids
    stopped: str = ""  # why the evaluation ended early, if it did
    faults: dict[str, None] = field(default_factory=dict)  # of this tool, each of which cost one answer

    def saw(self, test: Expr, outcome: Any, function: FunctionDef) -> None:
        """Note how a test came out; one that inputs decide came out both ways."""
        outcomes = self.tests.setdefault(test, Tested(function)).outcomes
        outcomes.update((outcome,) if isinstance(outcome, bool) else (True, False))

    @property
    def told(self) -> tuple[int, int, int]:
        """How many events and obligations there are, and how much is taken for granted."""
        return len(self.events), len(self.obligations), len(self.granted)

    def forget(self, events: int, obligations: int, granted: int, reason: str) -> None:
        """What was told since there were so many of them was not of what the program does."""
        del self.events[events:], self.granted[granted:]
        self.obligations[obligations:] = [replace(o, goal=Unknown(reason)) for o in self.obligations[obligations:]]

    def failed(self, fault: Exception) -> str:
        """Note a fault of this tool; why what it was about is unknown."""
        self.faults[told(fault)] = None
        return f"nkilint failed: {told(fault)}"
