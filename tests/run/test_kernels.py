"""The kernels under tests/kernels: what their comments announce is found, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support.checking import compare
from ..support.known import report_of_file

FOLDER = Path(__file__).parents[1] / "kernels"
FILES = sorted(FOLDER.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.relative_to(FOLDER).with_suffix("").as_posix())
def test_kernels_are_judged_as_their_comments_say(file: Path) -> None:
    compare(file, *report_of_file(file))
