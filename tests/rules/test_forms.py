"""Every rule in every form: a defect is found however it is written, and wherever it stands.

The rows of the matrix are rules, its columns the forms in which their defect can be written: operator, function, view,
access pattern, grid, slice. Each cell is walked in each place: in the kernel, a branch, a loop, a helper, a class, a
list. What is silent is named with its reason, and a cell that is silent no longer fails, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from nkilint_rules.catalogue import rules

from ..support.checking import report_on
from .forms import BETA1, ELSEWHERE, NKI
from .forms import MATRIX as FIRST
from .more_forms import IMPOSSIBLE, MORE
from .whole_forms import WHOLE

HEADER = """\
import {dialect} as nki
import {dialect}.isa as nisa
import {dialect}.language as nl

"""
KERNEL = """
# nkilint: a: float32[512, 512], b: float32[512, 512]
@nki.jit
def kernel(a, b):
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
{tiles}
{body}
    return output
"""
TILES = {
    BETA1: "    x = nl.load(a[0:128, 0:512])\n    y = nl.load(b[0:128, 0:512])",
    NKI: "\n".join(
        f"    {tile} = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        f"    nisa.dma_copy(dst={tile}, src={source}[0:128, 0:512])"
        for tile, source in (("x", "a"), ("y", "b"))
    ),
}
NAMES = ("a", "b", "x", "y", "output")
HELPER = "\ndef helper(a, b, x, y, output):\n{body}\n\n"
CLASS = """
class Worker{base}:
    def __init__(self, a, b, x, y, output):
        self.a, self.b, self.x, self.y, self.output = a, b, x, y, output

    def work(self):
{body}

"""
MATRIX = {row: {**FIRST.get(row, {}), **MORE.get(row, {})} for row in (FIRST | MORE)}
PLACES = ("plain", "branch", "loop", "helper", "class", "list")

SILENT: dict[tuple[str, str, str, str], str] = {}
"""Cells that nothing is said of, by rule, dialect, form and place, with the reason."""


def cells() -> Iterator[tuple[str, str, str, str]]:
    for (code, dialect), forms in MATRIX.items():
        for form in forms:
            for place in PLACES:
                yield code, dialect, form, place


def indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())


def source_of(code: str, dialect: str, form: str, place: str) -> str:
    """A module whose kernel has the defect in this form at this place."""
    statement, before = MATRIX[code, dialect][form], ""
    if place == "branch":
        body = indented(f"for k in range(4):\n    if k % 2 == 0:\n{indented(statement, 8)}", 4)
    elif place == "loop":
        body = indented(f"for k in range(a.shape[0] // 128):\n{indented(statement, 4)}", 4)
    elif place == "helper":
        before, body = HELPER.format(body=indented(statement, 4)), "    helper(a, b, x, y, output)"
    elif place == "class":
        inside = re.sub(rf"(?<![\w.])({'|'.join(NAMES)})\b(?!\s*=[^=])", r"self.\1", statement)
        inside = re.sub(r"(?<![\w.])(x) (\+=)", r"self.\1 \2", inside)
        base = "(nl.NKIObject)" if dialect == NKI else ""
        before = CLASS.format(body=indented(inside, 8), base=base)
        body = "    Worker(a, b, x, y, output).work()"
    elif place == "list":
        inside = re.sub(r"(?<![\w.])x\b(?!\s*=[^=])", "held[0]", re.sub(r"(?<![\w.])y\b", "held[1]", statement))
        body = indented(f"held = [x, y]\n{inside}", 4)
    else:
        body = indented(statement, 4)
    return HEADER.format(dialect=dialect) + before + KERNEL.format(tiles=TILES[dialect], body=body)


@pytest.mark.parametrize("cell", list(cells()), ids=" ".join)
def test_a_defect_is_found_in_each_form_and_place(cell: tuple[str, str, str, str]) -> None:
    code, source = cell[0], source_of(*cell)
    row = next(n for n, line in enumerate(source.splitlines(), 1) if line.endswith("# here"))
    report = report_on(source, select=(code,))
    found = [d for d in report.findings if d.code == code and d.at.row == row]
    told = "\n".join([*(f"{d.at.row}: {d.code} {d.message}" for d in report.findings), source])
    assert bool(found) != (cell in SILENT), told
    assert not report.failures, told


WHOLE_CELLS = [(code, dialect, form) for (code, dialect), forms in WHOLE.items() for form in forms]


@pytest.mark.parametrize("cell", WHOLE_CELLS, ids=" ".join)
def test_a_defect_of_a_whole_kernel_is_found_in_each_form(cell: tuple[str, str, str]) -> None:
    code, dialect, form = cell
    source = HEADER.format(dialect=dialect) + WHOLE[code, dialect][form]
    (row,) = (n for n, line in enumerate(source.splitlines(), 1) if line.endswith("# here"))
    report = report_on(source)
    told = "\n".join([*(f"{d.at.row}: {d.code} {d.message}" for d in report.findings), source])
    assert (code, row) in {(d.code, d.at.row) for d in report.findings}, told
    assert not report.failures, told


def test_forms_that_a_dialect_does_not_have() -> None:
    for (code, dialect), forms in MATRIX.items():
        for form in set(forms) & set(IMPOSSIBLE):
            without, _ = IMPOSSIBLE[form]
            plain = code in ("NKI803", "NKI806", "NKI808")  # about Python's own operators
            assert dialect != without or plain, (code, dialect, form)


def test_every_rule_has_a_row_or_a_reason() -> None:
    rows = {code for code, _ in (*MATRIX, *WHOLE)}
    assert rows | set(ELSEWHERE) == set(rules()), "forms.py, or whole_forms.py for whole kernels, or why in ELSEWHERE"
    assert not rows & set(ELSEWHERE)
