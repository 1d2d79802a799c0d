"""The standard library's own tests as programs: what their assertions compare must never come out decided and wrong.

`unittest` and `test.support` are replaced by small modules (tests/data/stdlib) whose assertions hand their truth to
`reveal`. CPython says which assertions a test comes to, the evaluator what it thinks of each.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import os
import re
import shutil
import sys
import sysconfig
import unittest
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from nkilint.base.options import Options
from nkilint.run import engine
from nkilint.symbolic.evaluation import holds

from .checking import evaluations, reveal_events
from .oracle import TooSlow, limited

STAND_INS = Path(__file__).parents[1] / "data/stdlib"
TESTS = Path(sysconfig.get_path("stdlib")) / "test"
SUITES = (
    "list", "dict", "set", "deque", "iter", "generators", "itertools", "functools", "math", "slice", "range",
    "enumerate", "dataclasses", "enum", "contextlib", "heapq", "bisect", "patma", "named_expressions", "tuple", "int",
    "bool",
    "builtin", "scope", "with", "unpack_ex", "collections", "copy", "operator", "class", "property", "decorators",
    "augassign", "compare", "richcmp", "contains", "dictcomps", "listcomps", "setcomps", "extcall", "keywordonlyarg",
    "positional_only_arg", "global", "super", "sort", "ordered_dict", "defaultdict", "raise", "binop", "unary", "pow",
    "isinstance", "yield_from", "index", "funcattrs", "grammar", "float", "long", "string", "types", "descr",
)  # fmt: skip
TESTED = ("dictcomps", "named_expressions", "slice", "with")  # suites that our tests look at
SHARED = ("list_tests", "seq_tests", "mapping_tests", "string_tests")  # that tests inherit from
SECONDS = 20
RENAMED = {"unittest": "unit_tests", "test": "tests_of_python"}  # the evaluator looks into no module of the library

Place = tuple[str, int]  # a file of tests and the first row of a statement in it


@dataclass
class Outcome:
    """The assertions of one test method that CPython passes, by what the evaluator says of them."""

    test: str
    right: set[Place] = field(default_factory=set)
    unknown: set[Place] = field(default_factory=set)
    wrong: set[Place] = field(default_factory=set)
    fault: str = ""


def suites() -> list[str]:
    """The suites that this Python comes with."""
    return [name for name in SUITES if (TESTS / f"test_{name}.py").exists()]


def outcomes(suite: str, folder: Path, select: str = "") -> Iterator[Outcome]:
    """What comes of each test method of a suite; `folder` is for the files."""
    passed = {}
    for cls, name in _methods(suite):
        if select in f"{cls.__qualname__}.{name}":
            places = _passed(cls, name, folder)
            if places:
                passed[cls.__qualname__, name] = places
    _write(suite, folder, list(passed))
    for number, ((cls_name, name), places) in enumerate(passed.items()):
        outcome = Outcome(f"{suite}.{cls_name}.{name}")
        told: dict[Place, list[bool | None]] = {}
        try:
            with limited(SECONDS):
                told = _told(folder / f"kernel_{suite}_{number}.py")
        except TooSlow:
            outcome.fault = f"no end in {SECONDS} seconds"
        except Exception as error:
            outcome.fault = f"{type(error).__name__}: {error}"
        for place in sorted(places):
            said = told.get(place, [])
            kind = outcome.wrong if False in said else outcome.unknown if None in said or not said else outcome.right
            kind.add(place)
        yield outcome


# --- CPython ---


def _methods(suite: str) -> Iterator[tuple[type[unittest.TestCase], str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(f"test.test_{suite}")
    for cls in list(vars(module).values()):
        if isinstance(cls, type) and issubclass(cls, unittest.TestCase) and cls.__module__ == module.__name__:
            for name in sorted(dir(cls)):
                if name.startswith("test") and callable(getattr(cls, name)):
                    yield cls, name


def _stand_in() -> ModuleType:
    spec = importlib.util.spec_from_file_location("stand_in", STAND_INS / "unit_tests/__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _passed(cls: type[unittest.TestCase], name: str, folder: Path) -> set[Place]:
    """The assertions that hold each time CPython comes to them. Files that tests write go to `folder`."""
    here = Path.cwd()
    os.chdir(folder)
    seen: defaultdict[Place, set[bool]] = defaultdict(set)

    def reveal(value: Any) -> None:
        frame: Any = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.startswith(str(TESTS)):
            frame = frame.f_back
        if frame is not None:
            seen[_place(frame.f_code.co_filename, frame.f_lineno)].add(bool(value))

    builtins.reveal = reveal  # type: ignore[attr-defined]
    methods = {k: v for k, v in vars(_stand_in().TestCase).items() if k.startswith(("assert", "subTest"))}
    with mock.patch.multiple(unittest.TestCase, **methods), warnings.catch_warnings(), _quiet():
        warnings.simplefilter("ignore")
        try:
            with limited(5):
                case = cls(name)
                case.setUp()
                getattr(case, name)()
        except (Exception, TooSlow, SystemExit):
            pass
        finally:
            os.chdir(here)
    return {place for place, truths in seen.items() if truths == {True}}


@contextmanager
def _quiet() -> Iterator[None]:
    with mock.patch("sys.stdout"), mock.patch("sys.stderr"), mock.patch("sys.unraisablehook"):
        yield


def line(file: str, row: int) -> str:
    """A line of a file of tests."""
    return (TESTS / file).read_text(encoding="utf-8").splitlines()[row - 1].strip()


_first_rows: dict[str, dict[int, int]] = {}


def _place(file: str, row: int) -> Place:
    """The statement that a row belongs to."""
    name = Path(file).name
    if name not in _first_rows:
        rows: dict[int, int] = {}
        nodes = [n for n in ast.walk(ast.parse((TESTS / name).read_text(encoding="utf-8"))) if isinstance(n, ast.stmt)]
        for node in sorted(nodes, key=lambda n: n.lineno):
            if not hasattr(node, "body"):
                rows.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node.lineno))
        _first_rows[name] = rows
    return name, _first_rows[name].get(row, row)


# --- the evaluator ---


def _write(suite: str, folder: Path, tests: list[tuple[str, str]]) -> None:
    """The files that the evaluator reads: stand-ins, the tests, a file with a kernel for each test."""
    shutil.copytree(STAND_INS, folder, dirs_exist_ok=True)
    for name in (f"test_{suite}", *SHARED):
        if (TESTS / f"{name}.py").exists():
            text = (TESTS / f"{name}.py").read_text(encoding="utf-8")
            for theirs, ours in RENAMED.items():
                text = re.sub(rf"(?m)^(\s*(?:from|import) ){theirs}\b", rf"\g<1>{ours}", text)
            text = re.sub(r"\bunittest\.", "unit_tests.", text)
            (folder / "tests_of_python" / f"{name}.py").write_text(text, encoding="utf-8")
    for number, (cls, name) in enumerate(tests):
        (folder / f"kernel_{suite}_{number}.py").write_text(
            f"import neuronxcc.nki as nki\nimport tests_of_python.test_{suite} as tests\n\n\n@nki.jit\ndef kernel(a):\n"
            f"    case = tests.{cls}({name!r})\n    case.setUp()\n    case.{name}()\n    return a\n",
            encoding="utf-8",
        )


def _told(file: Path) -> dict[Place, list[bool | None]]:
    """What the evaluator says of the assertions that it comes to."""
    with evaluations() as found:
        report = engine.check([file], Options())
    if report.failures:
        raise RuntimeError(report.failures[0].message)
    told: dict[Place, list[bool | None]] = {}
    for _, run in found:
        for event in reveal_events(run):
            spans = [event.site.at, *event.site.callers[::-1]]
            at = next((s for s in spans if Path(s.file).name.startswith("test_") or Path(s.file).stem in SHARED), None)
            if at is not None:
                told.setdefault(_place(at.file, at.row), []).append(_truth(event))
    return told


def _truth(event: Any) -> bool | None:
    value = event.arguments["value"]
    try:
        if not all(holds(c, {}) for c in event.site.conditions()):
            return None
        return holds(value, {}) if not isinstance(value, bool) else value
    except (KeyError, AssertionError, AttributeError, TypeError):
        return None
