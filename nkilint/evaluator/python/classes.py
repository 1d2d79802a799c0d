"""Class definitions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from nkilint.base import ir
from nkilint.base.names import bound_names, private
from nkilint.base.walk import walk
from nkilint_rules.words.conditions import Unknown

from ..state import protocols
from ..state.machine import Fault, Machine
from ..state.paths import Flow
from ..values.cells import MISSING, Cell
from ..values.choices import Unbound
from ..values.objects import Api, ClassValue, Environment, External, FunctionValue, Instance, Native, Partial, Super
from .interpreter import evaluate, run_block, runs
from .types.numbers import is_one_bit
from .types.objects import is_value_of, takes_fields


@runs(ir.ClassDef)
def _class(machine: Machine, node: ir.ClassDef, env: Environment) -> Flow:
    machine.assign(env, node.name, define_class(machine, node, env))
    return Flow.NEXT


_KINDS = {
    "enum.Enum": "enum", "enum.IntEnum": "enum", "enum.Flag": "enum", "enum.IntFlag": "enum", "enum.StrEnum": "enum",
    "typing.NamedTuple": "namedtuple", "dataclasses.dataclass": "dataclass", "typing.TypedDict": "typed dict",
    "typing_extensions.TypedDict": "typed dict",
}  # fmt: skip


def define_class(machine: Machine, node: ir.ClassDef, env: Environment) -> Any:
    wrappers = [evaluate(machine, decorator, env) for decorator in node.decorators]
    bases = tuple(evaluate(machine, base, env) for base in node.bases)
    keywords = {name: evaluate(machine, value, env) for name, value in node.keywords}
    if keywords.get("metaclass") == External("abc.ABCMeta"):
        bases = (*bases, External("abc.ABC"))  # which adds nothing but that metaclass
    kind = "class"
    for base in bases:
        if isinstance(base, ClassValue):
            kind = base.kind if base.kind in ("enum", "dataclass", "namedtuple", "typed dict") else kind
        elif isinstance(base, External):
            kind = _KINDS.get(base.name, kind)
    inner = Environment(env.module, env, None)
    inner.is_class = True
    if env.parent is not None:
        inner.own = _own_names(node)
    if run_block(machine, node.body, inner) is not Flow.NEXT:
        raise Fault(machine.raising)
    cls = ClassValue(node.name, bases, inner.vars, env.module, kind)
    inner.vars = cast(Cell, cls.attrs)  # by which `super()` in its methods finds the class
    _annotate(cls, node)
    _check_bases(machine, cls, keywords)
    if External("typing.NamedTuple") in bases:
        cls.slots = ()
    for value in inner.vars.values():
        if isinstance(value, FunctionValue):
            value.owner = cls
        elif isinstance(value, Instance) and value.cls.kind in ("property", "staticmethod", "classmethod"):
            for function in value.attrs.values():
                if isinstance(function, FunctionValue):
                    function.owner = cls
    if kind == "enum":
        _check_members(cls, node)
        _make_members(machine, cls)
    _tell_bases(machine, cls, keywords)
    made: Any = cls
    if not _has_plain_metaclass(bases, keywords) or any(map(_made_otherwise, cls.mro())):
        reason = f"`{cls.name}` is made by a metaclass"
        machine.set(cls.attrs, _METACLASS, True)
        protocols.escape(machine, [cls, *keywords.values()], reason)
        made = Unknown(reason)
    for wrapper in reversed(wrappers):
        if wrapper == External("enum.unique"):
            _check_unique(made)
        if not isinstance(wrapper, External) or wrapper.name not in _KEEPING:
            made = protocols.call(machine, wrapper, [made], {}, None, env)
    return made


def _check_bases(machine: Machine, cls: ClassValue, keywords: dict[str, Any]) -> None:
    """What Python asks of named tuples, and of bases: an order that each of them keeps to, types that may be derived
    from, at most one of which lays out its objects, and somewhere what takes the keywords."""
    natives = [base.name for base in cls.bases if isinstance(base, Native)]
    last = isinstance(cls.bases[-1], Native) if cls.bases else True
    optional = [default is not MISSING for _, default in cls.fields]
    if External("typing.NamedTuple") in cls.bases and sorted(optional) != optional:
        raise Fault("TypeError")
    if not cls.has_order or "bool" in natives or ("object" in natives and (len(cls.bases) > 1 and not last)):
        raise Fault("TypeError")
    own = all(isinstance(base, ClassValue) for each in cls.mro() for base in each.bases)
    others = keywords.keys() - {"metaclass", "*", "**"}
    taken = Super(cls, cls).find("__init_subclass__", None) is not None
    if len(set(natives) - {"object"}) > 1 or (own and others and not taken and "metaclass" not in keywords):
        machine.doubt(f"whether Python makes the class `{cls.name}`")


def _annotate(cls: ClassValue, node: ir.ClassDef) -> None:
    """The fields of a class: those of a record or a named tuple that it derives from are all that it has, until a
    decorator says more."""
    for statement in node.body:
        if isinstance(statement, ir.AnnAssign) and isinstance(statement.target, ir.Name):
            cls.annotations[statement.target.id] = statement.annotation
    made = next((c for c in cls.mro()[1:] if c.kind == cls.kind and c.kind in ("dataclass", "namedtuple")), None)
    if made is not None:
        cls.fields = list(made.fields)
        return
    for base in reversed(cls.bases):
        if isinstance(base, ClassValue):
            cls.fields += base.fields
    for name in cls.annotations:
        cls.fields = [f for f in cls.fields if f[0] != name] + [(name, cls.attrs.get(name, MISSING))]


@lru_cache(4_096)
def _own_names(node: ir.ClassDef) -> frozenset[str]:
    """The names that the body of a class binds as attributes."""
    declared = {name for part in walk(node.body) if isinstance(part, ir.Scope) for name in part.names}
    return frozenset(name for statement in node.body for name in bound_names(statement)) - declared


def _has_plain_metaclass(bases: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether a class is made as classes are: unpacked keywords, and bases that are no classes, may change that."""
    kinds = (ClassValue, External, Native, Api, Unknown)
    plain = isinstance(keywords.get("metaclass"), (External, type(None))) and keywords.keys().isdisjoint(("*", "**"))
    return plain and all(isinstance(base, kinds) for base in bases)


_METACLASS = "<metaclass>"  # among the attributes of a class that is made in a way of its own


def _made_otherwise(cls: ClassValue) -> bool:
    return _METACLASS in cls.attrs


_KEEPING = frozenset(
    {"enum.unique", "typing.final", "typing.runtime_checkable", "typing_extensions.final", "pytest.mark"}
)
"""Decorators that keep what a class is."""


def _tell_bases(machine: Machine, cls: ClassValue, keywords: dict[str, Any]) -> None:
    """`__init_subclass__` and `__set_name__`, and what takes part in the making of a class otherwise."""
    for name, value in list(cls.attrs.items()):
        own = value.cls.lookup("__set_name__") if isinstance(value, Instance) else None
        if own is not None:
            protocols.call(machine, own, [value, cls, name], {})
    hook = Super(cls, cls).find("__init_subclass__", None)
    if hook is not None:
        function = hook.attrs["getter"] if isinstance(hook, Instance) and hook.cls.kind == "classmethod" else hook
        given = {name: value for name, value in keywords.items() if name != "metaclass"}
        protocols.call(machine, function, [cls], given)


def _check_members(cls: ClassValue, node: ir.ClassDef) -> None:
    """Python gives each name of an enumeration once, and derives from none that has members."""
    targets = [target for statement in node.body for target, value in statement.assigns if value is not None]
    names = [target.id for target in targets if isinstance(target, ir.Name) and not target.id.startswith("_")]
    derived = any(isinstance(v, Instance) and v.cls is base for base in cls.mro()[1:] for v in base.attrs.values())
    if derived or len(set(names)) < len(names):
        raise Fault("TypeError")


def _check_unique(cls: Any) -> None:
    """`enum.unique`: no member has a second name."""
    members = cls.attrs.items() if isinstance(cls, ClassValue) else ()
    if any(isinstance(m, Instance) and m.cls is cls and m.attrs.get("name") != name for name, m in members):
        raise Fault("ValueError")


_MIXED_IN = {"enum.IntEnum": "int", "enum.IntFlag": "int", "enum.StrEnum": "str"}


def _make_members(machine: Machine, cls: ClassValue) -> None:
    """Names with a value that another one has are other names of the same member."""
    made: list[Instance] = []
    outer = [base for each in cls.mro() for base in each.bases if not isinstance(base, ClassValue)]
    own = any(cls.lookup(name) is not None for name in ("__new__", "_generate_next_value_", "_ignore_"))
    own = own or any(takes_fields(base) for base in cls.mro())
    mixin = next((base.name for base in outer if isinstance(base, Native) and base.name in ("int", "str")), None)
    plain = [base for base in outer if not isinstance(base, Native) or base.name != mixin]
    own = own or any(not isinstance(base, External) or base.name.partition(".")[0] != "enum" for base in plain)
    bases = {base.name for base in outer if isinstance(base, External)}
    mixin = mixin or next((_MIXED_IN[name] for name in sorted(bases) if name in _MIXED_IN), None)
    flags = not bases.isdisjoint(("enum.Flag", "enum.IntFlag"))
    number: Any = 0
    automatic: dict[int, Any] = {}
    for name, value in list(cls.attrs.items()):
        if (
            name.startswith(("__", private("__x", cls.name)[:-1]))
            or (name.startswith("_") and name.endswith("_"))
            or _describes(value)
        ):
            continue
        if isinstance(value, Instance) and value.cls.name == "auto":
            key = id(value)
            if key not in automatic:
                automatic[key] = _next_value(name, number, flags, "enum.StrEnum" in bases)
            value = automatic[key]
        hidden = any(name in base.attrs for base in cls.mro()[1:])  # something else of that name, which may go first
        converted = mixin is not None and type(value).__name__ != mixin  # to the type that the members are of
        if converted and not own:
            _check_value(bases, mixin, value)
        if own or hidden or converted or isinstance(value, (Unknown, Unbound, ClassValue)) or _holds_auto(value):
            reason = f"`{cls.name}` makes its members in its own way"
            if converted:
                machine.doubt(reason)  # the value may be none that can be
            value = Unknown(reason)
            cls.options["unsure"] = True
            if hidden or not own:
                cls.attrs[name] = value
                continue
        number = value if isinstance(value, int) and (not flags or value > number) else number
        member = next((m for m in made if is_value_of(machine, m, value)), None)
        if member is None:
            member = Instance(cls, {"name": name, "value": value})
            made.append(member)
            init = cls.lookup("__init__")
            if isinstance(init, FunctionValue):
                protocols.call(machine, init, [member, *(value if isinstance(value, tuple) else (value,))], {})
        cls.attrs[name] = member
        if flags and not is_one_bit(value):
            cls.options["unsure"] = True  # which of its members it gives in a loop, versions of Python differ about


def _check_value(bases: set[str], mixin: str | None, value: Any) -> None:
    """What a member of a type is made of: no number of a text that is none, and no text of anything else."""
    if "enum.StrEnum" in bases and isinstance(value, (int, float)):
        raise Fault("TypeError")
    if mixin == "int" and isinstance(value, str):
        try:
            int(value)
        except ValueError:
            raise Fault("ValueError") from None


def _next_value(name: str, number: Any, flags: bool, text: bool) -> Any:
    """What `auto()` stands for."""
    if text:
        return name.lower()
    return 1 << number.bit_length() if flags else number + 1


_DESCRIPTORS = frozenset({"property", "cached_property", "staticmethod", "classmethod"})


def _describes(value: Any) -> bool:
    """Whether a value in the body of an enumeration is a function or the like, and no member."""
    if not isinstance(value, Instance):
        return isinstance(value, (FunctionValue, Native, Partial))
    own = any(value.cls.lookup(name) is not None for name in ("__get__", "__set__", "__delete__"))
    return value.cls.kind in _DESCRIPTORS or own


def _holds_auto(value: Any) -> bool:
    parts = value if isinstance(value, tuple) else ()
    return any(isinstance(part, Instance) and part.cls.name == "auto" for part in parts)
