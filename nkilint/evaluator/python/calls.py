"""Calls: of functions of the project, of classes, of built-ins and of the API."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..device import updates
from ..state.machine import MAX_DEPTH, Fault, Machine, explained, settled
from ..state.paths import Flow, for_each, frame, in_both, settle
from ..values import joining
from ..values.tensors import InputTensor, View
from ..values.values import (
    MISSING,
    Api,
    BoundMethod,
    ClassValue,
    DictValue,
    Either,
    Environment,
    External,
    FunctionValue,
    Instance,
    ListValue,
    Native,
    Partial,
    Super,
    as_one,
)


def call_value(
    machine: Machine,
    function: Any,
    args: list[Any],
    kwargs: dict[str, Any],
    node: ir.Call | None = None,
    env: Environment | None = None,
) -> Any:
    """The result of calling any value."""
    machine.step()
    if isinstance(function, FunctionValue):
        if function.kernel is not None:
            from ..kernels.launch import call_kernel

            return call_kernel(machine, function, args, kwargs, node)
        return call_function(machine, function, args, kwargs, node)
    if isinstance(function, Api):
        from ..device.api import call_api

        return call_api(machine, function, args, kwargs, node, env)
    if isinstance(function, Partial):
        return call_value(machine, function.function, [*function.args, *args], {**function.kwargs, **kwargs}, node, env)
    if isinstance(function, Either):
        return in_both(machine, function, lambda chosen: call_value(machine, chosen, args, kwargs, node, env))
    if isinstance(function, BoundMethod) and isinstance(function.function, FunctionValue):
        return call_function(machine, function.function, [function.receiver, *args], kwargs, node)
    if isinstance(function, Native):
        if function.name == "super" and env is not None:
            return _super(args, env)
        native = function
        return for_each(machine, args, kwargs, lambda args, kwargs: _native(machine, native, args, kwargs))
    args, kwargs = [as_one(value) for value in args], {name: as_one(value) for name, value in kwargs.items()}
    if isinstance(function, BoundMethod):
        if isinstance(function.function, Native):
            return function.function.call(machine, [function.receiver, *args], kwargs)
        from .methods import call_method

        return call_method(machine, function.receiver, function.function, args, kwargs, node)
    if isinstance(function, ClassValue):
        return instantiate(machine, function, args, kwargs, node)
    if isinstance(function, External):
        from .library.external import call_external

        return call_external(machine, function.name, args, kwargs, node)
    if isinstance(function, Instance):
        method = function.cls.lookup("__call__")
        if isinstance(method, FunctionValue):
            return call_function(machine, method, [function, *args], kwargs, node)
        from .library.standard import call_instance

        return call_instance(machine, function, args, kwargs, node)
    if isinstance(function, Unknown):
        escape(machine, [*args, *kwargs.values()], function.reason)
        return function
    from ..kernels.launch import Launcher, launch

    if isinstance(function, Launcher):
        return launch(machine, function, args, kwargs, node)
    return Unknown(f"call of {type(function).__name__}")


def _native(machine: Machine, function: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A built-in function; Python raises where its arguments don't fit, and the evaluator doesn't know how."""
    try:
        return function.call(machine, args, kwargs)
    except (TypeError, ValueError, IndexError, KeyError):
        return Unknown(f"`{function.name}` with these arguments")


def _super(args: list[Any], env: Environment) -> Any:
    """`super()` in a method, whose first parameter is the receiver, or `super(cls, receiver)`."""
    if len(args) == 2 and isinstance(args[0], ClassValue) and isinstance(args[1], (Instance, ClassValue)):
        return Super(args[1], args[0])
    here: Environment | None = env
    while here is not None and here.function is None:
        here = here.parent
    if args or here is None or here.parent is None or here.function is None or not here.function.params:
        return Unknown("`super()` outside a method")
    receiver = here.vars.get(here.function.params[0].name)
    classes = receiver.cls.mro() if isinstance(receiver, Instance) else []
    classes = receiver.mro() if isinstance(receiver, ClassValue) else classes
    owner = next((c for c in classes if c.attrs is here.parent.vars), None)
    return Unknown("`super()` outside a method") if owner is None else Super(receiver, owner)


def escape(machine: Machine, values: list[Any], reason: str) -> None:
    """Tensors handed to something that is not followed may be written there."""
    updates.touch_somewhere(machine, values, reason, machine.at)
    for value in values:
        if isinstance(value, View):
            machine.unknown(IncompleteAnalysis, f"a tensor is handed to something that is not followed: {reason}")
            return


def call_function(
    machine: Machine,
    function: FunctionValue,
    args: list[Any],
    kwargs: dict[str, Any],
    node: ir.Call | None = None,
) -> Any:
    """Evaluate a function of the project with these arguments."""
    if not isinstance(function, FunctionValue):
        return call_value(machine, function, args, kwargs, node)
    definition = function.node
    if machine.in_kernel:
        machine.trace.called.add(id(definition))
    if definition.is_generator:
        return _generate(machine, function, args, kwargs, node)
    if machine.depth >= MAX_DEPTH:
        raise IsUnknown(f"calls nested deeper than {MAX_DEPTH}")
    env = Environment(function.env.module, function.env, definition)
    problem = bind(function, args, kwargs, env)
    if problem is not None:
        at = node.at if node is not None else machine.at
        machine.need(CallSignature.message(callee=function.name, problem=problem), False, at)
        return explained(f"`{function.name}` {problem}")
    return _run(machine, function, env)


def _run(machine: Machine, function: FunctionValue, env: Environment) -> Any:
    from .statements import RESULT, run_block

    saved = machine.at, machine.callers
    machine.callers = (*machine.callers, machine.at)
    machine.functions.append(function.node)
    machine.depth += 1
    try:
        with frame(machine, Flow.RETURN) as opened:
            flow = run_block(machine, function.node.body, env)
            if flow is Flow.NEXT:
                machine.set(env.vars, RESULT, None)
            flow = settle(machine, opened, flow)
    finally:
        machine.depth -= 1
        machine.functions.pop()
        machine.at, machine.callers = saved
    if flow is Flow.DEAD:
        raise Fault
    return env.vars.get(RESULT)


def _generate(
    machine: Machine, function: FunctionValue, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None
) -> Any:
    raise IsUnknown(f"`{function.name}` is a generator")


def bind(function: FunctionValue, args: list[Any], kwargs: dict[str, Any], env: Environment) -> str | None:
    """Put arguments into `env`; what does not fit is described in the words of a finding."""
    params = function.node.params
    positional = [p for p in params if p.kind in ("positional", "positional-only")]
    star = next((p for p in params if p.kind == "*"), None)
    rest = next((p for p in params if p.kind == "**"), None)
    values = env.vars
    for parameter, value in zip(positional, args, strict=False):
        values[parameter.name] = value
    if len(args) > len(positional) and (star is None or not star.name):
        return f"takes {len(positional)} positional arguments, {len(args)} given"
    if star is not None and star.name:
        values[star.name] = tuple(args[len(positional) :])
    extra: dict[Any, Any] = {}
    by_name = {p.name for p in params if p.kind in ("positional", "keyword")}
    for name, value in kwargs.items():
        if name in by_name:
            if name in values:
                return f"got `{name}` twice"
            values[name] = value
        elif rest is not None:
            extra[name] = value
        else:
            return f"takes no argument `{name}`"
    if rest is not None:
        values[rest.name] = DictValue(extra)
    missing = []
    for parameter in params:
        if parameter.kind in ("*", "**") or parameter.name in values:
            continue
        if parameter.name in function.defaults:
            values[parameter.name] = function.defaults[parameter.name]
        else:
            missing.append(parameter.name)
    return "is missing " + ", ".join(f"`{m}`" for m in missing) if missing else None


def instantiate(
    machine: Machine, cls: ClassValue, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None
) -> Any:
    """A new object of a class of the project."""
    if cls.kind == "enum":
        return _enum_member(machine, cls, args)
    if cls.lookup("__new__") is not None:
        return Unknown(f"`{cls.name}` makes its objects itself")
    instance = Instance(cls, {})
    machine.contain(*args, *kwargs.values())
    init = cls.lookup("__init__")
    if isinstance(init, FunctionValue):
        call_function(machine, init, [instance, *args], kwargs, node)
    elif cls.kind in ("dataclass", "namedtuple"):
        _fill(machine, instance, args, kwargs, node)
    elif any(isinstance(base, External) for c in cls.mro() for base in c.bases) and (args or kwargs):
        for position, value in enumerate(args):
            instance.attrs[f"arg{position}"] = value
        instance.attrs.update(kwargs)
    elif kwargs:
        instance.attrs.update(kwargs)
    return instance


def _fill(machine: Machine, instance: Instance, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None) -> None:
    cls = instance.cls
    names = [name for name, default in cls.fields]
    given = dict(zip(names, args, strict=False))
    given.update(kwargs)
    unexpected = [k for k in kwargs if k not in names]
    if len(args) > len(names) or unexpected:
        problem = (
            f"takes no argument `{unexpected[0]}`" if unexpected else f"takes {len(names)} arguments, {len(args)} given"
        )
        machine.need(CallSignature.message(callee=cls.name, problem=problem), False, node.at if node else machine.at)
    for name, default in cls.fields:
        if name in given:
            instance.attrs[name] = given[name]
        elif default is not MISSING:
            instance.attrs[name] = field_default(machine, default)
        else:
            machine.need(
                CallSignature.message(callee=cls.name, problem=f"is missing `{name}`"),
                False,
                node.at if node else machine.at,
            )
            instance.attrs[name] = Unknown(f"`{name}` was not given")
    post = cls.lookup("__post_init__")
    if isinstance(post, FunctionValue):
        call_function(machine, post, [instance], {})


def field_default(machine: Machine, default: Any) -> Any:
    """The value of a dataclass field's default: `field(default_factory=...)` is called."""
    if isinstance(default, Instance) and default.cls.kind == "field":
        if default.attrs.get("default_factory") is not None:
            return call_value(machine, default.attrs["default_factory"], [], {})
        return default.attrs.get("default")
    return default


def _enum_member(machine: Machine, cls: ClassValue, args: list[Any]) -> Any:
    for member in cls.attrs.values():
        if isinstance(member, Instance) and args and joining.same(member.attrs.get("value"), args[0]):
            return member
    return Unknown(f"a member of `{cls.name}`")


__all__ = [
    "InputTensor",
    "ListValue",
    "bind",
    "call_function",
    "call_value",
    "escape",
    "instantiate",
    "settled",
]
