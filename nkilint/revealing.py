"""What the evaluator knows of an expression: it is handed to `reveal`, and the kernel is evaluated."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from nkilint_rules.conditions import Unknown
from nkilint_rules.targets import DEFAULT_TARGET, TARGETS

from . import ir
from .dependencies import Dependencies
from .discovery import Kernel, discover
from .evaluator.hints import walk
from .evaluator.kernel import evaluate_kernel
from .evaluator.modules import Modules
from .evaluator.tensors import Grid, InputTensor, View
from .evaluator.values import (
    Api,
    ClassValue,
    DictValue,
    External,
    FunctionValue,
    Instance,
    ListValue,
    ModuleValue,
    RangeValue,
)
from .imports import Imports
from .options import Options
from .project import Project
from .prover import Budget, Prover
from .prover.context import Context, leaves
from .requests import request_for
from .source import SourceError
from .symbolic.integers import Sym, Var, start_afresh

_KERNELS = 3  # that are evaluated to find out about a helper
_SHOWN = 4  # different values of one expression
_NAMES = (Api, External, ModuleValue, FunctionValue, ClassValue)  # of which there is nothing to say
_ON_CHIP = ("sbuf", "psum")


@dataclass(frozen=True, slots=True)
class Revealed:
    """What is known about the expression at a place, in Markdown."""

    at: ir.Span
    markdown: str


def reveal(path: str, row: int, column: int, options: Options, overlay: Mapping[str, bytes]) -> Revealed | None:
    """What the evaluator knows of the expression at a place of a file, in all kernels that come there."""
    project = _Asking(path, row, column, overlay)
    try:
        module = project.module(path)
    except SourceError:
        return None
    if project.asked is None:
        return None
    values: dict[str, None] = {}
    for kernel in _kernels(project, module, row)[:_KERNELS]:
        for text in _evaluated(kernel, project, options):
            values.setdefault(text)
        if values:
            break
    if not values:
        return None
    more = len(values) - _SHOWN
    shown = [*list(values)[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
    return Revealed(project.asked, "\n\n".join(shown))


class _Asking(Project):
    """A project in which one expression of one file is handed to `reveal`; `asked` is where it stands."""

    def __init__(self, path: str, row: int, column: int, overlay: Mapping[str, bytes]) -> None:
        super().__init__([path], overlay)
        self._place = (os.path.abspath(path), row, column)
        self.asked: ir.Span | None = None

    def _lower(self, path: str) -> ir.Module:
        module = super()._lower(path)
        if path != self._place[0]:
            return module
        question = _question(module, *self._place[1:])
        if question is None:
            return module
        self.asked = question.at
        changed = _changed(module, question)
        assert isinstance(changed, ir.Module)
        return changed


@dataclass(frozen=True, slots=True)
class _Question:
    """`node` is to be revealed where it stands, or, if it is assigned to, right after the statement `after`, or at
    the start of the body of `inside`."""

    node: ir.Expr
    at: ir.Span
    after: ir.Stmt | None = None
    inside: ir.FunctionDef | ir.For | None = None


def _question(module: ir.Module, row: int, column: int) -> _Question | None:
    """The smallest expression at a place in a function."""
    here = [n for n in walk(module.body) if isinstance(n, ir.FunctionDef) and _contains(n.whole, row, column)]
    if not here:
        return None
    function = here[-1] if len(here) == 1 else min(here, key=lambda f: f.whole.end_row - f.whole.row)
    for parameter in function.params:
        if _contains(parameter.at, row, column):
            name = ir.Name(parameter.at, parameter.name)
            at = replace(parameter.at, end_row=parameter.at.row, end_column=parameter.at.column + len(parameter.name))
            return _Question(name, at, inside=function)
    found: list[_Question] = []
    for node in walk(function.body):
        found += _bound(node, row, column)
    if found:
        return found[0]
    bound = {id(n) for node in walk(function.body) for n in _targets(node)}
    nodes = [
        n
        for n in walk(function.body)
        if isinstance(n, ir.Expr)
        and not isinstance(n, ir.Const)
        and id(n) not in bound
        and _contains(n.at, row, column)
    ]
    if not nodes:
        return None
    node = min(nodes, key=lambda n: (n.at.end_row - n.at.row, n.at.end_column - n.at.column))
    calls = [n for n in nodes if isinstance(n, ir.Call) and n.func is node]
    chosen = calls[0] if calls else node
    return _Question(chosen, chosen.at)


def _bound(node: ir.Node, row: int, column: int) -> Iterator[_Question]:
    """A name at the place that a statement binds."""
    for target in _targets(node):
        for name in walk(target):
            if isinstance(name, ir.Name) and _contains(name.at, row, column) and _is_bound(name, target):
                if isinstance(node, ir.For):
                    yield _Question(name, name.at, inside=node)
                elif isinstance(node, ir.Stmt):
                    yield _Question(name, name.at, after=node)


def _is_bound(name: ir.Name, target: ir.Expr) -> bool:
    return name is target or (isinstance(target, ir.Sequence) and any(_is_bound(name, item) for item in target.items))


def _targets(node: ir.Node) -> Sequence[ir.Expr]:
    if isinstance(node, ir.Assign):
        return node.targets
    if isinstance(node, (ir.AnnAssign, ir.AugAssign, ir.For)):
        return (node.target,)
    return ()


def _contains(at: ir.Span, row: int, column: int) -> bool:
    return (at.row, at.column) <= (row, column) <= (at.end_row, at.end_column)


def _changed(node: Any, question: _Question) -> Any:
    """The tree with the question in it."""
    call = ir.Call(question.at, ir.Name(question.at, "reveal"), ((None, question.node),))
    asked = ir.ExprStmt(question.at, call)

    def change(here: Any) -> Any:
        if here is question.node and question.after is None and question.inside is None:
            return call
        if isinstance(here, tuple):
            items: list[Any] = []
            for item in here:
                items.append(change(item))
                if item is question.after and item is not None:
                    items.append(asked)
            return (
                tuple(items)
                if len(items) != len(here) or any(a is not b for a, b in zip(items, here, strict=True))
                else here
            )
        if not is_dataclass(here) or isinstance(here, (ir.Span, ir.Comment, type)):
            return here
        new = {f.name: change(getattr(here, f.name)) for f in fields(here)}
        if here is question.inside:
            new["body"] = (asked, *new["body"])
        if all(new[f.name] is getattr(here, f.name) for f in fields(here)):
            return here
        return replace(here, **new)

    return change(node)


# --- evaluation ---


def _kernels(project: Project, module: ir.Module, row: int) -> list[Kernel]:
    """The kernel around a row, or those that use the function there."""
    kernels = discover(project, [module]).kernels
    around = [k for k in kernels if k.function.whole.row <= row <= k.function.whole.end_row]
    if around:
        return around[-1:]
    dependencies = Dependencies(project)
    unit = dependencies.unit_at(module, row)
    own = ((k, dependencies.unit_at(module, k.function.at.row)) for k in kernels)
    return [k for k, u in own if u is not None and unit in dependencies.reached([u])]


def _evaluated(kernel: Kernel, project: Project, options: Options) -> Iterator[str]:
    start_afresh()
    prover = Prover(Budget(0))
    request, _ = request_for(kernel, options, Imports(project), kernel.is_called)
    target = TARGETS[options.target or DEFAULT_TARGET]
    modules = Modules(project.resolve)
    run = evaluate_kernel(request, modules, target, prover.implied, options.nki_version, options.step_budget)
    for event in run.trace.events:
        if event.kind == "reveal" and not isinstance(event.arguments["value"], _NAMES):
            context = Context(list(leaves(event.site.conditions())))
            yield described(event.arguments["value"], lambda v, c=context: c.ranges.of(c.rewrite(v)))  # type: ignore[misc]


# --- values in words ---

Range = Callable[[Any], tuple[float, float]]


def described(value: Any, interval: Range) -> str:
    """A value in Markdown: a tensor with what it takes on chip, a number with its range."""
    if isinstance(value, InputTensor) and "view" in value.cell:
        value = value.cell["view"]
    if isinstance(value, View):
        return "\n\n".join(_tensor(value, interval))
    if isinstance(value, Unknown):
        return f"not known: {value.reason}"
    if isinstance(value, Sym):
        return f"`{value}`{_range(value, interval)}"
    if isinstance(value, Grid):
        return f"index grid `[{_joined(value.shape)}]`: `{shown(value.value)}`{_range(value.value, interval)}"
    return f"`{shown(value)}`"


def _tensor(view: View, interval: Range) -> Iterator[str]:
    memory = str(view.memory)
    yield f"`{shown(view.dtype)}[{_joined(view.shape)}]` in {memory.upper()}"
    size = getattr(view.dtype, "itemsize", None)
    if memory in _ON_CHIP and isinstance(size, (int, Sym)) and view.shape:
        held = view.free * size
        yield f"`{view.partitions}` partitions, `{held}` bytes in each{_range(held, interval)}"
    if view.problem:
        yield f"not known exactly: {view.problem}"


def _range(value: Any, interval: Range) -> str:
    """Where a number lies, if that is not all in it already."""
    if not isinstance(value, Sym):
        return ""
    atom = value.as_atom
    if isinstance(atom, Var) and isinstance(atom.high, Sym) and atom.low is not None:
        return f", {atom.low} to `{atom.high}`"
    low, high = interval(value)
    if low == high:
        return f", which is {low:.0f}"
    if high == float("inf"):
        return f", at least {low:.0f}" if low != -float("inf") else ""
    return f", {low:.0f} to {high:.0f}" if low != -float("inf") else f", at most {high:.0f}"


def shown(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, InputTensor):
        return shown(value.cell["view"]) if "view" in value.cell else value.name
    if isinstance(value, View):
        return f"{shown(value.dtype)}[{_joined(value.shape)}]"
    if isinstance(value, Unknown):
        return "?"
    if isinstance(value, ListValue):
        items = value.cell["items"]
        return f"[{_joined(items)}]" if isinstance(items, (list, tuple)) else "a list that a loop fills"
    if isinstance(value, tuple):
        return f"({_joined(value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, DictValue):
        return "{" + ", ".join(f"{shown(k)}: {shown(v)}" for k, v in value.items.items()) + "}"
    if isinstance(value, RangeValue):
        return f"{value.kind}({_joined((value.start, value.stop, value.step))})"
    if isinstance(value, Instance):
        return f"a {value.cls.name}"
    if isinstance(value, slice):
        return ":".join("" if p is None else shown(p) for p in (value.start, value.stop, value.step))
    if isinstance(value, (str, bool, int, float)) or value is None:
        return repr(value)
    plain = type(value).__module__.startswith(("nkilint.symbolic", "nkilint_rules"))
    return str(value) if plain else getattr(value, "name", "") or type(value).__name__


def _joined(values: Iterable[Any]) -> str:
    return ", ".join(shown(v) for v in values)
