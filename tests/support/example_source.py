"""Builds the file that a rule's example stands for, and where its finding is expected."""

from __future__ import annotations

import ast
import re
from textwrap import dedent, indent

from nkilint.base.ir import Span
from nkilint_rules.rule import Example
from nkilint_rules.words.dialects import BETA1

FILE = "example.py"
OPEN, CLOSE = "⟦", "⟧"

IMPORTS = {
    BETA1: """\
import math

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
import numpy as np
""",
    "nki": """\
import math

import nki
import nki.isa as nisa
import nki.language as nl
import nki.typing as nt
import numpy as np
""",
}
TILES = {"x": (128, 512, "sbuf"), "y": (128, 512, "sbuf"), "w": (128, 128, "sbuf"), "p": (128, 512, "psum")}
CREATE = {
    BETA1: "{name} = nl.zeros(({rows}, {columns}), dtype=nl.float32, buffer=nl.{memory})\n",
    "nki": "{name} = nl.ndarray(({rows}, {columns}), dtype=nl.float32, buffer=nl.{memory})\n"
    "nisa.memset(dst={name}, value=0.0)\n",
}
CREATE_PSUM = "{name} = nl.zeros(({rows}, {columns}), dtype=nl.float32, buffer=nl.{memory})\n"  # matmuls may add to it
FILL = {
    BETA1: "for row in nl.affine_range(4):\n    nl.store(output[row * 128 : row * 128 + 128, 0:512], value=filled)\n",
    "nki": "for row in range(4):\n    nisa.dma_copy(dst=output[row * 128 : row * 128 + 128, 0:512], src=filled)\n",
}
LAUNCH = {BETA1: "kernel(data, data, data)\n", "nki": "nki.simulate(kernel)(data, data, data)\n"}
SIGNATURE = """\
# nkilint: a: float32[512, 512], b: float32[512, 512], c: float32[512, 512]
@nki.jit
def kernel(a, b, c):
"""


def source_of(example: Example) -> tuple[str, Span | None]:
    """The file without marks, and the span between them (of the first pair; None where there is none)."""
    code = dedent(example.code).strip("\n") + "\n"
    body = code if is_whole_file(code) else _kernel(code, example.dialect)
    marked = IMPORTS[example.dialect] + "\n\n" + body
    return marked.replace(OPEN, "").replace(CLOSE, ""), _span(marked)


def is_whole_file(code: str) -> bool:
    """Whether the example brings its own functions, and so gets only the imports."""
    return bool(re.search(r"^\s*(def|class) ", code, re.MULTILINE))


def _kernel(code: str, dialect: str) -> str:
    used = set(re.findall(r"[A-Za-z_]\w*", code))
    tiles = {name: tile for name, tile in TILES.items() if name in used}
    tiles["filled"] = (128, 512, "sbuf")
    body = "output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)\n"
    body += "".join(
        (CREATE_PSUM if memory == "psum" else CREATE[dialect]).format(
            name=name, rows=rows, columns=columns, memory=memory
        )
        for name, (rows, columns, memory) in tiles.items()
    )
    body += FILL[dialect] + code + "return output\n"
    launch = "data = np.random.rand(512, 512).astype(np.float32)\n" + LAUNCH[dialect]
    return SIGNATURE + indent(body, "    ") + '\n\nif __name__ == "__main__":\n' + indent(launch, "    ")


def _span(marked: str) -> Span | None:
    start, end = marked.find(OPEN), marked.find(CLOSE)
    if start < 0:
        return None
    return Span(FILE, *_position(marked[:start]), *_position(marked[:end].replace(OPEN, "")))


def _position(before: str) -> tuple[int, int]:
    """Row and column, from 1, of what follows this text."""
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def parses(example: Example) -> bool:
    """Whether the file is Python."""
    try:
        ast.parse(source_of(example)[0])
    except SyntaxError:
        return False
    return True
