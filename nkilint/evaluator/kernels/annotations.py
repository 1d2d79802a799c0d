"""Inputs that annotations describe: numbers, flags, tensors, and objects of classes of the project."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from nkilint.base import ir
from nkilint.symbolic.conditions import Opaque
from nkilint.symbolic.integers import Sym, sym
from nkilint.symbolic.printing import NAMES
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..python.aliases import AliasValue
from ..python.interpreter import evaluate
from ..python.types.objects import field_default, field_option, instantiate, takes_fields
from ..state.machine import Fault, Machine
from ..values.cells import MISSING
from ..values.inputs import InputTensor
from ..values.objects import Api, ClassValue, Environment, External, FunctionValue, Instance, Native, SomeMember
from .hints import unless_none
from .objects_for_tensors import object_instead
from .requests import OPEN
from .set_later import set_later

TENSORS = frozenset({"language.ndarray", "language.NkiTensor", "typing.tensor", "typing.mutable_tensor"})
MAX_DEPTH = 3  # objects within objects
MAX_MEMBERS = 8  # of an enumeration each of whose members is looked at


def is_tensor(machine: Machine, annotation: ir.Expr | None, env: Environment) -> bool:
    kind = _kind(machine, annotation, env)
    return isinstance(kind, Api) and kind.name in TENSORS


def is_number(machine: Machine, annotation: ir.Expr | None, env: Environment) -> bool:
    """Whether an annotation says that a parameter is a whole number, and never None."""
    plain = isinstance(annotation, ir.Name)
    kind = _kind(machine, annotation, env) if plain else None
    return isinstance(kind, Native) and kind.name == "int"


def described(
    machine: Machine, name: str, annotation: ir.Expr | None, env: Environment, free: frozenset[str], depth: int = 0
) -> Any:
    """An input of the type that an annotation names; None where it does not say enough to make one."""
    kind = _kind(machine, annotation, env)
    if _is_tuple(kind):
        return items(machine, name)
    if isinstance(kind, Native):
        return like(name, _PLAIN[kind.name]) if kind.name in _PLAIN else None
    if isinstance(kind, Api):
        return _tensor(name) if kind.name in TENSORS else None
    if isinstance(kind, ClassValue) and kind.kind == "enum":
        return _member(name, kind)
    return _object(machine, name, kind, free, depth) if isinstance(kind, ClassValue) else None


def _is_tuple(kind: Any) -> bool:
    return (isinstance(kind, Native) and kind.name == "tuple") or (
        isinstance(kind, External) and kind.name == "typing.Tuple"
    )


def _tensor(name: str) -> InputTensor:
    """A tensor of which nothing is known, nor whether it is one."""
    return InputTensor(name, guessed=True, is_open=True, memory_open=True, mutable=True)


def _member(name: str, cls: ClassValue) -> Any:
    """Any member of an enumeration."""
    members = cls.members
    if not members or len(members) > MAX_MEMBERS or cls.is_integer or cls.is_text:
        return None
    names = NAMES.join(f"{cls.name}.{member.attrs['name']}" for member in members)
    return members[0] if len(members) == 1 else SomeMember(cls, sym(name, "input", 0, len(members) - 1, names))


_PLAIN = {"int": 0, "bool": False}


def like(name: str, default: Any) -> Any:
    """An input of the type of a default."""
    if isinstance(default, bool):
        return Opaque(name, "input")
    if isinstance(default, (int, Sym)):
        return sym(name, "input", None, None, name)
    return Unknown(f"`{name}`, whose default the kernel itself rejects")


def object_for(machine: Machine, name: str, annotation: ir.Expr | None, env: Environment, free: frozenset[str]) -> Any:
    """An object of the class that a parameter is annotated with; None for what is annotated with none."""
    kind = _kind(machine, annotation, env)
    if _is_tuple(kind):
        return items(machine, name)
    return object_of(machine, name, kind, free) if isinstance(kind, ClassValue) else None


def object_of(machine: Machine, name: str, cls: ClassValue, free: frozenset[str]) -> Any:
    """Any object of a class, as far as one can be made; else None."""
    return _member(name, cls) if cls.kind == "enum" else _object(machine, name, cls, free, 0)


def items(machine: Machine, name: str, count: int | None = None) -> Any:
    """A tuple of as many inputs as are known or supposed to be."""
    count = machine.supposed.get(name) if count is None else count
    if count is None:
        return InputTensor(name, is_tuple=True)
    machine.trace.assumptions.setdefault(f"{name} has {count} items", None)
    return tuple(InputTensor(f"{name}[{position}]") for position in range(count))


def nested_items(machine: Machine, name: str, counts: tuple[int | None, ...]) -> tuple[Any, ...]:
    """A tuple of tuples, of as many inputs as each is known to have; an item of which nothing is known is one input."""
    outer = items(machine, name, len(counts))
    return tuple(
        one if count is None else items(machine, f"{name}[{number}]", count)
        for number, (one, count) in enumerate(zip(outer, counts, strict=True))
    )


def with_fields(machine: Machine, name: str, made: Instance, changed: dict[str, Any], free: frozenset[str]) -> Instance:
    """An object as its class makes it where some of its fields, or fields of objects in these, have other values."""
    cls = made.cls
    given = {field: made.attrs[field] for field, _ in cls.fields if field in made.attrs}
    for path, value in changed.items():
        field, _, inside = path.partition(".")
        if inside:
            owner = given.get(field)
            if not isinstance(owner, Instance):
                raise IsUnknown(f"a field of `{name}.{field}`, which is no object")
            given[field] = with_fields(machine, f"{name}.{field}", owner, {inside: value}, free)
            continue
        given[field] = value
        if value is OPEN:
            annotation = cls.annotation(field)
            found = described(machine, f"{name}.{field}", annotation, cls.module.env, free, 1)
            given[field] = _tensor(f"{name}.{field}") if found is None else found
    init = cls.initializer()
    if isinstance(init, FunctionValue):  # it takes what it likes, and makes fields of that
        given = {p.name: given[p.name] for p in init.node.params[1:] if p.name in given}
    again = _made(machine, cls, given) if {path.partition(".")[0] for path in changed} <= given.keys() else None
    if again is None:
        raise IsUnknown(f"an object of `{cls.name}` with other fields")
    open_later(machine, name, again, free, changed.keys())
    return again


def _made(machine: Machine, cls: ClassValue, given: dict[str, Any]) -> Instance | None:
    """An object made of these arguments; None where that fails."""
    try:
        with _unsaid(machine):
            made = instantiate(machine, cls, [], given, None)
    except (Fault, IsUnknown):
        return None
    return made if isinstance(made, Instance) else None


@contextmanager
def _unsaid(machine: Machine) -> Iterator[None]:
    """Within it nothing has to hold: an object is supposed, and nobody has written the call that makes it."""
    before, machine.in_kernel = machine.in_kernel, False
    try:
        yield
    finally:
        machine.in_kernel = before


def is_there(machine: Machine, node: ir.Expr | None, env: Environment) -> bool:
    """Whether the name that an annotation begins with is bound when a kernel is judged: type checkers see more."""
    while isinstance(node, ir.Attr):
        node = node.value
    return isinstance(node, ir.Name) and (machine.lookup(env, node.id) is not MISSING or hasattr(builtins, node.id))


def _kind(machine: Machine, node: ir.Expr | None, env: Environment) -> Any:
    """The type that an annotation names for values that are not None."""

    def named(name: ir.Expr | None) -> Any:
        return evaluate(machine, name, env) if name is not None and is_there(machine, name, env) else None

    def is_optional(name: ir.Expr) -> bool:
        outer = named(name)
        return isinstance(outer, External) and outer.name == "typing.Optional"

    found = named(unless_none(node, is_optional))
    return _kind(machine, found.node.value, found.env) if isinstance(found, AliasValue) else found


def _object(machine: Machine, name: str, cls: ClassValue, free: frozenset[str], depth: int) -> Instance | None:
    """An object whose numbers, and what has no default, may be anything; the rest of it is as the class says."""
    if depth == MAX_DEPTH or cls.kind not in ("class", "dataclass", "namedtuple"):
        return None
    init = cls.initializer()
    if isinstance(init, FunctionValue):
        made = _initialised(machine, name, cls, init, free, depth)
    elif takes_fields(cls):
        parts = {
            field: _part(machine, f"{name}.{field}", default, cls.annotation(field), cls, free, depth)
            for field, default in cls.fields
        }
        given = {field: parts[field] for field, default in cls.fields if field_option(default, "init") is not False}
        whole = _made(machine, cls, given) if isinstance(cls.lookup("__post_init__"), FunctionValue) else None
        made = whole or Instance(cls, parts)
        open_later(machine, name, made, free)
    else:
        return None
    if made is not None:
        made.supposed = True
    if made is not None and depth == 0:
        machine.trace.assumptions.setdefault(f"{name} is a `{cls.name}` with its defaults but for numbers", None)
    return made


def _part(
    machine: Machine,
    name: str,
    default: Any,
    annotation: ir.Expr | None,
    cls: ClassValue,
    free: frozenset[str],
    depth: int,
) -> Any:
    """One field of an object, or one argument of its initializer."""
    value = default if default is MISSING else field_default(machine, default)
    number = isinstance(value, int) and not isinstance(value, bool)
    if value is not MISSING and not number and name not in free:
        if value is None:
            machine.unset.add(name)
        return value
    found = described(machine, name, annotation, cls.module.env, free, depth + 1)
    if found is None:
        found = _tensor(name) if value is MISSING else like(name, value)
    return object_instead(machine, found, free, cls.module) if isinstance(found, InputTensor) else found


def open_later(machine: Machine, name: str, made: Instance, free: frozenset[str], given: Collection[str] = ()) -> None:
    """Leave open what methods of a record may have set since it was made; its initializer's values are no defaults."""
    for field in sorted(set_later(made.cls) - set(given)):
        value, place = made.attrs.get(field), f"{name}.{field}"
        found = described(machine, place, made.cls.annotation(field), made.cls.module.env, free, 1)
        if found is None and value is None:
            found = _tensor(place)
        elif found is None:
            plain = isinstance(value, (int, Sym, Opaque))
            found = like(place, value) if plain else Unknown(f"`{place}`, which a method of `{made.cls.name}` sets")
        made.attrs[field] = found


def _initialised(
    machine: Machine, name: str, cls: ClassValue, init: FunctionValue, free: frozenset[str], depth: int
) -> Instance | None:
    """An object that its initializer makes of arguments which may be anything."""
    if cls.lookup("__new__") is not None or any(p.kind in ("*", "**") for p in init.node.params):
        return None
    given = {
        p.name: _part(machine, f"{name}.{p.name}", init.defaults.get(p.name, MISSING), p.annotation, cls, free, depth)
        for p in init.node.params[1:]
    }
    return _made(machine, cls, given)
