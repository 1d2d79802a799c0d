"""What is added to a source so that its runs can be followed leaves what it does as it was."""

from __future__ import annotations

import ast
import traceback
from typing import Any

import numpy as np
import pytest

from nkilint.confirm.marks import BLOCK, ROUNDS, STEP, followed
from reference_sim.running.loops import Rounds, block

SOURCE = """
class Base:
    def rows(self):
        return [1, 2]


class Inherits(Base):
    for n in [1, 2]:
        while n > 1:
            n -= 1

    def rows(self):
        found = []
        while len(found) < len(super().rows()):
            found += [row for row in super().rows() if row]
        return found


def a_test_that_ends_an_iterator():
    items = iter([1, 2])
    while next(items):
        pass


def a_test_that_takes_items():
    found, items = [], iter([3, 2, 0, 1])
    while item := next(items):
        found.append(item)
    return found, item, list(items)


def a_test_without_a_truth():
    while np.zeros(2):
        pass


def a_value_in_place_of_a_test():
    left = [1, 2, 3]
    while left:
        if left.pop() == 2:
            continue
    else:
        left.append("else")
    return left


def never_more_than_asked():
    steps = []

    def items():
        for item in [1, 2, 3]:
            steps.append(("given", item))
            yield item
        steps.append("closed")

    rest = items()
    for item in rest:
        steps.append(("taken", item))
        if item == 2:
            break
    else:
        steps.append("else")
    return steps, list(rest), steps


def a_generator_that_waits():
    def counted():
        n = 0
        while (yield n) is None:
            n += 1

    found = counted()
    return [next(found), next(found), next(found)]


def a_name_that_goes():
    n = 2
    while n:
        n -= 1
    del n
    try:
        return n
    except UnboundLocalError:
        return "gone"


def counted_outside():
    n = 0

    def count():
        nonlocal n
        while n < 3:
            n += 1

    count()
    return n


def names():
    for one in (1, 2):
        while one > 1:
            one -= 1
    return sorted(locals())


def a_list_that_grows():
    items = [1]
    for item in items:
        if item < 3:
            items.append(item + 1)
    return items


def a_dict_that_grows():
    items = {1: 1}
    for item in items:
        items[item + 1] = 1


def nothing_to_go_over():
    for _ in 5:
        pass


def deep(n):
    for _ in [1]:
        while n > 0:
            return deep(n - 1)
    return n


def as_deep_as_goes():
    return deep(600)


def returned_from_within():
    for one in (1, 2):
        while True:
            if one == 2:
                return one
            break


def raised_within():
    try:
        for one in (1, 2):
            while one:
                one -= 1
                raise ValueError(one)
    except ValueError as error:
        return error.args
"""
FUNCTIONS = [node.name for node in ast.parse(SOURCE).body if isinstance(node, ast.FunctionDef) and not node.args.args]


def defined(tree: ast.Module) -> dict[str, Any]:
    names: dict[str, Any] = {"np": np, STEP: int, BLOCK: block, ROUNDS: Rounds}
    exec(compile(tree, "kernel.py", "exec"), names)
    return names


PLAIN, FOLLOWED = ast.parse(SOURCE), ast.parse(SOURCE)
followed(FOLLOWED, SOURCE, ())


def outcome(tree: ast.Module, name: str) -> Any:
    """What a function gives or raises, and on which lines."""
    try:
        return defined(tree)[name]()
    except Exception as error:
        rows = [step.lineno for step in traceback.extract_tb(error.__traceback__) if step.filename == "kernel.py"]
        return type(error), str(error), rows[:8], rows[-2:]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_do_what_they_did(name: str) -> None:
    plain = outcome(PLAIN, name)
    assert outcome(FOLLOWED, name) == plain


def test_classes_are_what_they_were() -> None:
    before, after = (defined(tree)["Inherits"] for tree in (PLAIN, FOLLOWED))
    assert after().rows() == before().rows()
    assert set(vars(after)) == set(vars(before))


def test_loops_in_functions_tell_of_their_iterations() -> None:
    told: list[tuple[str, bool]] = []

    class Told(Rounds):
        def __init__(self, name: str) -> None:
            super().__init__(name)
            self.name = name

        def __call__(self, more: bool) -> None:
            told.append((self.name, more))

    source = "def f():\n for a, (b, c) in {1: (2, 3)}.items():\n  i = 0\n  while i < 2:\n   i += 1\n  else:\n   b = 1\n"
    source += " for a in range(2):\n  while True:\n   break\n"
    tree = ast.parse(source)
    followed(tree, source, ())
    names = defined(tree)
    names[ROUNDS] = Told
    names["f"]()
    assert told == [("a, b, c", True), ("i", True), ("i", True), ("i", False), *[("line 9", True)] * 2]
