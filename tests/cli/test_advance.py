"""`--fix` for a configured version: what is certain by the text is brought up to it, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.cli import main

OLD = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit(mode="trace")  # traced
def doubled(x, bias=None):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.hbm)
    t = nl.ndarray((128, 64), dtype=x.dtype, buffer="sbuf")
    nisa.dma_copy(dst=t, src=x[0:128, 0:64], dge_mode=2)
    if bias is None:
        nisa.dma_copy(dst=out[0:128, 0:64], src=t)
    return out
"""
NEW = (
    OLD.replace('jit(mode="trace")', "jit")
    .replace("nl.hbm", "nl.shared_hbm")
    .replace('"sbuf"', "nl.sbuf")
    .replace("dge_mode=2", "dge_mode=nisa.dge_mode.hwdge")
    .replace("is None", "== None")
)


def fixed(tmp_path: Path, text: str, *options: str) -> str:
    file = tmp_path / "kernels.py"
    file.write_text(text)
    main(["check", "--no-config", "--no-cache", "--fix", *options, str(file)])
    return file.read_text()


def test_what_is_certain_is_rewritten_for_the_version_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fixed(tmp_path, OLD, "--nki-version", "0.4") == NEW
    assert "repaired in 1 file" in capsys.readouterr().err
    assert fixed(tmp_path, NEW, "--nki-version", "0.4") == NEW


@pytest.mark.parametrize("version", [(), ("--nki-version", "0.2")], ids=["none", "the first"])
def test_nothing_is_rewritten_without_a_later_version(tmp_path: Path, version: tuple[str, ...]) -> None:
    assert fixed(tmp_path, OLD, *version) == OLD


def test_what_needs_the_evaluation_is_left_to_migrate(tmp_path: Path) -> None:
    text = OLD.replace(
        "    if bias", "    for i in nl.dynamic_range(0, 2):\n        nisa.dma_copy(dst=t, src=t)\n    if bias"
    )
    after = fixed(tmp_path, text, "--nki-version", "0.6")
    assert "nl.dynamic_range" in after
    assert "nkilint: migrate" not in after
