"""Measures the language server: the time from an edit to its diagnostic, in one kernel of 300 lines.

    PYTHONPATH=.:rules python benchmarks/lsp.py --edits 40

Two edits take turns: one that fails for every input, which the analysis without proofs finds, and one that fails for
some inputs, which takes proofs. Each also changes constants all over the kernel, so that no result can be remembered.
There is half a statement in a line, as in the kernels that are published. The client is the one of the tests, and it
waits for what the server publishes for just that version.

With `--file FILE` the edits are made in that file, which stays as it is on disk: each puts a name that is nowhere
defined before the last statement of its longest function, and the time is that until it is told.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support.lsp_client import Editor

BARS = {"cheap": 150.0, "proofs": 1000.0}  # milliseconds
BAR_OF_FILE = 400.0
HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, scale):
    \"\"\"Soft maxima of tiles, many times over.\"\"\"
    rows, columns = x.shape
    assert rows % 128 == 0
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    spare = nl.ndarray((PARTITIONS, 512), dtype=nl.float32, buffer=nl.sbuf)
"""
BLOCK = """\

    # One pass over the rows, a tile of 128 of them at a time.
    for m in nl.affine_range(rows // 128):
        for n in nl.affine_range(columns // 512):
            # Bring the tile in.
            tile = nl.load(
                x[m * 128 + i, n * 512 + j]
            )

            # Subtract the largest element of each row, for the sake of precision.
            largest = nl.max(tile, axis=[1], keepdims=True)
            shifted = nl.subtract(tile, largest)
            powers = nl.exp(shifted)

            # Divide by the sum.
            total = nl.sum(powers, axis=[1], keepdims=True)
            scaled = nl.multiply(powers, FACTOR)
            result = nl.divide(scaled, total)
            nl.store(
                output[m * 128 + i, n * 512 + j],
                value=result,
                mask=n * 512 + j < columns,
            )
"""
TAIL = """\
    last = nl.load(x[i, OFFSET + j], mask=MASK)
    nl.store(output[i, j], value=last, mask=j < columns)
"""
END = "    return output\n"


def kernel(partitions: int, offset: int, masked: bool, factor: int) -> str:
    """The text, 300 lines of it."""
    tail = TAIL.replace("OFFSET", str(offset)).replace("MASK", f"{offset} + j < columns" if masked else "None")
    count = (300 - HEAD.count("\n") - tail.count("\n") - 1) // BLOCK.count("\n")
    blocks = "".join(BLOCK.replace("FACTOR", str(factor + n + 0.5)) for n in range(count))
    text = HEAD.replace("PARTITIONS", str(partitions)) + blocks
    filler = 300 - text.count("\n") - tail.count("\n") - 1
    return text + "    # the last columns\n" * filler + tail + END


def measured(editor: Editor, uri: str, edits: int) -> dict[str, list[float]]:
    """Milliseconds from each edit to the diagnostics that tell of it, by kind."""
    found: dict[str, list[float]] = {kind: [] for kind in BARS}
    for number in range(edits):
        kind = ("cheap", "proofs")[number % 2]
        time.sleep(random.uniform(0.0, 0.2))
        wide = 129 + number if kind == "cheap" else 128
        text = kernel(wide, number, kind == "cheap", 1000 + 100 * number)
        wanted = f"{wide} partitions" if kind == "cheap" else f"unless `columns >= {number + 512}`"
        started = time.perf_counter()
        editor.change(uri, number + 2, text)
        editor.diagnostics(uri, lambda items, w=wanted: any(w in d["message"] for d in items), version=number + 2)
        found[kind].append(1000 * (time.perf_counter() - started))
    return found


def edited_in(file: Path) -> Callable[[int], str]:
    """The text of a file with an edit of some number in it."""
    text = file.read_text(encoding="utf-8")
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    last = max(functions, key=lambda node: (node.end_lineno or 0) - node.lineno).body[-1]
    lines = text.splitlines(keepends=True)
    before, after = "".join(lines[: last.lineno - 1]), "".join(lines[last.lineno - 1 :])
    return lambda number: f"{before}{' ' * last.col_offset}edited = nowhere_{number}\n{after}"


def measured_in(editor: Editor, uri: str, edited: Callable[[int], str], edits: int) -> list[float]:
    """Milliseconds from each edit of a file to the diagnostic that tells of it."""
    found: list[float] = []
    for number in range(edits):
        time.sleep(random.uniform(0.0, 0.2))
        started = time.perf_counter()
        editor.change(uri, number + 2, edited(number))
        wanted = f"`nowhere_{number}`"
        editor.diagnostics(uri, lambda items, w=wanted: any(w in d["message"] for d in items), version=number + 2)
        found.append(1000 * (time.perf_counter() - started))
    return found


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[math.ceil(share * len(values)) - 1]


def of_file(file: Path, edits: int) -> int:
    """Print the times of edits in a file."""
    with Editor(file.parent) as editor:
        edited = edited_in(file)
        uri = editor.open(file.name, file.read_text(encoding="utf-8"), save=False)
        editor.diagnostics(uri, lambda items: True, version=1)
        found = measured_in(editor, uri, edited, edits)
    middle, high = percentile(found, 0.5), percentile(found, 0.95)
    print(f"{file.name}: median {middle:.0f} ms   95th percentile {high:.0f} ms   (at most {BAR_OF_FILE:.0f})")
    return int(high > BAR_OF_FILE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument("--file", type=Path)
    arguments = parser.parse_args()
    random.seed(1)
    if arguments.file is not None:
        return of_file(arguments.file.absolute(), arguments.edits)
    with tempfile.TemporaryDirectory() as folder, Editor(Path(folder)) as editor:
        uri = editor.open("k.py", kernel(128, 0, True, 1))
        editor.diagnostics(uri, lambda items: True, version=1)
        found = measured(editor, uri, arguments.edits)
    figures = {kind: (percentile(times, 0.5), percentile(times, 0.95)) for kind, times in found.items()}
    for kind, (middle, high) in figures.items():
        print(f"{kind:8} median {middle:6.0f} ms   95th percentile {high:6.0f} ms   (at most {BARS[kind]:.0f})")
    print(json.dumps({f"{kind}_p95_ms": round(high) for kind, (_, high) in figures.items()}))
    return int(any(high > BARS[kind] for kind, (_, high) in figures.items()))


if __name__ == "__main__":
    sys.exit(main())
