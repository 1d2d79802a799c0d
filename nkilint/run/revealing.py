"""What the evaluator knows of an expression: it is handed to `reveal`, and the kernel is evaluated."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from nkilint.base import ir
from nkilint.base.options import Options
from nkilint.base.source import SourceError
from nkilint.base.walk import walk
from nkilint.evaluator.kernels.kernel import evaluate_kernel
from nkilint.evaluator.state.modules import Modules
from nkilint.evaluator.state.trace import Event
from nkilint.evaluator.values.instructions import Instruction
from nkilint.evaluator.values.objects import Api, ClassValue, External, FunctionValue, ModuleValue
from nkilint.project.dependencies import Dependencies
from nkilint.project.discovery import Kernel, discover
from nkilint.project.files import Project
from nkilint.project.imports import Imports
from nkilint.prover import Prover
from nkilint.prover.context import Context
from nkilint.symbolic.atoms import start_afresh
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.targets import DEFAULT_TARGET, TARGETS

from .describing import described
from .requests import request_for

_KERNELS = 3  # that are evaluated to find out about a helper
_SHOWN = 4  # different values of one expression
_NAMES = (Api, External, ModuleValue, FunctionValue, ClassValue, Instruction)  # of which there is nothing to say


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
        for event in revealed(kernel, project, options):
            context = Context(list(event.site.conditions()))
            values.setdefault(described(event.arguments["value"], lambda v, c=context: c.ranges.of(c.rewrite(v))))  # type: ignore[misc]
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
        return _changed(module, question)


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
    chosen = calls[0] if calls else _named(node, module, row, column)
    return _Question(chosen, chosen.at)


def _named(node: ir.Expr, module: ir.Module, row: int, column: int) -> ir.Expr:
    """The value of a keyword argument where the place is its keyword, else the node."""
    for keyword, value in node.args if isinstance(node, ir.Call) else ():
        if keyword is not None and value.at.row == row and column < value.at.column:
            written = re.search(rf"\b{keyword}\s*=\s*$", module.lines[row - 1][: value.at.column - 1])
            if written is not None and written.start() < column:
                return value
    return node


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


def _targets(node: ir.Node) -> tuple[ir.Expr, ...]:
    return () if isinstance(node, ir.Delete) else tuple(target for target, _ in node.assigns)


def _contains(at: ir.Span, row: int, column: int) -> bool:
    return (at.row, at.column) <= (row, column) <= (at.end_row, at.end_column)


def _changed(module: ir.Module, question: _Question) -> ir.Module:
    """The module with the question in it."""
    if question.after is not None:
        return asking(module, after={id(question.after): (question.at, question.node)})
    if question.inside is not None:
        return asking(module, first={id(question.inside): (question.at, question.node)})
    return asking(module, instead={id(question.node): (question.at, question.node)})


Asked = Mapping[int, tuple[ir.Span, ir.Expr]]  # by the id of a node, what is handed to `reveal`, and its place


def asking(
    module: ir.Module, instead: Asked | None = None, after: Asked | None = None, first: Asked | None = None
) -> ir.Module:
    """The module with calls of `reveal` instead of expressions, after statements, and at the start of bodies."""
    instead, after, first = instead or {}, after or {}, first or {}

    def call(at: ir.Span, node: ir.Expr) -> ir.Call:
        return ir.Call(at, ir.Name(at, "reveal"), ((None, node),))

    def statement(at: ir.Span, node: ir.Expr) -> ir.ExprStmt:
        return ir.ExprStmt(at, call(at, node))

    def change(here: Any) -> Any:
        if id(here) in instead:
            return call(*instead[id(here)])
        if isinstance(here, tuple):
            items: list[Any] = []
            for item in here:
                items.append(change(item))
                if id(item) in after:
                    items.append(statement(*after[id(item)]))
            same = len(items) == len(here) and all(a is b for a, b in zip(items, here, strict=True))
            return here if same else tuple(items)
        if not is_dataclass(here) or isinstance(here, (ir.Span, ir.Comment, type)):
            return here
        new = {f.name: change(getattr(here, f.name)) for f in fields(here)}
        if id(here) in first:
            new["body"] = (statement(*first[id(here)]), *new["body"])
        if all(new[f.name] is getattr(here, f.name) for f in fields(here)):
            return here
        return replace(here, **new)

    changed: ir.Module = change(module)
    return changed


# --- evaluation ---


def _kernels(project: Project, module: ir.Module, row: int) -> list[Kernel]:
    """The kernel around a row, or those that use the function there."""
    kernels = discover(Imports(project), [module]).kernels
    around = [k for k in kernels if k.function.whole.row <= row <= k.function.whole.end_row]
    if around:
        return around[-1:]
    dependencies = Dependencies(project)
    unit = dependencies.unit_at(module, row)
    own = ((k, dependencies.unit_at(module, k.function.at.row)) for k in kernels)
    return [k for k, u in own if u is not None and unit in dependencies.reached([u])]


def revealed(kernel: Kernel, project: Project, options: Options) -> Iterator[Event]:
    """The calls of `reveal` in a kernel with something to say."""
    start_afresh()
    prover = Prover(0)
    request, _ = request_for(kernel, options, Imports(project), kernel.is_called)
    target = TARGETS[options.target or DEFAULT_TARGET]
    modules = Modules(project.resolve)
    run = evaluate_kernel(request, modules, target, prover.implied, options.nki_version, options.step_budget)
    return (e for e in run.trace.events if e.kind == "reveal" and _says(e.arguments["value"]))


def _says(value: Any) -> bool:
    """Whether there is something to say of a value; operations that write to `dst` give instructions, or None."""
    return value is not None and not isinstance(value, _NAMES)
