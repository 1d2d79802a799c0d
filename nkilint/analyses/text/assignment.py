"""Definite assignment: names that a function or a module reads where no path, or not every path, has bound them.

A forward pass over Python's own syntax tree. A state says which names may be bound, which certainly are, which tests
are known, and which tests a name is bound under. Where paths meet, what may be is joined and what must be is met. Doubt
is for the program: a name whose binding and whose use hang on tests that may have to do with each other is left alone.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Literal

from nkilint.base.trees import FUNCTIONS, TRIES, children, walk
from nkilint_rules.words.records import dataclass

from .bindings import COMPREHENSIONS, arguments_of, bound_by, declared_in, names_in, own_below, own_nodes
from .code import SIMPLE, Code, Digest, Scope
from .endings import ends, goes_on, passes_by, runs, suppresses, swallows, takes_unbound, ways_of
from .facts import Fact, Loop, Path, State, facts_of, join
from .surroundings import Surroundings

Doubt = Literal["never", "first", "branch", "loop"]
"""No path has bound the name; none in the first iteration of a loop; not a branch that is left out; or only a loop."""


@dataclass(frozen=True, slots=True)
class Unbound:
    """A name read where it may not be bound, and where it is bound otherwise."""

    node: ast.Name
    doubt: Doubt
    bindings: tuple[ast.AST, ...]


def unbound(code: Code) -> Iterator[Unbound]:
    """What is read unbound in a module's body and in its functions, in the order of the text."""
    found: list[Unbound] = []
    elsewhere = any(isinstance(statement, (ast.Global, ast.Nonlocal)) for statement in code.statements)
    for scope in code.own:
        found += _Pass(scope, code, declared_in(scope) if elsewhere else frozenset()).run()
    yield from sorted(found, key=lambda u: (u.node.lineno, u.node.col_offset))


class _Pass:
    """The pass over one function, or over the body of a module."""

    def __init__(self, scope: Scope, code: Code, elsewhere: frozenset[str]) -> None:
        self.scope, self.code, self.own = scope, code, code.own[scope]
        self.around = Surroundings(scope, code)
        self.bound = code.bindings(scope)
        self.here: ast.stmt | None = None  # the statement whose expressions are looked at
        arguments = set() if isinstance(scope, ast.Module) else {a.arg for a in arguments_of(scope.args)}
        self.arguments = arguments - {"self", "cls"}
        known = set(dir(builtins)) | _OF_MODULES if isinstance(scope, ast.Module) else set()
        self.names = self.bound - elsewhere - arguments - known
        self.opaque = any(code.digest(statement).opaque for statement in self.own)
        self.told: dict[str, Unbound] = {}
        self.loops: list[Loop] = []
        self.before: dict[ast.AST, frozenset[Fact]] = {}  # what is known before each `if` and `match`
        self.stops: list[list[Path]] = []  # for each `try` around, where its body may stop
        self.quiet = 0

    def run(self) -> list[Unbound]:
        if self.names and not self.opaque:
            self.block(self.scope.body, State())
        return list(self.told.values())

    # --- expressions ---

    def value(self, node: ast.AST | None, state: State) -> State:
        """The state behind an expression, whose reads are looked at in their order."""
        if node is None or isinstance(node, (ast.Constant, ast.Lambda)):
            return state
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self.read(node, state)
                return state
            return state.bind(node.id) if isinstance(node.ctx, ast.Store) else state.unbind(node.id)
        if isinstance(node, ast.NamedExpr):
            return self.value(node.target, self.value(node.value, state))
        if isinstance(node, (ast.BoolOp, ast.IfExp)):
            return self.choice(node, state)
        if isinstance(node, COMPREHENSIONS):
            return self.comprehension(node, state)
        for child in children(node):
            state = self.value(child, state)
        return state

    def choice(self, node: ast.BoolOp | ast.IfExp, state: State) -> State:
        if isinstance(node, ast.IfExp):
            state = self.value(node.test, state)
            sides = [self.value(side, state.know(facts_of(node.test, truth)))
                     for side, truth in ((node.body, True), (node.orelse, False))]  # fmt: skip
            return replace(state, may=sides[0].may | sides[1].may, must=sides[0].must & sides[1].must)
        state = here = self.value(node.values[0], state)
        for before, value in zip(node.values, node.values[1:], strict=False):
            here = self.value(value, here.know(facts_of(before, isinstance(node.op, ast.And))))
        return replace(state, may=here.may)

    def comprehension(self, node: ast.AST, state: State) -> State:
        """Its own names are known inside; what it reads of the function it reads now, but for a generator."""
        assert isinstance(node, COMPREHENSIONS)
        state = self.value(node.generators[0].iter, state)
        own = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
        inside = replace(state, must=state.must | own)
        if not isinstance(node, ast.GeneratorExp):
            for clause in node.generators:
                if clause is not node.generators[0]:
                    inside = self.value(clause.iter, inside)
                for test in clause.ifs:
                    inside = self.value(test, inside).know(facts_of(test, True))
            for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                inside = self.value(part, inside)
        else:  # who takes from the generator binds them
            inside = replace(inside, may=inside.may | {n.target.id for n in walk(node) if isinstance(n, ast.NamedExpr)})
        return replace(state, may=state.may | (inside.may - own))

    def read(self, node: ast.Name, state: State) -> None:
        name = node.id
        if self.quiet or name not in self.names or name in self.told or name in state.must:
            return
        doubt = self.doubt(node, state)
        if doubt is not None:
            self.told[name] = Unbound(node, doubt, self.around.bindings(name))

    def doubt(self, node: ast.Name, state: State) -> Doubt | None:
        name = node.id
        if name not in state.may:
            return "never"
        loop = next((loop for loop in reversed(self.loops) if name in loop.binds), None)
        if loop is not None and name not in state.early and name not in loop.before.may:
            local, inside = self.bound - loop.elements, state.facts - loop.before.facts
            return None if any(fact.names & local for fact in inside) else "first"
        around = [outer for _, outer in self.around.steps(node, self.here)]  # `x += 1` does not bind what is unbound
        first = (b for b in self.around.bindings(name) if type(self.around.parents.get(b)) is not ast.AugAssign)
        doubts = {self.left_out(binding, around, state) for binding in first}
        return doubts.pop() if len(doubts) == 1 else None

    def left_out(self, binding: ast.AST, around: Sequence[ast.AST], state: State) -> Doubt | None:
        """How a binding is passed by on the way to a use, where nothing that leads to the use can have to do with it:
        neither a test nor a loop, nor that there are more than two ways."""
        doubt: Doubt | None = None
        for inner, outer in self.around.steps(binding):
            if outer in around:
                between = around[: around.index(outer)]
                loops = any(isinstance(other, (ast.For, ast.AsyncFor, ast.While)) for other in between)
                return None if loops else doubt
            if isinstance(outer, TRIES) and inner in outer.body and any(map(goes_on, outer.handlers)):
                opened = isinstance(inner, (ast.With, ast.AsyncWith))  # what it opens is there where its block fails
                if opened or doubt is not None or state.facts - self.before.get(outer, frozenset()):
                    return None
                doubt = "branch"
            elif isinstance(outer, (ast.With, ast.AsyncWith)) and inner in outer.body and swallows(outer):
                if not suppresses(outer) or doubt is not None or state.facts:
                    return None
                doubt = "branch"
            elif isinstance(outer, ast.Match):
                known = doubt is not None or state.facts - self.before.get(outer, frozenset())
                if known or not self.is_left_by_a_case(outer, binding) or self.may_hold_first(outer):
                    return None
                doubt = "branch"
            elif isinstance(outer, TRIES):
                return None
            if isinstance(outer, ast.If):
                first, bodies = ways_of(outer, self.around.parents)
                several = len(bodies) > 2 or any(isinstance(s, ast.If) for s in outer.orelse)
                if several and not any(passes_by(body, binding) for body in bodies):
                    return None
                if (
                    isinstance(self.around.parents[first], ast.If)
                    or self.may_hold_first(first, outer)
                    or state.facts - self.before.get(first, frozenset())
                ):
                    return None
                doubt = "branch"
            elif isinstance(outer, ast.While):
                known = state.facts - frozenset(facts_of(outer.test, False))
                if known or inner not in outer.body or not self.is_given(outer.test):
                    return None
                doubt = doubt or "loop"
            elif isinstance(outer, (ast.For, ast.AsyncFor)) and (inner in outer.body or inner is outer.target):
                if not self.is_given(outer.iter) or state.facts:
                    return None
                doubt = doubt or "loop"
        return doubt

    def is_left_by_a_case(self, node: ast.Match, binding: ast.AST) -> bool:
        """Whether a case surely passes by a binding, and no other `match` asks for the same."""
        asked = [ast.dump(n.subject) for n in own_nodes(self.scope) if isinstance(n, ast.Match)]
        return asked.count(ast.dump(node.subject)) == 1 and any(passes_by(c.body, binding) for c in node.cases)

    def may_hold_first(self, *tests: ast.If | ast.Match) -> bool:
        """Whether tests ask for what the loops around count or change: an earlier iteration may have passed them."""
        asked = {n for each in tests for n in names_in(each.subject if isinstance(each, ast.Match) else each.test)}
        return any(asked & (loop.binds - loop.elements) for loop in self.loops)

    def is_given(self, node: ast.expr) -> bool:
        """Whether a value is a parameter or a part of one, of which nothing says that it is not empty."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.arguments and node.id not in self.bound

    # --- statements ---

    def block(self, body: Sequence[ast.stmt], path: Path) -> Path:
        for statement in body:
            if path is None:
                return None
            for stops in self.stops:
                stops.append(path)
            path = self.statement(statement, path)
        for stops in self.stops:
            stops.append(path)
        return path

    def statement(self, node: ast.stmt, state: State) -> Path:
        self.here = node
        digest = self.code.digest(node)
        if isinstance(node, SIMPLE) and digest.plain and self.passes(digest, state):
            return state.bind(*digest.bound)
        match node:
            case ast.If():
                state = self.test(node, state)
                self.before[node] = state.facts
                return join(self.branch(node, node.body, state, True), self.branch(node, node.orelse, state, False))
            case ast.For() | ast.AsyncFor() | ast.While():
                return self.loop(node, state)
            case ast.stmt() if isinstance(node, TRIES):
                return self.attempt(node, state)
            case ast.With() | ast.AsyncWith():
                return self.within(node, state)
            case ast.Match():
                return self.match(node, state)
            case ast.Return() | ast.Raise():
                for child in children(node):
                    state = self.value(child, state)
                for stops in self.stops:
                    stops.append(state)
                return None
            case ast.Break() | ast.Continue():
                self.loops[-1].ways[type(node)].append(state)
                return None
            case ast.Assert():
                return self.branch(node, [], self.test(node, state), True)
            case ast.Expr(ast.Call() as call) if ends(call):
                self.value(call, state)
                return None
            case ast.AugAssign():
                if isinstance(node.target, ast.Name):
                    self.read(node.target, state)
                return self.value(node.target, self.value(node.value, state))
            case ast.AnnAssign():
                return self.value(node.target, self.value(node.value, state)) if node.value is not None else state
            case ast.Assign():
                state = self.value(node.value, state)
                for target in node.targets:
                    state = self.value(target, state)
                return state
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Import() | ast.ImportFrom():
                return self.definition(node, state)
            case _:
                for child in children(node):
                    state = self.value(child, state)
                return state

    def definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom, state: State
    ) -> State:
        """What is defined or imported is bound; of a definition, its head is evaluated first."""
        head: list[ast.expr | None] = []
        if isinstance(node, FUNCTIONS):
            head = [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]
        elif isinstance(node, ast.ClassDef):
            head = [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
        for part in head:
            state = self.value(part, state)
        for name in bound_by(node):
            state = state.bind(name)
        return state

    def passes(self, digest: Digest, state: State) -> bool:
        """Whether there is nothing to tell of what a statement reads."""
        return self.quiet > 0 or (digest.read & self.names) <= state.must

    def test(self, node: ast.If | ast.While | ast.Assert, state: State) -> State:
        self.here = node
        digest = self.code.digest(node)
        return state if digest.plain and self.passes(digest, state) else self.value(node.test, state)

    def branch(
        self, node: ast.If | ast.While | ast.Assert, body: Sequence[ast.stmt], state: State, truth: bool
    ) -> Path:
        if isinstance(node.test, ast.Constant) and bool(node.test.value) is not truth:
            return None
        facts = self.code.answer(node, _facts)[truth]
        if any(fact.opposite in state.facts for fact in facts):
            return None
        return self.block(body, state.know(facts))

    def loop(self, node: ast.For | ast.AsyncFor | ast.While, state: State) -> Path:
        target = None if isinstance(node, ast.While) else node.target
        if isinstance(node, (ast.For, ast.AsyncFor)):
            digest = self.code.digest(node)
            if not (digest.plain and self.passes(digest, state)):
                state = self.value(node.iter, state)
        binds, gone = self.around.bound_in(node.body[0], node.body[-1])
        if target is not None:
            binds |= self.code.answer(node, _bound_by_target)
        head = state.forget(binds)
        head = replace(head, may=head.may | binds, must=head.must - gone)
        counts = target is None or isinstance(node.iter, ast.Call)  # type: ignore[union-attr]
        here = Loop(binds, frozenset() if counts else frozenset(names_in(target)), state)  # type: ignore[arg-type]
        self.loops.append(here)
        if isinstance(node, ast.While):
            end = self.branch(node, node.body, self.test(node, head), True)
        else:
            end = self.block(node.body, self.value(target, head))
        self.loops.pop()
        end = join(end, *here.ways[ast.Continue])
        head = replace(head, may=state.may | (end.may if end is not None else frozenset()))
        left = join(head, end)
        if isinstance(node, ast.While):
            left = self.branch(node, [], self.test(node, head), False)
        elif runs(node.iter):
            left = end
        after = join(self.block(node.orelse, left) if left is not None else None, *here.ways[ast.Break])
        return None if after is None else replace(after, early=after.early | after.may)

    def attempt(self, node: ast.Try, state: State) -> Path:
        self.before[node] = state.facts
        stops: list[Path] = [state]
        self.stops.append(stops)
        handled = any(takes_unbound(handler.type) for handler in node.handlers)
        self.quiet += handled
        end = self.block(node.body, state)
        self.quiet -= handled
        self.stops.pop()
        stopped = join(*stops)
        ends = [self.block(node.orelse, end) if end is not None else None]
        for handler in node.handlers:
            assert stopped is not None
            here = self.value(handler.type, stopped)
            path = self.block(handler.body, here.bind(handler.name) if handler.name else here)
            ends.append(path.unbind(handler.name) if path is not None and handler.name else path)
        after = join(*ends)
        if node.finalbody:
            self.quiet += 1
            self.block(node.finalbody, join(stopped, after))
            self.quiet -= 1
            if after is None or stopped is None:
                return None
            return self.block(node.finalbody, replace(after, may=after.may | stopped.may))
        return after

    def within(self, node: ast.With | ast.AsyncWith, state: State) -> Path:
        """A body whose context may swallow what it raises."""
        digest = self.code.digest(node)
        if digest.plain and self.passes(digest, state):
            state = state.bind(*digest.bound)
        else:
            for item in node.items:
                state = self.value(item.optional_vars, self.value(item.context_expr, state))
        self.stops.append([state])
        end = self.block(node.body, state)
        stops = self.stops.pop()
        return join(end, *stops) if swallows(node) else end

    def match(self, node: ast.Match, state: State) -> Path:
        state = self.value(node.subject, state)
        self.before[node] = state.facts
        ends: list[Path] = []
        for case in node.cases:
            here = reduce(State.bind, (n for part in walk(case.pattern) for n in bound_by(part)), state)
            ends.append(self.block(case.body, here := self.value(case.guard, here)))
            always = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
            if case.guard is not None:
                state = here if always else join(state, here) or state
            elif always:
                return join(*ends)
        return join(state, *ends)


_OF_MODULES = frozenset({"__file__", "__name__", "__doc__", "__spec__", "__package__", "__path__", "__loader__"})


def _facts(nodes: Sequence[ast.AST]) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """What is known where the test of a statement has come out false, and where true."""
    test: ast.expr = nodes[0].test  # type: ignore[attr-defined]
    return tuple(facts_of(test, False)), tuple(facts_of(test, True))


def _bound_by_target(nodes: Sequence[ast.AST]) -> frozenset[str]:
    target: ast.expr = nodes[0].target  # type: ignore[attr-defined]
    return frozenset(name for node in own_below(target) for name in bound_by(node))
