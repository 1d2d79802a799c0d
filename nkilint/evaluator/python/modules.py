"""Modules of the project and imports."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import statements, walk
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..device.api import public_names, resolve
from ..state import protocols
from ..state.havoc import DEFINED
from ..state.machine import Machine, explained
from ..state.paths import Flow, demand, is_handled, leave_where
from ..state.protocols import get_attribute, items_of
from ..values.cells import MISSING, Cell
from ..values.choices import Unbound, among
from ..values.objects import Api, AttributesValue, ClassValue, Environment, External, ModuleValue
from .absent import OF_PYTHON, ended, has, inside, is_no_module, note_absent
from .exceptions import class_of
from .interpreter import run_block, runs
from .library.external import lacks

protocols.truths.of(ModuleValue)(lambda machine, value, node: True)


@protocols.attributes.of(ModuleValue)
def _attribute(machine: Machine, module: ModuleValue, name: str, node: ir.Attr) -> Any:
    run_module(machine, module)
    if name == "__dict__":
        return AttributesValue(module.env)
    found = module.env.vars.get(name, MISSING)
    if found is MISSING:
        found = submodule(machine, module, name)
    if isinstance(found, Unbound):
        return found.value
    return Unknown(f"`{module.name}` has no `{name}`") if found is MISSING else found


@protocols.attributes_set.of(ModuleValue)
def _set_attribute(machine: Machine, module: ModuleValue, name: str, new: Any) -> None:
    run_module(machine, module)
    machine.contain(new)
    machine.set(module.env.vars, name, new)


def run_module(machine: Machine, module: ModuleValue) -> None:
    """Evaluate a module's definitions, once."""
    if module.state != "new" or module.ir is None:
        return
    module.state = "running"
    saved = (machine.facts, machine.loops, machine.in_kernel, machine.at, machine.callers, machine.recording)
    machine.facts, machine.loops, machine.in_kernel, machine.callers = None, (), False, ()
    machine.recording = 0
    around, machine.importing = machine.importing, module
    born = Cell.made
    module.env.vars.setdefault("__name__", module.name)
    module.env.vars.setdefault("__file__", module.ir.path)
    try:
        if run_block(machine, module.ir.body, module.env) is Flow.DEAD:
            module.raised = _ending(machine)
    finally:
        machine.facts, machine.loops, machine.in_kernel, machine.at, machine.callers, machine.recording = saved
        machine.importing = around
        module.state = "done"
        machine.modules.lasting += [(module.env.vars.born - 1, module.env.vars.born), (born, Cell.made)]


def _ending(machine: Machine) -> str:
    """What the import of a module certainly raises, in words; nothing where that is how a program ends."""
    raised = machine.raising
    cls = class_of(str(raised) if isinstance(raised, str) else raised)
    name = cls.name.removeprefix("builtins.") if isinstance(cls, (ClassValue, External)) else "an exception"
    return "" if name == "SystemExit" else ended(machine.at.row, name)


def submodule(machine: Machine, module: ModuleValue, name: str) -> Any:
    """A module of a package, for `import package` followed by `package.name`."""
    if module.ir is None:
        return MISSING
    found = machine.modules(module, f"{module.name}.{name}", 0)
    return found if isinstance(found, ModuleValue) else MISSING


@runs(ir.Import, ir.ImportFrom)
def _import(machine: Machine, node: ir.Import | ir.ImportFrom, env: Environment) -> Flow:
    handled = is_handled(machine, _ABSENT)
    if (handled or machine.in_kernel) and any(map(machine.modules.may_lack, _imported(machine, node, env))):
        if handled:
            leave_where(machine, Flow.RAISE, machine.undecided(f"line {node.at.row}: a module is not found"), _ABSENT)
        else:
            machine.doubt("an import of what may not be there")
    _bind_import(machine, node, env)
    if _is_certain(machine, env) and not (handled or is_handled(machine, "ImportError")):
        note_absent(machine, node, env)
    return Flow.NEXT


_ABSENT = "ModuleNotFoundError"


def _imported(machine: Machine, node: ir.Import | ir.ImportFrom, env: Environment) -> Iterator[Any]:
    """What is looked for under other names; whether it is there is not known of what is not found here."""
    if isinstance(node, ir.Import):
        for name, _ in node.names:
            found = machine.modules(env.module, name, 0)
            yield Unknown(f"module `{name}` is not found") if is_no_module(machine, found) else found
        return
    source = machine.modules(env.module, node.module, node.level)
    yield source
    handled = is_handled(machine, _ABSENT)
    if isinstance(source, External) and source.name in OF_PYTHON:
        here = importlib.import_module(source.name)
        missing = [name for name, _ in node.names if not has(here, name)]
        unsure = [name for name in missing if handled or not lacks(machine, source, name)]
        yield from (Unknown(f"`{source.name}` has no `{name}`") for name in unsure)
    if isinstance(source, Api) and not handled and source.name not in _TOLD:
        yield from (
            resolve(machine, source.dialect, inside(source, name), None) for name, _ in node.names if name != "*"
        )
    if isinstance(source, (Api, ModuleValue)) and handled:
        yield from (_member(machine, source, name, node) for name, _ in node.names if name != "*")


_TOLD = ("language", "isa")
"""Modules of `nki` of whose names a rule says that they are not documented."""


def _bind_import(machine: Machine, node: ir.Import | ir.ImportFrom, env: Environment) -> None:
    if isinstance(node, ir.Import):
        for name, alias in node.names:
            target = machine.modules(env.module, name, 0)
            _note_imported(machine, env, target)
            _run_what_reaches_out(machine, target)
            if alias is not None or "." not in name:
                machine.assign(env, alias or name, target)
            else:
                top = name.partition(".")[0]
                machine.assign(env, top, machine.modules(env.module, top, 0))
        return
    source = machine.modules(env.module, node.module, node.level)
    _note_imported(machine, env, source)
    _run_what_reaches_out(machine, source)
    for name, alias in node.names:
        if name == "*":
            _import_all(machine, source, env)
        else:
            found = _member(machine, source, name, node)
            machine.assign(env, alias, found)
            _note_imported(machine, env, found)
            if _is_certain(machine, env) and _surely_lacks(machine, source, name):
                env.module.raised = env.module.raised or ended(node.at.row, "ImportError")


def _is_certain(machine: Machine, env: Environment) -> bool:
    """Whether a statement is one of a file itself, which nothing decides about."""
    return env.parent is None and machine.facts is None


def _note_imported(machine: Machine, env: Environment, target: Any) -> None:
    """What else has to come to its end for the import of a file."""
    surely = _is_certain(machine, env) and not is_handled(machine, "ImportError")
    if surely and isinstance(target, ModuleValue) and target is not env.module:
        env.module.imports.append(target)


def _member(machine: Machine, source: Any, name: str, node: ir.ImportFrom) -> Any:
    if isinstance(source, ModuleValue):
        run_module(machine, source)
        found = source.env.vars.get(name, MISSING)
        if found is MISSING:
            child = machine.modules(source, name, 1 if _is_package(source) else 0) if _is_package(source) else MISSING
            found = child if isinstance(child, ModuleValue) else MISSING
            _run_what_reaches_out(machine, found)
        return _lacking(machine, source, name, node) if found is MISSING else found
    if isinstance(source, Unknown):
        return source
    if isinstance(source, External) and lacks(machine, source, name):
        return _lacking(machine, source, name, node)  # another exception is raised than by the attribute
    return get_attribute(machine, source, name, ir.Attr(node.at, ir.Name(node.at, node.module), name))


def _run_what_reaches_out(machine: Machine, module: Any) -> None:
    """Evaluate a module that is imported, and packages around it first, for what they do to others; what only defines
    waits until it is used."""
    if not isinstance(module, ModuleValue):
        return
    if package := module.name.rpartition(".")[0]:
        _run_what_reaches_out(machine, machine.modules(module, package, 0))
    if module.state != "new" or module.ir is None:
        return
    key = "reaches out", module.name
    if key not in machine.memo:
        machine.memo[key] = _reaches_out(machine, module, module.ir)
    if machine.memo[key]:
        run_module(machine, module)


def _reaches_out(machine: Machine, module: ModuleValue, source: ir.Module) -> bool:
    """Whether the statements of a module change or call what it has of other modules of the project."""
    changing: list[ir.Expr] = []
    imported: dict[str, tuple[str, int]] = {}
    anything: list[tuple[str, int]] = []  # where a star may have brought any name from
    for part in statements(source.body):
        if isinstance(part, ir.ImportFrom):
            imported |= {alias or name: (part.module, part.level) for name, alias in part.names}
            anything += [(part.module, part.level) for name, _ in part.names if name == "*"]
        elif isinstance(part, ir.Import):
            imported |= {alias or name.partition(".")[0]: (name, 0) for name, alias in part.names}
        elif isinstance(part, ir.ExprStmt):
            changing.append(part.value)
        elif isinstance(part, (ir.FunctionDef, ir.ClassDef)):
            changing += part.decorators
        else:
            changing += [target for target, _ in part.assigns if isinstance(target, (ir.Attr, ir.Index))]
    used = {part.id for part in walk(changing) if isinstance(part, ir.Name)}
    sources = dict.fromkeys([*(imported[name] for name in sorted(used & imported.keys())), *(anything if used else ())])
    return any(isinstance(machine.modules(module, *each), ModuleValue) for each in sources)


def _is_package(module: ModuleValue) -> bool:
    return module.ir is not None and module.ir.path.endswith("__init__.py")


def _import_all(machine: Machine, source: Any, env: Environment) -> None:
    if isinstance(source, ModuleValue):
        run_module(machine, source)
        _import_public(machine, source, env)
    elif isinstance(source, Api):
        for name, value in public_names(machine, source).items():
            machine.assign(env, name, value)
    else:
        _import_anything(machine, source, env)


def _import_anything(machine: Machine, source: Any, env: Environment) -> None:
    """What is bound there is not known; what was imported or defined before is taken to stay that."""
    env.vars["*"] = source
    for name, value in list(env.vars.items()):
        if not isinstance(value, DEFINED) and name != "*" and not name.startswith("__"):
            reason = source.reason if isinstance(source, Unknown) else f"`{source.name}` may bind `{name}`"
            machine.assign(env, name, among(reason, value))


def _surely_lacks(machine: Machine, source: Any, name: str) -> bool:
    """Whether an import ends because nothing that a module of the project did so far binds a name."""
    if not isinstance(source, ModuleValue) or source.ir is None or source.state != "done" or _is_package(source):
        return False
    if source.raised or not source.env.vars.keys().isdisjoint((name, "*", "__getattr__")):
        return False
    used = {part.id for part in walk(source.ir.body) if isinstance(part, ir.Name)}
    return used.isdisjoint(_BINDING) and not is_handled(machine, "ImportError")


_BINDING = frozenset({"eval", "exec", "globals", "locals", "setattr", "sys", "vars"})
"""What may bind names of a module by other means than those that are followed."""


def _lacking(machine: Machine, source: External | ModuleValue, name: str, node: ir.ImportFrom) -> Unknown:
    """What a module does not have: at the top of a file the text tells of it."""
    reason = f"`{source.name}` has no `{name}`"
    if machine.in_kernel and isinstance(source, External):
        demand(machine, "ImportError", UndefinedName.imported(module=source.name, name=name), False, node.at)
        return explained(reason)
    if machine.in_kernel and not is_handled(machine, "ImportError"):
        machine.doubt(reason)
    return Unknown(reason)


def _import_public(machine: Machine, source: ModuleValue, env: Environment) -> None:
    """What `__all__` lists, or else all that begins with no underscore."""
    public = source.env.vars.get("__all__", MISSING)
    names = [name for name in source.env.vars if not name.startswith("_")]
    try:
        names = names if public is MISSING else items_of(machine, public)
        if not all(isinstance(name, str) for name in names):
            raise IsUnknown(f"what `{source.name}` lists")
    except IsUnknown as unknown:
        _import_anything(machine, Unknown(unknown.reason), env)
        return
    for name in names:
        value = source.env.vars.get(name, MISSING)
        value = submodule(machine, source, name) if value is MISSING else value
        machine.assign(env, name, Unknown(f"`{source.name}` has no `{name}`") if value is MISSING else value)
