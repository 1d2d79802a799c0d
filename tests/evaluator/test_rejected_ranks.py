"""Kernels that end at an assertion of their own: for any inputs, or for a guessed number of dimensions."""

from __future__ import annotations

import pytest

from nkilint.base.findings import Report

from ..support.checking import report_on

HEAD = "import nki\nimport nki.language as nl\nimport nki.isa as nisa\n"
KERNEL = """
@nki.jit
def kernel(x, work):
    p, f = x.shape
    nisa.dma_copy(dst=work, src=x)
    sizes = list(work.shape)
    {check}
    out = nl.ndarray((p, f), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out
"""


def checked(source: str) -> Report:
    return report_on(("import os\n" if "os." in source else "") + HEAD + source, confirm=False)


def codes(report: Report) -> list[str]:
    return [d.code for d in report.findings if d.severity.value == "error"]


@pytest.mark.parametrize(
    ("check", "rank"),
    [
        ("assert len(sizes) > 2", 3),
        ("assert len(sizes) == 4", 4),
        ("assert len(sizes) == 1", 1),
        ("assert len(sizes) == 5", 5),
        ("assert 2 < len(sizes) <= 3", 3),
        ("pass", 2),
    ],
)
def test_a_guessed_rank_that_an_assertion_rejects_is_another_one(check: str, rank: int) -> None:
    report = checked(KERNEL.format(check=check))
    assert not codes(report)
    (kernel,) = report.kernels
    assert kernel.verdict == "conditional"
    assert f"work has {rank} dimensions" in kernel.assumptions


@pytest.mark.parametrize("check", ["assert len(sizes) == 7", "assert len(sizes) == 0", "assert p % 128 == 128"])
def test_where_no_rank_is_taken_no_input_is(check: str) -> None:
    report = checked(KERNEL.format(check=check))
    assert codes(report) == ["NKI807"]
    assert [k.verdict for k in report.kernels] == ["violated"]


def test_ranks_of_several_tensors_are_tried() -> None:
    source = KERNEL.replace("work):", "work, other):").replace(
        "sizes = list(work.shape)", "nisa.dma_copy(dst=other, src=x)"
    )
    check = "assert len(list(work.shape)) > len(list(other.shape))"
    report = checked(source.format(check=check))
    assert not codes(report)
    (kernel,) = report.kernels
    assert kernel.verdict == "conditional"


@pytest.mark.parametrize(
    "body",
    [
        'assert False, "to be overridden"',
        'name = "x"\n    print(name)\n    assert False',
        "assert 0",
        'level = os.environ.get("LEVEL")\n    assert False',
    ],
)
def test_a_kernel_that_only_fails_is_decided(body: str) -> None:
    report = checked(f"@nki.jit\ndef kernel(x):\n    {body}\n")
    assert codes(report) == ["NKI807"]
    assert [k.verdict for k in report.kernels] == ["violated"]


def test_what_is_set_outside_may_lead_past_an_assertion() -> None:
    report = checked(
        '@nki.jit\ndef kernel(x):\n    if os.environ.get("LEVEL") == "2":\n        return x\n    assert False\n'
    )
    assert not codes(report)
    assert [k.verdict for k in report.kernels] == ["incomplete"]
