"""Nothing of Python is passed over: what the parser knows is lowered, and what is lowered is evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import libcst as cst
import pytest

from nkilint.base import ir
from nkilint.evaluator.kernels import kernel  # noqa: F401  (which imports all of the evaluator)
from nkilint.evaluator.python import interpreter
from nkilint.lowering import expressions, patterns, statements
from nkilint_rules.words.conditions import Unknown

from ..support.checking import evaluations, report_on, reveal_events

PARTS = {
    "SimpleStatementSuite": "a block, of statements of their own",
    "From": "part of `yield from`",
    "FormattedStringText": "part of an f-string",
    "FormattedStringExpression": "part of an f-string",
    "TemplatedStringText": "part of a t-string",
    "TemplatedStringExpression": "part of a t-string",
    "TemplatedString": "a t-string is unknown, with what is in it",
    "MatchSequence": "a list or a tuple",
}
"""Kinds that have no function of their own among the lowering's, and why."""

OPERATORS = {*expressions.BINARY, *expressions._UNARY, *expressions._COMPARE, cst.NotEqual}


def kinds_of(base: type, module: ModuleType = cst) -> Iterator[type]:
    """The kinds of nodes below a base that trees are made of."""
    for kind in base.__subclasses__():
        if getattr(module, kind.__name__, None) is kind and not kind.__name__.startswith("Base"):
            yield kind  # and not what it was before it got slots
        yield from kinds_of(kind, module)


def every(*bases: type) -> set[type]:
    return {kind for base in bases for kind in kinds_of(base) if kind.__name__ not in PARTS}


def test_every_expression_of_the_parser_is_lowered() -> None:
    assert every(cst.BaseExpression) - set(expressions.HANDLERS) == set(), "nkilint/lowering has no `@lowers` for it"


def test_every_statement_of_the_parser_is_lowered() -> None:
    known = every(cst.BaseSmallStatement, cst.BaseCompoundStatement)
    assert known - set(statements.HANDLERS) == set(), "nkilint/lowering has no `@lowers` for it"


def test_every_pattern_of_the_parser_is_lowered() -> None:
    assert every(cst.MatchPattern) - set(patterns._HANDLERS) == set()


def test_every_operator_of_the_parser_is_lowered() -> None:
    assert every(cst.BaseBinaryOp, cst.BaseUnaryOp, cst.BaseBooleanOp, cst.BaseCompOp) - OPERATORS == set()


def test_every_node_is_evaluated_or_run() -> None:
    unknown, unrun = "nkilint/evaluator has no `@evaluates` for it", "nkilint/evaluator has no `@runs` for it"
    assert set(kinds_of(ir.Expr, ir)) - set(interpreter._EXPRESSIONS) == set(), unknown
    assert set(kinds_of(ir.Stmt, ir)) - set(interpreter._STATEMENTS) == set(), unrun


def reason_of(source: str) -> str:
    """Why the evaluator does not know `n` at the end of a kernel that begins with 0."""
    lines = "\n".join(f"    {line}" for line in source.splitlines())
    with evaluations() as found:
        report_on(f"import nki\n\n\n@nki.jit\ndef kernel(x):\n    n = 0\n{lines}\n    reveal(n)\n", "kernels.py")
    (shown,) = reveal_events(found[-1][1])
    value = shown.arguments["value"]
    return value.reason if isinstance(value, Unknown) else f"known: {value}"


@pytest.mark.usefixtures("notebooks")
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("async for n in x: pass", "async for"),
        ("async for i in x:\n    n = i", "async for"),
        ("async with x as n: pass", "async with"),
        ("async with x:\n    n = 1", "async with"),
        ("async def n(): pass", "async function"),
        ("n = await x", "await"),
        ("(await (n := 1))", "await"),
        ("n = t'{x}'", "TemplatedString"),
    ],
)
def test_what_is_not_modelled_is_unknown_with_all_that_it_binds(source: str, reason: str) -> None:
    assert reason_of(source) == f"`{reason}` is not modelled"


@pytest.mark.usefixtures("notebooks")
@pytest.mark.parametrize("source", ["await change(parts)", "async with change(parts): pass", "t'{change(parts)}'"])
def test_what_is_not_modelled_may_change_what_it_can_reach(source: str) -> None:
    assert reason_of(f"parts = [1]\n{source}\nn = parts[0]").endswith("is not modelled")
