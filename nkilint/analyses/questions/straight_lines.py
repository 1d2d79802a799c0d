"""Whether the text leads from one statement to another whatever the values are: by no branch, and past no way out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import SCOPES, parts, root_of, statements, walk
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Site
from nkilint_rules.operations.tensor_methods import VIEWS
from nkilint_rules.words.names import USUAL_NAMES

Extent = tuple[str, tuple[int, int], tuple[int, int]]
"""A file, and where in it something begins and ends."""


@dataclass(frozen=True, slots=True)
class Line:
    """How the text leads from one place to another: the call or statement of each in the function where they part, and
    the `for` loops there that only the second is in."""

    first: Span
    second: Span
    depth: int  # of that function among the calls that lead to both
    loops: tuple[ir.For, ...]


class Text:
    """What stands in a function: by its place, and the calls with what they name."""

    def __init__(self, home: ir.FunctionDef) -> None:
        self.at: dict[Span, list[ir.Node]] = {}
        self.calls: list[tuple[ir.Call, set[str]]] = []
        self.assignments: list[ir.Assign] = []
        self.named: dict[Span, set[str]] = {}
        for node in walk(home.body):
            self.at.setdefault(node.at, []).append(node)
            if isinstance(node, ir.Call):
                self.calls.append((node, _named(node)))
            elif isinstance(node, ir.Assign):
                self.assignments.append(node)

    def names(self, place: Span) -> set[str]:
        """What is named at a place, but for what is called."""
        if place not in self.named:
            self.named[place] = {name for node in self.at.get(place, ()) for name in _named(node)}
        return self.named[place]


@dataclass
class StraightLines:
    """Answers for one trace; a branch counts even where constants decide it."""

    run: Run
    known: dict[int, Extent] = field(default_factory=dict)  # by part of the text
    homes: dict[Span, ir.FunctionDef | None] = field(default_factory=dict)
    blocks: dict[int, list[ir.Stmt]] = field(default_factory=dict)  # statements that hold others, by function
    texts: dict[int, Text] = field(default_factory=dict)  # by function

    @cached_property
    def functions(self) -> list[ir.FunctionDef]:
        """Those of the kernel's module, and those that were followed."""
        request = self.run.request
        followed = {id(t.function): t.function for t in self.run.trace.tests.values()}
        texts = [*followed.values(), *(request.module.body if request else ())]
        return list({id(n): n for n in walk(texts) if isinstance(n, ir.FunctionDef)}.values())

    def between(self, a: Site, b: Site) -> Line | None:
        """How the text leads from the one to the other, if it does so always."""
        one, other = (*a.callers, a.at), (*b.callers, b.at)
        depth = next((n for n, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), None)
        if depth is None or self.home(one[depth]) is not self.home(other[depth]):
            return None
        first, second = one[depth], other[depth]
        if not _stands_before(first, second):
            return None
        around = self._around(second)
        loops = tuple(block for block in around if isinstance(block, ir.For) and not self._contains(block, first))
        targets = {n.id for loop in loops for n in walk(loop.target) if isinstance(n, ir.Name)}
        for block in around:
            if not isinstance(block, ir.For) and not self._on_one_side(block, first, second):
                own = isinstance(block, ir.If) and any(self._contains(loop, block.at) for loop in loops)
                if not own or not isinstance(block, ir.If) or not _names(block.test) & targets:
                    return None
        inner = other[depth + 1 :]
        if any(not isinstance(block, ir.For) for place in inner for block in self._around(place)):
            return None
        passed = [(first, second), *((None, place) for place in inner)]
        if any(_leaves(block) for start, end in passed for block in self._choosing(start, end)):
            return None
        if self._is_chosen(second):
            return None
        if any(self._may_use(start, end) for start, end in (*passed, *((place, None) for place in one[depth + 1 :]))):
            return None
        return Line(first, second, depth, loops)

    def is_inside(self, place: Site, line: Line) -> bool:
        """Whether a place is in one of the loops that only the second is in."""
        return any(self._contains(loop, at) for loop in line.loops for at in (*place.callers, place.at))

    def home(self, place: Span) -> ir.FunctionDef | None:
        """The innermost function that a place is in."""
        if place not in self.homes:
            around = [f for f in self.functions if self._contains(f, place)]
            self.homes[place] = max(around, key=lambda f: (f.whole.row, f.whole.column), default=None)
        return self.homes[place]

    def _blocks(self, place: Span | None) -> list[ir.Stmt]:
        home = self.home(place) if place is not None else None
        if home is None:
            return []
        if id(home) not in self.blocks:
            self.blocks[id(home)] = [n for n in statements(home.body) if _holds_others(n)]
        return self.blocks[id(home)]

    def _around(self, place: Span) -> list[ir.Stmt]:
        return [block for block in self._blocks(place) if self._contains(block, place)]

    def _choosing(self, start: Span | None, end: Span | None) -> Iterator[ir.Stmt]:
        """What chooses after one place and before another in the same function, of which one may be missing."""
        for block in self._blocks(start or end):
            if not isinstance(block, ir.For) and self._is_between(block, start, end):
                yield block

    def _may_use(self, start: Span | None, end: Span | None) -> bool:
        """Whether what is named at a place is named between the two on a side that may not have been taken, or handed
        to a function, which may have such sides, too."""
        place = start or end
        home = self.home(place) if place is not None else None
        if home is None or place is None:
            return True
        text = self._text(home)
        names = text.names(place)
        if not names:
            return True
        sides = [side for block in self._choosing(start, end) for side in _sides(block)]
        if any(isinstance(node, ir.Name) and node.id in names for node in walk(sides)):
            return True
        using = (call for call, named in text.calls if not names.isdisjoint(named) and not _is_instruction(call, names))
        return any(self._is_between(call, start, end) for call in using)

    def _text(self, home: ir.FunctionDef) -> Text:
        if id(home) not in self.texts:
            self.texts[id(home)] = Text(home)
        return self.texts[id(home)]

    def _is_chosen(self, place: Span) -> bool:
        """Whether what a statement is about hangs on a choice: in its text, or where a name in it is bound."""
        home = self.home(place)
        if home is None:
            return False
        text = self._text(home)
        nodes, names = text.at.get(place, []), text.names(place)
        bound = [n for n in text.assignments if any(isinstance(t, ir.Name) and t.id in names for t in n.targets)]
        sides = [b for b in self._blocks(place) if not isinstance(b, ir.For) and not self._contains(b, place)]
        if any(self._contains(side, node.at) for side in sides for node in bound):
            return True
        return any(isinstance(part, ir.Conditional) for part in walk([*nodes, *(node.value for node in bound)]))

    def _is_between(self, node: ir.Node, start: Span | None, end: Span | None) -> bool:
        after = start is None or (_stands_before(start, node.at) and not _covers(start, node.at))
        return after and (end is None or (_stands_before(node.at, end) and not self._contains(node, end)))

    def _contains(self, part: Any, place: Span) -> bool:
        file, begin, end = self._extent(part)
        return file == place.file and begin <= (place.row, place.column) < end

    def _extent(self, part: Any) -> Extent:
        found = self.known.get(id(part))
        if found is None:
            spans = [node.at for node in walk(part)]
            begin = min(((s.row, s.column) for s in spans), default=(0, 0))
            end = max(((s.end_row, s.end_column) for s in spans), default=(0, 0))
            found = self.known[id(part)] = spans[0].file if spans else "", begin, end
        return found

    def _on_one_side(self, block: ir.Stmt, first: Span, second: Span) -> bool:
        if not isinstance(block, ir.If):
            return self._contains(block, first)
        sides = [side for side in (block.then, block.otherwise) if self._contains(side, second)]
        return bool(sides) and self._contains(sides[0], first)


def _stands_before(a: Span, b: Span) -> bool:
    return (a.row, a.column) < (b.row, b.column)


def _holds_others(node: ir.Stmt) -> bool:
    return not isinstance(node, SCOPES) and any(isinstance(part, ir.Stmt) for part in parts(node))


def _covers(a: Span, b: Span) -> bool:
    return (b.end_row, b.end_column) <= (a.end_row, a.end_column)


def _names(node: Any) -> set[str]:
    return {part.id for part in walk(node) if isinstance(part, ir.Name)}


def _named(node: ir.Node) -> set[str]:
    """What a statement or a call names, but for what is called."""
    called = [root_of(part.func) for part in walk(node) if isinstance(part, ir.Call) and isinstance(part.func, ir.Attr)]
    plain = {part.func.id for part in walk(node) if isinstance(part, ir.Call) and isinstance(part.func, ir.Name)}
    return _names(node) - plain - USUAL_NAMES.intersection(called)


def _sides(block: ir.Stmt) -> tuple[Any, ...]:
    """The statements of what chooses; those that raise use nothing."""
    sides = (block.then, block.otherwise) if isinstance(block, ir.If) else (block,)
    return tuple(side for side in sides if not (isinstance(side, tuple) and any(isinstance(n, ir.Raise) for n in side)))


def _is_instruction(call: ir.Call, names: set[str]) -> bool:
    """Whether a call is of an operation of NKI, or makes a view of what is named."""
    if not isinstance(call.func, ir.Attr):
        return False
    root = root_of(call.func)
    return root in USUAL_NAMES or (root in names and call.func.name in VIEWS)


def _leaves(block: ir.Stmt) -> bool:
    """Whether a way out of the function or an iteration is in it."""
    return any(isinstance(n, ir.Return) or (isinstance(n, ir.Jump) and n.kind != "pass") for n in walk(block))
