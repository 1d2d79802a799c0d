"""Other values for defaults that decide between paths: what only another value reaches is looked at with that value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import statements, walk
from nkilint_rules.words.records import dataclass

from ..values.objects import Instance
from .hints import rank_hints
from .influence import Influence, Token, mentioned
from .requests import OPEN, Run, Variation

MAX_MEMBERS = 3  # of an enumeration, or texts, that one parameter is given


@dataclass(frozen=True, slots=True)
class Candidate:
    """Variations that go together, and the tests that may come out another way with them."""

    variations: tuple[Variation, ...]
    tests: frozenset[ir.Expr]


class Coverage:
    """Which sides of the tests of a kernel were reached so far, and what may reach the others."""

    def __init__(self) -> None:
        self.outcomes: dict[ir.Expr, set[bool]] = {}
        self.waiting: list[Candidate] = []
        self.known: set[frozenset[Variation]] = set()
        self.defaults: dict[str, Any] = {}

    def learn(self, run: Run, skipped: frozenset[str]) -> bool:
        """Take in a run and what its one-sided tests hang on; whether it reached anything that no other did."""
        assert run.request is not None
        fresh = [t for t, tested in run.trace.tests.items() if not tested.outcomes <= self.outcomes.get(t, set())]
        first = [t for t in fresh if t not in self.outcomes]
        for test in fresh:
            self.outcomes.setdefault(test, set()).update(run.trace.tests[test].outcomes)
        guards = set(_guards(run))
        open_ = [t for t in first if len(self.outcomes[t]) == 1 and t not in guards]
        if not run.request.varied:
            self.defaults = dict(run.inputs)
        for variation, tests in _variations(run, open_, skipped, self.defaults) if open_ else ():
            given = variation.parameter, variation.attribute
            others = (v for v in run.request.varied if (v.parameter, v.attribute) != given)
            together = (*others, variation)
            if frozenset(together) not in self.known:
                self.known.add(frozenset(together))
                self.waiting.append(Candidate(together, tests))
        return bool(fresh)

    def next(self) -> tuple[Variation, ...] | None:
        """Variations that may reach what nothing reached so far."""
        while self.waiting:
            candidate = self.waiting.pop(0)
            if any(len(self.outcomes[test]) == 1 for test in candidate.tests):
                return candidate.variations
        return None


def strings_looked_for(function: ir.FunctionDef) -> dict[str, list[str]]:
    """By parameter, the strings that it is compared with."""
    found: dict[str, list[str]] = {p.name: [] for p in function.params}
    for node in walk(function.body):
        if isinstance(node, ir.Compare) and len(node.rest) == 1 and isinstance(node.left, ir.Name):
            _, other = node.rest[0]
            for item in other.items if isinstance(other, ir.Sequence) else (other,):
                if isinstance(item, ir.Const) and isinstance(item.value, str):
                    found.get(node.left.id, []).append(item.value)
    return {name: sorted(set(strings)) for name, strings in found.items() if strings}


def opened(run: Run) -> tuple[Variation, ...]:
    """Numbers that the kernel compares, and tensors that it may do without, each given instead of its default."""
    assert run.request is not None
    function = run.request.function
    compared = {
        name.id
        for node in walk(function.body)
        if isinstance(node, ir.Compare)
        for name in walk(node)
        if isinstance(name, ir.Name)
    }
    hints = rank_hints(function)
    names = []
    for name in run.defaulted:
        value = run.inputs.get(name)
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and name in compared
        if number or (value is None and hints[name].rank is not None):
            names.append(name)
    return tuple(Variation(name, "", OPEN, "") for name in names)


def _guards(run: Run) -> Iterator[ir.Node]:
    """All of the tests that inputs have to pass: assertions, and tests that something is raised after."""
    for function in {id(t.function): t.function for t in run.trace.tests.values()}.values():
        for statement in statements(function.body):
            if isinstance(statement, ir.Assert):
                yield from walk(statement.test)
            elif isinstance(statement, ir.If) and any(_raises(b) for b in (statement.then, statement.otherwise)):
                yield from walk(statement.test)


def _raises(block: tuple[ir.Stmt, ...]) -> bool:
    return bool(block) and isinstance(block[-1], ir.Raise)


def _variations(
    run: Run, tests: list[ir.Expr], skipped: frozenset[str], defaults: Mapping[str, Any]
) -> Iterator[tuple[Variation, frozenset[ir.Expr]]]:
    """Other values for the parameters that came out one way in `tests`, with those of them that hang on it. One of many
    values may take the place of another that is none of the `defaults`."""
    assert run.request is not None
    influence = Influence(run)
    function = run.request.function
    tokens = {test: frozenset(mentioned(run.trace.tests[test].function, test)) for test in tests}
    for parameter in function.params:
        name = parameter.name
        given = {v.attribute for v in run.request.varied if v.parameter == name}
        value = run.inputs.get(name)
        if name in skipped or ("" in given and not (isinstance(value, str) or _is_member(value))):
            continue
        if name in run.defaulted or "" in given:
            for found in _of(run, influence, tokens, Token(function, name), name, "", value):
                if "" not in given or _default(found[0].value, name) != _default(defaults.get(name), name):
                    yield found
        for path, inner in _fields(value):
            if path not in given:
                yield from _of(run, influence, tokens, Token(None, path.rpartition(".")[2]), name, path, inner)


def _fields(value: Any, depth: int = 2) -> Iterator[tuple[str, Any]]:
    """The fields of an object, and of the objects in them, by how they are reached from it."""
    if depth == 0 or not isinstance(value, Instance) or value.cls.kind not in ("dataclass", "namedtuple", "class"):
        return
    for field, _ in value.cls.fields:
        inner = value.attrs.get(field)
        yield field, inner
        yield from ((f"{field}.{path}", found) for path, found in _fields(inner, depth - 1))


def _of(
    run: Run,
    influence: Influence,
    tokens: dict[ir.Expr, frozenset[Token]],
    start: Token,
    parameter: str,
    field: str,
    value: Any,
) -> Iterator[tuple[Variation, frozenset[ir.Expr]]]:
    """Other values for one parameter, or one field of it, whose value is `value`."""
    if not (value is None or isinstance(value, (bool, int, float, str)) or _is_member(value)):
        return
    reached = influence.reached(start)
    hanging = frozenset(test for test, names in tokens.items() if names & reached)
    if not hanging:
        return
    shown = f"{parameter}.{field}" if field else parameter
    assert run.request is not None
    compared = () if field else _compared(run, reached)
    fraction = value is None and not field and _is_fraction(run.request.function, parameter)
    for other, kept in [(FRACTION, f"{shown} is None")] if fraction else _others(value, shown, hanging, compared):
        yield Variation(parameter, field, other, kept, _default(value, shown) or kept), hanging


def _compared(run: Run, reached: Collection[Token]) -> list[str]:
    """The texts that a parameter is compared with, in the kernel and where it is handed on."""
    assert run.request is not None
    functions = {id(f): f for f in (run.request.function, *(f for _, f in run.trace.calls))}.values()
    found = [(Token(f, name), texts) for f in functions for name, texts in strings_looked_for(f).items()]
    return [text for token, texts in found if token in reached for text in texts]


def _default(value: Any, shown: str) -> str:
    """That a parameter has its default, where there are more values than that and another one."""
    if value is None or isinstance(value, bool):
        return ""
    return f"{shown} == " + (f"{value.cls.name}.{value.attrs['name']}" if _is_member(value) else repr(value))


def _others(value: Any, shown: str, tests: frozenset[ir.Expr], compared: Sequence[str]) -> Iterator[tuple[Any, str]]:
    """Each other value, with the condition, in the words of a precondition, that there is not that value.

    Texts are those of the tests, and what the parameter is `compared` with where no run has come yet, as by an `elif`.
    """
    if isinstance(value, bool):
        yield not value, shown if value else f"not {shown}"
    elif value is None:
        yield OPEN, f"{shown} is None"
    elif isinstance(value, str):
        texts = {n.value: None for t in _in_order(tests) for n in walk(t) if isinstance(n, ir.Const)}
        texts |= dict.fromkeys(compared)
        yield from (
            (t, f"{shown} != {t!r}") for t in [t for t in texts if isinstance(t, str) and t != value][:MAX_MEMBERS]
        )
    elif isinstance(value, (int, float)):
        name = shown.rpartition(".")[2]
        numbers = dict.fromkeys(n for t in _in_order(tests) for n in _about(t, name) if type(n) is type(value))
        yield from ((n, f"{shown} != {n}") for n in [n for n in numbers if n != value][:MAX_MEMBERS])
    else:
        members = [m for m in value.cls.members if m is not value]
        words = {getattr(n, "name", getattr(n, "value", None)) for t in tests for n in walk(t) if _is_word(n)}
        named = [m for m in members if m.attrs["name"] in words or m.attrs.get("value") in words]
        unnamed = [m for m in members if m not in named]  # a test that names none may ask for a property of theirs
        others = [*named[:MAX_MEMBERS], *unnamed[: 1 if named else MAX_MEMBERS]]
        yield from ((m, f"{shown} != {value.cls.name}.{m.attrs['name']}") for m in others)


FRACTION = 0.5  # in place of None, for what is a float where it is given


def _is_fraction(function: ir.FunctionDef, parameter: str) -> bool:
    """Whether the annotation of a parameter says that it is a float, or None."""
    annotation = next((p.annotation for p in function.params if p.name == parameter), None)
    names = {n.id for n in walk(annotation) if isinstance(n, ir.Name)} if annotation is not None else set()
    return "float" in names and names <= {"float", "Optional", "Union"}


def _is_word(node: ir.Node) -> bool:
    return isinstance(node, ir.Attr) or (isinstance(node, ir.Const) and isinstance(node.value, (str, int)))


def _about(test: ir.Expr, name: str) -> Iterator[int | float]:
    """The numbers that a test compares with what goes by a name, and others on the far side of those."""
    for node in walk(test):
        if not isinstance(node, ir.Compare) or len(node.rest) != 1:
            continue
        op, right = node.rest[0]
        for side, other, turned in ((node.left, right, False), (right, node.left, True)):
            named = getattr(side, "id", getattr(side, "name", "")) == name
            if named and isinstance(other, ir.Const) and type(other.value) in (int, float):
                yield from _around(_TURNED.get(op, op) if turned else op, other.value)


def _around(op: str, number: Any) -> Iterator[int | float]:
    """Numbers for which a comparison with one holds, and for which not: with the factors that it has, if it can be, as
    sizes that are compared often have to be multiples of something."""
    more, less = (2 * number, number // 2) if number > 1 else (number + 1, number - 1)
    if op in ("==", "!=", "<=", ">="):
        yield number
    if op in ("!=", ">", "<="):
        yield more
    if op in ("<", ">="):
        yield less
    if op in ("<", ">"):
        yield number


_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _in_order(tests: frozenset[ir.Expr]) -> list[ir.Expr]:
    return sorted(tests, key=lambda test: (test.at.file, test.at.row, test.at.column))


def _is_member(value: Any) -> bool:
    return isinstance(value, Instance) and value.cls.kind == "enum"
