"""Other names that files give to what runs kernels, or places tiles, and that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

KERNEL = """\
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def copied(x):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


x = np.ones((128, 256), np.float32)
"""
LAMBDA = "(lambda kernel, *args, **kwargs: nki.simulate(kernel)(*args, **kwargs))"


def after(folder: Path, **texts: str) -> dict[str, str]:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    files = migrate([folder], Options(), "B1", "0.6", verified=False).files
    return {Path(f.path).stem: f.after.decode() for f in files}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if True:\n    run = nki.simulate_kernel\n    run(copied, x)\n", "if True:\n    nki.simulate(copied)(x)\n"),
        (
            "run = nki.simulate_kernel\nif x.shape == (1,):\n    run = print\nrun(copied, x)\n",
            f"run = {LAMBDA}\nif x.shape == (1,):\n    run = print\nrun(copied, x)\n",
        ),
        (
            "class Tools:\n    run = nki.simulate_kernel\n\n\nTools.run(copied, x)\n",
            f"class Tools:\n    run = {LAMBDA}\n\n\nTools.run(copied, x)\n",
        ),
    ],
    ids=["in-a-block", "bound-twice", "of-a-class"],
)
def test_another_name_goes_where_it_stands_for_nothing_else(tmp_path: Path, old: str, new: str) -> None:
    text = after(tmp_path, k=KERNEL + old)["k"]
    assert text == KERNEL.replace("neuronxcc.nki as nki", "nki").replace("neuronxcc.", "") + new


COMMON = """\
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc

run = nki.simulate_kernel
placed = ncc.sbuf.mod_alloc
"""


def test_another_name_stays_while_other_files_have_it(tmp_path: Path) -> None:
    imports = "language as nl\nfrom common import placed, run\nimport common\n"
    kernel = KERNEL.replace("language as nl\n", imports).replace(
        "    nl.store",
        "    tile = nl.ndarray((nl.par_dim(128), 256), dtype=x.dtype, buffer=placed(base_addr=0))\n    nl.store",
    )
    found = after(tmp_path, common=COMMON, k=kernel + "run(copied, x)\ncommon.run(copied, x)\n")
    assert found["common"] == f"import nki\n\nrun = {LAMBDA}\n"
    assert "from common import run\n" in found["k"]
    assert found["k"].endswith("nki.simulate(copied)(x)\ncommon.run(copied, x)\n")


def test_another_name_that_its_own_file_alone_has_goes_beside_other_files(tmp_path: Path) -> None:
    found = after(tmp_path, other=COMMON.replace("run", "go"), k=f"{KERNEL}run = nki.simulate_kernel\nrun(copied, x)\n")
    assert found["k"].endswith("\nnki.simulate(copied)(x)\n")
