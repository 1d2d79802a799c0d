"""Functions: their definition, and calls of those of the project."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any

from nkilint.base import ir
from nkilint.base.signatures import misfit
from nkilint.project.docstrings import docstring_ranks
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.words.conditions import IsUnknown

from ..state import protocols
from ..state.machine import MAX_DEPTH, Fault, Machine, explained
from ..state.paths import Flow, demand, end_frame, frame
from ..state.trace import Called
from ..values.containers import DictValue
from ..values.inputs import MADE_FOR_TENSORS, InputTensor
from ..values.objects import RESULT, Environment, External, FunctionValue, Managed
from .generators import generator
from .interpreter import evaluate, run_block, runs


@runs(ir.FunctionDef)
def _function(machine: Machine, node: ir.FunctionDef, env: Environment) -> Flow:
    machine.assign(env, node.name, define_function(machine, node, env))
    return Flow.NEXT


def define_function(machine: Machine, node: ir.FunctionDef, env: Environment) -> Any:
    wrappers = [evaluate(machine, decorator, env) for decorator in node.decorators]
    defaults = {p.name: evaluate(machine, p.default, env) for p in node.params if p.default is not None}
    check_annotations(machine, [*(p.annotation for p in node.params), node.returns], env)
    value: Any = FunctionValue(node, env, defaults, node.name)
    for wrapper in reversed(wrappers):
        if isinstance(wrapper, External) and wrapper.name.partition(".")[0] in _KEEPING:
            continue
        value = protocols.call(machine, wrapper, [value], {}, None, env)
    return value


def check_annotations(machine: Machine, annotations: Iterable[ir.Expr | None], env: Environment) -> None:
    """What annotations raise: Python evaluates them where they stand, unless the file puts that off."""
    if env.module.ir is None or _puts_off(env.module.ir):
        return
    for annotation in annotations:
        if annotation is not None:
            with suppress(IsUnknown):
                evaluate(machine, annotation, env)


@lru_cache(1_024)
def _puts_off(module: ir.Module) -> bool:
    futures = (s for s in module.body if isinstance(s, ir.ImportFrom) and s.module == "__future__")
    return any(name == "annotations" for statement in futures for name, _ in statement.names)


_KEEPING = frozenset({"jax", "pytest", "torch", "torch_xla", "typing", "typing_extensions", "unittest"})
"""Packages whose decorators keep what a function does, as far as kernels and their sizes go."""


def call_function(
    machine: Machine,
    function: FunctionValue,
    args: list[Any],
    kwargs: dict[str, Any],
    node: ir.Call | None = None,
) -> Any:
    """Evaluate a function of the project with these arguments."""
    if not isinstance(function, FunctionValue):
        return protocols.call(machine, function, args, kwargs, node)
    definition = function.node
    if machine.in_kernel:
        machine.trace.called.add(id(definition))
        if node is not None and machine.functions:
            given = sum(key is None for key, _ in node.args)
            machine.trace.calls.setdefault((node, definition), Called(machine.functions[-1], len(args) - given))
    endless = machine.memo.setdefault("endless", set())  # functions in which calls came to be nested too deep
    if machine.depth >= MAX_DEPTH or (id(definition) in endless and any(f is definition for f in machine.functions)):
        endless.add(id(definition))
        raise IsUnknown(f"calls nested deeper than {MAX_DEPTH}")
    env = Environment(function.env.module, function.env, definition)
    problem = bind(function, args, kwargs, env)
    if problem is not None:
        at = node.at if node is not None else machine.at
        demand(machine, "TypeError", CallSignature.message(callee=function.name, problem=problem), False, at)
        return explained(f"`{function.name}` {problem}")
    if machine.in_kernel:
        _note_ranks(machine, definition, env)
    if definition.is_generator:
        return generator(machine, function, env, lambda: _run(machine, function, env))
    return _run(machine, function, env)


def _note_ranks(machine: Machine, function: ir.FunctionDef, env: Environment) -> None:
    """What the docstring of a function says of the dimensions of inputs that it gets, of which nothing else tells."""
    made = machine.memo.get(MADE_FOR_TENSORS, {})
    for parameter in function.params:
        value = env.vars.get(parameter.name)
        tensor = made[id(value)][1] if id(value) in made else value
        if isinstance(tensor, InputTensor) and tensor.is_open and tensor.view is None and "number" not in tensor.cell:
            rank, only = told_ranks(function).get(parameter.name, (0, False))
            if only and machine.trace.ranks_told.setdefault(tensor.name, rank) == rank:
                text = f"{tensor.name} has {rank} dimensions, as a docstring says"
                machine.trace.assumptions.setdefault(text, None)


told_ranks = lru_cache(1_024)(docstring_ranks)


def run_managed(machine: Machine, manager: Managed, on_yield: Callable[[Any, bool], Any]) -> None:
    """Run the generator behind a `with`, whose one `yield` runs the block."""
    function = manager.function
    env = Environment(function.env.module, function.env, function.node)
    problem = bind(function, list(manager.args), manager.kwargs, env)
    if problem is not None:
        raise IsUnknown(f"`{function.name}` {problem}")
    env.on_yield = on_yield
    _run(machine, function, env)


def _run(machine: Machine, function: FunctionValue, env: Environment) -> Any:
    saved = machine.at, machine.callers
    machine.callers = (*machine.callers, machine.at)
    machine.functions.append(function.node)
    machine.depth += 1
    try:
        with frame(machine, Flow.RETURN) as opened:
            flow = run_block(machine, function.node.body, env)
            if flow is Flow.NEXT:
                machine.set(env.vars, RESULT, None)
            flow = end_frame(machine, opened, flow, env.vars)
    finally:
        machine.depth -= 1
        machine.functions.pop()
        machine.at, machine.callers = saved
    if flow is not Flow.NEXT:
        raise Fault(machine.raising)
    return env.vars.get(RESULT)


def bind(function: FunctionValue, args: list[Any], kwargs: dict[str, Any], env: Environment) -> str | None:
    """Put arguments into `env`; what does not fit is described in the words of a finding."""
    params = function.node.params
    problem = misfit(params, len(args), list(kwargs))
    if problem is not None:
        return problem
    positional = [p.name for p in params if p.kind in ("positional", "positional-only")]
    by_name = {p.name for p in params if p.kind in ("positional", "keyword")}
    given = {**function.defaults, **dict(zip(positional, args, strict=False))}
    given.update((name, value) for name, value in kwargs.items() if name in by_name)
    for parameter in params:
        if parameter.kind == "**":
            env.vars[parameter.name] = DictValue({n: v for n, v in kwargs.items() if n not in by_name})
        elif parameter.kind != "*":
            env.vars[parameter.name] = given[parameter.name]
        elif parameter.name:
            env.vars[parameter.name] = tuple(args[len(positional) :])
    return None
