"""What functions, objects and iterators that an iteration of a loop makes are in another iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from operator import is_
from typing import Any

from nkilint_rules.words.conditions import Unknown

from .cells import Cell
from .choices import Either, among
from .grown import Copies, copied
from .iterators import DictView, IteratorValue
from .objects import (
    RESULT,
    BoundMethod,
    ClassValue,
    Environment,
    ExceptionValue,
    FunctionValue,
    Instance,
    KernelValue,
    Managed,
    Native,
    Partial,
    SomeMember,
    Super,
)
from .substitution import Rewriting, in_parts, in_value, is_older, rewritten

_HOLDING: dict[type, tuple[str, ...]] = {
    BoundMethod: ("receiver", "function"),
    DictView: ("owner",),
    Managed: ("function", "args", "kwargs"),
    Partial: ("function", "args", "kwargs"),
    Super: ("receiver",),
}
"""Values that nothing changes, by those that they hold."""


def _with_parts(value: Any, made: Callable[[Any], Any]) -> Any:
    """A value with what is made of the parts that it holds; one whose parts are not known is not known."""
    names = _HOLDING[type(value)]
    before = tuple(getattr(value, name) for name in names)
    parts = made(before)
    if all(map(is_, parts, before)):
        return value
    unknown = next((part for part in parts if isinstance(part, Unknown) and not isinstance(part, Either)), None)
    return replace(value, **dict(zip(names, parts, strict=True))) if unknown is None else unknown


@rewritten.of(*_HOLDING)
def _in_parts(value: Any, mapping: Mapping[Any, Any]) -> Any:
    return _with_parts(value, lambda parts: in_value(parts, mapping))


@copied.of(*_HOLDING)
def _copy_with_parts(value: Any, copies: Copies) -> Any:
    return _with_parts(value, copies.of)


class _Probing(Rewriting):
    """A rewriting that only asks what would become another value: that is `_CHANGED`."""

    __slots__ = ()


_CHANGED = Unknown("another value")


def _is_changed(parts: Iterable[Any], mapping: Mapping[Any, Any]) -> bool:
    return any(in_value(part, mapping) is not part for part in parts)


def _again(
    value: Any, parts: Callable[[], Iterable[Any]], make: Callable[[Rewriting], Any], mapping: Mapping[Any, Any]
) -> Any:
    """`value`, which may refer to itself, as another iteration makes it: itself, if it is the same in each."""
    if not isinstance(mapping, Rewriting):
        return in_value(value, Rewriting(mapping))
    if isinstance(mapping, _Probing):
        mapping.made[id(value)] = value, value
        return _CHANGED if _is_changed(parts(), mapping) else value
    probe = _Probing(mapping, mapping.born)
    return make(mapping) if in_value(value, probe) is not value else value


@rewritten.of(Instance)
def _in_instance(value: Instance, mapping: Mapping[Any, Any]) -> Any:
    attrs = value.attrs
    if isinstance(attrs, Cell) and attrs.one_of is not None:
        made, position = attrs.one_of
        return made.elsewhere(value, position, mapping)
    if is_older(attrs, mapping):
        return value

    def make(mapping: Rewriting) -> Any:
        cls = in_value(value.cls, mapping)
        if isinstance(cls, Unknown):
            return among(cls.reason, value)
        found = Instance(cls, {}, value.supposed)
        mapping.made[id(value)] = value, found
        found.attrs.update({name: in_value(each, mapping) for name, each in attrs.items()})
        return found

    return _again(value, lambda: (value.cls, *attrs.values()), make, mapping)


@copied.of(Instance)
def _copy_instance(value: Instance, copies: Copies) -> Instance:
    if value.cls.kind == "enum":
        return value
    found = copies.begin(value, Instance(value.cls, {}, value.supposed))
    found.attrs.update({name: copies.of(each) for name, each in value.attrs.items()})
    return found


@rewritten.of(SomeMember)
def _in_member(value: SomeMember, mapping: Mapping[Any, Any]) -> Any:
    return in_parts(value, (value.cls, value.position), _member, mapping)


def _member(cls: Any, position: Any) -> Any:
    if isinstance(cls, ClassValue) and isinstance(position, int) and 0 <= position < len(cls.members):
        return cls.members[position]
    return cls if isinstance(cls, Unknown) else SomeMember(cls, position)


@rewritten.of(FunctionValue)
def _in_function(value: FunctionValue, mapping: Mapping[Any, Any]) -> Any:
    """A function made in an iteration, with the defaults, the attributes and the variables around it of another one."""
    if value.attrs.one_of is not None:
        made, position = value.attrs.one_of
        return made.elsewhere(value, position, mapping)
    before = (value.env, value.defaults, *value.attrs.values())
    env, defaults, *attributes = parts = in_value(before, mapping)
    if all(map(is_, parts, before)):
        return value
    if isinstance(env, Unknown) or isinstance(value, KernelValue):
        return among("a function that a loop makes", value)
    found = replace(value, env=env, defaults=defaults)
    found.attrs.update(zip(value.attrs, attributes, strict=True))
    return found


@copied.of(FunctionValue)
def _copy_function(value: FunctionValue, copies: Copies) -> FunctionValue:
    if value.env is value.env.module.env:
        return value
    found = copies.begin(value, replace(value, env=copies.of(value.env), defaults={}))
    found.defaults.update(copies.of(value.defaults))
    found.attrs.update({name: copies.of(each) for name, each in value.attrs.items()})
    return found


@rewritten.of(Environment)
def _in_environment(env: Environment, mapping: Mapping[Any, Any]) -> Any:
    """The variables of a call that an iteration makes."""
    if env is env.module.env or is_older(env.vars, mapping):
        return env
    if env.vars.one_of is not None:
        made, position = env.vars.one_of
        return made.elsewhere(env, position, mapping)

    def make(mapping: Rewriting) -> Environment:
        found = Environment(env.module, env.parent, env.function)
        mapping.made[id(env)] = env, found
        _fill(found, env, lambda part: in_value(part, mapping))
        return found

    return _again(env, lambda: (env.parent, *env.vars.values()), make, mapping)


@copied.of(Environment)
def _copy_environment(env: Environment, copies: Copies) -> Environment:
    if env is env.module.env:
        return env
    found = copies.begin(env, Environment(env.module, env.parent, env.function))
    _fill(found, env, copies.of)
    return found


def _fill(found: Environment, env: Environment, made: Callable[[Any], Any]) -> None:
    """Put into an environment what is made of the parts of another one, but for a result: nothing reads that again."""
    found.parent, found.is_class, found.on_yield = made(env.parent), env.is_class, env.on_yield
    if env.redirected is not None:
        found.redirected = {name: made(scope) for name, scope in env.redirected.items()}
    found.vars.update({name: made(value) for name, value in env.vars.items() if name != RESULT})


@rewritten.of(ClassValue)
def _in_class(value: ClassValue, mapping: Mapping[Any, Any]) -> Any:
    def make(mapping: Rewriting) -> Any:
        return among("a class that a loop makes", value)

    if not isinstance(mapping, Rewriting) or is_older(value.attrs, mapping):
        return value
    return _again(value, lambda: (*value.bases, *value.attrs.values()), make, mapping)


@rewritten.of(ExceptionValue)
def _in_exception(value: ExceptionValue, mapping: Mapping[Any, Any]) -> Any:
    changed = _is_changed((*value.args, *value.attrs.values()), mapping)
    return among("an exception that a loop makes", value) if changed else value


@rewritten.of(Native)
def _in_native(value: Native, mapping: Mapping[Any, Any]) -> Any:
    changed = bool(value.reach) and _is_changed(value.reach, mapping)
    return among("a function that a loop makes", value) if changed else value


@rewritten.of(IteratorValue)
def _in_iterator(value: IteratorValue, mapping: Mapping[Any, Any]) -> Any:
    """One that an iteration makes has come to a place of its own."""
    if not isinstance(mapping, Rewriting) or is_older(value.cell, mapping):
        return value
    return among(_ITERATOR, value)


@copied.of(IteratorValue)
def _copy_iterator(value: IteratorValue, copies: Copies) -> Any:
    return among(_ITERATOR, value)


_ITERATOR = "an iterator that a loop makes"
