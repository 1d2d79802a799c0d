"""What may have been changed by something that is not followed: all that it can reach is unknown from there on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.symbolic.work import charge
from nkilint_rules.words.conditions import Unknown

from ..values.cells import MISSING
from ..values.choices import Among, Either, Unbound, among
from ..values.containers import DictValue, ListValue
from ..values.grown import MANY, GrowingItems, GrownItems, LongTuple, Made
from ..values.host import CHANGED, HostArray
from ..values.inheritance import ANYTHING
from ..values.inputs import InputTensor
from ..values.iterators import DictView, IteratorValue
from ..values.keys import Key
from ..values.objects import (
    Api,
    AttributesValue,
    BoundMethod,
    ClassValue,
    Environment,
    ExceptionValue,
    External,
    FunctionValue,
    Instance,
    Managed,
    ModuleValue,
    Native,
    Partial,
    Super,
)
from ..values.pairs import Pairs
from ..values.table import Table
from ..values.tensors import View

if TYPE_CHECKING:
    from .machine import Machine


def havoc(machine: Machine, values: Iterable[Any], reason: str) -> None:
    """All that can be changed through `values` is unknown."""
    for value in _reachable(machine, values):
        if isinstance(value, _Variable):
            machine.set(value.env.vars, value.name, among(reason, value.env.vars.get(value.name)))
        elif isinstance(value, (ListValue, DictValue)):
            forget_items(machine, value, reason)
        elif isinstance(value, HostArray):
            machine.set(value.memory, CHANGED, True)
        elif isinstance(value, Made):
            machine.set(value.changed, MANY, True)
        elif isinstance(value, IteratorValue):
            machine.set(value.cell, "over", Unknown(reason))
        elif isinstance(value, (Instance, ClassValue)):
            _change_attributes(machine, value, reason)
        elif isinstance(value, (FunctionValue, ExceptionValue)) and value.attrs:
            machine.set(value.attrs, ANYTHING, among(reason, *value.attrs.values()))


def forget_items(machine: Machine, container: ListValue | DictValue, reason: str) -> None:
    """What a container holds is unknown, but for what it may be part of."""
    machine.doubts += 1
    items = container.cell["items"]
    held = (items.before, items.added) if isinstance(items, GrownItems) else (items,)
    machine.set(container.cell, "items", among(reason, *held))


def changeable(machine: Machine, values: Iterable[Any]) -> Iterator[Any]:
    """All that can be changed through `values`, but for tensors, and what functions have for attributes."""
    kept = (View, InputTensor, FunctionValue, Made)
    return (value for value in _reachable(machine, values) if not isinstance(value, kept))


def tensors_in(machine: Machine, values: Iterable[Any]) -> list[Any]:
    """The tensors that can be reached through `values`."""
    return [value for value in _reachable(machine, values) if isinstance(value, (View, InputTensor))]


def _change_attributes(machine: Machine, value: Instance | ClassValue, reason: str) -> None:
    if (value.cls if isinstance(value, Instance) else value).kind in _FIXED:
        return
    for name in list(value.attrs):
        if isinstance(value, Instance) or not isinstance(value.attrs[name], FunctionValue):
            machine.set(value.attrs, name, among(reason, value.attrs[name]))
    machine.set(value.attrs, ANYTHING, Unknown(reason))


_FIXED = frozenset({"enum", "property", "classmethod", "staticmethod"})
"""Kinds of classes whose objects keep what they are made of."""


class _Variable:
    """A variable that a function binds anew, of a scope around it."""

    def __init__(self, env: Environment, name: str) -> None:
        self.env, self.name = env, name


def variable_of(env: Environment, name: str) -> Any:
    """A variable, for what may bind it anew."""
    return _Variable((env.redirected or {}).get(name, env), name)


def variables_by_name(module: Environment) -> list[Any]:
    """The variables of a module, for what may set them by names that nobody knows."""
    return [_Variable(module, name) for name, value in module.vars.items() if not isinstance(value, DEFINED)]


DEFINED = (Api, ClassValue, External, FunctionValue, ModuleValue, Native)
"""What names stand for that imports and definitions bind."""
BY_NAME = frozenset(
    {
        "__globals__", "__import__", "_getframe", "currentframe", "eval", "exec", "getmodule", "globals",
        "import_module", "locals", "modules", "vars",
    }
)  # fmt: skip
"""Functions and attributes through which the variables of a module may be set."""


CHANGEABLE = (
    ListValue, DictValue, HostArray, IteratorValue, Instance, ClassValue, ExceptionValue, FunctionValue, _Variable,
    Made, View, InputTensor,
)  # fmt: skip


def _reachable(machine: Machine, values: Iterable[Any]) -> Iterator[Any]:
    """The changeable things that can be reached from `values`, each once."""
    seen: dict[Any, Any] = {}  # the values as well, so that nothing new gets their places
    stack = list(values)
    while stack:
        value = stack.pop()
        place = (id(value.env), value.name) if isinstance(value, _Variable) else id(value)
        if place in seen:
            continue
        seen[place] = value
        stack.extend(parts_of(value))
        if isinstance(value, CHANGEABLE):
            yield value
    charge(len(seen))


_parts = Table(lambda value: ())


def parts_of(value: Any) -> Iterable[Any]:
    """What a value gives access to."""
    return _parts.entry(type(value))(value)  # type: ignore[no-any-return]


_parts.of(Environment)(lambda env: tuple(env.vars.values()))
_parts.of(Managed)(lambda value: (value.function, value.args, value.kwargs))
_parts.of(tuple)(lambda value: value)
_parts.of(dict)(lambda value: (*value, *value.values()))
_parts.of(GrownItems)(lambda value: (value.before, value.added, value.made, *value.made.kin))
_parts.of(Made)(lambda made: tuple(made.handed.values()))
_parts.of(GrowingItems)(lambda value: (value.added, value.held.all()))
_parts.of(Pairs)(lambda value: (value.items,))
_parts.of(LongTuple)(lambda value: (value.items,))
_parts.of(ListValue)(lambda value: (value.cell["items"], value.cell.stands_for))
_parts.of(DictValue)(lambda value: (value.cell["items"], value.cell.stands_for, value.factory))
_parts.of(IteratorValue)(lambda value: value.parts())
_parts.of(Key)(lambda value: (value.object,))
_parts.of(DictView)(lambda value: (value.owner,))
_parts.of(ClassValue)(lambda value: tuple(value.attrs.values()))
_parts.of(AttributesValue)(
    lambda value: variables_by_name(value.owner) if isinstance(value.owner, Environment) else (value.owner,)
)
_parts.of(BoundMethod)(lambda value: (value.receiver, value.function))
_parts.of(Native)(lambda value: value.reach)
_parts.of(Partial)(lambda value: (value.function, value.args, value.kwargs))
_parts.of(Super)(lambda value: (value.receiver,))
_parts.of(Unbound)(lambda value: (value.value,))
_parts.of(Either)(lambda value: (value.then, value.otherwise))
_parts.of(Among)(lambda value: value.values)
_parts.of(slice)(lambda value: (value.start, value.stop, value.step))


def forget_names_around(machine: Machine, function: FunctionValue, reason: str) -> None:
    """The variables that a function uses of the scopes around it are unknown."""
    for name in _names_around(function.node)[0]:
        env = function.env.around(name)
        if name in env.vars:
            machine.set(env.vars, name, among(reason, env.vars[name]))


@lru_cache(4_096)
def _names_around(function: ir.FunctionDef) -> tuple[list[str], set[str], set[str]]:
    """The names that a function reads of the scopes around it or binds there, those it binds, and those that it does
    more with than to call them, to look at their attributes or to ask what is an instance of them."""
    inside = list(walk(function.body))
    rebound = {n for s in inside if isinstance(s, ir.Scope) for n in s.names}
    used = Counter(n.id for n in inside if isinstance(n, ir.Name))
    names = (used.keys() - function.locals) | named_attributes(inside)
    plain = Counter(name for node in inside for name in _only_looked_at(node))
    plain.subtract(t.value.id for t in _stored(inside) if isinstance(t.value, ir.Name))
    return sorted(names | rebound), rebound, {name for name in names if used[name] > plain[name]}


def named_attributes(nodes: Iterable[ir.Node]) -> set[str]:
    """The attributes among `nodes` through which variables of a module may be set."""
    return {node.name for node in nodes if isinstance(node, ir.Attr)} & BY_NAME


def _only_looked_at(node: ir.Node) -> Iterator[str]:
    if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name):
        yield node.value.id
    elif isinstance(node, ir.Call) and isinstance(node.func, ir.Name):
        yield node.func.id
        if node.func.id in ("isinstance", "issubclass"):
            yield from (n.id for _, kind in node.args[1:] for n in walk(kind) if isinstance(n, ir.Name))


def _stored(nodes: Iterable[ir.Node]) -> Iterator[ir.Attr]:
    """The attributes that statements set or delete."""
    for node in nodes:
        if isinstance(node, ir.Stmt):
            yield from (t for target, _ in node.assigns for t in walk(target) if isinstance(t, ir.Attr))


def _sets_its_attributes(cls: ClassValue) -> bool:
    """Whether a function of the class may set attributes of the class itself, which it has by no name of its own."""
    held = [v for c in cls.mro() for v in c.attrs.values()]
    wrapped = [part for v in held if isinstance(v, Instance) for part in v.attrs.values()]  # as in properties
    functions = [f.node for f in (*held, *wrapped) if isinstance(f, FunctionValue)]
    return any(map(_sets_attributes_of_a_class, functions))


def classes_changed(machine: Machine, nodes: Iterable[ir.Node], values: Iterable[Any]) -> Iterator[ClassValue]:
    """The classes whose attributes statements may set that come to them through an object among `values`."""
    inside = list(nodes)
    setting = any(isinstance(n, ir.Name) and n.id in _SETTING for n in inside)
    owners = [part for target in _stored(inside) for part in walk(target.value)]
    if setting or any(isinstance(p, ir.Call) or (isinstance(p, ir.Attr) and p.name in _SETTING) for p in owners):
        for value in _reachable(machine, values):
            if isinstance(value, Instance):
                yield from value.cls.mro()


@lru_cache(4_096)
def _sets_attributes_of_a_class(function: ir.FunctionDef) -> bool:
    inside = list(walk(function.body))
    plain = not function.decorators and function.name not in ("__new__", "__init_subclass__", "__class_getitem__")
    own = function.params[0].name if plain and function.params else ""
    if any(isinstance(n, ir.Name) and n.id in _SETTING for n in inside):
        return True
    return any(not isinstance(t.value, ir.Name) or (not plain and t.value.id != own) for t in _stored(inside))


_SETTING = frozenset({"setattr", "delattr", "vars", "globals", "exec", "eval", "type", "__class__"})


@_parts.of(Instance)
def _parts_of_object(value: Instance) -> Iterator[Any]:
    """What it has, and what its class has for it: whoever calls its methods may change what these reach."""
    yield from value.attrs.values()
    for cls in value.cls.mro():
        yield from cls.attrs.values()
    if _sets_its_attributes(value.cls):
        yield from value.cls.mro()


@_parts.of(ExceptionValue)
def _parts_of_exception(value: ExceptionValue) -> Iterator[Any]:
    yield from (*value.args, *value.attrs.values())


@_parts.of(FunctionValue)
def _parts_of_function(function: FunctionValue) -> Iterator[Any]:
    """What it reads of the scopes around it, what it binds there, and its defaults."""
    yield from function.defaults.values()
    names, rebound, handed = _names_around(function.node)
    if not BY_NAME.isdisjoint(names):
        yield from variables_by_name(function.env.module.env)
    for name in names:
        env = function.env.around(name)
        value = env.vars.get(name, MISSING)
        if name in rebound:
            yield _Variable(env, name)
        if isinstance(value, ClassValue) and name not in handed and not _sets_its_attributes(value):
            yield tuple(value.attrs.values())
        elif value is not MISSING:
            yield value


def is_settled(machine: Machine, function: Any) -> bool:
    """Whether all that a function reads of the world around it, and the functions that it calls, stays as it is."""
    for value in _reachable(machine, [function]):
        if isinstance(value, DictValue) and value.kind == "cache":
            continue
        if not isinstance(value, FunctionValue) or value.attrs or value.env is not value.env.module.env:
            return False
        again = declared(machine, value.env.module, "global") | _bound_again(machine, value.env.module)
        names = set(_names_around(value.node)[0])
        if names & (again | BY_NAME) or any(isinstance(value.env.vars.get(name), ModuleValue) for name in names):
            return False
    return True


def _bound_again(machine: Machine, module: ModuleValue) -> frozenset[str]:
    """The variables of a module that its own statements bind more than once."""
    key = "bound again", module.name
    if key not in machine.memo:
        here = [part for part in module.ir.body if not isinstance(part, ir.FunctionDef)] if module.ir else []
        targets = (target for part in walk(here) if isinstance(part, ir.Stmt) for target, _ in part.assigns)
        count = Counter(name.id for target in targets for name in walk(target) if isinstance(name, ir.Name))
        machine.memo[key] = frozenset(name for name, times in count.items() if times > 1)
    found: frozenset[str] = machine.memo[key]
    return found


def declared(machine: Machine, module: ModuleValue, *kinds: str) -> frozenset[str]:
    """The names that functions of a module bind anew outside of themselves: `global` ones, `nonlocal` ones."""
    key = "declared", module.name, kinds
    if key not in machine.memo:
        scopes = (part for part in walk(module.ir.body if module.ir else ()) if isinstance(part, ir.Scope))
        machine.memo[key] = frozenset(name for scope in scopes if scope.kind in kinds for name in scope.names)
    found: frozenset[str] = machine.memo[key]
    return found
