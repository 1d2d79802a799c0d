"""What was looked at once is not looked at again: calls of one form, and launches of a kernel that is decided."""

from __future__ import annotations

import pytest

from nkilint.base.findings import Report
from tests.support.checking import evaluations, report_on

HEAD = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\nimport numpy as np\n\n\n"
COPIES = """\
@nki.jit
def copies(x):
    assert x.shape == (128, 512)
    a = nl.ndarray((128, 512), dtype=DTYPE_A, buffer=nl.sbuf)
    b = nl.ndarray((128, 512), dtype=DTYPE_B, buffer=nl.sbuf)
    out = nl.ndarray((128, 512), dtype=DTYPE_A, buffer=nl.shared_hbm)
    nisa.memset(dst=a, value=0)
    nisa.memset(dst=b, value=0)
    FIRST
    SECOND
    nisa.dma_copy(dst=out, src=a)
    return out
"""
FLOAT, INT = "nl.float32", "nl.int32"
GOOD = "nisa.tensor_copy(dst=a[0:32, 0:64], src=b[0:32, 64:128])"


def copied(first: str, second: str, a: str = FLOAT, b: str = FLOAT) -> Report:
    source = COPIES.replace("DTYPE_A", a).replace("DTYPE_B", b).replace("FIRST", first).replace("SECOND", second)
    return report_on(HEAD + source, confirm=False)


@pytest.mark.parametrize(
    ("second", "code"),
    [
        ("nisa.tensor_copy(dst=a[16:48, 0:64], src=b[0:32, 64:128])", "NKI106"),
        ("nisa.tensor_copy(dst=a[0:32, 0:64], src=b[8:40, 64:128])", "NKI106"),
        ("nisa.tensor_copy(dst=a[0:32, 0:64], src=b[0:64:2, 64:128])", "NKI108"),
        ("nisa.tensor_copy(dst=a[0:32, 0:64], src=b[0:32, 64:127])", "NKI204"),
        ("nisa.tensor_copy(dst=a[0:32, 0:64], src=x[0:32, 64:128])", "NKI201"),
    ],
)
def test_a_call_like_a_good_one_but_in_one_thing_is_judged_by_itself(second: str, code: str) -> None:
    for first in (GOOD, "pass"):
        found = {d.code for d in copied(first, second).diagnostics}
        assert code in found, (first, found)
    assert not any(d.code == code for d in copied(GOOD, GOOD).diagnostics)


def test_the_same_text_with_another_dtype_is_judged_by_itself() -> None:
    body = "for t in (a, b):\n        nisa.memset(dst=t, value=VALUE)"
    whole = copied("pass", body.replace("VALUE", "2"), FLOAT, INT)
    half = copied("pass", body.replace("VALUE", "2.5"), FLOAT, INT)
    assert [d.code for d in whole.diagnostics] == []
    assert "NKI202" in {d.code for d in half.diagnostics}


def test_calls_of_one_form_count_as_often_as_they_are_made() -> None:
    def proved(*statements: str) -> int:
        (kernel,) = copied(*statements).kernels
        return kernel.obligations.proved

    none, one, two = proved("pass", "pass"), proved(GOOD, "pass"), proved(GOOD, GOOD)
    assert one > none
    assert two - one == one - none


LAUNCHED = """\
@nki.jit
def rows(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(ROWS):
        tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[128 * i : 128 * i + 128])
        nisa.dma_copy(dst=out[128 * i : 128 * i + 128], src=tile)
    return out


def test_rows():
    rows(np.zeros((SIZE, 64), np.float32))
"""


def launched(rows: str, size: int) -> tuple[str, list[tuple[str, str]], int]:
    """The verdict on the launch, the errors, and how much of it was followed."""
    with evaluations() as found:
        report = report_on(HEAD + LAUNCHED.replace("ROWS", rows).replace("SIZE", str(size)), "test_k.py", confirm=False)
    (kernel,) = report.kernels
    (instance,) = kernel.instances
    events = [len(run.trace.events) for request, run in found if request.launch is not None]
    return (
        instance.verdict,
        [(d.code, d.severity.value) for d in report.diagnostics if d.verdict == "violated"],
        sum(events),
    )


def test_a_launch_of_a_decided_kernel_is_followed_as_the_kernel_was() -> None:
    few, many = launched("x.shape[0] // 128", 512), launched("x.shape[0] // 128", 65536)
    assert few == many
    assert few[:2] == ("verified", [])


@pytest.mark.parametrize(("rows", "size", "code"), [("x.shape[0] // 128", 500, "NKI703"), ("4", 384, "NKI301")])
def test_what_a_launch_breaks_is_found(rows: str, size: int, code: str) -> None:
    verdict, errors, _ = launched(rows, size)
    assert verdict == "violated"
    assert code in {found for found, _ in errors}
