"""What is executed of a module for a kernel: what its names need, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from nkilint.confirm.marks import BLOCK, STEP, rows_of
from nkilint.confirm.slices import Slices, Sources


def test_only_what_a_name_needs_is_executed(tmp_path: Path) -> None:
    source = "import sys\nlog = []\nA = 1\nlog.append(A)\nB = A + 1\nlog.append(B)\ndef f():\n    return B\n"
    source += "def test_f():\n    f()\nC = 1 / 0\nif __name__ == '__main__':\n    raise SystemExit\n"
    file = tmp_path / "m.py"
    file.write_text(source, encoding="utf-8")
    module = Sources([str(tmp_path)], {}, (), {STEP: int, BLOCK: iter}).load("m", str(file))
    assert module.f() == 2
    assert "log" not in vars(module)
    assert module.log == [1, 2]
    with pytest.raises(AttributeError):
        _ = module.test_g
    with pytest.raises(ZeroDivisionError):
        _ = module.C


def test_rows_of_statements() -> None:
    tree = ast.parse(
        "def f(\n    a,\n):\n    g(\n        a\n    )\n    for i in range(\n        3\n    ):\n        pass\n"
    )
    assert rows_of(tree, 5) == range(4, 7)
    assert rows_of(tree, 8) == range(7, 10)
    assert rows_of(tree, 2) == range(1, 4)
    assert Slices(tree, "f").binding == {"f": [0]}


# --- kernels that do harm ---


PREPARED = """
import functools
TABLE, LIMITS, FOUND, STATE = {}, [], {}, {"shift": 0}
WIDTH = 0


def configure():
    global WIDTH
    WIDTH = 512


def fill(table, key):
    table[key] = 1


def register(name):
    def keep(function):
        FOUND[name] = function
        return function

    return keep


@register("one")
def one():
    return 1


configure()
fill(TABLE, "a")
for n in range(3):
    LIMITS.append(n)
if WIDTH:
    STATE["shift"] = LIMITS[1]
for name in ("b", "c"):
    TABLE[name] = FOUND["one"]()


def unrelated():
    raise RuntimeError("not to be run")


unrelated()
"""


@pytest.mark.parametrize(
    ("name", "value"),
    [("WIDTH", 512), ("TABLE", {"a": 1, "b": 1, "c": 1}), ("LIMITS", [0, 1, 2]), ("STATE", {"shift": 1})],
)
def test_what_a_name_depends_on_is_executed(tmp_path: Path, name: str, value: object) -> None:
    file = tmp_path / "m.py"
    file.write_text(PREPARED, encoding="utf-8")
    sources = Sources([str(tmp_path)], {}, (), {STEP: int, BLOCK: iter})
    assert getattr(sources.load("m", str(file)), name) == value


def test_statements_with_effects_elsewhere_are_missed(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text("SHIFT = 0\n\ndef setup():\n    pass\n", encoding="utf-8")
    file = tmp_path / "m.py"
    file.write_text("import config\nA = 1\nconfig.setup()\n", encoding="utf-8")
    sources = Sources([str(tmp_path)], {}, (), {STEP: int, BLOCK: iter})
    assert sources.load("m", str(file)).A == 1
    assert sources.left_out() == "line 3 of m.py"
