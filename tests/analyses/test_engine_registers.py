"""What goes on from an engine's registers is proved where a call certainly begins them, and left open where one may."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from nkilint_rules.rule import Example
from nkilint_rules.words.dialects import BETA1

from ..support.checking import report_on
from ..support.example_source import source_of

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl

# nkilint: a: float32[N, M]
@nki.jit
def kernel(a):
    assert a.shape[0] % 128 == 0 and a.shape[0] >= 128 and a.shape[1] % 512 == 0 and a.shape[1] >= 512
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
"""
HEAD = """
t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
nisa.dma_copy(dst=t, src=a[0:128, 0:512])
chosen = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)
nisa.memset(chosen, value=1)
anew, on = nisa.reduce_cmd.reset_reduce, nisa.reduce_cmd.reduce
r = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
"""
TAIL = """
nisa.dma_copy(dst=output[0:128, 0:1], src=r)
nisa.dma_copy(dst=output[0:128, 1:512], src=t[0:128, 1:512])
return output
"""
SUM = "nisa.activation(dst=t, op=nl.square, data=t, reduce_op=nl.add, reduce_res=r, reduce_cmd={})"
KEPT = "nisa.activation(dst=t, op=nl.square, data=t, reduce_op=nl.add, reduce_cmd={})"
MAXIMUM = "nisa.select_reduce(t, chosen, on_true=t, on_false=0.0, reduce_res=r, reduce_cmd={})"

BEGUN = [
    f"{KEPT.format('anew')}\n{SUM.format('on')}",
    f"for i in range(3):\n    {SUM.format('anew if i == 0 else on')}",
    f"for i in range(a.shape[0] // 128):\n    {KEPT.format('on if i > 0 else anew')}\n    {SUM.format('on')}",
    f"{KEPT.format('nisa.reduce_cmd.reset')}\nfor i in range(a.shape[0] // 512):\n    {KEPT.format('on')}\n"
    f"{SUM.format('on')}",
    f"for i in range(a.shape[0] // 128):\n    for j in range(a.shape[1] // 512):\n"
    f"        {SUM.format('anew if j == 0 else on')}\n",
    f"if a.shape[0] > 512:\n    {KEPT.format('anew')}\nelse:\n    {KEPT.format('nisa.reduce_cmd.reset')}\n"
    f"{SUM.format('on')}",
    f"nisa.memset(r, value=0)\n{MAXIMUM.format('anew')}\n{MAXIMUM.format('on')}",
]
OPEN = [
    f"for i in range(a.shape[0] // 128):\n    {SUM.format('anew if i == 1 else on')}",
    f"for i in range(a.shape[0] // 128):\n    {SUM.format('on')}\n    {KEPT.format('anew')}",
    f"if a.shape[0] > 512:\n    {KEPT.format('anew')}\n{SUM.format('on')}",
    f"if a.shape[0] > 512:\n    {KEPT.format('anew')}\nelse:\n    {KEPT.format('on')}\n{SUM.format('on')}",
    f"for i in range(a.shape[0] // 512):\n    {KEPT.format('anew')}\n{SUM.format('on')}",
    f"nisa.memset(r, value=0)\n{MAXIMUM.format('nisa.reduce_cmd.idle')}",
    f"nisa.memset(r, value=0)\n{SUM.format('on')}",
    f"{MAXIMUM.format('anew')}\nnisa.select_reduce(t, chosen, on_true=t, on_false=0.0)\n{MAXIMUM.format('on')}",
    "nisa.activation(dst=t[0:64], op=nl.square, data=t[0:64], reduce_op=nl.add, reduce_cmd=anew)\n" + SUM.format("on"),
    "nisa.tensor_scalar_cumulative(t, t, nl.add, nl.add, 0.0, reduce_cmd=nisa.reduce_cmd.idle)\n" + SUM.format("anew"),
    f"for i in nl.affine_range(3):\n    {SUM.format('anew if i == 0 else on')}",
]


def verdict_on(body: str, target: str = "trn2") -> tuple[list[str], list[str]]:
    source = KERNEL + indent(dedent(HEAD) + body + "\n" + TAIL, "    ")
    report = report_on(source, confirm=False, target=target)
    return [d.code for d in report.findings if d.severity == "error"], [kernel.verdict for kernel in report.kernels]


@pytest.mark.parametrize("body", BEGUN)
def test_what_is_begun_is_proved(body: str) -> None:
    assert verdict_on(body) == ([], ["verified"])


@pytest.mark.parametrize("body", OPEN)
def test_what_may_not_be_begun_is_left_open(body: str) -> None:
    assert verdict_on(body) == ([], ["incomplete"])


EXPONENTIAL = "nisa.exponential(dst=t, src=t, reduce_res=r, reduce_cmd={})"
ACTIVATE2 = (
    "nisa.activate2(dst=t, op=nl.exp, data=t, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add, reduce_op=nl.add, "
    "reduce_res=r, reduce_cmd={})"
)


@pytest.mark.parametrize("call", [EXPONENTIAL, ACTIVATE2])
def test_registers_of_trn3(call: str) -> None:
    begun = KEPT if call is ACTIVATE2 else MAXIMUM
    assert verdict_on(call.format("anew"), "trn3") == ([], ["verified"])
    assert verdict_on(f"{begun.format('anew')}\n{call.format('on')}", "trn3") == ([], ["verified"])
    assert verdict_on(call.format("nisa.reduce_cmd.idle"), "trn3") == (["NKI701"], ["violated"])
    assert verdict_on(call.format("on"), "trn3") == (["NKI701"], ["violated"])


def test_ranges_of_beta_1_that_are_idle_are_left_open() -> None:
    body = """
    tile, ends = nl.load(a[0:128, 0:512]), nl.load(a[0:128, 0:2])
    most = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    part = nisa.range_select(on_true_tile=tile, comp_op0=np.greater_equal, comp_op1=np.less, bound0=ends[:, 0:1],
                             bound1=ends[:, 1:2], reduce_res=most, reduce_op=np.max)
    nl.store(output[0:128, 0:1], value=most)
    nl.store(output[0:128, 1:512], value=part[:, 1:512])
    """
    source, _ = source_of(Example(body, dialect=BETA1))
    report = report_on(source, confirm=False)
    assert [d.code for d in report.findings if d.severity == "error"] == []
    assert [kernel.verdict for kernel in report.kernels] == ["incomplete"]
