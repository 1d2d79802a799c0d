"""No statement, expression or method of a built-in type is passed over: each is modelled, or unknown and havoc."""

from __future__ import annotations

import collections
import inspect
from unittest import mock

import pytest

from nkilint.base import ir
from nkilint.evaluator.python import interpreter
from nkilint.evaluator.python.types import list_methods

from ..support.differential import kernel_source
from ..support.oracle import SIZES, ask

KEPT_APART = {ir.Expr, ir.Stmt, ir.Starred, ir.UnsupportedStmt}
OBJECTS = {
    "list": ("[3, 1, 2]", list),
    "dict": ("{'p': 1, 'q': 2}", dict),
    "set": ("{1}", set),
    "tuple": ("(3, 1, 2)", tuple),
    "str": ("'abc'", str),
    "deque": ("collections.deque([3, 1, 2])", collections.deque),
    "Counter": ("collections.Counter('ab')", collections.Counter),
    "OrderedDict": ("collections.OrderedDict(p=1, q=2)", collections.OrderedDict),
    "defaultdict": ("collections.defaultdict(int, p=1)", collections.defaultdict),
}
ARGUMENTS = ("", "0", "1", "'p'", "[1, 5]", "0, 7", "'p', 7", "{'p': 4}", "lambda v: -v")


def nodes(base: type) -> list[type]:
    found = [kind for _, kind in inspect.getmembers(ir, inspect.isclass) if issubclass(kind, base)]
    return [kind for kind in found if kind not in KEPT_APART]


@pytest.mark.parametrize("kind", nodes(ir.Stmt), ids=lambda kind: kind.__name__)
def test_each_statement_is_run(kind: type) -> None:
    assert kind in interpreter._STATEMENTS


@pytest.mark.parametrize("kind", nodes(ir.Expr), ids=lambda kind: kind.__name__)
def test_each_expression_has_a_value(kind: type) -> None:
    assert kind in interpreter._EXPRESSIONS


def calls(name: str) -> list[str]:
    methods = sorted(n for n in dir(OBJECTS[name][1]) if not n.startswith("_") and n not in ("fromkeys", "maketrans"))
    return [f"{method}({arguments})" for method in methods for arguments in ARGUMENTS]


def outcome(name: str) -> tuple[int, dict[int, str]]:
    """How often what a method leaves behind is known and right, and what is wrong."""
    made, _ = OBJECTS[name]
    shown = "sorted(map(str, v))" if name == "set" else "list(v.items())" if name in ("dict",) else "list(v)"
    blocks = [
        f"v = {made}\ntry:\n    w = v.{call}\nexcept Exception:\n    pass\nreveal({shown})\n" for call in calls(name)
    ]
    right, wrong = 0, {}
    for start in range(0, len(blocks), 40):
        answer = ask("import collections\n" + kernel_source("".join(blocks[start : start + 40])), SIZES[:1])
        assert answer is not None
        assert not answer.fault, answer.fault
        right += len(answer.right)
        wrong |= answer.wrong
    return right, wrong


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_each_method_changes_what_it_changes(name: str) -> None:
    """The object after a call of any method of the running Python, as CPython leaves it, or unknown."""
    right, wrong = outcome(name)
    assert wrong == {}
    assert right > 0 or name not in ("list", "dict", "set", "tuple", "str", "deque")


def test_a_method_that_does_nothing_is_noticed() -> None:
    with mock.patch.dict(list_methods._OF_LISTS, {"append": lambda machine, target, item: None}):
        assert outcome("list")[1] != {}
