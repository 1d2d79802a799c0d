"""Which variables of a function nobody reads any more where a loop begins or ends.

A loop carries on, joins and rewrites what its iterations leave behind; what is never read again need not be. Where the
text leaves any doubt - closures, handlers of exceptions, `locals()` - a variable counts as read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from nkilint.base import ir
from nkilint.base.names import target_names
from nkilint.base.walk import parts, walk
from nkilint_rules.words.records import dataclass

_REFLECTIVE = frozenset(("locals", "vars", "globals", "eval", "exec", "dir"))
_NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Dead:
    """Of the names that a loop assigns: those not read again from its start on, and from its end on."""

    before: frozenset[str]
    after: frozenset[str]


ALIVE = Dead(_NOBODY, _NOBODY)


def dead_names(function: ir.FunctionDef) -> Mapping[int, Dead]:
    """By the id of a `for` loop of the function; loops that are not listed have none."""
    finder = _Finder()
    found: dict[int, Dead] = {}
    finder.live(function.body, _NOBODY, _Jumps(_NOBODY, _NOBODY, found))
    if finder.open or function.is_generator:
        return {}
    hidden = finder.captured
    return {key: Dead(d.before - hidden, d.after - hidden) for key, d in found.items()}


def carried_names(node: ir.For) -> frozenset[str]:
    """The names that an iteration may read as the one before it left them."""
    return node.assigned & _Finder().exposed_in(node, target_names(node.target))


@dataclass(frozen=True, slots=True)
class _Jumps:
    """What is read after a `break` and a `continue`; what is found of loops goes into `found`, if it is wanted."""

    broken: frozenset[str]
    continued: frozenset[str]
    found: dict[int, Dead] | None = None


class _Finder:
    """Walks statements from the last to the first with the names that are read after them."""

    def __init__(self) -> None:
        self.captured: set[str] = set()  # read by functions and classes made here, or by other scopes
        self.open = False  # something reads or writes variables that are not named
        self._exposed: dict[int, frozenset[str]] = {}
        self._known: dict[int, frozenset[str]] = {}  # names by the id of what they stand in

    def live(self, block: tuple[ir.Stmt, ...], after: frozenset[str], jumps: _Jumps) -> frozenset[str]:
        """The names that may be read, before they are assigned, from the start of a block on."""
        for statement in reversed(block):
            after = self._before(statement, after, jumps)
        return after

    def _before(self, node: ir.Stmt, after: frozenset[str], jumps: _Jumps) -> frozenset[str]:
        if isinstance(node, ir.Assign):
            bound = {name for target in node.targets for name in target_names(target)}
            return (after - bound) | self._reads(node.value, *(p for t in node.targets for p in _places(t)))
        if isinstance(node, ir.For):
            return self._for(node, after, jumps)
        if isinstance(node, ir.While):
            return self._while(node, after, jumps)
        if isinstance(node, ir.If):
            sides = self.live(node.then, after, jumps) | self.live(node.otherwise, after, jumps)
            return sides | self._reads(node.test)
        if isinstance(node, ir.With):
            return self.live(node.body, after, jumps) | self._reads(*(part for item in node.items for part in item))
        if isinstance(node, ir.Return):
            return self._reads(node.value)
        if isinstance(node, ir.Jump) and node.kind != "pass":
            return jumps.broken if node.kind == "break" else jumps.continued
        if any(isinstance(part, ir.Stmt) for part in parts(node)):  # what of it runs, in which order, is not looked at
            self.captured |= self._reads(node)
            return after | jumps.broken | jumps.continued
        if isinstance(node, ir.Scope):
            self.captured.update(node.names)
        self.open = self.open or isinstance(node, ir.UnsupportedStmt)
        return after | self._reads(node)

    def _for(self, node: ir.For, after: frozenset[str], jumps: _Jumps) -> frozenset[str]:
        done = after | self.live(node.otherwise, after, jumps)
        bound = target_names(node.target)
        head = done | self.exposed_in(node, bound)
        if jumps.found is not None:
            self.live(node.body, head, _Jumps(after, head, jumps.found))
            jumps.found[id(node)] = Dead(node.assigned - head, node.assigned - done)
        return head | self._reads(node.iterable) | self._reads(*_places(node.target))

    def _while(self, node: ir.While, after: frozenset[str], jumps: _Jumps) -> frozenset[str]:
        test = self._reads(node.test)
        head = after | self.live(node.otherwise, after, jumps) | self.exposed_in(node, _NOBODY) | test
        if jumps.found is not None:
            self.live(node.body, head, _Jumps(after, head, jumps.found))
        return head

    def exposed_in(self, node: ir.For | ir.While, bound: Collection[str]) -> frozenset[str]:
        """What an iteration reads that the one before it, or what is before the loop, has left."""
        if id(node) not in self._exposed:
            self._exposed[id(node)] = self.live(node.body, _NOBODY, _Jumps(_NOBODY, _NOBODY)).difference(bound)
        return self._exposed[id(node)]

    def _reads(self, *roots: Any) -> frozenset[str]:
        """The names in expressions, or in whole statements. What a function or a generator reads is read later."""
        return _NOBODY.union(*map(self._names, roots))

    def _names(self, root: Any) -> frozenset[str]:
        known = self._known.get(id(root))
        if known is None:
            nodes = list(walk(root))
            for node in nodes:
                if isinstance(node, ir.Lambda) or (isinstance(node, ir.Comprehension) and node.kind == "generator"):
                    self.captured.update(n.id for n in walk(node) if isinstance(n, ir.Name))
            known = self._known[id(root)] = frozenset([n.id for n in nodes if type(n) is ir.Name])
            self.open = self.open or not known.isdisjoint(_REFLECTIVE)
        return known


def _places(target: ir.Expr) -> Iterator[ir.Expr]:
    """The attributes and subscripts among the parts of a target."""
    if isinstance(target, ir.Sequence):
        for item in target.items:
            yield from _places(item)
    elif isinstance(target, ir.Starred):
        yield from _places(target.value)
    elif not isinstance(target, ir.Name):
        yield target
