"""Repairs of single expressions: masks joined by words, index grids of one dimension."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from ..findings import Diagnostic
from ..ir import Span
from .edits import Edit, Fix, piece

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


def give_each_tile_a_place(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    """`num_free_tiles=(8,)` for a tensor of `(8, nl.par_dim(128), 512)` whose tiles overwrite one another."""
    at = next((r.at for r in finding.related if " is allocated here" in r.message), None)
    made = None if at is None or at.file != finding.at.file else _expression(at, lines)
    if at is None or not isinstance(made, cst.Call):
        return None
    blocks = _block_sizes(made)
    if not blocks:
        return None
    counts = "".join(f"{size}, " for size in blocks[:-1]) + blocks[-1] + ("," if len(blocks) == 1 else "")
    more = made.visit(_CountTiles(cst.parse_expression(f"({counts})")))
    assert isinstance(more, cst.BaseExpression)
    if more.deep_equals(made):
        return None
    return _replaced(at, more, "give each tile a place of its own")


def _block_sizes(made: cst.Call) -> list[str]:
    """The source of the sizes before the partition dimension; empty where that is not to be seen."""
    shape = next((a.value for a in made.args if a.keyword is None or a.keyword.value == "shape"), None)
    if not isinstance(shape, (cst.Tuple, cst.List)):
        return []
    code = [cst.Module([]).code_for_node(e.value) for e in shape.elements]
    marked = [n for n, e in enumerate(shape.elements) if isinstance(e.value, cst.Call) and _is(e.value, "par_dim")]
    return code[: marked[0]] if len(marked) == 1 else []


def _is(call: cst.Call, name: str) -> bool:
    """Whether a function of this name is called, whatever module it is taken from."""
    called = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    return isinstance(called, cst.Name) and called.value == name


class _CountTiles(cst.CSTTransformer):
    """Gives `mod_alloc` a number of tiles, unless it spreads them over partitions or banks as well."""

    def __init__(self, counts: cst.BaseExpression) -> None:
        super().__init__()
        self._counts = counts

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:  # noqa: N802
        names = [a.keyword.value if a.keyword else None for a in updated_node.args]
        if not _is(updated_node, "mod_alloc") or {"num_par_tiles", "num_bank_tiles", None} & {*names}:
            return updated_node
        if "num_free_tiles" in names:
            at = names.index("num_free_tiles")
            arguments = list(updated_node.args)
            arguments[at] = arguments[at].with_changes(value=self._counts)
            return updated_node.with_changes(args=arguments)
        added = cst.parse_expression(f"f(num_free_tiles={cst.Module([]).code_for_node(self._counts)})")
        assert isinstance(added, cst.Call)
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        earlier = [a if i + 1 < len(names) else a.with_changes(comma=comma) for i, a in enumerate(updated_node.args)]
        return updated_node.with_changes(args=[*earlier, *added.args])


def _expression(at: Span, lines: Sequence[str]) -> cst.BaseExpression | None:
    try:
        expression = cst.parse_expression(f"({piece(lines, at.row, at.column, at.end_row, at.end_column)}\n)")
    except cst.ParserSyntaxError:
        return None
    return expression.with_changes(lpar=expression.lpar[1:], rpar=expression.rpar[:-1])


def _replaced(at: Span, by: cst.BaseExpression, title: str) -> Fix:
    text = cst.Module([]).code_for_node(by)
    return Fix(title, (Edit(at.row, at.column, at.end_row, at.end_column, text),))
