"""A module that is called in place of its function, which an import of a package gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.run.engine import check

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl
from parts import {imported}


# nkilint: x: float32[128, 64]
@nki.jit
def kernel(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    {called}(dst=out, src=tile)
    return out
"""
COPIED = "import nki.isa as nisa\n\n\ndef copied(dst, src):\n    nisa.dma_copy(dst=dst, src=src)\n"


@pytest.mark.parametrize(
    ("imported", "called", "package", "found"),
    [
        ("copied", "copied", "", True),
        ("copied as other", "other", "", True),
        ("copied", "copied.copied", "", False),
        ("copied", "copied", "from .copied import copied\n", False),
        ("copied", "copied", "from . import copied\n", True),
    ],
)
def test_a_module_is_no_function(tmp_path: Path, imported: str, called: str, package: str, found: bool) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/__init__.py").write_text(package)
    (tmp_path / "parts/copied.py").write_text(COPIED)
    (tmp_path / "k.py").write_text(KERNEL.format(imported=imported, called=called))
    report = check([tmp_path], Options())
    told = [d for d in report.diagnostics if d.kernel == "kernel"]
    text = f"`{called}` is a module, which cannot be called"
    assert [(d.code, d.message) for d in told] == ([("NKI809", text)] if found else [])
    assert report.kernels[0].verdict == ("violated" if found else "verified")
