"""What arrives from another core is made of what was written there (NKI701)."""

from __future__ import annotations

import pytest

from ..support.checking import report_on

HEAD = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n"
KERNEL = """
@nki.jit
def kernel(x):
    me = nl.program_id(0)
    assert nl.num_programs(0) == 2
    out = nl.ndarray((2, 128, {taken}), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    b = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    c = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    {body}
    nisa.dma_copy(dst=out[me], src=b[:, 0:{taken}])
    return out
"""
SEND = "nisa.sendrecv(src={}, dst=b, send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0)"
HALF, ALL = "nisa.memset({}[:, 0:64], 0.0)", "nisa.memset({}, 0.0)"


def lines(*statements: str) -> str:
    return "\n    ".join(statements)


BY_CORE = ("if me == 0:", "    " + ALL.format("a"), "    " + SEND.format("a"), "else:")
EACH_OWN = lines(*BY_CORE, "    " + ALL.format("c"), "    " + SEND.format("c"))
ONE_UNWRITTEN = lines(*BY_CORE, "    " + SEND.format("c"))
WRITTEN_ON_ONE = lines("if me == 0:", "    " + ALL.format("a"), SEND.format("a"))
WRITTEN_BY_PLACE = lines("nisa.memset(a[:, 0 : 64 + 64 * me], 0.0)", SEND.format("a"))
IN_A_LOOP = lines("for i in range(4):", "    " + HALF.format("a"), "    " + SEND.format("a"))
INTO_ITSELF = lines(
    HALF.format("a"),
    SEND.format("a"),
    "nisa.sendrecv(src=b, dst=b, send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0)",
)


@pytest.mark.parametrize(
    ("body", "taken", "verdict"),
    [
        (lines(ALL.format("a"), SEND.format("a")), 128, "verified"),
        (lines(HALF.format("a"), SEND.format("a")), 64, "verified"),
        (lines(HALF.format("a"), SEND.format("a")), 65, "violated"),
        (IN_A_LOOP, 64, "verified"),
        (IN_A_LOOP, 65, "violated"),
        (INTO_ITSELF, 64, "verified"),
        (INTO_ITSELF, 128, "violated"),
        (EACH_OWN, 128, "verified"),
        (ONE_UNWRITTEN, 64, "violated"),
        (WRITTEN_ON_ONE, 64, "incomplete"),
        (WRITTEN_BY_PLACE, 128, "incomplete"),
        (WRITTEN_BY_PLACE, 64, "incomplete"),
    ],
)
def test_what_arrives(body: str, taken: int, verdict: str) -> None:
    report = report_on(HEAD + KERNEL.format(body=body, taken=taken), confirm=False)
    (kernel,) = report.kernels
    assert kernel.verdict == verdict, [(u.code, u.reason) for u in kernel.unknown]
    assert {d.code for d in report.findings if d.severity.value == "error"} <= {"NKI701"}
