"""Names that are imported from modules which do not have them, and those that may be there all the same."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run

import pytest

from nkilint.analyses.text.imported import missing
from nkilint.project.files import Project
from nkilint.project.imports import Imports

PLAIN = "import os\nLIMIT = 4\ndef helper(): pass\nclass Tiling: pass\n"


def missed(folder: Path, text: str) -> list[str]:
    file = folder / "kernel.py"
    file.write_text(text)
    project = Project([str(file)])
    imports = Imports(project)
    return [name for _, name in missing(imports.scope(project.module(str(file))), imports)]


@pytest.mark.parametrize(
    ("helpers", "statement", "expected"),
    [
        (PLAIN, "from helpers import helpr, LIMIT", ["helpr"]),
        (PLAIN, "from helpers import (Tiling, Limit as LIMIT)", ["Limit"]),
        (PLAIN, "from helpers import os, helper, Tiling, LIMIT, __name__", []),
        (PLAIN, "from helpers import *", []),
        ("def f():\n    inner = 1", "from helpers import inner", ["inner"]),
        ("def f():\n    global inner\n    inner = 1\nf()", "from helpers import inner", []),
        ("try:\n    import x\nexcept ImportError:\n    x = None", "from helpers import x", []),
        ("if 4 > 3:\n    x = 1", "from helpers import x", []),
        ("for x, (y, *z) in [(1, (2, 3))]: pass", "from helpers import x, y, z", []),
        ("from os import *", "from helpers import getcwd", []),
        ("def __getattr__(name): return 1", "from helpers import anything", []),
        ("globals()['x'] = 1", "from helpers import x", []),
        ("exec('x = 1')", "from helpers import x", []),
        ("import sys\nsetattr(sys.modules[__name__], 'x', 1)", "from helpers import x", []),
        ("x: int", "from helpers import x", ["x"]),
        ("if (x := 4) > 3: pass", "from helpers import x", []),
        ("type x = int" if sys.version_info >= (3, 12) else "x = int", "from helpers import x", []),
        (PLAIN, "try:\n    from helpers import fast\nexcept ImportError:\n    fast = None", []),
        (PLAIN, "if False:\n    from helpers import fast", []),
        (PLAIN, "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from helpers import Kind", []),
        (PLAIN, "from .helpers import helpr", ["helpr"]),
        ("", "from math import ceill, floor, cbrt, sumprod, _private", ["ceill"]),
        ("", "from collections import Mapping, Sequence, deque, orderedDict", ["orderedDict"]),
        ("", "from itertools import batched, pairwise, chains", ["chains"]),
        ("", "from somewhere import anything\nfrom os import nothing", []),
    ],
)
def test_what_a_module_has(tmp_path: Path, helpers: str, statement: str, expected: list[str]) -> None:
    (tmp_path / "helpers.py").write_text(helpers)
    assert missed(tmp_path, statement + "\n") == expected
    if helpers and not statement.startswith("from ."):
        done = run([sys.executable, "-B", "kernel.py"], cwd=tmp_path, capture_output=True, check=False)
        assert (b"ImportError" in done.stderr) == bool(expected), done.stderr


def test_parts_of_packages(tmp_path: Path) -> None:
    package = tmp_path / "parts"
    package.mkdir()
    (package / "__init__.py").write_text("from .shapes import tile\n")
    (package / "shapes.py").write_text("def tile(): pass\n")
    (package / "native.cpython-311-x86_64-linux-gnu.so").write_bytes(b"")
    (package / "data").mkdir()
    assert missed(tmp_path, "from parts import shapes, tile, native, data, tiles\n") == ["tiles"]
    assert missed(tmp_path, "from parts.shapes import tile, tiles\n") == ["tiles"]


def test_a_module_that_may_be_another(tmp_path: Path) -> None:
    """Two modules of one name are in the project; which of them is found is told by how the program is started."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "helpers.py").write_text("x = 1\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "helpers.py").write_text("y = 1\n")
    assert missed(inside, "from helpers import x\n") == []
    (inside / "helpers.py").unlink()
    assert missed(inside, "from helpers import x, y\n") == ["y"]
