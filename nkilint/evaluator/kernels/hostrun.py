"""Finds the calls of kernels in host code by evaluating it: main blocks, tests, benchmarks and scripts."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.targets import Target

from ..python.functions import call_function
from ..python.interpreter import evaluate, run_block
from ..python.modules import run_module
from ..state.machine import Fault, Machine, Stop
from ..state.modules import Modules
from ..state.protocols import items_of
from ..state.trace import Outside
from ..values.cells import Cell
from ..values.objects import ClassValue, FunctionValue, KernelValue, ModuleValue
from .launch import Launch, describe

HOST_STEPS = 40_000  # per function of host code
MAX_CASES = 8  # parametrised cases of one test


def find_launches(
    module: ir.Module, modules: Modules, target: Target, kernels: frozenset[str]
) -> tuple[list[Launch], list[Outside]]:
    """Calls of kernels that running `module` as a script, or its tests, would make, and operations outside any."""
    value = modules.value(module)
    related = _related(module, kernels)
    machines = [_machine(target, modules)]
    _guarded(machines[0], partial(run_module, machines[0], value))
    for statement in module.body:
        if isinstance(statement, ir.If) and _tests_name(statement.test):
            machines.append(_machine(target, modules))
            machines[-1].is_program = True
            _guarded(machines[-1], partial(run_block, machines[-1], statement.then, value.env))
    for statement in module.body:
        for function, receiver in _functions(statement, value):
            if function.node.name in related and not isinstance(function, KernelValue):
                machines += _call_host(function, receiver, modules, target)
    outside = [o for machine in machines for o in machine.trace.outside]
    return _distinct([launch for machine in machines for launch in machine.launches]), outside


def _machine(target: Target, modules: Modules) -> Machine:
    return Machine(target, "neuronxcc", lambda condition, facts: None, modules, "", HOST_STEPS)


def _guarded(machine: Machine, work: Any) -> None:
    """Run host code as far as it can be followed; its changes are undone."""
    try:
        work()
    except (Stop, Fault, IsUnknown, RecursionError):
        return


def _functions(statement: ir.Stmt, module: ModuleValue) -> list[tuple[FunctionValue, Any]]:
    if isinstance(statement, ir.FunctionDef):
        found = module.env.vars.get(statement.name)
        return [(found, None)] if isinstance(found, FunctionValue) and found.node is statement else []
    if isinstance(statement, ir.ClassDef):
        cls = module.env.vars.get(statement.name)
        methods = cls.attrs if isinstance(cls, ClassValue) else {}
        return [(m, cls) for m in methods.values() if isinstance(m, FunctionValue) and m.name.startswith("test")]
    return []


def _tests_name(test: ir.Expr) -> bool:
    return any(isinstance(n, ir.Name) and n.id == "__name__" for n in walk(test))


def _related(module: ir.Module, kernels: frozenset[str]) -> frozenset[str]:
    """Functions from which a kernel's name can be reached."""
    mentions: dict[str, set[str]] = {}
    for statement in module.body:
        functions = [statement] if isinstance(statement, ir.FunctionDef) else []
        if isinstance(statement, ir.ClassDef):
            functions = [s for s in statement.body if isinstance(s, ir.FunctionDef)]
        for function in functions:
            if function.name in kernels:
                continue
            nodes = [n for n in walk(function.body) if isinstance(n, (ir.Name, ir.Attr))]
            mentions[function.name] = {n.id if isinstance(n, ir.Name) else n.name for n in nodes}
    reached = set(kernels)
    while True:
        more = {f for f, names in mentions.items() if f not in reached and names & reached}
        if not more:
            return frozenset(reached)
        reached |= more


def _call_host(function: FunctionValue, receiver: Any, modules: Modules, target: Target) -> list[Machine]:
    found: list[Machine] = []
    params = [p for p in function.node.params if p.kind in ("positional", "positional-only", "keyword")]
    if receiver is not None:
        params = params[1:]
    for case in _cases(function, modules, target):
        required = [p for p in params if p.default is None and p.name not in case]
        machine = _machine(target, modules)
        machine.is_program = True
        machine.host_only = bool(required) and not function.name.startswith("test")
        given = {**case, **{p.name: Unknown(f"`{p.name}`, which `{function.name}` is given") for p in required}}
        first = [Unknown("the object of a test")] if receiver is not None else []
        born = Cell.made
        with machine.recorded() as mark:
            _guarded(machine, partial(call_function, machine, function, first, given))
            machine.undo(mark, born)
        if machine.host_only:
            # Nothing is known of the arguments, nor whether anything calls it: but a grid of numbers is what it is.
            machine.launches = [launch for launch in machine.launches if _is_fixed(launch.grid)]
            machine.trace.outside.clear()
        found.append(machine)
    return found


def _is_fixed(grid: tuple[Any, ...]) -> bool:
    """Whether a launch is on several programs, of a number that hangs on nothing."""
    return all(isinstance(size, int) for size in grid) and any(size != 1 for size in grid)


def _cases(function: FunctionValue, modules: Modules, target: Target) -> list[dict[str, Any]]:
    """The arguments that `pytest.mark.parametrize` gives, combined."""
    machine = _machine(target, modules)
    axes: list[list[dict[str, Any]]] = []
    for decorator in function.node.decorators:
        if not isinstance(decorator, ir.Call) or not isinstance(decorator.func, ir.Attr):
            continue
        if decorator.func.name != "parametrize" or len(decorator.args) < 2:
            continue
        names = evaluate(machine, decorator.args[0][1], function.env)
        values = evaluate(machine, decorator.args[1][1], function.env)
        try:
            keys = [n.strip() for n in names.split(",")] if isinstance(names, str) else items_of(machine, names)
            rows = [items_of(machine, v) if len(keys) > 1 else [v] for v in items_of(machine, values)]
        except IsUnknown:
            continue
        axes.append([dict(zip(keys, row, strict=False)) for row in rows])
    combined = itertools.islice(itertools.product(*axes), MAX_CASES)
    return [{k: v for part in parts for k, v in part.items()} for parts in combined]


def _distinct(launches: list[Launch]) -> list[Launch]:
    seen: dict[Any, Launch] = {}
    for launch in launches:
        seen.setdefault((id(launch.function.node), _key(launch.args), _key(launch.kwargs), _key(launch.grid)), launch)
    return list(seen.values())


def _key(value: Any) -> str:
    if isinstance(value, dict):
        return repr({k: describe(v) for k, v in value.items()})
    return repr([describe(v) for v in value])
