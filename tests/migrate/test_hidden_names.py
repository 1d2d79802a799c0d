"""Python's `min`, which the migration writes, in files where the name may stand for something else."""

from __future__ import annotations

from pathlib import Path

import pytest

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
