"""The form of a rule: one class, whose docstring is its page and whose examples are its tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import cache, partial
from inspect import signature
from string import Formatter
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, Generic, ParamSpec

from .words.dialects import BETA1, NKI
from .words.records import dataclass
from .words.values import Together

if TYPE_CHECKING:
    from .operations.form import Call


class Severity(str, Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    def __str__(self) -> str:
        return self.value


P = ParamSpec("P")
_NAMELESS = re.compile(r"`(the tensor|the tile|a tensor|a tile)`")
"""What the readers call a tensor without a name, where a text would quote one."""


def in_digits(value: Any) -> Any:
    """A value as a text can give it: of a number with thousands of digits, only how large it is, and nothing of what
    stands for tensors and names here."""
    if type(value) is int and value.bit_length() > 1_000:
        return f"{'-' if value < 0 else ''}2**{value.bit_length() - 1} or more"
    if isinstance(value, tuple) and not all(item is None or isinstance(item, (int, float, str)) for item in value):
        return Together(value)
    return value


@dataclass(frozen=True, slots=True)
class Message:
    """What a rule says of one case: its words, and the values that they speak of.

    A value may be one that its reader looks up before the text is asked for, such as a place in the source, which
    stands for what is written there.
    """

    rule: type[Rule]
    words: Callable[..., str]
    values: Mapping[str, Any]
    wording: str = ""
    enforced: bool = True

    def map(self, change: Callable[[Any], Any]) -> Message:
        """The same with other values."""
        return replace(self, values={name: change(value) for name, value in self.values.items()})

    def text(self) -> str:
        said = _NAMELESS.sub(r"\1", self.words(**{name: in_digits(value) for name, value in self.values.items()}))
        return said if self.enforced else f"{said} (documented, not enforced)"

    @property
    def severity(self) -> Severity:
        """How loud this is, of a finding that no input escapes."""
        if self.wording in self.rule.advice:
            return Severity.INFO
        if self.wording in self.rule.warned:
            return Severity.WARNING
        return self.rule.severity if self.enforced else Severity.WARNING

    @property
    def advises(self) -> bool:
        """Whether this is said of no fault, so that it counts for no verdict."""
        return self.rule.advises() or self.wording in self.rule.advice or not self.enforced

    def help(self) -> str:
        """What the rule advises; nothing where that hangs on a value that is not known here."""
        values = {name: self.values.get(name) for name in fields_of(self.rule.help)}
        return "" if None in values.values() else self.rule.help.format(**values)

    def conditional(self) -> Message:
        """The same of a finding that only some inputs meet, where the rule has words of its own for it."""
        other = self.rule.wordings.get("conditional") if self.wording == "message" else None
        return self if other is None else other(**self.values)


class Wording(Generic[P]):
    """One way in which a rule says what it found: a method that makes a text of values, which are all to be given."""

    rule: type[Rule]
    name: str

    def __init__(self, words: Callable[Concatenate[Any, P], str]) -> None:
        self.words = words
        self.values = tuple(signature(words).parameters)[1:]  # their names

    def __set_name__(self, owner: type[Rule], name: str) -> None:
        self.rule, self.name = owner, name
        self.text = partial(self.words, owner)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Message:
        given: dict[str, Any] = dict(zip(self.values, args, strict=False)) if args else {}
        return Message(self.rule, self.text, given | kwargs, self.name, self.name not in self.rule.unenforced)


wording = Wording


@cache
def fields_of(template: str) -> frozenset[str]:
    """The names of the values that a template takes."""
    return frozenset(re.split(r"[.\[]", name)[0] for _, name, _, _ in Formatter().parse(template) if name)


@dataclass(frozen=True, slots=True)
class Need:
    """A condition that a call has to meet, and what the rule says where it does not. `operand` names the argument at
    fault.

    `operand` is a name as `Call.tiles` gives it, an element of a list included (`data[2]`); without it the whole call
    is at fault.
    """

    condition: Any
    operand: str | None
    message: Message


@dataclass(frozen=True, slots=True)
class Example:
    """A piece of a kernel. `⟦` and `⟧` mark the span reported; `message` is the whole expected message.

    The precondition of a conditional finding stands in `precondition`, not in `message`. `version` is the version of
    NKI that it is checked for, empty for the newest.

    Code without `def` is put into a kernel whose parameters are HBM tensors `a`, `b`, `c` of shape [512, 512], whose
    result is the HBM tensor `output` of the same shape, and whose SBUF tiles `x`, `y` have shape [128, 512], `w`
    [128, 128] and PSUM tile `p` [128, 512], all fp32 and written.
    """

    code: str
    message: str | None = None
    dialect: str = BETA1
    target: str = "trn2"
    precondition: str | None = None
    version: str = ""


class Rule:
    """Base of all rules. Subclasses set `code`, `help`, `valid`, `invalid` and, where the rule judges single
    operations, `check`; rules over indexing, control flow or a whole trace are stated by the verifier and the
    simulator, which use the words here.

    What a rule says are methods under `@wording`: `message`, others by case, and `conditional`, where there is one,
    for a finding that only some inputs meet. `help` is what to do about it, a template over values of the wordings.
    `repair` says what `--fix` makes of a finding, where the rule has a repair of its own, and `since` which version
    of nkilint was the first with the rule. `before` names the rules that keep silent where this one speaks about
    the same call. `style` says that it is about how a kernel is written and not about what it does, so that no
    verdict counts it. `dynamic` says that the simulator detects it too, but for the wordings in `unseen`. Wordings
    in `advice` are of no faults, those in `warned` are warnings of a rule whose others are errors, those in
    `unenforced` are of limits that the documentation states and devices do not keep (`docs/readings.md` says how
    that is known): a warning, which no verdict counts. `breaks_trace` says that what hangs on what is wrong is not
    followed, and does not run; `accepted` that AWS's own simulator runs it, so that a run goes on.

    For comparing the two readers: `same_as` names the rules under which a run may show the same fault, `whole_run` says
    that only the run as a whole shows it, wherever that is reported, `whole_launch` that it is about the launch,
    `breaks_besides` the rules under which a run may tell of the same tensor alone, and `exception` is what Python
    itself raises.
    """

    code: ClassVar[str]
    ops: ClassVar[tuple[str, ...]] = ()
    dialects: ClassVar[tuple[str, ...]] = (BETA1, NKI)
    severity: ClassVar[Severity] = Severity.ERROR
    message: ClassVar[Wording[...]]
    wordings: ClassVar[Mapping[str, Wording[...]]] = {}
    before: ClassVar[tuple[str, ...]] = ()
    help: ClassVar[str] = ""
    repair: ClassVar[str] = ""
    since: ClassVar[str] = "0.1.0"
    aws: ClassVar[tuple[str, ...]] = ()
    style: ClassVar[bool] = False
    dynamic: ClassVar[bool] = False
    unseen: ClassVar[tuple[str, ...]] = ()
    advice: ClassVar[tuple[str, ...]] = ()
    warned: ClassVar[tuple[str, ...]] = ()
    unenforced: ClassVar[tuple[str, ...]] = ()
    breaks_trace: ClassVar[bool] = False
    accepted: ClassVar[bool] = False
    same_as: ClassVar[tuple[str, ...]] = ()
    whole_run: ClassVar[bool] = False
    whole_launch: ClassVar[bool] = False
    breaks_besides: ClassVar[tuple[str, ...]] = ()
    exception: ClassVar[type[Exception] | tuple[type[Exception], ...] | None] = None
    judges_calls: ClassVar[bool] = False
    valid: ClassVar[list[Example]] = []
    invalid: ClassVar[list[Example]] = []

    def __init_subclass__(cls) -> None:
        cls.wordings = {name: value for name, value in vars(cls).items() if isinstance(value, Wording)}
        for name, said in cls.wordings.items():
            if missing := fields_of(cls.help) - set(said.values):
                raise TypeError(f"{cls.__name__}.{name} has no `{min(missing)}`, which the help speaks of")
            if name == "conditional" and set(said.values) != set(cls.message.values):
                raise TypeError(f"{cls.__name__}.conditional speaks of other values than its message")
        if missing := frozenset((*cls.unseen, *cls.advice, *cls.warned, *cls.unenforced)) - set(cls.wordings):
            raise TypeError(f"{cls.__name__} has no wording `{min(missing)}`")

    @classmethod
    def advises(cls) -> bool:
        """Whether its findings are no faults, so that they count for no verdict."""
        return cls.style or cls.severity is Severity.INFO

    @classmethod
    def name(cls) -> str:
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    def check(self, call: Call) -> Iterator[Need]:
        """The conditions that `call` has to meet under this rule."""
        return iter(())
