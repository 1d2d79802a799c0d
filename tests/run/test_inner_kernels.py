"""Kernels that other kernels call: judged by themselves, or through these where only they make their inputs."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.run.engine import check
from nkilint.run.outcome import OBJECTS

HEAD = """\
import enum
from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Rows:
    tile: nl.ndarray
    count: int


class Way(enum.Enum):
    DOUBLED = 2

"""

OUTER = """
@nki.jit
def outer(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    inner(output, {given})
    return output
"""

OF_AN_OBJECT = """
@nki.jit
def inner(output, rows):
    nisa.dma_copy(dst=output[0 : rows.count], src=rows.tile[0 : rows.count])
"""

OF_AN_OBJECT_HANDED_ON = """
def helper(output, rows):
    nisa.dma_copy(dst=output, src=rows.tile)


@nki.jit
def inner(output, rows):
    helper(output, rows)
    return output
"""

OF_A_TENSOR = """
@nki.jit
def inner(output, tile):
    nisa.dma_copy(dst=output.reshape((tile.shape[0], tile.shape[1])), src=tile)
    return output
"""

OF_A_MEMBER = """
@nki.jit
def inner(output, tile, way=Way.DOUBLED):
    nisa.dma_copy(dst=output[:, 0 : 32 * way.value], src=tile[:, 0:64])
    return output
"""

UNWRITTEN = "nl.ndarray((129, 64), dtype=x.dtype, buffer=nl.hbm)"

HANDS_NOTHING_BACK = """
@nki.jit
def inner(output, tile):
    nisa.dma_copy(dst=output[0 : tile.shape[0], 0 : tile.shape[1]], src=tile)
"""

TAKES_TILES = """
@nki.jit
def inner(output, tile):
    \'\'\'
    Args:
        tile: [rows, columns], in SBUF
    \'\'\'
    nisa.dma_copy(dst=output[0 : tile.shape[0], 0 : tile.shape[1]], src=tile)
    return output
"""


@pytest.mark.parametrize(
    ("inner", "given", "kernels", "codes"),
    [
        (OF_AN_OBJECT, "Rows(tile, 128)", ["inner", "outer"], []),
        (OF_AN_OBJECT, "Rows(tile, 129)", ["inner", "outer"], ["NKI301", "NKI301"]),
        (OF_AN_OBJECT, None, ["inner"], None),
        (OF_AN_OBJECT_HANDED_ON, "Rows(tile, 128)", ["inner", "outer"], []),
        (OF_A_TENSOR, "tile", ["inner", "outer"], None),
        (OF_A_MEMBER, "tile", ["inner", "outer"], None),
        (HANDS_NOTHING_BACK, "tile", ["inner", "outer"], []),
        (HANDS_NOTHING_BACK, None, ["inner"], None),
        (
            HANDS_NOTHING_BACK,
            "nl.ndarray((129, 64), dtype=x.dtype, buffer=nl.hbm)",
            ["inner", "outer"],
            ["NKI701", "NKI301"],
        ),
        (TAKES_TILES, "tile", ["inner", "outer"], []),
        (TAKES_TILES.replace("in SBUF", "when in SBUF, [n] when in HBM"), "tile", ["inner", "outer"], None),
        (TAKES_TILES.replace("in SBUF", "in HBM"), "tile", ["inner", "outer"], None),
    ],
)
def test_who_judges_a_kernel(
    tmp_path: Path, inner: str, given: str | None, kernels: list[str], codes: list[str] | None
) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(HEAD + inner + ("" if given is None else OUTER.format(given=given)), encoding="utf-8")
    report = check([file], Options())
    assert [k.name for k in report.kernels] == kernels
    if codes is not None:
        assert inner is OF_AN_OBJECT_HANDED_ON or {d.kernel for d in report.diagnostics} <= {"outer"}
        assert [d.code for d in report.diagnostics if d.severity.value == "error"] == codes
        assert {d.kernel for d in report.diagnostics if d.severity.value == "error"} <= {"outer"}


def test_what_only_callers_know_leaves_a_kernel_open_for_that_reason(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(HEAD + OF_AN_OBJECT + OUTER.format(given="Rows(tile, 128)"), encoding="utf-8")
    inner, outer = check([file], Options()).kernels
    assert (inner.verdict, [u.reason for u in inner.unknown]) == ("incomplete", [OBJECTS])
    assert outer.verdict == "verified"


def test_a_launch_makes_it_a_kernel_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    launch = "\nimport numpy as np\n\ninner(np.zeros((128, 64)), Rows(np.zeros((128, 64)), 128))\n"
    text = HEAD + OF_AN_OBJECT + OUTER.format(given="Rows(tile, 128)") + launch
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    assert [k.name for k in check([file], Options()).kernels] == ["inner", "outer"]


def test_a_private_kernel_is_judged_through_those_that_call_it(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    text = (OF_A_TENSOR + OUTER.format(given="tile")).replace("inner(", "_inner(")
    file.write_text(HEAD + text, encoding="utf-8")
    assert [k.name for k in check([file], Options()).kernels] == ["_inner", "outer"]


def test_a_launch_in_a_function_makes_it_a_kernel_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    launch = "\n\ndef run(output, tile):\n    inner(output, tile)\n"
    file.write_text(HEAD + HANDS_NOTHING_BACK + OUTER.format(given="tile") + launch, encoding="utf-8")
    assert [k.name for k in check([file], Options()).kernels] == ["inner", "outer"]


def test_a_function_of_the_same_name_elsewhere_is_another_one(tmp_path: Path) -> None:
    for name, text in (("a", OF_AN_OBJECT), ("b", OUTER.format(given="Rows(tile, 128)"))):
        (tmp_path / f"{name}.py").write_text(HEAD + text, encoding="utf-8")
    with (tmp_path / "b.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef inner(output, rows):\n    nisa.dma_copy(dst=output, src=rows.tile)\n")
    assert [k.name for k in check([tmp_path], Options()).kernels] == ["inner", "outer"]


LEADS = """
def leads(x, output, count):
    tile = made(x)
    inner(output, Rows(tile, count))
"""


@pytest.mark.parametrize(
    ("inner", "leads", "warned"),
    [
        (OF_AN_OBJECT, LEADS, False),
        (OF_AN_OBJECT, "", True),  # nobody says what its object holds
        (OF_A_TENSOR, LEADS.replace("Rows(tile, count)", "tile"), True),
    ],
)
def test_a_function_that_others_call_with_objects_is_judged_through_them(
    tmp_path: Path, inner: str, leads: str, warned: bool
) -> None:
    file = tmp_path / "kernels.py"
    undeclared = inner.replace("@nki.jit\n", "").replace("rows)", "rows: Rows)")
    file.write_text(HEAD + undeclared + leads, encoding="utf-8")
    report = check([file], Options())
    assert [k.name for k in report.kernels] == ["inner"]
    assert warned == any(d.severity.value == "warning" for d in report.diagnostics)
