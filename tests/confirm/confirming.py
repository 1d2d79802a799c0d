"""Texts with one finding, and what their confirmation says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nkilint.base.findings import Diagnostic
from nkilint.base.options import Options
from nkilint.confirm import confirm
from nkilint.run import engine

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
"""

WIDE = """

@nki.jit
def kernel(x):
    assert x.shape == (128, 512)
    {before}
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None]
    j = nl.arange(512)[None, :]
    tile = nl.load(x[i, j + 1])
    nl.store(output[i, j], value=tile)
    return output
"""


def confirmed(tmp_path: Path, source: str, name: str = "kernels.py", **options: Any) -> list[Diagnostic]:
    """The errors and warnings on a file, with what came of them."""
    file = tmp_path / name
    file.write_text(source, encoding="utf-8")
    chosen = Options(**{"confirm_memory": 1024, **options})
    report = confirm(engine.check([file], chosen), chosen, [file], {})
    return [d for d in report.diagnostics if d.verdict is not None]


def one(tmp_path: Path, source: str, **options: Any) -> Diagnostic:
    (found,) = confirmed(tmp_path, source, **options)
    return found


def kernel(before: str = "pass", above: str = "") -> str:
    """A kernel that loads one column too many, after doing something else."""
    return HEAD + above + WIDE.format(before=before.replace("\n", "\n    "))
