"""Index grids with a step, of which nothing says that they have an element: where the slice ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

HEAD = "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n"
KERNEL = """\


@nki.jit
def taken(x):
    p, f = x.shape
    out = nl.ndarray((p, COUNT), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(p)[:, None]
    j = nl.arange(COUNT)[None, :]
    nl.store(out[i, j], value=nl.load(x[i, PLACE]))
    return out
"""


@pytest.mark.parametrize(
    ("count", "place", "columns"),
    [
        ("f // 2", "2 * j", "0:(f // 2) * 2:2"),
        ("f // 2", "2 * j + 1", "1:f:2"),
        ("f // 3", "3 * j + 1", "1:min(1 + (f // 3) * 3, f):3"),
        ("f - f // 2", "2 * j", "0:f:2"),
        ("f // 3", "3 * j", "0:(f // 3) * 3:3"),
        ("f // 2 - f // 4", "2 * j", "0:(f // 2 - f // 4) * 2:2"),
    ],
)
def test_a_slice_goes_no_further_than_the_dimension(tmp_path: Path, count: str, place: str, columns: str) -> None:
    file = tmp_path / "k.py"
    file.write_text(HEAD + KERNEL.replace("COUNT", count).replace("PLACE", place))
    result = migrate([file], Options(), "B1", "0.6")
    assert f"nl.load(x[0:p, {columns}])" in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


def test_an_assertion_shows_that_a_slice_goes_to_the_end(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    text = (
        KERNEL.replace("COUNT", "f // 2").replace("PLACE", "2 * j").replace("    out", "    assert f % 2 == 0\n    out")
    )
    file.write_text(HEAD + text)
    assert "nl.load(x[0:p, 0:f:2])" in migrate([file], Options(), "B1", "0.6").files[0].after.decode()
