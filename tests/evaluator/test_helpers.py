"""Functions of tiles that no kernel calls and nothing launches: their tensors may be in any memory."""

from __future__ import annotations

from pathlib import Path

from nkilint.base.options import Options
from nkilint.run import engine

HEAD = "import neuronxcc.nki.isa as nisa\nimport neuronxcc.nki.language as nl\nfrom neuronxcc import nki\n\n\n"
HELPER = """\
def double(dst, src):
    tile = nisa.tensor_scalar(src[0:128, 0:512], op0=nl.multiply, operand0=2.0)
    nl.store(dst[0:128, 0:512], value=tile)
"""


def codes(folder: Path, text: str) -> set[str]:
    file = folder / "k.py"
    file.write_text(HEAD + text, encoding="utf-8")
    report = engine.check([file], Options(confirm=False))
    assert len(report.kernels) == 1
    return {d.code for d in report.diagnostics if d.verdict == "violated"}


def test_a_helper_takes_tiles(tmp_path: Path) -> None:
    assert codes(tmp_path, HELPER) == set()


def test_a_kernel_takes_tensors_in_hbm(tmp_path: Path) -> None:
    assert "NKI201" in codes(tmp_path, "@nki.jit\n" + HELPER)


def test_what_is_wrong_in_any_memory_is_wrong_in_a_helper(tmp_path: Path) -> None:
    wide = "    nl.store(dst[0:128, 0:4], value=nl.ndarray((256, 4), dtype=nl.float32, buffer=nl.sbuf))\n"
    assert "NKI101" in codes(tmp_path, HELPER + wide)


def test_no_contract_names_what_nobody_can_check(tmp_path: Path) -> None:
    """A number that an exception decides is unknown: no condition on it is asked of the inputs."""
    text = """\
from settings import check


@nki.jit
def kernel(x):
    rows = 128
    try:
        check(x.shape[0])
    except ValueError:
        rows = 300
    tile = nl.zeros((rows, 64), dtype=nl.float32, buffer=nl.sbuf)
    out = nl.ndarray((rows, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=tile)
    return out
"""
    (tmp_path / "k.py").write_text(HEAD + text, encoding="utf-8")
    (kernel,) = engine.check([tmp_path / "k.py"], Options(confirm=False)).kernels
    assert (kernel.verdict, kernel.contract) == ("incomplete", ())
