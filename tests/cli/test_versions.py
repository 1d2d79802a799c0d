"""`nkilint versions` and `--nki-version`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nkilint.cli import main

OLD = "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n\n\n@nki.jit\n"
NEW = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n@nki.jit\n"
COPY = """\
def copied(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out
"""


def test_versions_are_told_by_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "new.py").write_text(NEW + COPY)
    (tmp_path / "old.py").write_text(OLD + COPY)
    assert main(["versions", str(tmp_path), "--no-config"]) == 1
    lines = capsys.readouterr().out.replace(str(tmp_path), "here").splitlines()
    assert lines[0].endswith("new.py::copied: works with 0.3, 0.4, 0.5, 0.6")
    assert lines[1].startswith("    not 0.2: line 10: NKI208 ")
    assert next(line for line in lines if "old.py::copied" in line).endswith("works with B1, 0.2, 0.3")
    assert lines[-1].startswith("    not 0.4, 0.5, 0.6: line 6: NKI901 ")


def test_versions_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "new.py").write_text(NEW + COPY)
    assert main(["versions", str(tmp_path), "--no-config", "--output-format", "json"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert kernel["works"] == ["0.3", "0.4", "0.5", "0.6"]
    assert [r["code"] for r in kernel["reasons"]["0.2"]] == ["NKI208", "NKI208"]


def test_the_version_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "old.py"
    file.write_text(OLD + COPY)
    arguments = ["check", str(file), "--no-config", "--no-confirm", "--nki-version"]
    assert main([*arguments, "0.3"]) == 0
    assert main([*arguments, "0.4"]) == 1
    assert "NKI901" in capsys.readouterr().out
    assert main([*arguments, "0.40"]) == 2
    assert "there is no version `0.40` of NKI; did you mean `0.4`?" in capsys.readouterr().err


CHANGED = """\
def changed(x):
    out = nl.ndarray((128, 64), dtype=nl.{dtype}, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.{dtype}, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0)
    {line}
    nisa.dma_copy(dst=out, src=t)
    return {returned}
"""
PSUM = "p = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)\n    nisa.memset(dst=p, value=0)\n    "
HBM = "h = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.hbm)\n    nisa.dma_copy(dst=h, src=t)"


@pytest.mark.parametrize(
    ("line", "first", "last", "code", "dtype", "returned"),
    [
        (f"{PSUM}nisa.dma_copy(dst=out, src=p)", "0.2", "0.2", "NKI201", "float32", "out"),
        (f"{PSUM}r = nl.rsqrt(p)", "0.2", "0.4", "NKI201", "float32", "out"),
        ("nisa.memset(dst=t, value=2.0)", "0.2", "0.2", "NKI202", "int32", "out"),
        ("nisa.dma_copy(dst=out, src=t, dst_rmw_op=nl.add)", "0.2", "0.2", "NKI902", "float32", "out"),
        (HBM, "0.2", "0.2", "NKI707", "float32", "out, h"),
        ("nisa.memset(dst=t, value=3)", "0.2", "0.6", "", "int32", "out"),
    ],
    ids=["copies", "roots", "integers", "sums", "outputs", "nothing"],
)
def test_what_operations_take_changes_with_the_version(
    line: str,
    first: str,
    last: str,
    code: str,
    dtype: str,
    returned: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "k.py").write_text(NEW + CHANGED.format(line=line, dtype=dtype, returned=returned))
    main(["versions", str(tmp_path), "--no-config", "--output-format", "json"])
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert [kernel["works"][0], kernel["works"][-1]] == [first, last]
    told = {r["code"] for found in kernel["reasons"].values() for r in found}
    assert told == ({code} if code else set())
