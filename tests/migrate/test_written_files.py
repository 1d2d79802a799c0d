"""Which files are written where a kernel of one of them fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate import rewriting
from nkilint.migrate.outcomes import Migration, migrate

HELPER = """\
import neuronxcc.nki.language as nl


def loaded(x):
    i = nl.arange(128)[:, None]
    j = nl.arange(64)[None, :]
    return nl.load(x[i, j])
"""
USER = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
from helper import loaded


@nki.jit
def NAME(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x)
    nl.store(out, nl.VALUE)
    return out
"""
FAILS = USER.replace("NAME", "fails").replace("VALUE", "multiply(tile, 3.0)")
WORKS = USER.replace("NAME", "works").replace("VALUE", "exp(tile)")
SCRIPT = """\
import neuronxcc.nki as nki
import numpy as np
from fails import fails

if __name__ == "__main__":
    print(nki.simulate_kernel(fails, np.zeros((128, 64), np.float32)))
"""


@pytest.fixture(autouse=True)
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration that changes what one of the kernels computes."""
    plain = rewriting.Rewriter.render

    def render(self: rewriting.Rewriter, node: object) -> str:
        return plain(self, node).replace("3.0", "4.0")  # type: ignore[arg-type]

    monkeypatch.setattr(rewriting.Rewriter, "render", render)


def migrated(folder: Path, **texts: str) -> Migration:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    return migrate([folder], Options(), "B1", "0.6")


def written(result: Migration) -> list[str]:
    return sorted(Path(path).name for path in result.mended().files)


def test_a_helper_and_a_script_of_what_fails_are_not_written(tmp_path: Path) -> None:
    result = migrated(tmp_path, helper=HELPER, fails=FAILS, script=SCRIPT)
    assert written(result) == []
    told = {Path(path).name: why for path, why in result.refused.items()}
    assert told["helper.py"] == told["script.py"] == "it serves `fails.py`, which is not"


def test_a_helper_that_others_use_is_written(tmp_path: Path) -> None:
    result = migrated(tmp_path, helper=HELPER, fails=FAILS, works=WORKS)
    assert written(result) == ["helper.py", "works.py"]
    (why,) = result.refused.values()
    assert why == "`fails` would not do the same, and it hangs together with `helper.py`, which is"


def test_a_kernel_stands_where_it_is_defined(tmp_path: Path) -> None:
    inside = HELPER + "\n\n" + WORKS.replace("from helper import loaded\n", "")
    result = migrated(
        tmp_path, helper=HELPER, works=WORKS.replace("import neuronxcc", "\n\nimport neuronxcc", 1), inside=inside
    )
    rows = {Path(k.file).name: k.row for k in result.kernels}
    assert rows == {"works.py": 8, "inside.py": 14}


def test_a_kernel_beside_that_uses_nothing_of_it_is_written(tmp_path: Path) -> None:
    other = WORKS.replace("from helper import loaded\n", "").replace("loaded(x)", "nl.load(x)")
    result = migrated(tmp_path, helper=HELPER, fails=FAILS, works=other)
    assert written(result) == ["works.py"]
