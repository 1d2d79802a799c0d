"""Parameters that nothing annotates, and functions that say what they get for them."""

from __future__ import annotations

import pytest

from nkilint.base.findings import KernelReport

from ..support.checking import report_on

HEAD = """\
from dataclasses import dataclass
from enum import Enum
from typing import Optional
import nki
import nki.isa as nisa
import nki.language as nl


class Act(Enum):
    SIGMOID = 0
    EXP = 1


class Other(Enum):
    EXP = 1


@dataclass
class Scale:
    factor: float
    rows: int = 128


def activated(dst, src, act: Act, *more):
    if act == Act.SIGMOID:
        nisa.activation(dst=dst, op=nl.sigmoid, data=src)
    elif act == Act.EXP:
        nisa.activation(dst=dst, op=nl.exp, data=src)


def perhaps(dst, src, act: Optional[Act]):
    activated(dst, src, act)


def handing(dst, src, act):
    activated(dst, act=act, src=src)


def other(act: Other):
    return act


def scaled(dst, src, scale: Scale):
    nisa.activation(dst=dst[0:scale.rows], op=nl.exp, data=src[0:scale.rows])


@nki.jit
def kernel(x, act):
    assert x.shape == (128, 512)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    found = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
"""
TAIL = "    nisa.dma_copy(dst=out, src=found)\n    return out\n"
SAID = "as functions say that it is handed on to"


def verdict(lines: str) -> KernelReport:
    (kernel,) = report_on(HEAD + "".join(f"    {line}\n" for line in lines.split("\n")) + TAIL, confirm=False).kernels
    return kernel


@pytest.mark.parametrize(
    "lines",
    [
        "activated(found, tile, act)",
        "activated(dst=found, act=act, src=tile)",
        "perhaps(found, tile, act)",
        "handing(found, tile, act)",
        "later = act\nhanding(found, tile, act)",
        "activated(found, tile, act)\nhanding(found, tile, act)",
        "if x.dtype == nl.float32:\n    activated(found, tile, act)\nelse:\n    perhaps(found, tile, act)",
    ],
)
def test_a_parameter_is_of_the_class_that_functions_say(lines: str) -> None:
    kernel = verdict(lines)
    assert kernel.verdict == "verified"
    assert f"act is a `Act`, {SAID}" in kernel.assumptions


@pytest.mark.parametrize(
    "lines",
    [
        "act = act or Act.EXP\nactivated(found, tile, act)",
        "other(act)\nactivated(found, tile, act)",
        "activated(found, tile, *[act])",
        "for act in (act, act):\n    activated(found, tile, act)",
        "activated = handing\nactivated(found, tile, act)",
        "activated(found, tile, Act.EXP, act)",
        "if act is None:\n    activated(found, tile, Act.EXP)\nelse:\n    activated(found, tile, act)",
        "if act:\n    activated(found, tile, act)",
        "activated(found, tile, act if act != None else Act.EXP)",
    ],
)
def test_what_is_bound_anew_or_said_to_be_two_things_is_left_open(lines: str) -> None:
    assert not [text for text in verdict(lines).assumptions if SAID in text]


def test_an_object_has_the_fields_of_its_class() -> None:
    kernel = verdict("scaled(found, tile, act)")
    assert f"act is a `Scale`, {SAID}" in kernel.assumptions
    assert kernel.verdict == "conditional"
    assert "act.rows == 128" in " ".join(str(part) for part in kernel.contract)


UNTOLD = """\
from __future__ import annotations
from typing import TYPE_CHECKING, Optional
import nki
import nki.isa as nisa
import nki.language as nl
import helpers_elsewhere

if TYPE_CHECKING:
    from elsewhere import Mode


def used(mode: Mode): ...


def other(mode: Optional[Mode]): ...


def third(mode: nl.something_later): ...


class Helper:
    def method(self, mode: int): ...


helper = Helper()


@nki.jit
def annotated(x: Mode, one: Optional[Mode]) -> Mode:
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def kernel(x, one, two, three):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    used(one)
    other(two)
    third(three)
    if False:
        helper.lacking(one)
        helpers_elsewhere.function(one)
        nl.something_later(two)
    nisa.dma_copy(dst=out, src=x)
    return out
"""


def test_what_is_not_there_is_told_of_where_it_is_evaluated_alone() -> None:
    report = report_on(UNTOLD, confirm=False)
    assert [d.message for d in report.findings if d.severity.value == "error"] == []
    assert not [text for kernel in report.kernels for text in kernel.assumptions if SAID in text]
