"""Findings about how a kernel is written leave its verdict alone."""

from __future__ import annotations

from pathlib import Path

from nkilint.report.explain import explanation
from nkilint.report.style import Style

from ..support.checking import report_on

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[128, 512]
@nki.jit
def kernel(x, scale=None):
    assert x.shape == x.shape
    tile = nl.ndarray((128, SIZE), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if scale is not None:
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=scale)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


def test_a_finding_about_style_is_a_warning_and_no_violation() -> None:
    report = report_on(KERNEL.replace("SIZE", "512"))
    assert [(d.code, d.severity, d.verdict) for d in report.diagnostics] == [
        ("NKI810", "warning", None),
        ("NKI803", "info", None),
    ]
    (kernel,) = report.kernels
    assert (kernel.verdict, kernel.obligations.violated) == ("verified", 0)
    told = explanation(kernel, Path(), Style(), report.diagnostics)
    assert "Advice\n" in told
    assert "NKI803 kernels of NKI compare with `!=`" in told
    assert "Violated" not in told


def test_it_does_not_hide_a_violation() -> None:
    report = report_on(KERNEL.replace("SIZE", "256"))
    assert report.kernels[0].verdict == "violated"
    assert {d.verdict for d in report.diagnostics} == {None, "violated"}
