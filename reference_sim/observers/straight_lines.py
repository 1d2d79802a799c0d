"""Whether the text leads from one statement to another whatever the values are: by no branch, and past no way out.

What a run did not do is not seen in it, so the text has to say that there is nothing of the kind.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

from nkilint_rules.operations.tensor_methods import VIEWS
from nkilint_rules.words.names import USUAL_NAMES
from reference_sim.report.positions import position, tree_of

Path = tuple[tuple[CodeType, int], ...]
"""Where the kernel is, the innermost function first, with the calls that led there."""

Point = tuple[int, int]
"""A row and a column."""

Home = ast.FunctionDef | ast.AsyncFunctionDef

CHOOSING = (ast.If, ast.While, ast.Match, ast.Try)
LOOPS = (ast.For, ast.AsyncFor)


@dataclass(frozen=True)
class Place:
    """Where an instruction stands in the text, and the function that it is in."""

    file: str
    home: Home
    begin: Point
    end: Point


@dataclass(frozen=True)
class Line:
    """How the text leads from one place to another: the call or instruction of each in the function where they part, in
    a file; the `for` loops that only the second is in, and whether what is written there hangs on them by what the
    text says."""

    first: tuple[CodeType, int]
    second: tuple[CodeType, int]
    file: str
    loops: tuple[ast.stmt, ...]
    moves: bool

    def has(self, path: Path) -> bool:
        """Whether a place is in one of these loops."""
        places = [place for site in path if (place := place_of(*site)) is not None and place.file == self.file]
        return any(_contains(loop, place.begin) for place in places for loop in self.loops)


def line_between(a: Path, b: Path) -> Line | None:
    """How the text leads from the one to the other, if it does so always."""
    one, other = list(reversed(a)), list(reversed(b))
    depth = next((n for n, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), None)
    if depth is None:
        return None
    places = [[place_of(*site) for site in path[depth:]] for path in (one, other)]
    known = [[place for place in each if place is not None] for each in places]
    if [len(each) for each in places] != [len(each) for each in known]:
        return None
    (first, *deeper), (second, *inner) = known
    if first.home is not second.home or first.begin >= second.begin:
        return None
    around = list(_around(second))
    loops = tuple(block for block in around if isinstance(block, LOOPS) and not _contains(block, first.begin))
    targets = {name for loop in loops for name in _names(loop.target)}
    for block in around:
        if not isinstance(block, LOOPS) and not _on_one_side(block, first.begin, second.begin):
            own = isinstance(block, ast.If) and any(_contains(loop, (block.lineno, block.col_offset)) for loop in loops)
            if not own or not isinstance(block, ast.If) or not set(_names(block.test)) & targets:
                return None
    if any(not isinstance(block, LOOPS) for place in inner for block in _around(place)):
        return None
    passed: list[tuple[Place | None, Place | None]] = [(first, second), *((None, place) for place in inner)]
    if any(_leaves(block) for start, end in passed for block in _choosing(start, end)):
        return None
    if _is_chosen(second):
        return None
    if any(_may_use(start, end) for start, end in (*passed, *((place, None) for place in deeper))):
        return None
    return Line(
        one[depth],
        other[depth],
        first.file,
        loops,
        any(targets.intersection(_names(each)) for each in _written_at(second)),
    )


@lru_cache(maxsize=64)
def _functions(tree: ast.Module) -> tuple[Home, ...]:
    found: list[Home] = []
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, Home):
            found.append(node)
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            part = getattr(node, name, None)
            pending += part if isinstance(part, list) else ()
    return tuple(found)


def place_of(code: CodeType, offset: int) -> Place | None:
    """Where an instruction stands; None where Python does not tell, or outside functions."""
    found, tree = position(code, offset), tree_of(code.co_filename)
    if found is None or tree is None:
        return None
    begin, end = (found[0], found[2]), (found[1], found[3])
    around = [each for each in _functions(tree) if _contains(each, begin)]
    home = max(around, key=lambda each: (each.lineno, each.col_offset), default=None)
    return None if home is None else Place(code.co_filename, home, begin, end)


def _contains(node: Any, point: Point) -> bool:
    return (node.lineno, node.col_offset) <= point < (node.end_lineno, node.end_col_offset)


def _statements(block: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The statements of a block and of the blocks within; functions and classes are left closed."""
    stack = list(block)
    while stack:
        here = stack.pop()
        yield here
        if not isinstance(here, (Home, ast.ClassDef, ast.Lambda)):
            stack += ast.iter_child_nodes(here)


def _blocks(place: Place) -> Iterator[Any]:
    return (node for node in _statements(place.home.body) if isinstance(node, (*CHOOSING, *LOOPS)))


def _around(place: Place) -> Iterator[Any]:
    return (block for block in _blocks(place) if _contains(block, place.begin))


def _choosing(start: Place | None, end: Place | None) -> Iterator[Any]:
    """What chooses after one place and before another in the same function, of which one may be missing."""
    place = start or end
    for block in _blocks(place) if place is not None else ():
        if not isinstance(block, LOOPS) and _is_between(block, start, end):
            yield block


def _may_use(start: Place | None, end: Place | None) -> bool:
    """Whether what is named at a place is named between the two on a side that may not have been taken, or handed to a
    function, which may have such sides, too."""
    place = start or end
    assert place is not None
    within = [node for node in _statements(place.home.body) if isinstance(node, ast.expr)]
    names: set[str] = set()
    for node in within:
        if _spans(node, place):
            names |= _named(node)
    if not names:
        return True
    sides = [side for block in _choosing(start, end) for side in _sides(block)]
    if any(names.intersection(_names(side)) for side in sides):
        return True
    calls = (node for node in within if isinstance(node, ast.Call) and _is_between(node, start, end))
    return any(not _is_instruction(call, names) and names & _named(call) for call in calls)


def _is_chosen(place: Place) -> bool:
    """Whether what a statement is about hangs on a choice: in its text, or where a name in it is bound."""
    within = list(_statements(place.home.body))
    nodes = [node for node in within if isinstance(node, ast.expr) and _spans(node, place)]
    names = {name for node in nodes for name in _named(node)}
    bound = [node for node in within if isinstance(node, ast.Assign)]
    bound = [n for n in bound if any(isinstance(t, ast.Name) and t.id in names for t in n.targets)]
    sides = [b for b in _blocks(place) if not isinstance(b, LOOPS) and not _contains(b, place.begin)]
    if any(_contains(side, (node.lineno, node.col_offset)) for side in sides for node in bound):
        return True
    return any(isinstance(part, ast.IfExp) for n in (*nodes, *(n.value for n in bound)) for part in ast.walk(n))


def _written_at(place: Place) -> Iterator[ast.AST]:
    """What is written by the statement at a place."""
    for node in _statements(place.home.body):
        if isinstance(node, (ast.Subscript, ast.Call)) and _spans(node, place):
            if isinstance(node, ast.Subscript):
                yield node
            else:
                named = [k.value for k in node.keywords if k.arg == "dst"]
                yield from named or node.args[:1]


def _spans(node: ast.expr, place: Place) -> bool:
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return begin == place.begin and end == place.end


def _is_between(node: Any, start: Place | None, end: Place | None) -> bool:
    here = (node.lineno, node.col_offset)
    after = start is None or (start.begin < here and (node.end_lineno, node.end_col_offset) > start.end)
    return after and (end is None or (here < end.begin and not _contains(node, end.begin)))


def _names(node: ast.AST) -> Iterator[str]:
    return (part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _named(node: ast.AST) -> set[str]:
    """What an expression names, but for what is called."""
    called = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    plain = {each.id for each in called if isinstance(each, ast.Name)}
    return set(_names(node)) - plain - USUAL_NAMES.intersection(map(_root, called))


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _sides(block: Any) -> Iterator[ast.AST]:
    """The statements of what chooses; those that raise use nothing."""
    if not isinstance(block, ast.If):
        yield block
        return
    for side in (block.body, block.orelse):
        if not any(isinstance(each, ast.Raise) for each in side):
            yield from side


def _is_instruction(call: ast.Call, names: set[str]) -> bool:
    """Whether a call is of an operation of NKI, or makes a view of what is named."""
    root = _root(call.func)
    is_method = isinstance(call.func, ast.Attribute)
    return is_method and (root in USUAL_NAMES or (root in names and call.func.attr in VIEWS))  # type: ignore[attr-defined]


def _on_one_side(block: Any, first: Point, second: Point) -> bool:
    if not isinstance(block, ast.If):
        return _contains(block, first)
    sides = [s for s in (block.body, block.orelse) if any(_contains(each, second) for each in s)]
    return bool(sides) and any(_contains(each, first) for each in sides[0])


def _leaves(block: ast.AST) -> bool:
    """Whether a way out of the function or an iteration is in it."""
    return any(isinstance(node, (ast.Return, ast.Break, ast.Continue)) for node in ast.walk(block))
