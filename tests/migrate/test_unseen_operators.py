"""Operators on tiles where no evaluation comes: they are told of, and no kernel with one counts as rewritten whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

CLASS = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


class Norm:
    def __init__(self, size):
        self.size = size
        self.kernel = nki.jit(self.run)

    DECORATORdef run(self, x):
        out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.broadcast_to(nl.load(x), shape=(128, self.size))
        STATEMENT
        nl.store(out, tile)
        return out
"""


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("tile = tile / self.size", "tile / self.size"),
        ("tile = nl.exp(tile) + 1", "nl.exp(tile) + 1"),
        ("tile = -tile", "-tile"),
        ("tile = nl.where(tile[0:128] > self.size, 1, 0)", "tile[0:128] > self.size"),
        ("tile += self.size", "tile += self.size"),
    ],
)
@pytest.mark.parametrize("decorator", ["", "@nki.jit\n    "], ids=["bound", "decorated"])
def test_an_operator_on_what_an_operation_gave_is_left_where_it_is_not_known(
    tmp_path: Path, statement: str, told: str, decorator: str
) -> None:
    file = tmp_path / "k.py"
    file.write_text(CLASS.replace("STATEMENT", statement).replace("DECORATOR", decorator))
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    notes = [n.text for f in result.files for n in f.notes if n.letter == "P"]
    assert [n.partition(" works on")[0] for n in notes] == [f"what `{told}`"]
    assert [k.state for k in result.kernels] == (["left"] if decorator else [])
    assert not result.complete


def test_an_operator_on_numbers_that_are_not_known_stays(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(CLASS.replace("STATEMENT", "half = -self.size // 2 + nl.program_id(0)").replace("DECORATOR", ""))
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    assert not [n for f in result.files for n in f.notes]
