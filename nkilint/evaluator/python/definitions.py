"""Functions, classes, modules, imports, comprehensions and names."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state.machine import Machine, explained
from ..values.values import (
    MISSING,
    Api,
    ClassValue,
    DictValue,
    Environment,
    External,
    FunctionValue,
    GrownItems,
    Instance,
    ListValue,
    ModuleValue,
)
from . import assignment
from .iteration import items_of, symbolic_items


def builtin(name: str) -> Any:
    from .builtins import BUILTINS

    return BUILTINS.get(name, MISSING)


def undefined(machine: Machine, node: ir.Name, env: Environment) -> Any:
    """A name that is bound nowhere on this path."""
    if env.module.state == "incomplete" or "*" in env.module.env.vars:
        return Unknown(f"`{node.id}` may come from a star import that is not known")
    machine.need(UndefinedName.message(name=node.id), False, node.at)
    return explained(f"`{node.id}` is not defined")


# --- functions and classes ---


def define_function(machine: Machine, node: ir.FunctionDef, env: Environment) -> Any:
    from .calls import call_value
    from .expressions import evaluate

    defaults = {p.name: evaluate(machine, p.default, env) for p in node.params if p.default is not None}
    value: Any = FunctionValue(node, env, defaults, node.name)
    for decorator in reversed(node.decorators):
        wrapper = evaluate(machine, decorator, env)
        if isinstance(wrapper, Unknown):
            continue  # an unknown decorator is taken to keep the function's meaning
        value = call_value(machine, wrapper, [value], {}, None, env)
        if isinstance(value, Unknown):
            value = FunctionValue(node, env, defaults, node.name)
    return value


_KINDS = {
    "enum.Enum": "enum", "enum.IntEnum": "enum", "enum.Flag": "enum", "enum.IntFlag": "enum", "enum.StrEnum": "enum",
    "typing.NamedTuple": "namedtuple", "dataclasses.dataclass": "dataclass",
}  # fmt: skip


def define_class(machine: Machine, node: ir.ClassDef, env: Environment) -> Any:
    from .expressions import evaluate
    from .statements import run_block

    bases = tuple(evaluate(machine, base, env) for base in node.bases)
    kind = "class"
    for base in bases:
        if isinstance(base, ClassValue):
            kind = base.kind if base.kind in ("enum", "dataclass", "namedtuple") else kind
        elif isinstance(base, External):
            kind = _KINDS.get(base.name, kind)
    inner = Environment(env.module, env, None)
    inner.is_class = True
    run_block(machine, node.body, inner)
    cls = ClassValue(node.name, bases, inner.vars, env.module, kind)
    for base in reversed(bases):
        if isinstance(base, ClassValue):
            cls.fields += base.fields
    for statement in node.body:
        if isinstance(statement, ir.AnnAssign) and isinstance(statement.target, ir.Name):
            name = statement.target.id
            cls.fields = [f for f in cls.fields if f[0] != name] + [(name, inner.vars.get(name, MISSING))]
    for value in inner.vars.values():
        if isinstance(value, FunctionValue):
            value.owner = cls
        elif isinstance(value, Instance) and value.cls.kind in ("property", "staticmethod", "classmethod"):
            for function in value.attrs.values():
                if isinstance(function, FunctionValue):
                    function.owner = cls
    if kind == "enum":
        _make_members(machine, cls, node)
    for decorator in reversed(node.decorators):
        wrapper = evaluate(machine, decorator, env)
        if isinstance(wrapper, External) and wrapper.name == "dataclasses.dataclass":
            cls.kind = "dataclass"
        elif isinstance(wrapper, Instance) and wrapper.cls.kind == "dataclass decorator":
            cls.kind = "dataclass"
    return cls


def _make_members(machine: Machine, cls: ClassValue, node: ir.ClassDef) -> None:
    number = 0
    for name, value in list(cls.attrs.items()):
        if name.startswith("_") or (isinstance(value, (FunctionValue, Instance)) and not _plain(value)):
            continue
        if isinstance(value, Instance) and value.cls.name == "auto":
            number += 1
            value = number
        elif isinstance(value, int):
            number = value
        cls.attrs[name] = Instance(cls, {"name": name, "value": value})


def _plain(value: Any) -> bool:
    return isinstance(value, Instance) and value.cls.name == "auto"


# --- comprehensions ---


def comprehend(machine: Machine, node: ir.Comprehension, env: Environment) -> Any:
    from .expressions import evaluate, hashable

    inner = Environment(env.module, env, None)
    results: list[Any] = []
    if len(node.clauses) == 1 and not node.clauses[0][2] and node.kind in ("list", "generator"):
        symbolic = _symbolic_list(machine, node, env, inner)
        if symbolic is not None:
            return symbolic

    def run(depth: int) -> None:
        if depth == len(node.clauses):
            machine.step()
            element = evaluate(machine, node.element, inner)
            results.append((evaluate(machine, node.key, inner), element) if node.key is not None else element)
            return
        target, iterable, conditions = node.clauses[depth]
        values = evaluate(machine, iterable, env if depth == 0 else inner)
        for item in items_of(machine, values, iterable.at):
            assignment.assign(machine, target, item, inner, iterable)
            if all(_decided(machine, c, inner) for c in conditions):
                run(depth + 1)

    run(0)
    if node.kind == "dict":
        return DictValue({hashable(k): v for k, v in results})
    if node.kind == "set":
        return DictValue({hashable(v): None for v in results}, "set")
    return ListValue(results)


def _decided(machine: Machine, node: ir.Expr, env: Environment) -> bool:
    from .expressions import evaluate, truth_of

    truth = machine.truth(truth_of(machine, evaluate(machine, node, env), node))
    if truth is None:
        raise IsUnknown("a comprehension whose condition depends on the input")
    return truth


def _symbolic_list(machine: Machine, node: ir.Comprehension, env: Environment, inner: Environment) -> Any:
    """A list built over a range of symbolic length: one element, evaluated at a symbolic position."""
    from ..state.trace import Loop
    from .expressions import evaluate

    target, iterable, _ = node.clauses[0]
    values = evaluate(machine, iterable, env)
    symbolic = symbolic_items(values)
    if symbolic is None:
        return _over_items(machine, node, values, inner)
    trips, item = symbolic
    name = target.id if isinstance(target, ir.Name) else "i"
    index = machine.fresh_sym(name, "loop", 0, trips - 1, f"line {node.at.row}")
    loops, facts = machine.loops, machine.facts
    machine.loops = (*loops, Loop(name, "static_range", index, trips, node.at))
    machine.assume(index < trips)
    assignment.assign(machine, target, item(index), inner, iterable)
    element = evaluate(machine, node.element, inner)
    machine.loops, machine.facts = loops, facts
    return ListValue(GrownItems((), (element,), index, trips))


def _over_items(machine: Machine, node: ir.Comprehension, values: Any, inner: Environment) -> Any:
    from .expressions import evaluate

    target, iterable, _ = node.clauses[0]
    results = []
    for item in items_of(machine, values, iterable.at):
        machine.step()
        assignment.assign(machine, target, item, inner, iterable)
        results.append(evaluate(machine, node.element, inner))
    return ListValue(results)


# --- context managers ---


def enter_context(machine: Machine, manager: Any) -> Any:
    from .calls import call_function

    if isinstance(manager, Instance) and manager.cls.lookup("__enter__") is not None:
        return call_function(machine, manager.cls.lookup("__enter__"), [manager], {})
    return manager


def leave_context(machine: Machine, manager: Any) -> None:
    from .calls import call_function

    if isinstance(manager, Instance) and manager.cls.lookup("__exit__") is not None:
        call_function(machine, manager.cls.lookup("__exit__"), [manager, None, None, None], {})


# --- modules ---


def run_module(machine: Machine, module: ModuleValue) -> None:
    """Evaluate a module's definitions, once."""
    if module.state != "new" or module.ir is None:
        return
    from .statements import run_block

    module.state = "running"
    saved = (machine.facts, machine.loops, machine.in_kernel, machine.at, machine.callers, machine.recording)
    machine.facts, machine.loops, machine.in_kernel, machine.callers = None, (), False, ()
    machine.recording = 0
    module.env.vars.setdefault("__name__", module.name)
    module.env.vars.setdefault("__file__", module.ir.path)
    try:
        run_block(machine, module.ir.body, module.env)
    finally:
        machine.facts, machine.loops, machine.in_kernel, machine.at, machine.callers, machine.recording = saved
        module.state = "done"


def submodule(machine: Machine, module: ModuleValue, name: str) -> Any:
    """A module of a package, for `import package` followed by `package.name`."""
    if module.ir is None:
        return MISSING
    found = machine.modules(module, f"{module.name}.{name}", 0)
    return found if isinstance(found, ModuleValue) else MISSING


def run_import(machine: Machine, node: ir.Import | ir.ImportFrom, env: Environment) -> None:
    if isinstance(node, ir.Import):
        for name, alias in node.names:
            target = machine.modules(env.module, name, 0)
            if alias is not None or "." not in name:
                machine.assign(env, alias or name, target)
            else:
                top = name.partition(".")[0]
                machine.assign(env, top, machine.modules(env.module, top, 0))
        return
    source = machine.modules(env.module, node.module, node.level)
    for name, alias in node.names:
        if name == "*":
            _import_all(machine, source, env)
        else:
            machine.assign(env, alias, _member(machine, source, name, node))


def _member(machine: Machine, source: Any, name: str, node: ir.ImportFrom) -> Any:
    from .attributes import get_attribute

    if isinstance(source, ModuleValue):
        run_module(machine, source)
        found = source.env.vars.get(name, MISSING)
        if found is MISSING:
            child = machine.modules(source, name, 1 if _is_package(source) else 0) if _is_package(source) else MISSING
            found = child if isinstance(child, ModuleValue) else MISSING
        return Unknown(f"`{source.name}` has no `{name}`") if found is MISSING else found
    if isinstance(source, Unknown):
        return source
    return get_attribute(machine, source, name, ir.Attr(node.at, ir.Name(node.at, node.module), name))


def _is_package(module: ModuleValue) -> bool:
    return module.ir is not None and module.ir.path.endswith("__init__.py")


def _import_all(machine: Machine, source: Any, env: Environment) -> None:
    if isinstance(source, ModuleValue):
        run_module(machine, source)
        for name, value in list(source.env.vars.items()):
            if not name.startswith("_"):
                machine.assign(env, name, value)
    elif isinstance(source, Api):
        from ..device.api import public_names

        for name, value in public_names(machine, source).items():
            machine.assign(env, name, value)
    else:
        env.vars["*"] = source
