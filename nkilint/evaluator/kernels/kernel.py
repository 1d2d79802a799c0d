"""Running one kernel: its parameters made symbolic or concrete, its body evaluated, its trace handed back."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any

from nkilint.base import ir
from nkilint.project.host_grids import HostGrid
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.work import OutOfWork
from nkilint_rules.language.vacuous_check import VacuousCheck
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.targets import Target

from ..device.language import programs_along
from ..device.versions import check_launch, check_namespace, check_options, check_python
from ..python.interpreter import evaluate, run_block
from ..python.modules import run_module
from ..python.statements import return_event
from ..state.machine import NO_VARIABLES, VARIABLES_SET, Fault, Machine, Stop
from ..state.modules import Modules
from ..state.paths import Flow, end_frame, frame
from ..state.protocols import items_of, truth_of
from ..values.cells import Cell
from ..values.inputs import InputTensor
from ..values.objects import RESULT, Api, Environment, FunctionValue, ModuleValue
from .before_launch import forget_settings
from .handed_on import handed_shapes
from .hints import Hint, rank_hints, unpacked_sizes
from .launch import check_grid
from .parameters import bind_parameters, size_named
from .rejected_defaults import accepted
from .requests import Request, Run, launch_arguments
from .supposed_ranks import Implied, with_ranks
from .surroundings import Variables, variables_of


def evaluate_kernel(
    request: Request,
    modules: Modules,
    target: Target,
    implied: Implied,
    version: str,
    max_steps: int,
    supposed: Mapping[str, int] | None = None,
    first: Run | None = None,
    free: frozenset[str] | None = None,
    like: Run | None = None,
) -> Run:
    """Evaluate a kernel; defaults that its own assertions reject are tried again as free inputs, unless it is said
    which are `free`, and ranks that nothing tells are `supposed`, as given or as leaves least open; `first` is an
    evaluation without them, if there is one. What `like`, another evaluation of the kernel, had to take for inputs and
    to suppose is tried before anything else."""
    likely = like.free if like is not None else frozenset[str]()

    def evaluated(free: frozenset[str], supposed: Mapping[str, int]) -> Run:
        if first is not None and first.free == free and not supposed:
            return first
        return _evaluate(request, modules, target, implied, version, max_steps, free, supposed)

    def with_defaults(supposed: Mapping[str, int], likely: frozenset[str]) -> Run:
        return accepted(request, modules, lambda free: evaluated(free, supposed), likely)

    if free is not None:
        return evaluated(free, supposed or {})
    if request.launch is not None or supposed is not None:
        return with_defaults(supposed or {}, likely)
    plain = first or with_defaults(like.supposed if like is not None else {}, likely)
    if like is not None and like.supposed:
        plain.only_rank, plain.unsupposed = like.only_rank, evaluated(plain.free, {})
    return with_ranks(plain, lambda supposed: with_defaults(supposed, plain.free), implied)


def _evaluate(
    request: Request,
    modules: Modules,
    target: Target,
    implied: Implied,
    version: str,
    max_steps: int,
    free: frozenset[str],
    supposed: Mapping[str, int],
) -> Run:
    machine = Machine(target, request.dialect, implied, modules, version, max_steps)
    machine.supposed, machine.like = supposed, request.like
    run = Run(machine.trace, {}, (), request=request, version=version, free=free, supposed=supposed)
    born = Cell.made
    with machine.recorded() as mark:
        try:
            module = modules.value(request.module)
            run_module(machine, module)
            if request.opened and not forget_settings(machine, module):
                return run
            run.opened = request.opened
            begun = len(machine.journal)
            _run(machine, modules, request, run, free)
            _note_what_lasts(machine, begun)
        except (Stop, OutOfWork) as stop:
            machine.trace.stopped = str(stop)
        except Fault as fault:  # in what stands around the kernel
            machine.trace.stopped = module.raised or f"`{fault.raised}` is raised"
        except IsUnknown as unknown:  # what a parameter is
            machine.trace.stopped = unknown.reason
        except RecursionError:
            machine.trace.stopped = "the kernel nests deeper than can be followed"
        finally:
            machine.undo(mark, born)
    return run


def _run(machine: Machine, modules: Modules, request: Request, run: Run, free: frozenset[str]) -> None:
    module = modules.value(request.module)
    variables = variables_of(modules, request.module)
    if variables is not Variables.NOTHING:
        machine.trace.assumptions.setdefault(NO_VARIABLES, None)
    function = find_function(machine, module, request)
    env = Environment(module, function.env, request.function)
    run.around = dict(_around(request, function.env))
    machine.trace.directives = _directives(machine, request, env)
    machine.in_kernel = True
    if variables is Variables.SET:
        machine.unknown(IncompleteAnalysis, VARIABLES_SET, request.function.at)
    machine.variables_set = variables is Variables.SET_LATER
    _check_use(machine, request, run)
    hints = rank_hints(request.function)
    _follow_hints(module, hints, 3)
    if not request.names:
        request = replace(request, names=handed_shapes(machine, request.function, env))
    bind_parameters(machine, request, function, env, hints, run, free)
    _assume_constraints(machine, request, env)
    _assume_grid(machine, request, env)
    machine.at = request.function.at
    machine.functions.append(request.function)
    with frame(machine, Flow.RETURN) as opened:
        try:
            flow = run_block(machine, request.function.body, env)
        except (Fault, IsUnknown) as fault:
            flow = Flow.DEAD
            if isinstance(fault, IsUnknown):
                machine.trace.stopped = fault.reason
        if flow is Flow.NEXT:
            machine.set(env.vars, RESULT, None)
            machine.emit(return_event(machine, None, request.function.at))
        flow = end_frame(machine, opened, flow)
    run.returned = env.vars.get(RESULT)
    _note_imports(machine, module, request.function.at)
    _account(machine, run, flow)
    for at, never in machine.trace.masks.items():
        if never and request.launch is None:
            machine.need(VacuousCheck.message(kind="mask", condition=at, outcome="never true"), False, at)


def _check_use(machine: Machine, request: Request, run: Run) -> None:
    """What the dialect says of the kernel's name, of its launch and of how it is made a kernel."""
    check_namespace(machine, request.function.name, request.dialect, request.function.at)
    if request.launch is None:
        if not request.inner:
            check_python(machine, request.function, request.dialect)
            check_options(machine, request.options, request.dialect)
        return
    check_launch(machine, launch_arguments(request), request.dialect, request.launch.at)
    sizes = tuple(s if isinstance(s, (int, Sym)) else None for s in request.launch.grid)
    machine.grid = None if None in sizes else sizes
    check_grid(machine, request.launch)
    run.grid = request.launch.grid


def _note_what_lasts(machine: Machine, mark: int) -> None:
    """What modules hold, and the kernel changes, is taken to be as their import left it."""
    times = sorted(machine.modules.lasting)
    ends = list(accumulate((last for _, last in times), max))
    changed = set[str]()
    for cell, key, _, _ in machine.changes(mark).values():
        born = cell.born if isinstance(cell, Cell) else 0
        begun = bisect_left(times, (born,))
        if begun and born <= ends[begun - 1]:
            changed.add(f"`{key}`" if isinstance(key, str) and key != "items" else "a list or dict")
    if changed:
        text = f"{', '.join(sorted(changed))}: as the import of its module left it, though the kernel changes that"
        machine.trace.assumptions.setdefault(text, None)


def _note_imports(machine: Machine, module: ModuleValue, at: ir.Span) -> None:
    """What the import of the kernel's file ends with, or has to meet to come to its end, its own imports included."""
    for each in module.reached():
        for said in each.supposed():
            machine.trace.assumptions.setdefault(said, None)
        if each.raised:
            where = "" if each is module else f" of `{each.name}`"
            machine.unknown(IncompleteAnalysis, each.raised + where, at)


def _account(machine: Machine, run: Run, flow: Flow) -> None:
    """How the body ended: where it raises for every input, the assertion that rejects all or where that is; that an
    operation may raise matters where all else is decided."""
    doubted, told = machine.trace.doubted, machine.trace.obligations
    if doubted is not None and sum(isinstance(obligation.goal, Unknown) for obligation in told) > 1:
        told[:] = [obligation for obligation in told if obligation is not doubted[1]]
    if flow is not Flow.DEAD:
        machine.trace.raised = None
        return
    run.ends = True
    failed = [a for a in machine.trace.assertions if a.condition is False]
    run.rejected = failed[-1] if failed else None
    if run.rejected is None and not machine.trace.stopped:
        row = machine.at.row if machine.trace.raised is None else (*machine.trace.raised.callers, machine.at)[0].row
        machine.trace.stopped = f"the kernel raises on line {row} for every input"


def _directives(machine: Machine, request: Request, env: Environment) -> frozenset[str]:
    """The decorators of `nki.compiler` on the kernel, by name."""
    found = set()
    for decorator in request.function.decorators:
        name = decorator.func if isinstance(decorator, ir.Call) else decorator
        value = evaluate(machine, name, env.parent or env) if isinstance(name, (ir.Name, ir.Attr)) else None
        if isinstance(value, Api) and value.name.startswith("compiler."):
            found.add(value.name.rpartition(".")[2])
    return frozenset(found)


def _assume_constraints(machine: Machine, request: Request, env: Environment) -> None:
    """What the specification says about sizes holds from the start."""
    specification = request.specification
    scope = Environment(env.module, env)
    scope.vars.update({name: size_named(name) for name in specification.sizes})
    for constraint in specification.constraints:
        condition = truth_of(machine, evaluate(machine, constraint, scope), constraint)
        if isinstance(condition, Cond):
            machine.assume(condition, "asserted")


def _assume_grid(machine: Machine, request: Request, env: Environment) -> None:
    """Take the launch grid for the one that all functions of the host compute of the inputs."""
    before = len(machine.trace.obligations)
    grids = [_computed(machine, grid, env, request.function) for grid in request.grids if request.launch is None]
    del machine.trace.obligations[before:]  # what the host does is not the kernel's
    if not grids or None in grids or len({tuple(map(str, grid or ())) for grid in grids}) > 1:
        return
    sizes = grids[0] or ()
    for axis, size in enumerate(sizes):
        machine.assume(programs_along(machine, axis) == size, "asserted")
    row = request.grids[0].call.at.row
    machine.trace.assumptions.setdefault(f"launched on the grid [{', '.join(map(str, sizes))}], as on line {row}", None)


def _computed(machine: Machine, host: HostGrid, env: Environment, function: ir.FunctionDef) -> tuple[Any, ...] | None:
    """The sizes of a grid, in terms of the kernel's inputs."""
    scope = Environment(env.module, env.module.env, host.host)
    scope.vars.update({name: env.vars[parameter] for name, parameter in host.handed if parameter in env.vars})
    given = [tensor for tensor in scope.vars.values() if isinstance(tensor, InputTensor) and tensor.view is None]
    if host.takes_parts and any(tensor.guessed or not tensor.ranks for tensor in given):
        return None
    for tensor in given:
        tensor.names.update(unpacked_sizes(function, tensor.name) | tensor.names)
    try:
        for target, value in host.computed:
            names = target.items if isinstance(target, ir.Sequence) else (target,)
            found = evaluate(machine, value, scope)
            parts = items_of(machine, found, target.at, len(names)) if isinstance(target, ir.Sequence) else [found]
            if len(parts) != len(names):
                return None
            scope.vars.update((n.id, part) for n, part in zip(names, parts, strict=True) if isinstance(n, ir.Name))
        found = evaluate(machine, host.grid, scope)
    except (IsUnknown, Fault):
        return None
    sizes = found if isinstance(found, tuple) else (found,)
    return sizes if all(isinstance(n, (int, Sym)) and not isinstance(n, bool) for n in sizes) else None


def find_function(machine: Machine, module: ModuleValue, request: Request) -> FunctionValue:
    """The kernel as a value: what its module defines, or what the functions around it would define."""
    if not request.outer:
        found = module.env.vars.get(request.function.name)
        if isinstance(found, FunctionValue) and found.node is request.function:
            return found
        return _plain(machine, request.function, module.env)
    env = module.env
    for scope in request.outer:
        inner = Environment(module, env, scope if isinstance(scope, ir.FunctionDef) else None)
        if isinstance(scope, ir.FunctionDef):
            for parameter in scope.params:
                given = None if parameter.default is None else evaluate(machine, parameter.default, env)
                inner.vars[parameter.name] = given if parameter.default is not None else InputTensor(parameter.name)
            for statement in scope.body:
                if statement is request.function or _contains(statement, request.outer):
                    break
                run_block(machine, [statement], inner)
            for name in scope.locals:
                inner.vars.setdefault(name, Unknown(f"`{name}` of the function around the kernel"))
        env = inner
    return _plain(machine, request.function, env)


def _around(request: Request, env: Environment | None) -> Iterator[tuple[str, Any]]:
    """The parameters of the functions that make the kernel, inner ones last."""
    scopes = [scope for scope in request.outer if isinstance(scope, ir.FunctionDef)]
    found: list[Environment] = []
    while env is not None:
        found = [env, *found] if env.function in scopes else found
        env = env.parent
    for each in found:
        assert each.function is not None
        yield from ((p.name, each.vars[p.name]) for p in each.function.params if p.name in each.vars)


def _contains(statement: ir.Stmt, scopes: tuple[Any, ...]) -> bool:
    return any(statement is scope for scope in scopes)


def _plain(machine: Machine, function: ir.FunctionDef, env: Environment) -> FunctionValue:
    defaults = {p.name: evaluate(machine, p.default, env) for p in function.params if p.default is not None}
    return FunctionValue(function, env, defaults, function.name)


def _follow_hints(module: ModuleValue, hints: dict[str, Hint], depth: int) -> None:
    """Ranks of parameters that are only handed on, and whether their shapes are asked for, from the functions that get
    them; one that is not known may ask."""
    for hint in hints.values():
        ranks: set[int | None] = set()
        for called, place, by_name in hint.passed:
            function = module.env.vars.get(called) if depth else None
            params = [p.name for p in function.node.params] if isinstance(function, FunctionValue) else []
            name = place if isinstance(place, str) else params[place] if place < len(params) else ""
            if name not in params or not isinstance(function, FunctionValue):
                hint.asked |= by_name
                continue
            only = {name: rank_hints(function.node)[name]}
            _follow_hints(function.env.module, only, depth - 1)
            hint.asked |= only[name].asked
            if hint.exact is not None:
                continue
            ranks |= {only[name].exact} - {None}
            if not hint.told:
                hint.told, hint.only = only[name].told, only[name].only
            hint.least = max(hint.least, only[name].least)
            hint.subscripts = max(hint.subscripts, only[name].subscripts)
            hint.by_path = hint.by_path or only[name].by_path
        hint.by_path = hint.by_path or len(ranks) > 1
        if len(ranks) == 1 and not hint.by_path:
            hint.exact = ranks.pop()
