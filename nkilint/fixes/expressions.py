"""Repairs of single expressions: masks joined by words, index grids of one dimension."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import libcst as cst

from nkilint.base.findings import Diagnostic
from nkilint.base.ir import Span

from .edits import Edit, Fix, piece

_PROPOSAL = re.compile(r"for `(?P<tensor>\w+)` suffices|is free for `(?P<free>\w+)`")
_ARGUMENT = re.compile(r"`(num_free_tiles|num_bank_tiles|base_addr|base_bank|address)=([^`]+)`")
_INDEX = re.compile(r"is indexed with `(.*)`, a grid of one dimension")


def join_masks(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    """`(i < m) & (j < n)` for `i < m and j < n` and for chained comparisons."""
    expression = _expression(finding.at, lines)
    if expression is None:
        return None
    joined = expression.visit(_JoinMasks())
    assert isinstance(joined, cst.BaseExpression)
    return _replaced(finding.at, joined, "join the masks with `&`")


class _JoinMasks(cst.CSTTransformer):
    """Turns `and`, `or` and chained comparisons of one level into `&` and `|`."""

    def __init__(self) -> None:
        super().__init__()
        self._outermost: cst.CSTNode | None = None

    def visit_BooleanOperation(self, node: cst.BooleanOperation) -> bool:  # noqa: N802  (libcst's name)
        return True

    def leave_BooleanOperation(  # noqa: N802
        self, original_node: cst.BooleanOperation, updated_node: cst.BooleanOperation
    ) -> cst.BaseExpression:
        old = updated_node.operator
        operator = (cst.BitAnd if isinstance(old, cst.And) else cst.BitOr)(
            whitespace_before=old.whitespace_before, whitespace_after=old.whitespace_after
        )
        return cst.BinaryOperation(
            left=_enclosed(updated_node.left),
            operator=operator,
            right=_enclosed(updated_node.right),
            lpar=updated_node.lpar,
            rpar=updated_node.rpar,
        )

    def leave_Comparison(  # noqa: N802
        self, original_node: cst.Comparison, updated_node: cst.Comparison
    ) -> cst.BaseExpression:
        if len(updated_node.comparisons) < 2:
            return updated_node
        left = updated_node.left
        joined: cst.BaseExpression | None = None
        for target in updated_node.comparisons:
            single = _enclosed(cst.Comparison(left=left, comparisons=[target]))
            joined = single if joined is None else cst.BinaryOperation(joined, cst.BitAnd(), single)
            left = target.comparator
        assert joined is not None
        return joined.with_changes(lpar=updated_node.lpar, rpar=updated_node.rpar) if updated_node.lpar else joined

    def visit_Lambda(self, node: cst.Lambda) -> bool:  # noqa: N802
        return False


def _enclosed(node: cst.BaseExpression) -> cst.BaseExpression:
    """`node` in parentheses, if `&` would bind tighter than what it is made of."""
    tight = (cst.Name, cst.Call, cst.Attribute, cst.Subscript, cst.SimpleString, cst.Integer)
    if node.lpar or isinstance(node, tight):
        return node
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitAnd):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def widen_grid(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    """`x[i[:, None], j[None, :]]` for `x[i, j]` where a grid has one dimension."""
    named = _INDEX.search(finding.message)
    subscript = _expression(finding.at, lines)
    if named is None or not isinstance(subscript, cst.Subscript):
        return None
    module = cst.Module([])
    count = len(subscript.slice)
    if count > 2:
        return None  # which of the dimensions are grids, and how they lie, is not certain
    elements = []
    found = False
    for position, element in enumerate(subscript.slice):
        index = element.slice
        if isinstance(index, cst.Index) and module.code_for_node(index.value) == named[1]:
            if not isinstance(index.value, (cst.Name, cst.Call, cst.Attribute)):
                return None
            axes = ":, None" if position == 0 else "None, :"
            wide = cst.parse_expression(f"{named[1]}[{axes}]")
            element = element.with_changes(slice=index.with_changes(value=wide))
            found = True
        elements.append(element)
    if not found:
        return None
    return _replaced(finding.at, subscript.with_changes(slice=elements), f"give `{named[1]}` its second axis")


def place_as_proposed(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    """The number of tiles, or the address, that the finding's help proposes and the analysis has tried."""
    proposal = _PROPOSAL.search(finding.help)
    if proposal is None:
        return None
    name = proposal["tensor"] or proposal["free"]
    at = next((r.at for r in finding.related if r.message.startswith(f"`{name}` is allocated here")), None)
    made = None if at is None or at.file != finding.at.file else _expression(at, lines)
    if at is None or made is None:
        return None
    wanted = dict(_ARGUMENT.findall(finding.help))
    placing = _Placing({key: cst.parse_expression(value) for key, value in wanted.items()})
    placed = made.visit(placing)
    assert isinstance(placed, cst.BaseExpression)
    if placing.done != set(wanted):
        return None
    return _replaced(at, placed, " and ".join(f"`{key}={value}`" for key, value in wanted.items()) + f" for `{name}`")


class _Placing(cst.CSTTransformer):
    """Gives the call that places a tensor other arguments; one that is computed, or not there, is left as it is.
    Only a number of tiles may be added."""

    def __init__(self, wanted: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self._wanted = wanted
        self.done: set[str] = set()

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:  # noqa: N802
        call = updated_node
        for key, value in self._wanted.items():
            at = next((n for n, a in enumerate(call.args) if a.keyword and a.keyword.value == key), None)
            if at is not None and _is_literal(call.args[at].value):
                arguments = [a.with_changes(value=value) if n == at else a for n, a in enumerate(call.args)]
                call = call.with_changes(args=arguments)
                self.done.add(key)
            elif at is None and key.startswith("num_") and _is_mod_alloc(call):
                call = _with_argument(call, key, value)
                self.done.add(key)
        return call


def _is_literal(value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.Tuple):
        return all(_is_literal(e.value) for e in value.elements)
    return isinstance(value, cst.Integer)


def _is_mod_alloc(call: cst.Call) -> bool:
    called = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    return isinstance(called, cst.Name) and called.value == "mod_alloc" and all(a.keyword for a in call.args)


def _with_argument(call: cst.Call, key: str, value: cst.BaseExpression) -> cst.Call:
    added = cst.parse_expression(f"f({key}={cst.Module([]).code_for_node(value)})")
    assert isinstance(added, cst.Call)
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    last = len(call.args) - 1
    return call.with_changes(
        args=[*(a.with_changes(comma=comma) if n == last else a for n, a in enumerate(call.args)), *added.args]
    )


def _expression(at: Span, lines: Sequence[str]) -> cst.BaseExpression | None:
    try:
        expression = cst.parse_expression(f"({piece(lines, at.row, at.column, at.end_row, at.end_column)}\n)")
    except cst.ParserSyntaxError:
        return None
    return expression.with_changes(lpar=expression.lpar[1:], rpar=expression.rpar[:-1])


def _replaced(at: Span, by: cst.BaseExpression, title: str) -> Fix:
    text = cst.Module([]).code_for_node(by)
    return Fix(title, (Edit(at.row, at.column, at.end_row, at.end_column, text),))
