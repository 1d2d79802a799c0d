"""What can be called: functions of the project, methods, built-in functions."""

from __future__ import annotations

from functools import partial
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import statements
from nkilint.symbolic.integers import Sym
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.words.conditions import IsUnknown, Unknown, negation

from ...state import joining, protocols
from ...state.havoc import forget_names_around, variables_by_name
from ...state.machine import Machine, explained
from ...state.paths import demand, for_each, raises_where
from ...state.protocols import Args, Keywords
from ...state.refusals import is_surely_number, not_callable, refused
from ...values.choices import Unbound, among, as_one, part_of_one, settled
from ...values.containers import DictValue, ListValue
from ...values.dtypes import one_dtype
from ...values.inheritance import ANYTHING
from ...values.inputs import InputTensor
from ...values.objects import (
    AttributesValue,
    BoundMethod,
    ClassValue,
    Environment,
    FunctionValue,
    Instance,
    ModuleValue,
    Native,
    Partial,
    Super,
)
from ...values.tensors import View
from ...values.wording import in_words
from ..functions import call_function

protocols.truths.of(FunctionValue, BoundMethod, Native, Partial)(lambda machine, value, node: True)


@protocols.calls.of(FunctionValue)
def _call(
    machine: Machine, function: FunctionValue, args: Args, kwargs: Keywords, node: ir.Call | None, env: Any
) -> Any:
    if not _CHANGED.isdisjoint(function.attrs):
        reason = f"`{function.name}` is not what it was defined as"
        protocols.escape(machine, [function, *args, *kwargs.values()], reason)
        return Unknown(reason)
    return call_function(machine, function, args, kwargs, node)


_CHANGED = frozenset({"__code__", "__defaults__", "__kwdefaults__"})


@protocols.calls.of(ModuleValue, type(None), int, float, str, tuple, ListValue, DictValue)
def _call_of_none(
    machine: Machine, function: Any, args: Args, kwargs: Keywords, node: ir.Call | None, env: Environment | None
) -> Any:
    """A call of what is no function."""
    if node is None:
        raise IsUnknown(f"a call of {_kind(function)}")
    demand(machine, "TypeError", not_callable(node, _kind(function)), False, node.at)
    return explained(f"a call of {_kind(function)}")


def _kind(value: Any) -> str:
    if isinstance(value, ModuleValue):
        return "a module"
    return "a number" if isinstance(value, (int, float, Sym)) else in_words(value)


@protocols.calls.of(Sym)
def _call_of_number(
    machine: Machine, function: Sym, args: Args, kwargs: Keywords, node: ir.Call | None, env: Environment | None
) -> Any:
    """A call of a symbolic number; of a parameter that was taken for one it may be of something else."""
    called = _call_of_none if is_surely_number(machine, function) else protocols.calls.otherwise
    return called(machine, function, args, kwargs, node, env)


@protocols.calls.of(Partial)
def _call_partial(
    machine: Machine, function: Partial, args: Args, kwargs: Keywords, node: ir.Call | None, env: Any
) -> Any:
    given = {**function.kwargs, **kwargs}
    return protocols.call(machine, function.function, [*function.args, *args], given, node, env)


@protocols.calls.of(BoundMethod)
def _call_method(
    machine: Machine, function: BoundMethod, args: Args, kwargs: Keywords, node: ir.Call | None, env: Any
) -> Any:
    method = function.function
    if isinstance(method, FunctionValue):
        return call_function(machine, method, [function.receiver, *args], kwargs, node)
    of_tensor = isinstance(function.receiver, (View, InputTensor))
    given = partial(one_dtype, sizes=method == "view") if of_tensor else as_one
    args, kwargs = [given(value) for value in args], {name: given(value) for name, value in kwargs.items()}
    if isinstance(method, Native):
        return method.call(machine, [function.receiver, *args], kwargs)
    return protocols.call_method(machine, function.receiver, method, args, kwargs, node)


@protocols.calls.of(Native)
def _call_native(
    machine: Machine, function: Native, args: Args, kwargs: Keywords, node: ir.Call | None, env: Environment | None
) -> Any:
    if function.name == "super" and env is not None:
        return super_of(args, env)
    if function.name == "globals" and env is not None:
        return AttributesValue(env.module.env)
    if function.name in ("locals", "vars") and env is not None and not args:
        own = env.is_class or env is env.module.env
        return AttributesValue(env) if own else among(f"`{function.name}()`", *env.vars.values())
    if function.name in ("exec", "eval") and env is not None:
        _forget_variables(machine, env, f"`{function.name}`")
    if node is not None and _goes_over_a_number(machine, function, args, node):
        number = node.args[0][1]
        said = CallSignature.unusable(expression=number.at, kind=in_words(args[0]), use="cannot be iterated over")
        return refused(machine, "TypeError", said, node.at, args[0])
    try:
        found = for_each(machine, args, kwargs, lambda args, kwargs: function.call(machine, args, kwargs))
        given = [protocols.if_holds(value) for value in (*args, *kwargs.values())]
        return part_of_one(found, *given) if type(found) is Unknown else found
    except IsUnknown as unknown:
        given = [*args, *kwargs.values(), *function.reach]
        protocols.escape(machine, given, unknown.reason)
        return among(unknown.reason, *given)


def _goes_over_a_number(machine: Machine, function: Native, args: Args, node: ir.Call) -> bool:
    """Whether a function that goes over the items of its one argument is handed a number."""
    one = len(args) == 1 and len([key for key, _ in node.args if key is None]) == 1 and node.args[0][0] is None
    return one and function.name in _GOING_OVER and is_surely_number(machine, args[0])


_GOING_OVER = frozenset({"all", "any", "enumerate", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"})


def _forget_variables(machine: Machine, env: Environment, reason: str) -> None:
    """A text that is run may change every variable of the module, and all that the others hold."""
    protocols.escape(machine, variables_by_name(env.module.env), reason)
    here: Environment | None = env
    while here is not None:
        protocols.escape(machine, list(here.vars.values()), reason)
        here = here.parent


@protocols.attributes.of(FunctionValue)
def _attribute(machine: Machine, value: FunctionValue, name: str, node: ir.Attr) -> Any:
    if ANYTHING in value.attrs:
        return among(value.attrs[ANYTHING].reason, value)
    if name in value.attrs:
        own = value.attrs[name]
        if isinstance(own, Unbound) and name == "__name__":
            return joining.join(machine, own.defined, own.value, value.name, name)
        if isinstance(own, Unbound):
            raises_where(machine, negation(own.defined), "AttributeError")
        return settled(own)
    if name == "__name__":
        return value.name
    if name == "__closure__":
        reason = "the variables around a function, as objects"
        forget_names_around(machine, value, reason)
        raise IsUnknown(reason)
    if name == "__module__":
        return value.env.module.name
    if name == "__globals__":
        return AttributesValue(value.env.module.env)
    return value if name == "func" else Unknown(f"attribute `{name}` of a function")


@protocols.attributes_set.of(FunctionValue)
def _set_attribute(machine: Machine, value: FunctionValue, name: str, new: Any) -> None:
    machine.set(value.attrs, name, new)


@protocols.attributes.of(BoundMethod)
def _attribute_of_method(machine: Machine, value: BoundMethod, name: str, node: ir.Attr) -> Any:
    return Unknown(f"attribute `{name}` of a method")


def super_of(args: Args, env: Environment) -> Any:
    """`super()` in a method, whose first parameter is the receiver, or `super(cls, receiver)`."""
    if len(args) == 2 and isinstance(args[0], ClassValue) and isinstance(args[1], (Instance, ClassValue)):
        return Super(args[1], args[0])
    here: Environment | None = env
    while here is not None and here.function is None:
        here = here.parent
    if args or here is None or here.parent is None or here.function is None or not here.function.params:
        return Unknown("`super()` outside a method")
    if any(isinstance(part, ir.Scope) and "__class__" in part.names for part in statements(here.function.body)):
        return Unknown("`super()` where `__class__` may be another class")
    receiver = here.vars.get(here.function.params[0].name)
    classes = receiver.cls.mro() if isinstance(receiver, Instance) else []
    classes = receiver.mro() if isinstance(receiver, ClassValue) else classes
    owner = next((c for c in classes if c.attrs is here.parent.vars), None)
    return Unknown("`super()` outside a method") if owner is None else Super(receiver, owner)
