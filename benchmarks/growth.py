"""Measures how the cost of a kernel grows with its size: `python benchmarks/growth.py`.

Each family is one kernel grown 1, 2, 4 ... 64 times in one way: in statements, unrolled trips, helpers that call each
other, parameters, branches. The exponent is the slope between the larger sizes, of the CPU time less what the smallest
kernel takes, and of the work that was counted; n log n has one of about 1.2 there.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable
from math import log
from pathlib import Path

from nkilint.base.options import Options
from nkilint.run.engine import check
from nkilint.symbolic.work import spent

SIZES = (1, 2, 4, 8, 16, 32, 64)
TAIL = 3  # sizes at the end between which the exponent is measured
UNIT = 4  # statements and trips for each step of size
BAR = 1.3
FLOOR = 0.002  # seconds: less is noise

HEAD = """\
import nki
import nki.isa as nisa
import nki.language as nl


"""
TILE = "nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)"
SUM = "nisa.tensor_tensor(dst={0}, data1={1}, data2={2}, op=nl.add)"


def _kernel(parameters: str, body: list[str], before: str = "") -> str:
    lines = [
        "rows, columns = x.shape",
        "output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)",
        "for i in range(rows // 128):",
        "    here = slice(i * 128, (i + 1) * 128)",
        f"    tile = {TILE}",
        "    nisa.dma_copy(dst=tile, src=x[here, :])",
        *("    " + line for line in body),
        "    nisa.dma_copy(dst=output[here, :], src=tile)",
        "return output",
    ]
    text = "\n".join("    " + line for line in lines)
    return f"{HEAD}{before}@nki.jit\ndef kernel({parameters}):\n{text}\n"


def statements(size: int) -> str:
    """One operation after the other, each on the result of the last."""
    body: list[str] = []
    count = size * UNIT
    for number in range(count):
        before = "tile" if number == 0 else f"t{number - 1}"
        body += [f"t{number} = {TILE}", SUM.format(f"t{number}", before, "tile")]
    return _kernel("x", [*body, SUM.format("tile", "tile", f"t{count - 1}")])


def trips(size: int) -> str:
    """A loop that the language unrolls, whose tiles stand in a list."""
    count = size * UNIT
    body = [
        "parts = [tile]",
        f"for k in nl.static_range({count}):",
        f"    part = {TILE}",
        "    " + SUM.format("part", "parts[k]", "tile"),
        "    parts.append(part)",
        SUM.format("tile", "tile", f"parts[{count}]"),
    ]
    return _kernel("x", body)


def helpers(size: int) -> str:
    """Helpers that call each other, three quarters as deep: the language ends at 60."""
    depth = max(size * 3 // 4, 1)
    defined = f"def h0(tile, x, columns):\n    t = {TILE}\n    {SUM.format('t', 'tile', 'tile')}\n    return t\n\n\n"
    for number in range(1, depth):
        defined += (
            f"def h{number}(tile, x, columns):\n    t = {TILE}\n    inner = h{number - 1}(tile, x, columns)\n"
            f"    {SUM.format('t', 'inner', 'tile')}\n    return t\n\n\n"
        )
    return _kernel("x", [f"made = h{depth - 1}(tile, x, columns)", SUM.format("tile", "tile", "made")], defined)


def parameters(size: int) -> str:
    """Tensors that are added up, one for each parameter."""
    body: list[str] = []
    for number in range(size):
        body += [f"t{number} = {TILE}", f"nisa.dma_copy(dst=t{number}, src=y{number}[here, :])"]
        body.append(SUM.format("tile", "tile", f"t{number}"))
    return _kernel(", ".join(["x", *(f"y{number}" for number in range(size))]), body)


def branches(size: int) -> str:
    """Flags of the caller, each of which decides whether something is done."""
    body: list[str] = []
    for number in range(size):
        body += [f"if flag{number}:", "    " + SUM.format("tile", "tile", "tile")]
    return _kernel(", ".join(["x", *(f"flag{number}: bool" for number in range(size))]), body)


def conditions(size: int) -> str:
    """Sizes of the caller that are compared, each under what is known of those before."""
    body: list[str] = []
    for number in range(size):
        body += [f"if n{number} > {number}:", "    " + SUM.format("tile", "tile", "tile")]
    return _kernel(", ".join(["x", *(f"n{number}: int" for number in range(size))]), body)


FAMILIES: tuple[Callable[[int], str], ...] = (statements, trips, helpers, parameters, branches, conditions)


def cost(text: str) -> tuple[float, float]:
    """CPU seconds and units of work that a kernel takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.py"
        path.write_text(text)
        gc.collect()
        worked, started = spent(), time.process_time()
        report = check([path], Options())
        taken = time.process_time() - started, spent() - worked
    if report.failures or not report.kernels or report.kernels[0].verdict == "incomplete":
        raise SystemExit(f"not decided: {report.failures or [k.unknown for k in report.kernels]}")
    return taken


def exponent(costs: list[float], least: float) -> float:
    """The slope between the last sizes, on logarithmic scales."""
    sizes = SIZES[-TAIL:]
    values = [max(value, least) for value in costs[-TAIL:]]
    return log(values[-1] / values[0]) / log(sizes[-1] / sizes[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("families", nargs="*", help="some of " + ", ".join(f.__name__ for f in FAMILIES))
    arguments = parser.parse_args()
    chosen = [f for f in FAMILIES if not arguments.families or f.__name__ in arguments.families]
    cost(statements(2))  # imports
    found: dict[str, float] = {}
    for family in chosen:
        costs = [cost(family(size)) for size in SIZES]
        seconds, work = ([c[n] - costs[0][n] for c in costs] for n in range(2))
        by_time, by_work = exponent(seconds, FLOOR), exponent(work, 1)
        found[family.__name__] = round(by_work, 2)
        last = costs[-1][0]
        print(
            f"{family.__name__:12} {last:6.2f} s at {SIZES[-1]}   time n^{by_time:.2f}   work n^{by_work:.2f}",
            flush=True,
        )
    print(json.dumps(found))
    return int(max(found.values()) > BAR)


if __name__ == "__main__":
    sys.exit(main())
