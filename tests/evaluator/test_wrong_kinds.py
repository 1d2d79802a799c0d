"""Whatever stands where an operation takes something else: the tool does not fail, and says it in words of the user."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest

from nkilint.evaluator.kernels import kernel  # noqa: F401  (which imports all of the evaluator)
from nkilint.evaluator.values import (
    choices,
    containers,
    grids,
    grown,
    host,
    inputs,
    instructions,
    iterators,
    numbers,
    objects,
    tensors,
    unions,
)
from nkilint.evaluator.values.wording import in_words, words
from nkilint_rules.words.dialects import BETA1, NKI

from ..support.wrong_kinds import VALUES, told_of_wrong_kinds

INTERNAL = re.compile(
    r"0x[0-9a-f]{4}|object at|<(function|class|nkilint|[a-z]: )|[A-Z]\w+\((\w+=|'|\)|<)|\b(FunctionValue|BoundMethod|"
    r"ClassValue|ListValue|DictValue|RangeValue|IteratorValue|InputTensor|SymbolicDType|NoneType'|View|Sym)\b|Span\("
)
"""What no message has: how this tool writes its own objects."""
NAMES_OF_CALLS = re.compile(r"`[\w.]+\(\.\.\.\)`")


@pytest.mark.parametrize("dialect", [BETA1, NKI])
def test_no_argument_of_a_wrong_kind_makes_the_tool_fail(dialect: str) -> None:
    told = told_of_wrong_kinds(dialect)
    assert told.calls > 100 * len(VALUES)
    assert told.faults == {}
    assert {text: call for text, call in told.texts.items() if INTERNAL.search(NAMES_OF_CALLS.sub("", text))} == {}


HELD = (choices, containers, grids, grown, host, inputs, instructions, iterators, numbers, objects, tensors, unions)
NO_VALUES = frozenset(
    (
        *("Bound", "ChosenText", "Copies", "Declaration", "End", "Formula", "GrowingItems", "GrownItems", "Held"),
        *("Lookup", "Made", "Parameter", "Text", "Unbound"),
    )
)
"""Classes there that are parts of values."""


def classes(module: ModuleType) -> list[type]:
    return [c for _, c in inspect.getmembers(module, inspect.isclass) if c.__module__ == module.__name__]


@pytest.mark.parametrize("module", HELD, ids=lambda module: str(module.__name__.rpartition(".")[2]))
def test_every_kind_of_value_has_words(module: ModuleType) -> None:
    lacking = [c.__name__ for c in classes(module) if words.entry(c) is words.otherwise]
    assert sorted(set(lacking) - NO_VALUES) == []


def test_values_in_words() -> None:
    here = objects.ModuleValue("m", None)
    cls = objects.ClassValue("Config", (), {}, here)
    said = {
        "None": None,
        "an integer": 3,
        "a float": 1.5,
        "a bool": True,
        "a string": "a",
        "a tuple": (1, 2),
        "a list": containers.ListValue(),
        "a set": containers.DictValue(kind="set"),
        "a range": containers.RangeValue(0, 4, 1, "range"),
        "the class `Config`": cls,
        "an object of `Config`": objects.Instance(cls, {}),
        "the function `len`": objects.Native("builtins.len", len),
        "the type `bool`": objects.Native("bool", bool),
        "the method `append` of a list": objects.BoundMethod(containers.ListValue(), "append"),
        "the module `m`": here,
        "`numpy.add`": objects.External("numpy.add"),
        "`nki.language.exp`": objects.Api(NKI, "language.exp"),
        "a slice": slice(0, 2),
    }
    assert {words: in_words(value) for words, value in said.items()} == {words: words for words in said}
