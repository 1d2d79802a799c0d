"""A witness says what a flag is that it hangs on, and its run is given it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.run import engine

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[128, 512]
@nki.jit
def kernel(x, flat):
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    large = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    small = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=large, src=x)
    nisa.dma_copy(dst=small, src=x[:, 0:256])
    tile = CHOICE
    for i in range(512):
        nisa.dma_copy(dst=output[:, nl.ds(i, 1)], src=tile[:, nl.ds(i, 1)])
    return output
"""


@pytest.mark.parametrize(("choice", "flag"), [("large if flat else small", False), ("small if flat else large", True)])
def test_the_flag_takes_the_tensor_that_is_left(tmp_path: Path, choice: str, flag: bool) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(KERNEL.replace("CHOICE", choice), encoding="utf-8")
    (finding,) = engine.check([file], Options()).findings
    assert finding.code == "NKI301"
    assert "`tile` has size 256 there" in finding.message
    assert finding.witness is not None
    assert finding.witness.inputs["flat"] is flag
    assert finding.trial is not None
    assert finding.trial.arguments["flat"] is flag
