"""What the text of a large file shows is told before its kernels are evaluated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.base.serial import plain, restored
from nkilint.lsp.documents import Document, Result
from nkilint.lsp.worker import Analyst

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    tile = nl.zeros((256, 4), dtype=nl.float32, buffer=nl.sbuf)
    return nowhere
"""


def answer(tmp_path: Path, text_alone: bool) -> Report:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, encoding="utf-8")
    request: dict[str, Any] = {
        "paths": [str(file)],
        "options": plain(Options(root=tmp_path)),
        "overlay": {},
        "text_alone": text_alone,
    }
    return restored(Report, Analyst().tasks["check"](request)["report"])


def test_no_kernel_is_evaluated(tmp_path: Path) -> None:
    alone, all_of_it = answer(tmp_path, True), answer(tmp_path, False)
    assert ([d.code for d in alone.findings], alone.kernels) == (["NKI808"], ())
    assert {"NKI101", "NKI808"} <= {d.code for d in all_of_it.findings}
    assert len(all_of_it.kernels) == 1


def test_another_result_follows(tmp_path: Path) -> None:
    document = Document("file:///kernel.py", str(tmp_path / "kernel.py"), version=1, turn=3)
    result = Result(1, answer(tmp_path, True), KERNEL.splitlines(), frozenset(), complete=False)
    document.take(result, settled=False)
    assert (document.result, document.done) == (result, -1)
    document.take(result)
    assert document.done == 3
