"""Takes away parameters of helpers that index grids and masks came through, and that nothing reads any more."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from nkilint.base.trees import FUNCTIONS, Function, column_of
from nkilint.fixes.edits import Edit, applied, piece

from .cleaning import Grids
from .source import Source

_PLAIN = (
    ast.Name, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Constant, ast.Subscript, ast.Slice,
    ast.Tuple, ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context,
)  # fmt: skip
"""What has no effect, so that it may be left out."""

Piece = tuple[int, int, int, int]


def without_grid_parameters(source: Source, grids: Grids, elsewhere: Callable[[str], bool]) -> str:
    """The text without such parameters, and without what calls hand to them; a function that is more than called, or
    that other files name, keeps its own."""
    while edits := next(filter(None, (_edits(source, f, grids, elsewhere) for f in _functions(source))), None):
        source = Source(source.path, applied(edits, source.text))
    return source.text


def _functions(source: Source) -> Iterator[Function]:
    yield from (n for n in ast.walk(source.tree) if isinstance(n, FUNCTIONS) and not n.args.vararg and not n.args.kwarg)


def _edits(source: Source, function: Function, grids: Grids, elsewhere: Callable[[str], bool]) -> list[Edit]:
    """What takes the first such parameter of a function away; nothing where there is none."""
    parameters = function.args.args
    read = {n.id for statement in function.body for n in ast.walk(statement) if isinstance(n, ast.Name)}
    unread = [p for p in parameters if (function.name, p.arg) in grids and p.arg not in read]
    if not unread or function.args.posonlyargs or (function.args.kwonlyargs and len(parameters) == 1):
        return []
    calls = calls_of(source, function)
    if calls is None or elsewhere(function.name):
        return []
    for parameter in unread:
        number = parameters.index(parameter)
        found = [_removal([_place(source, p, function) for p in parameters], number)]
        for call in calls:
            without = _without_argument(source, call, parameter.arg, number)
            if without is None:
                break
            found.append(without)
        else:
            if all("#" not in piece(source.lines, *_span(e)) for e in found):
                return [edit for edit in found if edit.row]
    return []


def calls_of(source: Source, function: Function) -> list[ast.Call] | None:
    """All calls of a function; None where its name is used in another way, or not for it alone."""
    others = [n for n in ast.walk(source.tree) if isinstance(n, FUNCTIONS) and n.name == function.name]
    named = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == function.name]
    dotted = any(
        isinstance(n, ast.Attribute) and n.attr == function.name and not _is_of_module(source, n)
        for n in ast.walk(source.tree)
    )
    calls = []
    for name in named:
        call = source.parents.get(name)
        if not isinstance(call, ast.Call) or call.func is not name:
            return None
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return None
        calls.append(call)
    return calls if others == [function] and calls and not dotted else None


def _is_of_module(source: Source, node: ast.Attribute) -> bool:
    """Whether a name is one of a module that the file imports, such as `nl.square`."""
    modules = {a.asname for n in ast.walk(source.tree) if isinstance(n, ast.Import) for a in n.names if a.asname}
    return isinstance(node.value, ast.Name) and node.value.id in modules


def _place(source: Source, parameter: ast.arg, function: Function) -> Piece:
    """Where a parameter stands, with its annotation and its default."""
    row, column, end_row, end_column = source.place(parameter)
    positional = function.args.args
    first = len(positional) - len(function.args.defaults)
    number = positional.index(parameter)
    if number >= first:
        end_row, end_column = source.place(function.args.defaults[number - first])[2:]
    return row, column, end_row, end_column


def _without_argument(source: Source, call: ast.Call, name: str, number: int) -> Edit | None:
    """A call without one argument; an edit of no row where it is not given, None where it has to stay."""
    given: list[tuple[Piece, ast.expr]] = [(_enclosed(source, call, a), a) for a in call.args]
    given += [(_of_keyword(source, call, k), k.value) for k in call.keywords]
    keyword = next((i for i, k in enumerate(call.keywords) if k.arg == name), None)
    if keyword is None and number >= len(call.args):
        return Edit(0, 0, 0, 0, "")
    chosen = given[number if keyword is None else len(call.args) + keyword]
    if not all(isinstance(n, _PLAIN) for n in ast.walk(chosen[1])):
        return None
    ordered = sorted(place for place, _ in given)
    return _removal(ordered, ordered.index(chosen[0]))


def _of_keyword(source: Source, call: ast.Call, keyword: ast.keyword) -> Piece:
    row, column = keyword.lineno, column_of(source.lines, keyword.lineno, keyword.col_offset)
    return row, column, *_enclosed(source, call, keyword.value)[2:]


def _enclosed(source: Source, call: ast.Call, value: ast.expr) -> Piece:
    """Where an argument stands, with the parentheses around it; the first one behind the function is the call's."""
    row, column, end_row, end_column = source.place(value)
    own = source.place(call.func)[2:]
    while (row, column - 1) > own and source.lines[row - 1][column - 2 : column - 1] == "(":
        if source.lines[end_row - 1][end_column - 1 : end_column] != ")":
            break
        column, end_column = column - 1, end_column + 1
    return row, column, end_row, end_column


def _removal(places: Sequence[Piece], number: int) -> Edit:
    """One of several that commas part goes, up to the next one, or from the end of the one before it."""
    row, column, end_row, end_column = places[number]
    if number + 1 < len(places):
        return Edit(row, column, *places[number + 1][:2], "")
    if number:
        return Edit(*places[number - 1][2:], end_row, end_column, "")
    return Edit(row, column, end_row, end_column, "")


def _span(edit: Edit) -> Piece:
    return (edit.row, edit.column, edit.end_row, edit.end_column) if edit.row else (1, 1, 1, 1)
