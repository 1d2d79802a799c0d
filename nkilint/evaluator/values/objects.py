"""Names, functions, classes and objects as values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.records import dataclass

from .cells import MISSING, Attributes, Cell
from .choices import Unbound, settled
from .containers import DictValue, ListValue
from .inheritance import ANYTHING, found_in, where_there

RESULT = "<result>"  # the place of a call's result among its variables


class Environment:
    """Variables of one function call, module or class body; what stands in a class body doesn't see the latter."""

    __slots__ = ("function", "is_class", "module", "on_yield", "own", "parent", "redirected", "vars")

    def __init__(self, module: ModuleValue, parent: Environment | None = None, function: ir.FunctionDef | None = None):
        self.vars = Cell()
        self.module, self.parent, self.function = module, parent, function
        self.own = _NOTHING if function is None else function.locals  # its variables, also while they are not bound
        self.redirected: dict[str, Environment] | None = None  # names declared nonlocal or global
        self.is_class = False
        self.on_yield: Callable[[Any, bool], Any] | None = None  # what a generator does with what it gives

    def around(self, name: str) -> Environment:
        """The scope whose variable a name is in a function that is defined here."""
        here = self
        while here.parent is not None:
            if not here.is_class:
                if here.redirected and name in here.redirected:
                    return here.redirected[name]
                if name in here.own or name in here.vars:
                    return here
            here = here.parent
        return self.module.env


_NOTHING: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class ModuleValue:
    """A module of the project; `env` holds its globals."""

    name: str
    ir: ir.Module | None
    env: Environment = None  # type: ignore[assignment]
    state: str = "new"  # new, running, done
    raised: str = ""  # what its import certainly ends with, and where
    absent: dict[str, None] = field(default_factory=dict)  # what its import imports and nothing is known to have
    doubts: dict[str, None] = field(default_factory=dict)  # what may raise there instead of coming out unknown
    imports: list[ModuleValue] = field(default_factory=list)  # other modules of the project that its import imports

    def supposed(self) -> Iterator[str]:
        """What has to hold for its import to come to its end."""
        yield from (f"`{name}` can be imported" for name in self.absent)
        if self.doubts:
            yield f"the import of `{self.name}` comes to its end, of which is not known: {'; '.join(self.doubts)}"

    def reached(self) -> list[ModuleValue]:
        """It and the modules that its import imports, as far as it is known by what they import others."""
        found = {id(self): self}
        stack = [self]
        while stack:
            new = [each for each in stack.pop().imports if id(each) not in found]
            found |= {id(each): each for each in new}
            stack += new
        return list(found.values())


@dataclass(frozen=True, slots=True)
class External:
    """A name of a package that is not analysed: numpy, torch, ..."""

    name: str


@dataclass(frozen=True, slots=True)
class RankGroups(External):
    """`ReplicaGroup(...)`: of each group how many ranks it has, and those of them that are known. Nothing hangs on a
    single one."""

    groups: tuple[tuple[Any, tuple[int, ...]], ...] = field(compare=False)  # `name` tells them apart


@dataclass(frozen=True, slots=True, eq=False)
class ExceptionValue:
    """An object of one of Python's own exceptions."""

    cls: External
    args: tuple[Any, ...]
    attrs: Cell = field(default_factory=Cell, init=False)  # that the program sets


@dataclass(frozen=True, slots=True, eq=False)
class Suppressing:
    """What stands behind `with` and takes exceptions of these `kinds` for handled; `value` is what it is known as."""

    kinds: Any
    value: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Managed:
    """What stands behind `with` and is a call of a generator: its `yield` runs the block."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Api:
    """A name below `neuronxcc.nki` or `nki`: `Api("neuronxcc", "language.load")`."""

    dialect: str
    name: str


@dataclass(slots=True, eq=False)
class FunctionValue:
    node: ir.FunctionDef
    env: Environment  # where it was defined
    defaults: dict[str, Any]
    name: str
    owner: ClassValue | None = None
    attrs: Cell = field(default_factory=Cell, init=False)  # that the program sets


@dataclass(slots=True, eq=False)
class KernelValue(FunctionValue):
    """A function that a kernel decorator wrapped."""

    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class BoundMethod:
    receiver: Any
    function: Any  # FunctionValue, or the name of a built-in method


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Native:
    """A function of the evaluator itself; `reach` is what it may change."""

    name: str
    call: Callable[..., Any]
    reach: tuple[Any, ...] = ()

    @property
    def shown(self) -> str:
        return self.name


FLAGS = frozenset(("enum.Flag", "enum.IntFlag"))
INTEGER_ENUMS = frozenset(("enum.IntEnum", "enum.IntFlag"))


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A parameter of the initializer that a dataclass gets: by keyword only, or `stored` as a field, or not."""

    name: str
    default: Any
    by_keyword: bool
    stored: bool


@dataclass(slots=True, eq=False)
class ClassValue:
    name: str
    bases: tuple[Any, ...]
    attrs: dict[str, Any]
    module: ModuleValue
    kind: str = "class"  # class, dataclass, enum, namedtuple, exception
    fields: list[tuple[str, Any]] = field(default_factory=list)  # of dataclasses and named tuples: name, default
    annotations: dict[str, ir.Expr] = field(default_factory=dict)  # those in its own body
    options: dict[str, Any] = field(default_factory=dict)  # of a dataclass
    parameters: tuple[Parameter, ...] | None = None  # where the decorator of dataclasses was applied to it
    slots: Any = field(init=False)  # the names in its `__slots__`, None where it has none
    _order: list[ClassValue] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.attrs = Attributes(self.attrs, self.inherited)
        self.slots = _names_in(self.attrs.get("__slots__"))

    def __repr__(self) -> str:
        return f"class `{self.name}`"

    def mro(self) -> list[ClassValue]:
        """The classes of the project in the order in which attributes are looked for in them."""
        if not self._order:
            self._order = self._merged()
        return self._order

    @property
    def has_order(self) -> bool:
        """Whether its bases are in an order that each of them keeps to."""
        order = {base: place for place, base in enumerate(self.mro())}
        rows = [*(base.mro() for base in self.bases if isinstance(base, ClassValue)), self.bases]
        places = ([order[c] for c in row if isinstance(c, ClassValue)] for row in rows)
        return all(sorted(set(row)) == row for row in places)

    def _merged(self) -> list[ClassValue]:
        bases = [base for base in self.bases if isinstance(base, ClassValue)]
        rows = [*([*base.mro()] for base in bases), bases]
        found = [self]
        while rows := [row for row in rows if row]:
            heads = (row[0] for row in rows)
            first = next((c for c in heads if not any(c in row[1:] for row in rows)), rows[0][0])
            found.append(first)
            rows = [[c for c in row if c is not first] for row in rows]
        return found

    @property
    def is_integer(self) -> bool:
        """Whether its members are integers too."""
        return self._mixes("int", INTEGER_ENUMS)

    @property
    def is_text(self) -> bool:
        """Whether its members are texts too."""
        return self._mixes("str", frozenset(("enum.StrEnum",)))

    def _mixes(self, builtin: str, enums: frozenset[str]) -> bool:
        bases = [base for each in self.mro() for base in each.bases]
        own = self.kind == "enum" and any(isinstance(base, Native) and base.name == builtin for base in bases)
        return own or any(isinstance(base, External) and base.name in enums for base in bases)

    @property
    def is_flag(self) -> bool:
        """Whether its members are bits that go together."""
        return any(isinstance(b, External) and b.name in FLAGS for c in self.mro() for b in c.bases)

    @property
    def members(self) -> list[Instance]:
        """The members of an enumeration, in their order."""
        own = [value for value in self.attrs.values() if isinstance(value, Instance) and value.cls is self]
        return list({id(member): member for member in own}.values())

    def of_bits(self, number: int) -> Instance:
        """The object of a class of flags with these bits, of which there is one."""
        made = self.options.setdefault("made of bits", {})
        found = next((m for m in self.members if m.attrs.get("value") == number), made.get(number))
        bits = {"name": Unknown("bits without a name"), "value": number}
        return found or made.setdefault(number, Instance(self, bits))

    def annotation(self, name: str) -> ir.Expr | None:
        """What the class, or the nearest base that says so, annotates an attribute with."""
        return next((cls.annotations[name] for cls in self.mro() if name in cls.annotations), None)

    @property
    def frozen(self) -> bool:
        """Whether attributes of its objects cannot be set."""
        return any(cls.options.get("frozen", False) is not False for cls in self.mro())

    def initializer(self, after: ClassValue | None = None) -> Any:
        """The `__init__` of the class, or of those `after` one; of dataclasses, the class whose fields it takes."""
        classes = self.mro()
        for cls in classes if after is None else classes[classes.index(after) + 1 :] if after in classes else ():
            if "__init__" in cls.attrs:
                return cls.attrs["__init__"]
            if ANYTHING in cls.attrs:
                return settled(cls.attrs[ANYTHING])
            if cls.parameters is not None:
                return cls
        return None

    def find(self, name: str, otherwise: Any = MISSING) -> Any:
        """What the class has under a name, itself or by a base."""
        return found_in(self.mro(), name, otherwise)

    def inherited(self, name: str) -> Any:
        """What the bases have under a name, None where they have nothing."""
        return found_in(self.mro()[1:], name, None)

    def has(self, name: str) -> Any:
        """Where there is such an attribute, given that there is one somewhere: everywhere, or by a condition."""
        return where_there(self.mro(), name)

    def lookup(self, name: str) -> Any:
        """A method of the class, or what describes an attribute; None where there is none, or where it is None."""
        return self.find(name, None)


def _names_in(slots: Any) -> Any:
    """What `__slots__` names, unknown where that is not written out."""
    if slots is None:
        return None
    known = isinstance(slots, (ListValue, DictValue)) and isinstance(slots.cell["items"], (tuple, dict))
    names = (slots,) if isinstance(slots, str) else slots.cell["items"] if known else slots
    plain = isinstance(names, (tuple, dict)) and all(isinstance(name, str) for name in names)
    return tuple(names) if plain else Unknown("slots that are not known")


@dataclass(slots=True, eq=False)
class Instance:
    """An object. One that is `supposed` stands for what a caller gives: it may be of a class that derives from its
    own."""

    cls: ClassValue
    attrs: dict[str, Any]
    supposed: bool = False

    def __post_init__(self) -> None:
        self.attrs = Attributes(self.attrs, self.cls.lookup)

    def __repr__(self) -> str:
        return f"object of `{self.cls.name}`"


@dataclass(frozen=True, slots=True, eq=False)
class SomeMember:
    """A member of an enumeration that the caller chooses: the one at `position`."""

    cls: ClassValue
    position: Any
    __hash__ = None  # type: ignore[assignment]

    @property
    def members(self) -> list[Instance]:
        return self.cls.members


@dataclass(frozen=True, slots=True, eq=False)
class Super:
    """`super()`: the attributes of `receiver` from the classes that come after `owner`."""

    receiver: Any
    owner: ClassValue

    def find(self, name: str, otherwise: Any = MISSING) -> Any:
        cls = self.receiver.cls if isinstance(self.receiver, Instance) else self.receiver
        classes = cls.mro()
        after = classes[classes.index(self.owner) + 1 :] if self.owner in classes else []
        return found_in(after, name, otherwise)


BORROWED = "an attribute that a loop carries, and that an object has of its class at first"


class AttributesValue(DictValue):
    """`vars(owner)` of an object, or `globals()` of the module with these variables: what changes it changes them."""

    __slots__ = ("owner", "variables")

    def __init__(self, owner: Instance | Environment) -> None:
        super().__init__()
        self.owner = owner
        self.variables = owner.attrs if isinstance(owner, Instance) else owner.vars

    @property
    def items(self) -> dict[Any, Any]:
        if ANYTHING in self.variables:
            raise IsUnknown(self.variables[ANYTHING].reason)
        if any(isinstance(value, Unbound) for value in self.variables.values()):
            raise IsUnknown("variables as a dict, of which some may not be there")
        if isinstance(self.variables, Attributes) and self.variables.is_mixed:
            raise IsUnknown("variables as a dict, of which the order is not known")
        if isinstance(self.variables, Attributes) and self.variables.borrowed:
            raise IsUnknown(BORROWED)
        return dict(self.variables)


def member_number(value: Any) -> Any:
    """A member of an `IntEnum` as the number that it is, of a `StrEnum` as the text."""
    if isinstance(value, Instance) and value.cls.kind == "enum" and (value.cls.is_integer or value.cls.is_text):
        return value.attrs.get("value", value)
    return value
