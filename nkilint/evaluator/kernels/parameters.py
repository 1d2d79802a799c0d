"""The parameters of a kernel: symbolic, specified, or as a launch gives them."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeGuard

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.project.docstrings import docstring_classes, docstring_shapes, docstring_tuples
from nkilint.project.specs import TensorSpec
from nkilint.symbolic.integers import Sym, is_one, sym
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import WIDE, DType

from ..device.inputs import give_shape, input_dtype
from ..python.interpreter import evaluate
from ..state.machine import Machine
from ..values.cells import MISSING
from ..values.containers import DictValue
from ..values.dtypes import as_dtype
from ..values.host import HostArray
from ..values.inputs import GIVEN, InputTensor
from ..values.objects import Api, ClassValue, Environment, FunctionValue, Instance
from .annotations import (
    described,
    is_number,
    is_tensor,
    is_there,
    items,
    like,
    nested_items,
    object_for,
    object_of,
    with_fields,
)
from .handed_on import handed_class
from .hints import Hint, nodes_as_written
from .launch import describe
from .objects_for_tensors import object_instead
from .requests import OPEN, Request, Run, launch_arguments
from .tuple_hints import indexed_tuples, unpacked_tuples

_NAME = re.compile(r"[A-Za-z_]\w*")


def size_named(name: str) -> Sym:
    """The size that specifications and docstrings call `name`."""
    return sym(name, "input", 1, None, name)


def bind_parameters(
    machine: Machine,
    request: Request,
    function: FunctionValue,
    env: Environment,
    hints: dict[str, Hint],
    run: Run,
    free: frozenset[str],
) -> None:
    given = launch_arguments(request)
    varied = {v.parameter: v.value for v in request.varied if not v.attribute}
    for plain in request.function.params:
        parameter = _with_class(machine, request, plain, env)
        name = parameter.name
        spec = request.specification.params.get(name) if request.launch is None else None
        if name in given:
            value = _concrete(machine, request, parameter, given[name], env)
        elif isinstance(spec, TensorSpec):
            value = _specified(machine, request, parameter, spec, env)
        elif spec is not None:
            value = spec.value
        elif parameter.kind in ("*", "**"):
            more = _required(machine, request, parameter, env, free) if parameter.kind == "**" else {}
            value = DictValue({**more, **varied.get(name, {})})
            if parameter.kind == "*":
                value = _rest(machine, request, name)
            run.defaulted.append(name)
            run.inputs.update(more)
        elif name in varied:
            value = varied[name]
            if value is OPEN:
                value = _unspecified(machine, request, parameter, hints[name], env, free)
        elif parameter.default is not None and name not in free:
            value = function.defaults[name]
            run.defaulted.append(name)
            machine.trace.assumptions.setdefault(f"{name} = {_shown(value)}, its default", None)
        elif name in free:
            value = _freed(machine, request, parameter, hints[name], env, function.defaults[name], free)
        elif _is_method(request) and parameter is request.function.params[0]:
            value = Unknown(f"`{name}`")
        else:
            value = _unspecified(machine, request, parameter, hints[name], env, free)
        changed = {v.attribute: v.value for v in request.varied if v.parameter == name and v.attribute}
        if changed and isinstance(value, Instance):
            value = with_fields(machine, name, value, changed, free)
            run.defaulted = [other for other in run.defaulted if other != name]
        if request.launch is None and name not in given and spec is None:
            machine.memo.setdefault(GIVEN, []).append(value)
        env.vars[name] = value
        run.inputs[name] = value


def _rest(machine: Machine, request: Request, name: str) -> Any:
    """What `*name` holds: as many inputs as the kernel can do with, if it does anything with them."""
    used = any(isinstance(n, ir.Name) and n.id == name for n in nodes_as_written(request.function))
    return items(machine, name) if used else ()


def _with_class(machine: Machine, request: Request, parameter: ir.Param, env: Environment) -> ir.Param:
    """A parameter, annotated with the class that the docstring names for it if nothing annotates it."""
    named = docstring_classes(request.function).get(parameter.name) if parameter.annotation is None else None
    found = None if named is None else machine.lookup(env, named)
    if named is None or not (isinstance(found, ClassValue) or (named == "int" and found is MISSING)):
        return parameter
    return replace(parameter, annotation=ir.Name(parameter.at, named))


def _required(
    machine: Machine, request: Request, parameter: ir.Param, env: Environment, free: frozenset[str]
) -> dict[str, Any]:
    """What callers have to give a function beyond its parameters, since it takes these keys out of what they give."""
    nodes = list(walk(request.function.body))
    targets = {id(t) for n in nodes if isinstance(n, ir.Assign) for t in n.targets}
    read, other = dict[str, ir.Param](), set[Any]()
    for node in nodes:
        if isinstance(node, ir.Index) and isinstance(node.value, ir.Name) and node.value.id == parameter.name:
            key = node.key.value if isinstance(node.key, ir.Const) else None
            if isinstance(key, str) and id(node) not in targets:
                read.setdefault(key, ir.Param(key, "keyword", None, None, node.at))
            else:
                other.add(key)
        elif isinstance(node, (ir.Call, ir.Compare)):  # `kwargs.get("key")`, `"key" in kwargs`
            inside = list(walk((node,)))
            if any(isinstance(n, ir.Name) and n.id == parameter.name for n in inside):
                indexed = {id(n.key) for n in inside if isinstance(n, ir.Index)}
                other.update(n.value for n in inside if isinstance(n, ir.Const) and id(n) not in indexed)
    names = {p.name for p in request.function.params}
    return {
        key: _unspecified(machine, request, each, Hint(), env, free)
        for key, each in read.items()
        if key not in other and key not in names
    }


def _is_method(request: Request) -> bool:
    """Whether the first parameter is the instance or the class."""
    static = any(isinstance(d, ir.Name) and d.id == "staticmethod" for d in request.function.decorators)
    return bool(request.outer) and isinstance(request.outer[-1], ir.ClassDef) and not static


def _shown(value: Any) -> str:
    described = describe(value)
    return repr(described) if isinstance(described, str) and isinstance(value, str) else str(described)


def _freed(
    machine: Machine,
    request: Request,
    parameter: ir.Param,
    hint: Hint,
    env: Environment,
    default: Any,
    free: frozenset[str],
) -> Any:
    """An input in the place of a default that an assertion rejects: what its annotation says, or the default's type."""
    name = parameter.name
    if default is None and (is_tensor(machine, parameter.annotation, env) or name in request.names):
        return _unspecified(machine, request, parameter, hint, env, free)
    if default is None and parameter.annotation is None:
        return _unspecified(machine, request, parameter, hint, env, free)
    found = described(machine, name, parameter.annotation, env, free)
    return like(name, default) if found is None else found


def _unspecified(
    machine: Machine, request: Request, parameter: ir.Param, hint: Hint, env: Environment, free: frozenset[str]
) -> Any:
    found = _object(machine, request, parameter, env, free)
    tuples = {**indexed_tuples(request.function), **docstring_tuples(request.function)}
    if found is None and parameter.annotation is None and parameter.name in tuples:
        found = items(machine, parameter.name, tuples[parameter.name])
    nested = unpacked_tuples(request.function).get(parameter.name) if parameter.annotation is None else None
    if found is None and nested is not None:
        found = nested_items(machine, parameter.name, nested)
    if found is not None:
        return found
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
    told = rank == hint.told and hint.exact is None and not names and launched is None
    tensor.by_path = hint.by_path and launched is None
    known = hint.exact is not None or names or launched is not None or (told and hint.only)
    tensor.guessed = tensor.by_path or not known
    tensor.several = told and not hint.only
    tensor.least = max(hint.subscripts, hint.least)
    tensor.is_open = tensor.guessed and hint.is_open and not names
    if launched is not None:
        machine.trace.assumptions.setdefault(f"{parameter.name} has {launched} dimensions, as in its launches", None)
    if told and hint.only:
        machine.trace.assumptions.setdefault(f"{parameter.name} has {rank} dimensions, as a docstring says", None)
    tensor.memory_open = request.inner
    tensor.positive = hint.is_size or parameter.name in _stated_sizes(request)
    if names:
        shape = f"({', '.join(map(str, names))})"
        whose = "its docstring says" if docstring_shapes(request.function) else "a docstring says of what it goes to"
        machine.trace.assumptions.setdefault(f"{parameter.name} has shape {shape}, as {whose}", None)
        numbers = _numbers(machine, request.function, env)
        sizes = [numbers.get(n, n) if isinstance(n, str) else n for n in names]
        # Where all are numbers, and the kernel goes by the shape that it gets, they may be an example.
        general = not hint.asked or any(isinstance(n, str) for n in names)
        stated = {i: n if isinstance(n, int) else _size_of(n, numbers) for i, n in enumerate(sizes)}
        tensor.shared = {i: n for i, n in stated.items() if n is not None and (general or is_one(n))}
    tensor.is_number = not (rank or tensor.least) and is_number(machine, parameter.annotation, env)
    return object_instead(machine, tensor, free, env.module)


def _object(machine: Machine, request: Request, parameter: ir.Param, env: Environment, free: frozenset[str]) -> Any:
    """An object of the class that annotates a parameter, or one that it is handed on to; None where neither does."""
    if parameter.annotation is not None:
        return object_for(machine, parameter.name, parameter.annotation, env, free)
    cls = handed_class(machine, request.function, parameter.name, env)
    found = None if cls is None else object_of(machine, parameter.name, cls, free)
    if cls is not None and found is not None:
        said = f"{parameter.name} is a `{cls.name}`, as functions say that it is handed on to"
        machine.trace.assumptions.setdefault(said, None)
    return found


_GROWING: dict[type[ast.operator], Callable[[Any, Any], Any]] = {ast.Mult: operator.mul, ast.Add: operator.add}
"""What makes a size of two sizes."""


def _size_of(text: str, numbers: Mapping[str, Any]) -> Any:
    """The size that a docstring gives as a name, or as a product or sum of names and numbers; None for any other."""

    def of(node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0:
            return node.value
        if isinstance(node, ast.Name):
            return numbers.get(node.id, size_named(node.id))
        if not isinstance(node, ast.BinOp) or type(node.op) not in _GROWING:
            return None
        left, right = of(node.left), of(node.right)
        return None if left is None or right is None else _GROWING[type(node.op)](left, right)

    try:
        return of(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError):  # `16_H * 8`, which tells how many dimensions there are all the same
        return None


def _numbers(machine: Machine, function: ir.FunctionDef, env: Environment) -> dict[str, int]:
    """The names that stand for one number in a docstring: defaults of parameters, and what the function itself reads of
    its module."""
    read = {node.id for node in walk(function.body) if isinstance(node, ir.Name)} - function.locals
    known = {name: machine.lookup(env, name) for name in read}
    own = {p.name: p.default.value for p in function.params if _is_number(p.default)}
    return {name: value for name, value in known.items() if type(value) is int and value > 0} | own


def _is_number(default: ir.Expr | None) -> TypeGuard[ir.Const]:
    return isinstance(default, ir.Const) and isinstance(default.value, int) and not isinstance(default.value, bool)


def _stated_sizes(request: Request) -> frozenset[str]:
    """The names of sizes in docstrings and specifications: a parameter of that name is that size."""
    sizes = [size for names in request.names.values() for size in names if isinstance(size, str)]
    return request.specification.sizes.union(*(_NAME.findall(size) for size in sizes))


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
                    scope.vars.setdefault(node.id, size_named(node.id))
            value = evaluate(machine, size, scope)
        else:
            value = size_named(size) if isinstance(size, str) else size
        unknown = not isinstance(value, (int, Sym))
        sizes.append(sym(f"{parameter.name}.shape[{position}]", "input", 1, None) if unknown else value)
    dtype = as_dtype(spec.dtype) if spec.dtype else None
    give_shape(machine, tensor, tuple(sizes), dtype or input_dtype(machine, tensor))
    return tensor


def _is_mutable(machine: Machine, request: Request, parameter: ir.Param, env: Environment) -> bool:
    """Whether the kernel may write to a parameter: to any, or to one annotated `nt.mutable_tensor`. What another kernel
    hands over may be a tile of its own."""
    if request.may_write or request.dialect == "nki" or (request.inner and request.launch is None):
        return True
    node = parameter.annotation.value if isinstance(parameter.annotation, ir.Index) else parameter.annotation
    if node is None:
        return False
    if isinstance(node, ir.Const):
        return "mutable_tensor" in str(node.value)
    kind = evaluate(machine, node, env) if is_there(machine, node, env) else None
    return isinstance(kind, Api) and kind.name.endswith("typing.mutable_tensor")


def _concrete(machine: Machine, request: Request, parameter: ir.Param, value: Any, env: Environment) -> Any:
    if isinstance(value, HostArray):
        tensor = InputTensor(parameter.name, ranks=(len(value.shape),), at=parameter.at)
        tensor.mutable = _is_mutable(machine, request, parameter, env)
        wide = isinstance(value.dtype, DType) and value.dtype in WIDE  # of which frameworks make what devices have
        known = value.dtype is not None and not wide
        give_shape(machine, tensor, value.shape, value.dtype if known else input_dtype(machine, tensor))
        return tensor
    return value
