"""What a value may have part in, by the texts of the functions that a kernel calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nkilint.base import ir
from nkilint.base.names import bound_names, target_names
from nkilint.base.walk import walk
from nkilint_rules.words.records import dataclass

from .requests import Run


@dataclass(frozen=True, slots=True)
class Token:
    """A variable of a function; without one, an attribute of any object, or what functions of that name return."""

    function: ir.FunctionDef | None
    name: str


def mentioned(function: ir.FunctionDef, node: Any) -> Iterator[Token]:
    """What an expression in a function is made of."""
    for part in walk(node):
        if isinstance(part, ir.Name):
            yield Token(function, part.id)
            yield Token(None, part.id)
        elif isinstance(part, ir.Attr):
            yield Token(None, part.name)


class Influence:
    """From each token to those that something made of it is kept in."""

    def __init__(self, run: Run) -> None:
        assert run.request is not None
        self.steps: dict[Token, set[Token]] = {}
        called = (function for _, function in run.trace.calls)
        for function in {id(f): f for f in (run.request.function, *called)}.values():
            self._read(function)
        for (call, function), made in run.trace.calls.items():
            self._pass(made.caller, call, function, made.receivers)

    def reached(self, start: Token) -> set[Token]:
        """The token and all that it has part in."""
        found, waiting = {start}, [start]
        while waiting:
            further = self.steps.get(waiting.pop(), set()) - found
            found |= further
            waiting += further
        return found

    def _add(self, sources: Iterable[Token], targets: Iterable[Token]) -> None:
        kept = set(targets)
        for source in sources:
            self.steps.setdefault(source, set()).update(kept)

    def _read(self, function: ir.FunctionDef) -> None:
        """What the function assigns, returns, and binds where a test decides."""
        for node in walk(function.body):
            for target, value in node.assigns:
                self._add(mentioned(function, value), _kept(function, target))
            if isinstance(node, ir.AugAssign):
                self._add(mentioned(function, node.value), _kept(function, node.target))
            elif isinstance(node, ir.Return):
                self._add(mentioned(function, node.value), [Token(None, function.name)])
            elif isinstance(node, ir.If):
                names = {n for statement in (*node.then, *node.otherwise) for n in bound_names(statement)}
                self._add(mentioned(function, node.test), [Token(function, name) for name in names])

    def _pass(self, caller: ir.FunctionDef, call: ir.Call, function: ir.FunctionDef, receivers: int) -> None:
        """What a call gives to parameters, and the variables that a function shares with the one around it."""
        shared = {part.id for part in walk(function.body) if isinstance(part, ir.Name)} - function.locals
        for name in shared & caller.locals:
            self._add([Token(caller, name)], [Token(function, name)])
        places = [p.name for p in function.params if p.kind in ("positional", "positional-only")][receivers:]
        position = 0
        for key, argument in call.args:
            names = places if key in ("*", "**") else [key] if key is not None else places[position : position + 1]
            position += key is None
            self._add(mentioned(caller, argument), [Token(function, name) for name in names])


def _kept(function: ir.FunctionDef, target: ir.Expr) -> Iterator[Token]:
    """Where an assignment to `target` keeps a value."""
    yield from (Token(function, name) for name in target_names(target))
    for part in walk(target):
        if isinstance(part, ir.Attr):
            yield Token(None, part.name)
        elif isinstance(part, ir.Index) and isinstance(part.value, ir.Name):
            yield Token(function, part.value.id)
