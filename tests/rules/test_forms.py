"""Every rule in every form: a defect is found however it is written, and wherever it stands.

The rows of the matrix are rules, its columns the forms in which their defect can be written: operator, function, view,
access pattern, grid, slice. Each cell is walked in each place: in the kernel, a branch, a loop, a helper, a class, a
list. What is silent is named with its reason, and a cell that is silent no longer fails, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from ..support.checking import report_on

BETA1, NKI = "neuronxcc.nki", "nki"
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
PLACES = ("plain", "branch", "loop", "helper", "class", "list")
TILE = "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)"

MATRIX: dict[tuple[str, str], dict[str, str]] = {
    ("NKI203", BETA1): {
        "operator": "r = x + y[0:64, :]  # here",
        "function": "r = nl.add(x, y[0:64, :])  # here",
        "instruction": "r = nisa.tensor_tensor(x, y[0:64, :], op=nl.add)  # here",
    },
    ("NKI203", NKI): {
        "slice": "nisa.tensor_tensor(dst=x, data1=x, data2=y[0:64, :], op=nl.add)  # here",
        "view": "nisa.tensor_tensor(dst=x, data1=x, data2=y.slice(0, 0, 64), op=nl.add)  # here",
        "pattern": "nisa.tensor_tensor(dst=x, data1=x, data2=y.ap(pattern=[[512, 64], [1, 512]]), op=nl.add)  # here",
        "function": "r = nl.add(x, y[0:64, :])  # here",
    },
    ("NKI301", BETA1): {
        "slice": "r = nl.load(a[0:128, 0:513])  # here",
        "grid": "i, j = nl.mgrid[0:128, 0:513]\nr = nl.load(a[i, j])  # here",
        "arange": "r = nl.load(a[nl.arange(128)[:, None], nl.arange(513)[None, :]])  # here",
        "store": "nl.store(output[448:576, 0:512], value=x)  # here",
        "ds": "r = nl.load(a[nl.ds(500, 64), 0:512])  # here",
    },
    ("NKI301", NKI): {
        "slice": "nisa.dma_copy(dst=x, src=a[448:576, 0:512])  # here",
        "view": "nisa.dma_copy(dst=x, src=a.slice(0, 448, 576))  # here",
        "pattern": "nisa.dma_copy(dst=x, src=a.ap(pattern=[[512, 128], [1, 512]], offset=512 * 448))  # here",
        "store": "nisa.dma_copy(dst=output[448:576, 0:512], src=x)  # here",
        "select": "nisa.dma_copy(dst=x[0:1, :], src=a.select(0, 512))  # here",
    },
    ("NKI101", BETA1): {
        "ndarray": "t = nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)  # here",
        "zeros": "t = nl.zeros((129, 4), dtype=nl.float32, buffer=nl.psum)  # here",
        "load": "r = nl.load(a[0:129, 0:4])  # here",
    },
    ("NKI101", NKI): {
        "ndarray": "t = nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)  # here",
        "zeros": "t = nl.zeros((129, 4), dtype=nl.float32, buffer=nl.psum)  # here",
    },
    ("NKI204", BETA1): {
        "assignment": "x[...] = y[:, 0:500]  # here",
        "store": "nl.store(output[0:128, 0:512], value=y[:, 0:500])  # here",
        "function": "r = nl.add(x, y[:, 0:500])  # here",
        "operator": "r = x * y[:, 0:500]  # here",
        "in place": "x += y[:, 0:500]  # here",
    },
    ("NKI204", NKI): {
        "slice": "nisa.dma_copy(dst=x, src=a[0:128, 0:500])  # here",
        "view": "nisa.dma_copy(dst=x, src=a.slice(0, 0, 128).slice(1, 0, 500))  # here",
        "pattern": "nisa.dma_copy(dst=x, src=a.ap(pattern=[[512, 128], [1, 500]]))  # here",
        "method": "r = x.reshape((128, 500))  # here",
    },
    ("NKI208", BETA1): {"function": "r = nl.nothing(x)  # here", "method": "r = x.nothing()  # here"},
    ("NKI208", NKI): {"function": "r = nl.nothing(x)  # here", "method": "r = x.nothing()  # here"},
    ("NKI701", BETA1): {
        "store": f"{TILE}\nnl.store(output[0:128, 0:512], value=t)  # here",
        "operator": f"{TILE}\nr = t + x  # here\nnl.store(output[0:128, 0:512], value=r)",
        "function": f"{TILE}\nr = nl.exp(t)  # here\nnl.store(output[0:128, 0:512], value=r)",
    },
    ("NKI701", NKI): {
        "copy": f"{TILE}\nnisa.dma_copy(dst=output[0:128, 0:512], src=t)  # here",
        "view": f"{TILE}\nnisa.dma_copy(dst=output[0:128, 0:512], src=t.slice(1, 0, 512))  # here",
        "in place": f"{TILE}\nnisa.tensor_tensor(dst=x, data1=t, data2=x, op=nl.add)  # here\n"
        "nisa.dma_copy(dst=output[0:128, 0:512], src=x)",
    },
    ("NKI806", BETA1): {
        "quotient": "n = 128 // (a.shape[0] - 512)  # here",
        "remainder": "n = 128 % (a.shape[0] - 512)  # here",
        "division": "n = 1.0 / (a.shape[0] - 512)  # here",
        "function": "n = divmod(128, a.shape[0] - 512)  # here",
    },
    ("NKI806", NKI): {
        "quotient": "n = 128 // (a.shape[0] - 512)  # here",
        "in place": "n = 8\nn //= a.shape[0] - 512  # here",
    },
    ("NKI602", BETA1): {
        "store": "for i in nl.affine_range(4):\n    nl.store(output[0:128, 0:512], value=x)  # here",
        "remainder": "for i in nl.affine_range(4):\n    nl.store(output[nl.ds(i % 2 * 128, 128), :], value=x)  # here",
    },
    ("NKI803", NKI): {
        "operator": "r = x - y  # here",
        "unary": "r = -x  # here",
        "in place": "x += y  # here",
        "integer": "n = 1 << 40  # here",
    },
}  # fmt: skip
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


@pytest.mark.parametrize("cell", cells(), ids=" ".join)
def test_a_defect_is_found_in_each_form_and_place(cell: tuple[str, str, str, str]) -> None:
    code, source = cell[0], source_of(*cell)
    row = next(n for n, line in enumerate(source.splitlines(), 1) if line.endswith("# here"))
    report = report_on(source, select=(code,))
    found = [d for d in report.findings if d.code == code and d.at.row == row]
    told = "\n".join([*(f"{d.at.row}: {d.code} {d.message}" for d in report.findings), source])
    assert bool(found) != (cell in SILENT), told
    assert not report.failures, told
