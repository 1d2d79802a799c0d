"""Running one kernel: its parameters made symbolic or concrete, its body evaluated, its trace handed back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.project.specs import Specification, TensorSpec
from nkilint.symbolic.conditions import Cond, Opaque
from nkilint.symbolic.integers import Sym, sym
from nkilint_rules.language.vacuous_check import VacuousCheck
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.targets import Target

from ..device.inputs import give_shape, input_dtype
from ..device.versions import check_launch, check_namespace, check_options, check_python
from ..python.calls import field_default
from ..python.expressions import evaluate, truth_of
from ..python.statements import RESULT, return_event, run_block
from ..state.machine import Fault, Machine, Stop
from ..state.modules import Modules
from ..state.paths import Flow, frame, settle
from ..state.trace import Assertion, Trace
from ..values import joining
from ..values.arrays import as_dtype
from ..values.host import HostArray
from ..values.tensors import InputTensor
from ..values.values import MISSING, Api, ClassValue, DictValue, Environment, FunctionValue, Instance, ModuleValue
from .hints import Hint, rank_hints
from .launch import Launch, describe

Implied = Callable[[Cond, list[Any]], "bool | None"]


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What to evaluate: a kernel, with the inputs that a specification or a launch gives."""

    module: ir.Module
    function: ir.FunctionDef
    outer: tuple[ir.FunctionDef | ir.ClassDef, ...]
    dialect: str
    may_write: bool
    inner: bool = False  # other kernels call it: its tensors may be on chip
    specification: Specification = field(default_factory=Specification)
    launch: Launch | None = None
    names: Mapping[str, tuple[int | str, ...]] = field(default_factory=dict)  # shapes that the docstring gives
    ranks: Mapping[str, int] = field(default_factory=dict)  # in all launches that are known
    options: tuple[tuple[str | None, ir.Expr], ...] = ()  # what `nki.jit` is given


@dataclass(slots=True)
class Run:
    """The evaluation of a request."""

    trace: Trace
    inputs: dict[str, Any]  # parameter -> InputTensor, symbol or plain value
    grid: tuple[Any, ...]
    returned: Any = None
    rejected: Assertion | None = None  # the assertion that no input passes
    request: Request | None = None
    defaulted: list[str] = field(default_factory=list)  # parameters that have their defaults
    version: str = ""  # of `nki`, as configured
    around: dict[str, Any] = field(default_factory=dict)  # parameters of the functions that make the kernel

    @property
    def never(self) -> bool:
        """Whether certainly no input passes the assertion: nothing was assumed to come to it."""
        assumed = [a for a in self.trace.assumptions if not a.endswith((" dimensions", " are in bounds"))]
        return self.rejected is not None and not assumed


def admits(general: Run, instance: Run) -> bool:
    """Whether the inputs of `instance` are among those that `general` was evaluated for: tensors of the same ranks, any
    numbers where it has symbols, and otherwise the same values."""
    numbers: dict[Any, Any] = {}
    return all(
        name in general.inputs and _admits(general.inputs[name], value, numbers)
        for name, value in instance.inputs.items()
    )


def _admits(general: Any, value: Any, numbers: dict[Any, Any]) -> bool:
    if isinstance(general, InputTensor) and isinstance(value, InputTensor):
        shape, given = (t.cell["view"].shape if "view" in t.cell else () for t in (general, value))
        return len(shape) == len(given) > 0 and all(
            joining.same(numbers.setdefault(n.key, m), m) if isinstance(n, Sym) else n == m
            for n, m in zip(shape, given, strict=True)
        )
    if isinstance(general, InputTensor):
        return "number" in general.cell and isinstance(value, int) and not isinstance(value, bool)
    return joining.same(general, value)


def evaluate_kernel(
    request: Request, modules: Modules, target: Target, implied: Implied, version: str, max_steps: int
) -> Run:
    """Evaluate a kernel; defaults that its own assertions reject are tried again as free inputs."""
    free: frozenset[str] = frozenset()
    for _ in range(3):
        run = _evaluate(request, modules, target, implied, version, max_steps, free)
        failed = run.rejected
        if failed is None or request.launch is not None:
            return run
        names = {n.id for n in walk(failed.test) if isinstance(n, ir.Name)}
        defaulted = {p.name for p in request.function.params if p.default is not None}
        more = free | (names & defaulted)
        if more == free:
            return run
        free = frozenset(more)
    return run


def _evaluate(
    request: Request,
    modules: Modules,
    target: Target,
    implied: Implied,
    version: str,
    max_steps: int,
    free: frozenset[str],
) -> Run:
    machine = Machine(target, request.dialect, implied, modules, version, max_steps)
    module = modules.value(request.module)
    run = Run(machine.trace, {}, (), request=request, version=version)
    with machine.recorded() as mark:
        try:
            _run(machine, module, request, run, free)
        except Stop as stop:
            machine.trace.stopped = str(stop)
        except RecursionError:
            machine.trace.stopped = "the kernel nests deeper than can be followed"
        finally:
            machine.undo(mark)
    return run


def _run(machine: Machine, module: ModuleValue, request: Request, run: Run, free: frozenset[str]) -> None:
    from ..python.definitions import run_module

    run_module(machine, module)
    function = find_function(machine, module, request)
    env = Environment(module, function.env, request.function)
    run.around = dict(_around(request, function.env))
    machine.trace.directives = _directives(machine, request, env)
    machine.in_kernel = True
    check_namespace(machine, request.function.name, request.dialect, request.function.at)
    if request.launch is not None:
        check_launch(machine, _launch_arguments(machine, request, run), request.dialect, request.launch.at)
    elif not request.inner:
        check_python(machine, request.function, request.dialect)
        check_options(machine, request.options, request.dialect)
    if request.launch is not None:
        sizes = tuple(s if isinstance(s, (int, Sym)) else None for s in request.launch.grid)
        machine.grid = None if None in sizes else sizes
        run.grid = request.launch.grid
    hints = rank_hints(request.function)
    _follow_hints(module, hints, 3)
    _bind_parameters(machine, request, function, env, hints, run, free)
    _assume_constraints(machine, request, env)
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
        flow = settle(machine, opened, flow)
    run.returned = env.vars.get(RESULT)
    if flow is Flow.DEAD:
        failed = [a for a in machine.trace.assertions if a.condition is False]
        run.rejected = failed[-1] if failed else None
        if run.rejected is None and not machine.trace.stopped:
            machine.trace.stopped = f"the kernel raises on line {machine.at.row} for every input"
    for at, never in machine.trace.masks.items():
        if never and request.launch is None:
            machine.need(VacuousCheck.message(kind="mask", condition=at, outcome="never true"), False, at)


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
    scope.vars.update({name: _size(name) for name in specification.sizes})
    for constraint in specification.constraints:
        condition = truth_of(machine, evaluate(machine, constraint, scope), constraint)
        if isinstance(condition, Cond):
            machine.assume(condition, "asserted")


def _size(name: str) -> Sym:
    """The size that specifications and docstrings call `name`."""
    return sym(name, "input", 1, None, name)


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
    """Ranks of parameters that are only handed on, from the functions that get them."""
    if depth == 0:
        return
    for hint in hints.values():
        if hint.exact is not None:
            continue
        for called, place in hint.passed:
            function = module.env.vars.get(called)
            if not isinstance(function, FunctionValue):
                continue
            params = function.node.params
            names = [p.name for p in params]
            name = place if isinstance(place, str) else names[place] if place < len(names) else ""
            below = rank_hints(function.node)
            if name not in below:
                continue
            only = {name: below[name]}
            _follow_hints(function.env.module, only, depth - 1)
            hint.exact = hint.exact if hint.exact is not None else only[name].exact
            hint.least = max(hint.least, only[name].least)
            hint.subscripts = max(hint.subscripts, only[name].subscripts)


# --- parameters ---


def _bind_parameters(
    machine: Machine,
    request: Request,
    function: FunctionValue,
    env: Environment,
    hints: dict[str, Hint],
    run: Run,
    free: frozenset[str],
) -> None:
    given = _launch_arguments(machine, request, run)
    for parameter in request.function.params:
        name = parameter.name
        spec = request.specification.params.get(name) if request.launch is None else None
        if name in given:
            value = _concrete(machine, request, parameter, given[name], env)
        elif isinstance(spec, TensorSpec):
            value = _specified(machine, request, parameter, spec, env)
        elif spec is not None:
            value = spec.value
        elif parameter.kind in ("*", "**"):
            value = () if parameter.kind == "*" else DictValue()
            run.defaulted.append(name)
        elif parameter.default is not None and name not in free:
            value = function.defaults[name]
            run.defaulted.append(name)
            machine.trace.assumptions.setdefault(f"{name} = {_shown(value)}, its default", None)
        elif name in free:
            value = _object(machine, parameter, env) or _free(name, function.defaults[name])
        elif _is_method(request) and parameter is request.function.params[0]:
            value = Unknown(f"`{name}`")
        else:
            value = _unspecified(machine, request, parameter, hints[name], env)
        env.vars[name] = value
        run.inputs[name] = value


def _is_method(request: Request) -> bool:
    """Whether the first parameter is the instance or the class."""
    static = any(isinstance(d, ir.Name) and d.id == "staticmethod" for d in request.function.decorators)
    return bool(request.outer) and isinstance(request.outer[-1], ir.ClassDef) and not static


def _shown(value: Any) -> str:
    described = describe(value)
    return repr(described) if isinstance(described, str) and isinstance(value, str) else str(described)


def _free(name: str, default: Any) -> Any:
    """An input in the place of a default that an assertion rejects."""
    if isinstance(default, bool):
        return Opaque(name, "input")
    if isinstance(default, (int, Sym)):
        return sym(name, "input", None, None, name)
    return Unknown(f"`{name}`, whose default the kernel itself rejects")


def _unspecified(machine: Machine, request: Request, parameter: ir.Param, hint: Hint, env: Environment) -> Any:
    described = _object(machine, parameter, env)
    if described is not None:
        return described
    names = request.names.get(parameter.name, ())
    if hint.exact is not None and len(names) != hint.exact:
        names = ()
    launched = request.ranks.get(parameter.name) if hint.exact is None and not names else None
    rank = hint.exact if hint.exact is not None else len(names) or launched or hint.rank
    tensor = InputTensor(
        parameter.name,
        ranks=(rank,) if rank else (),
        mutable=_is_mutable(machine, request, parameter, env),
        at=parameter.at,
    )
    tensor.guessed = hint.exact is None and not names and launched is None
    tensor.is_open = tensor.guessed and hint.is_open
    if launched is not None:
        machine.trace.assumptions.setdefault(f"{parameter.name} has {launched} dimensions, as in its launches", None)
    tensor.memory_open = request.inner
    if names:
        shape = f"({', '.join(map(str, names))})"
        machine.trace.assumptions.setdefault(f"{parameter.name} has shape {shape}, as its docstring says", None)
        tensor.shared = {i: n for i, n in enumerate(names) if n == 1 or (isinstance(n, str) and n.isidentifier())}
    return tensor


def _object(machine: Machine, parameter: ir.Param, env: Environment) -> Instance | None:
    """An object of the class that the parameter is annotated with: its fields at their defaults, or free."""
    if parameter.annotation is None:
        return None
    kind = evaluate(machine, parameter.annotation, env)
    if not isinstance(kind, ClassValue) or kind.kind not in ("dataclass", "namedtuple"):
        return None
    machine.trace.assumptions.setdefault(f"{parameter.name} is a `{kind.name}` with its defaults", None)
    fields = {
        name: InputTensor(f"{parameter.name}.{name}") if default is MISSING else field_default(machine, default)
        for name, default in kind.fields
    }
    return Instance(kind, fields)


def _specified(
    machine: Machine, request: Request, parameter: ir.Param, spec: TensorSpec, env: Environment
) -> InputTensor:
    mutable = spec.mutable or _is_mutable(machine, request, parameter, env)
    tensor = InputTensor(parameter.name, ranks=(len(spec.dims),), mutable=mutable, at=parameter.at)
    sizes = []
    for position, size in enumerate(spec.dims):
        if isinstance(size, ir.Expr):
            scope = Environment(env.module, env)
            for node in walk(size):
                if isinstance(node, ir.Name) and machine.lookup(env, node.id) is MISSING:
                    scope.vars.setdefault(node.id, _size(node.id))
            value = evaluate(machine, size, scope)
        else:
            value = _size(size) if isinstance(size, str) else size
        unknown = not isinstance(value, (int, Sym))
        sizes.append(sym(f"{parameter.name}.shape[{position}]", "input", 1, None) if unknown else value)
    dtype = as_dtype(spec.dtype) if spec.dtype else None
    give_shape(machine, tensor, tuple(sizes), dtype or input_dtype(machine, tensor))
    return tensor


def _is_mutable(machine: Machine, request: Request, parameter: ir.Param, env: Environment) -> bool:
    """Whether the kernel may write to a parameter: to any, or to one annotated `nt.mutable_tensor`."""
    if request.may_write or request.dialect == "nki":
        return True
    node = parameter.annotation.value if isinstance(parameter.annotation, ir.Index) else parameter.annotation
    if node is None:
        return False
    if isinstance(node, ir.Const):
        return "mutable_tensor" in str(node.value)
    kind = evaluate(machine, node, env)
    return isinstance(kind, Api) and kind.name.endswith("typing.mutable_tensor")


def _launch_arguments(machine: Machine, request: Request, run: Run) -> dict[str, Any]:
    if request.launch is None:
        return {}
    names = [p.name for p in request.function.params if p.kind in ("positional", "positional-only", "keyword")]
    return {**dict(zip(names, request.launch.args, strict=False)), **request.launch.kwargs}


def _concrete(machine: Machine, request: Request, parameter: ir.Param, value: Any, env: Environment) -> Any:
    if isinstance(value, HostArray):
        tensor = InputTensor(parameter.name, ranks=(len(value.shape),), at=parameter.at)
        tensor.mutable = _is_mutable(machine, request, parameter, env)
        dtype = value.dtype if value.dtype is not None else input_dtype(machine, tensor)
        give_shape(machine, tensor, value.shape, dtype)
        return tensor
    return value


def launch_problem(request: Request) -> str | None:
    """Why a launch cannot be evaluated, if so."""
    launch = request.launch
    assert launch is not None
    for name, value in (*enumerate(launch.args), *launch.kwargs.items()):
        if isinstance(value, Unknown):
            return f"argument {name} is not known: {value.reason}"
        if isinstance(value, HostArray) and not all(isinstance(s, int) for s in value.shape):
            return f"argument {name} has a size that is not known"
    return None
