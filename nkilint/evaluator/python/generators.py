"""Generators: functions that give values one by one.

Their body runs when the first value is asked for, to its end. That is what Python does where all values are taken at
once; where they are taken one by one, nothing else may see or change what the body sees and changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state import protocols
from ..state.havoc import changeable, declared
from ..state.machine import Fault, Machine
from ..values.cells import MISSING, Cell
from ..values.containers import ListValue
from ..values.grown import GrownItems
from ..values.iterators import End, IteratorValue
from ..values.objects import Environment, FunctionValue, ModuleValue
from .interpreter import evaluate, evaluates
from .types.list_methods import extend


@evaluates(ir.Yield)
def _yield(machine: Machine, node: ir.Yield, env: Environment) -> Any:
    value = None if node.value is None else evaluate(machine, node.value, env)
    here: Environment | None = env
    while here is not None and here.function is None:
        here = here.parent
    if here is None or here.on_yield is None:
        raise IsUnknown("`yield` outside a generator")
    return here.on_yield(value, node.each)


def generator(machine: Machine, function: FunctionValue, env: Environment, run: Callable[[], Any]) -> IteratorValue:
    """What a call of a generator gives; `run` evaluates its body in `env`."""
    given = ListValue()

    def gather(value: Any, each: bool) -> Any:
        try:
            extend(machine, given, tuple(protocols.items_of(machine, value)) if each else (value,))
        except IsUnknown as unknown:
            machine.set(given.cell, "items", Unknown(unknown.reason))
        return Unknown("what another generator returns") if each else None

    def advance(machine: Machine, cell: Cell) -> Any:
        position, items = made.count(), given.items
        if position >= len(items):
            raise End
        machine.set(cell, "position", position + 1)
        return items[position]

    def prepare(machine: Machine, entirely: bool) -> None:
        if "began" not in made.cell:
            machine.set(made.cell, "began", True)
            _begin(machine, function, env, run, made, given, entirely)

    def whole(machine: Machine) -> Any:
        items = given.cell["items"]
        return (items.length, items.at) if isinstance(items, GrownItems) and made.count() == 0 else None

    env.on_yield = gather
    made = IteratorValue(advance, lambda: (function, env, given), whole)
    made.prepare = prepare
    return made


def _begin(
    machine: Machine,
    function: FunctionValue,
    env: Environment,
    run: Callable[[], Any],
    made: IteratorValue,
    given: ListValue,
    entirely: bool,
) -> None:
    """Run the body, of which all values are taken at once if `entirely`."""
    reason = f"the generator `{function.name}`"

    def give_up() -> NoReturn:
        machine.set(made.cell, "over", Unknown(reason))
        protocols.escape(machine, list(made.parts()), reason)
        raise IsUnknown(reason)

    endless = any(isinstance(part, ir.While) and isinstance(part.test, ir.Const) for part in walk(function.node.body))
    if endless or not (entirely or (_alone(machine, function, env) and not _is_sent_to(function.node))):
        give_up()
    born, told = Cell.made, machine.trace.told
    with machine.recorded() as mark:
        try:
            run()
        except (Fault, IsUnknown):
            if not entirely:
                give_up()
            raise
        own = {id(env.vars), id(given.cell), id(made.cell)}
        changes = [c for c in machine.changes(mark, born).values() if id(c[0]) not in own]
    if (changes or _does_something(machine, told[0])) and not entirely:
        for cell, key, _, _ in changes:
            machine.set(cell, key, Unknown(reason))
        machine.trace.forget(*told, reason)
        give_up()


def _is_sent_to(function: ir.FunctionDef) -> bool:
    """Whether it looks at what `yield` gives, which is None but where a value is sent."""
    nodes = list(walk(function.body))
    named = Counter(part.id for part in nodes if isinstance(part, ir.Name))
    dropped = {id(part.value) for part in nodes if isinstance(part, ir.ExprStmt)}
    for part in nodes:
        for target, value in part.assigns if isinstance(part, ir.Stmt) else ():
            if isinstance(target, ir.Name) and named[target.id] == 1:
                dropped.add(id(value))
    return any(isinstance(part, ir.Yield) and not part.each and id(part) not in dropped for part in nodes)


def _does_something(machine: Machine, events: int) -> bool:
    """Whether the device was asked for more since than for tensors: when that happens decides what it does."""
    return any(event.kind == "operation" for event in machine.trace.events[events:])


def _alone(machine: Machine, function: FunctionValue, env: Environment) -> bool:
    """Whether nothing that the generator reads can be changed by others."""
    if any(True for _ in changeable(machine, env.vars.values())):
        return False
    used = {part.id for part in walk(function.node.body) if isinstance(part, ir.Name)} - function.node.locals
    module = function.env.module
    for name in sorted(used):
        if function.env.around(name) is not module.env:
            return False
        value = module.env.vars.get(name, MISSING)
        constant = value is MISSING or isinstance(value, ModuleValue) or name not in declared(machine, module, "global")
        if not constant or any(True for _ in changeable(machine, [value])):
            return False
    return True
