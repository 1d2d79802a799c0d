"""Python's `min`, which the migration writes, in files where the name may stand for something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

from .test_small_forms import STARS, migrated

_LISTED = "from neuronxcc.nki.language import affine_range, exp, load, mgrid, minimum, ndarray, shared_hbm, store"
_BOUNDED = STARS.replace("from neuronxcc.nki.language import *", "{}")


@pytest.mark.parametrize(
    "line",
    [
        "from neuronxcc.nki.language import *\n\n\ndef least(t):\n    return min(t, 1)",
        "from neuronxcc.nki.language import *\nmin = minimum",
        "from neuronxcc.nki.language import *\nfrom neuronxcc.nki.language import min",
        "from neuronxcc.nki.language import *\n\n\ndef min(a):\n    return a",
        "from neuronxcc.nki.language import *\nfrom neuronxcc.nki.language import minimum as min",
        f"{_LISTED}\nfrom builtins import max as min",
        f"{_LISTED}\nif True:\n    min = minimum",
        f"{_LISTED}\n\n\ndef min(a):\n    return a",
    ],
)
def test_a_min_that_is_not_pythons_is_not_written(tmp_path: Path, line: str) -> None:
    result = migrated(tmp_path, _BOUNDED.format(line))
    after = result.files[0].after.decode()
    assert "min(128" not in after
    assert after.count("from builtins") == line.count("from builtins")
    assert "it needs Python's `min`, and `min` is something else in this file" in {
        n.text for n in result.files[0].notes
    }


@pytest.mark.parametrize(
    "line",
    [
        "from neuronxcc.nki.language import *\nfrom builtins import min",
        "from neuronxcc.nki.language import *\nfrom builtins import max, min",
        _LISTED,
        f"from neuronxcc.nki.isa import *\n{_LISTED}",
        f"{_LISTED}\nfrom builtins import min as least",
        f"{_LISTED}\n\n\ndef f(min):\n    return 2",
        f"{_LISTED}\n\n\ndef f():\n    min = 2\n    return min",
        f"{_LISTED}\n\n\nclass Box:\n    def min(self):\n        return 2",
    ],
)
def test_pythons_min_is_imported_only_where_it_is_hidden(tmp_path: Path, line: str) -> None:
    result = migrated(tmp_path, _BOUNDED.format(line))
    after = result.files[0].after.decode()
    assert "t[0:min(128, n - p * 128)]" in after
    assert after.count("from builtins") == line.count("from builtins")


def test_a_variable_of_a_kernel_hides_pythons_min(tmp_path: Path) -> None:
    text = _BOUNDED.format(_LISTED).replace("    n = x.shape[0]", "    n = min = x.shape[0]")
    result = migrated(tmp_path, text)
    assert "min(128" not in result.files[0].after.decode()
    assert "it needs Python's `min`, and `min` is something else in this file" in {
        n.text for n in result.files[0].notes
    }


def test_what_a_star_hides_may_be_used_elsewhere_in_a_statement(tmp_path: Path) -> None:
    text = STARS.replace(", mask=p * 128 + i < n", "").replace("exp(t)", "add(t, min(t, 1, keepdims=True))")
    after = migrated(tmp_path, text).files[0].after.decode()
    assert "min(t, 1, keepdims=True)" in after
    assert "from builtins" not in after
    assert "something else" not in after


_KERNEL = """\
from common import *


@nki.jit
def kernel(x):
    n = x.shape[0]
    out = {nl}ndarray(x.shape, dtype=x.dtype, buffer={nl}shared_hbm)
    i, j = {nl}mgrid[0:128, 0:64]
    for t in {nl}affine_range((n + 127) // 128):
        a = {nl}load(x[128 * t + i, j], mask=128 * t + i < n)
        {nl}store(out[128 * t + i, j], {nl}exp(a), mask=128 * t + i < n)
    return out
"""
_NKI = "from neuronxcc import nki\nimport neuronxcc.nki.language as nl\n"


@pytest.mark.parametrize(
    ("common", "nl", "imported"),
    [
        (_NKI, "nl.", ""),
        (f"{_NKI}from neuronxcc.nki.language import *\n", "nl.", "from builtins import min\n"),
        (f"{_NKI}from neuronxcc.nki.language import *\n", "", "from builtins import min\n"),
        (f"{_NKI}\n\ndef min(a):\n    return a\n", "nl.", "from builtins import min\n"),
        (f"{_NKI}from other import *\n", "nl.", "from builtins import min\n"),
    ],
    ids=["module", "names and module", "names", "a function", "through another module"],
)
def test_what_a_star_brings_from_a_module_of_the_project(tmp_path: Path, common: str, nl: str, imported: str) -> None:
    (tmp_path / "other.py").write_text("from neuronxcc.nki.language import *\n")
    (tmp_path / "common.py").write_text(common)
    (tmp_path / "k.py").write_text(_KERNEL.format(nl=nl))
    result = migrate([tmp_path], Options(), "B1", "0.6")
    assert [(k.kernel, k.state, k.problems) for k in result.kernels] == [("kernel", "migrated", ())]
    after = next(f.after.decode() for f in result.files if f.path.endswith("k.py"))
    assert after.startswith(f"from common import *\n{imported}")
    assert "a[0:min(128, n - 128 * t)]" in after
    assert "mgrid" not in after
