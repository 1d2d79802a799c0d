"""Measures the analysis of lifetimes on one large kernel: `python benchmarks/lifetime.py`.

The kernel has 40 directly allocated tensors, 100 accesses, and loops four deep: 20 tensors rotate through a few places,
10 pairs share their bytes one after the other. Its sizes are known, or (`--symbolic`) inputs. The ratio is to the time
that evaluating the kernel takes in the same run, so that a slow machine slows both.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

from nkilint.analyses.lifetimes.accumulation import Accumulation
from nkilint.analyses.lifetimes.conflicts import Conflicts
from nkilint.base.options import Options
from nkilint.run import engine, verification

TENSORS, LIMIT = 40, 2.0
HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl


"""


def source(symbolic: bool) -> str:
    """A kernel in which no tile is overwritten too early."""
    trips = ["n", "m", "3", "4"] if symbolic else ["5", "4", "3", "4"]
    shape = "n, m" if symbolic else "5, 4"
    lines = [f"# nkilint: x: bfloat16[{shape.upper()}, 3, 4, 128, 64]" + (", N <= 16, M <= 16" if symbolic else "")]
    lines += ["@nki.jit", "def kernel(x):"]
    if symbolic:
        lines.append("    n, m = x.shape[0], x.shape[1]")
    lines.append("    output = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.shared_hbm)")
    for t in range(TENSORS):
        slot, first = (t, t) if t < 20 else (20 + (t - 20) // 2, t - 20)
        places = 2 + first % 2 if t < 20 else 3
        lines.append(
            f"    t{t} = nl.ndarray(({trips[2]}, {trips[3]}, nl.par_dim(128), 64), dtype=nl.bfloat16, "
            f"buffer=ncc.sbuf.mod_alloc(base_addr={slot * 2048}, num_free_tiles=({places}, 4)))"
        )
    indent = "    "
    for depth, (name, count) in enumerate(zip("ijkl", trips, strict=True)):
        lines.append(f"{indent * (depth + 1)}for {name} in nl.sequential_range({count}):")
    body = indent * 5
    lines.append(f"{body}t0[k, l] = nl.load(x[i, j, k, l])")
    for t in range(1, TENSORS):
        lines.append(f"{body}t{t}[k, l] = nl.copy(t{t - 1}[k, l])")
        if t < 20:
            lines.append(f"{body}t{t}[k, l] = nl.copy(t{t}[k, l])" if t % 2 else f"{body}t{t}[k, l] *= 2.0")
    lines.append(f"{body}nl.store(output[i, j, k, l], value=t{TENSORS - 1}[k, l])")
    return HEAD + "\n".join([*lines, "    return output", ""])


def timed(file: Path) -> tuple[float, float]:
    """Seconds of processor time of evaluating the kernel and of analysing its lifetimes."""
    spent = {"evaluation": 0.0, "lifetimes": 0.0}

    def measured(name: str, function):  # type: ignore[no-untyped-def]
        def run(*arguments):  # type: ignore[no-untyped-def]
            started = time.process_time()
            try:
                return function(*arguments)
            finally:
                spent[name] += time.process_time() - started

        return run

    with (
        mock.patch.object(verification, "evaluate_kernel", measured("evaluation", verification.evaluate_kernel)),
        mock.patch.object(Conflicts, "check", measured("lifetimes", Conflicts.check)),
        mock.patch.object(Accumulation, "check", measured("lifetimes", Accumulation.check)),
    ):
        report = engine.check([file], Options(select=("NKI4", "NKI5")))
    assert [k.verdict for k in report.kernels] == ["verified"], report
    return spent["evaluation"], spent["lifetimes"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--symbolic", action="store_true", help="the outer trip counts are inputs")
    parser.add_argument("--show", action="store_true", help="print the kernel instead")
    arguments = parser.parse_args()
    text = source(arguments.symbolic)
    if arguments.show:
        print(text, end="")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.py"
        file.write_text(text, encoding="utf-8")
        pairs = [timed(file) for _ in range(arguments.runs)]
    evaluation, lifetimes = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"evaluation  {evaluation:6.2f} s")
    print(f"lifetimes   {lifetimes:6.2f} s   (limit {LIMIT:.0f} s)")
    print(f"ratio       {lifetimes / evaluation:6.2f}")
    print(json.dumps({"seconds": round(lifetimes, 3), "ratio": round(lifetimes / evaluation, 2)}))
    return 0 if lifetimes < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
