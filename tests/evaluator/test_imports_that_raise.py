"""Modules whose import ends with an exception: no kernel in them is verified."""

from __future__ import annotations

import pytest

from ..support.checking import report_on
from .test_what_may_raise import verdict

MODULES = {
    "from nki import nope": "from nki import language",
    "from nki.isa import nope": "from nki.isa import dma_copy",
    "from nki.language import add, nope": "from nki.language import add, ndarray",
    "from math import nope": "from math import ceil",
    "import math.pi": "import math",
    "import os.nope": "import os.path",
    "def rows(a: 3()):\n    pass": "def rows(a: int | None, b: 'Later' = 1) -> list[int]:\n    pass",
    "def rows(a) -> None[1]:\n    pass": "def rows(a) -> tuple[int, ...] | None:\n    b: 3() = 1",
    "def rows(a: Later):\n    pass\nLater = int": "Later = int\ndef rows(a: Later):\n    pass",
    "ROWS: 1 / 0 = 1": "ROWS: int = 1",
    "class Rows:\n    count: 'a' + 1": "class Rows:\n    count: 'a'\n    def rows(self) -> 'Rows':\n        pass",
    "class Rows:\n    def rows(self) -> Rows:\n        pass": "class Rows:\n    def rows(self) -> int:\n        pass",
    "ROWS = {}['a']": "ROWS = {}.get('a')",
    "ROWS = [1, 2][2]": "ROWS = [1, 2][1]",
    "ROWS = 1 // 0": "ROWS = 1 // 2",
    "raise ValueError": "if __name__ == '__main__':\n    raise ValueError",
    "assert 2 < 1": "assert 1 < 2",
    "class Rows:\n    count = int('x')": "class Rows:\n    count = int('5')",
    "try:\n    ROWS = [][0]\nexcept KeyError:\n    pass": "try:\n    ROWS = [][0]\nexcept IndexError:\n    pass",
    "@dataclass\nclass Rows:\n    a: int = 1\n    b: int": "@dataclass\nclass Rows:\n    b: int\n    a: int = 1",
    "@dataclass\nclass Rows:\n    a: list = []": "@dataclass\nclass Rows:\n    a: tuple = ()",
    "class Rows(NamedTuple):\n    a: int = 1\n    b: int": "class Rows(NamedTuple):\n    b: int\n    a: int = 1",
    "class Rows(Enum):\n    A = 1\n    A = 2": "class Rows(Enum):\n    A = 1\n    B = 2",
    "class Rows(Enum):\n    A = 1\nclass More(Rows):\n    B = 2": (
        "class Rows(Enum):\n    def more(self):\n        return 1\nclass More(Rows):\n    B = 2"
    ),
    "class Rows(IntEnum):\n    A = 'a'": "class Rows(IntEnum):\n    A = 1\n    B = True + 1",
    "class Rows:\n    pass\nclass More(Rows):\n    pass\nclass Both(Rows, More):\n    pass": (
        "class Rows:\n    pass\nclass More(Rows):\n    pass\nclass Both(More, Rows):\n    pass"
    ),
    "class Rows:\n    pass\nclass More(object, Rows):\n    pass": (
        "class Rows:\n    pass\nclass More(Rows, object):\n    pass"
    ),
    "class Rows:\n    pass\nclass More(Rows, Rows):\n    pass": (
        "class Rows:\n    pass\nclass More(Rows, dict):\n    pass"
    ),
    "class Rows(bool):\n    pass": "class Rows(int):\n    pass",
    "@unique\nclass Rows(Enum):\n    A = 1\n    B = 1": "@unique\nclass Rows(Enum):\n    A = 1\n    B = 2",
}
"""What the import of a module ends with, and beside it what does not."""
IMPORTS = """\
from dataclasses import dataclass
from enum import Enum, IntEnum, unique
from typing import NamedTuple


"""
LATE = """
here = 1


def bind():
    global late
    late = 2
"""
KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[128, N]
@nki.jit
def kernel(x):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=result, src=x)
    return result
"""


@pytest.mark.parametrize(("bad", "good"), MODULES.items())
def test_no_kernel_of_a_module_is_verified_whose_import_raises(bad: str, good: str) -> None:
    assert [verdict("N", f"{IMPORTS}{each}\n\n\n") for each in (bad, good)] == ["incomplete", "verified"]


STATEMENTS = {
    "import nki.nope": "import nki.language",
    "from nki import nope": "from nki import language",
    "import nowhere_at_all": "import json",
    "from .nope import rows": "import functools as rows",
    "import os.nope": "import os.path",
    "import math.nope": "import math, itertools",
    "from os.path import nope": "from os.path import join",
    "from json import nope": "from json import dumps",
    "class Rows(int, str):\n        pass": "class Rows(int):\n        pass",
    "class Rows(rows=1):\n        pass": (
        "class Rows:\n        def __init_subclass__(cls, rows):\n            pass\n"
        "    class More(Rows, rows=1):\n        pass"
    ),
    "{} (5, ValueError):{}": "{} (KeyError, ValueError):{}",
    "{} (KeyError, (ValueError, TypeError)):{}": "{} (KeyError, ValueError, TypeError):{}",
    "class Rows:\n        pass\n    {} Rows:{}": "class Rows(ValueError):\n        pass\n    {} (Rows, ValueError):{}",
}
"""Statements of a kernel that raise, or handlers that name no class of exceptions, and beside them what is right."""


@pytest.mark.parametrize(("bad", "good"), STATEMENTS.items())
def test_what_statements_raise_is_not_verified(bad: str, good: str) -> None:
    def judged(statement: str) -> str:
        handled = "try:\n        raise ValueError\n    except", "\n        pass"
        source = KERNEL.replace("    result = ", f"    {statement.format(*handled)}\n    result = ")
        (kernel,) = report_on(source).kernels
        return kernel.verdict

    assert (judged(bad), judged(good)) == ("incomplete", "verified")


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ("from tools import late", "incomplete"),
        ("from tools import here", "verified"),
        ("import tools\ntools.bind()\nfrom tools import late", "verified"),
        ("import tools\ntools.late = 3\nfrom tools import late", "verified"),
        ("try:\n    from tools import late\nexcept ImportError:\n    late = 1", "verified"),
        ("def unused():\n    from tools import late", "verified"),
    ],
)
def test_names_that_nothing_has_bound_yet_cannot_be_imported(imports: str, expected: str) -> None:
    (kernel,) = report_on(imports + KERNEL, more={"tools.py": LATE}).kernels
    assert kernel.verdict == expected


@pytest.mark.parametrize(
    ("statement", "supposed"),
    [
        ("import nowhere_at_all", "nowhere_at_all"),
        ("from nowhere_at_all import rows", "nowhere_at_all"),
        ("from .nowhere import rows", ".nowhere"),
        ("import nki.nope", "nki.nope"),
        ("from typing import nope", "typing.nope"),
        ("from numpy import nope", "numpy.nope"),
        ("import numpy.nope", "numpy.nope"),
        ("import numpy.random, torch, os.path, json", ""),
        ("from nki.language import *", ""),
        ("from tools import here", ""),
        ("try:\n    import nowhere_at_all\nexcept ImportError:\n    pass", ""),
        ("if False:\n    import nowhere_at_all", ""),
    ],
)
def test_what_may_be_there_is_supposed_to_be(statement: str, supposed: str) -> None:
    (kernel,) = report_on(statement + KERNEL, more={"tools.py": LATE}).kernels
    said = [each for each in kernel.assumptions if "can be imported" in each]
    assert (kernel.verdict, said) == ("verified", [f"`{supposed}` can be imported"] if supposed else [])


def test_annotations_that_are_put_off_are_not_evaluated() -> None:
    definition = "def rows(a: 3(), b: Later) -> None[1]:\n    pass\n"
    (kernel,) = report_on(f"from __future__ import annotations\n{definition}{KERNEL}").kernels
    assert kernel.verdict == "verified"


@pytest.mark.parametrize(
    "statement",
    ["a, b = 1, 2, 3", "ROWS = 1 < 'a'", "ROWS = int | 3", "def rows(a: len[2]):\n    pass", "ROWS = len()"],
)
def test_what_may_raise_in_an_import_is_supposed_not_to(statement: str) -> None:
    (kernel,) = report_on(statement + KERNEL).kernels
    assert any("comes to its end, of which" in each for each in kernel.assumptions)


@pytest.mark.parametrize(
    ("helper", "verdict"),
    [
        ("ROWS = 1 // 0", "incomplete"),
        ("from nki import nope", "incomplete"),
        ("from other import more", "incomplete"),
        ("def rows(a: 3()):\n    pass", "incomplete"),
        ("try:\n    from other import more\nexcept ImportError:\n    pass", "verified"),
        ("def rows():\n    from other import more", "verified"),
        ("import math", "verified"),
    ],
)
def test_imports_of_other_files_come_to_their_end(helper: str, verdict: str) -> None:
    source = f"from helper import here\n{KERNEL}"
    more = {"helper.py": f"{helper}\nhere = 1\n", "other.py": "more = 1\nROWS = {}['a']\n"}
    (kernel,) = report_on(source, more=more).kernels
    assert kernel.verdict == verdict
