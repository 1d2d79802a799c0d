"""Measures `nkilint` on a folder against parsing the same files: `python benchmarks/speed.py FOLDER...`.

Both are whole processes, started in turn in the same run, so that a slow machine slows both. The floor reads every
Python file that mentions `nki` and parses it with `libcst.parse_module`, nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

FLOOR = """
import sys, pathlib, libcst
for folder in sys.argv[1:]:
    for path in sorted(pathlib.Path(folder).rglob("*.py")):
        data = path.read_bytes()
        if b"nki" in data:
            try:
                libcst.parse_module(data)
            except libcst.ParserSyntaxError:
                pass
"""


ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Python keeps what it has compiled, as it does wherever a package is installed."""


def timed(command: list[str]) -> float:
    """Wall seconds of one run of a command, whatever it answers."""
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=ENVIRONMENT)
    return time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", help="folders with kernels")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    floor = [sys.executable, "-c", FLOOR, *arguments.folders]
    tool = [sys.executable, "-m", "nkilint", "--no-confirm", "--no-cache", "--exit-zero", *arguments.folders]
    if (
        "--no-confirm"
        not in subprocess.run(
            [sys.executable, "-m", "nkilint", "check", "--help"], capture_output=True, text=True, check=False
        ).stdout
    ):
        tool.remove("--no-confirm")
    timed(tool)  # compiles what is imported
    pairs = [(timed(floor), timed(tool)) for _ in range(arguments.runs)]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    ratios = [t / f for f, t in pairs]
    print(f"floor (libcst.parse_module)  {statistics.median(f for f, _ in pairs):6.2f} s")
    print(f"nkilint                      {statistics.median(t for _, t in pairs):6.2f} s")
    spread = f"(min {min(ratios):.2f}, max {max(ratios):.2f})"
    print(f"ratio                        {statistics.median(ratios):6.2f}  {spread}")
    print(f"peak memory                  {peak:6.0f} MB")
    folders = [Path(f).name for f in arguments.folders]
    print(json.dumps({"ratio": round(statistics.median(ratios), 2), "peak_mb": round(peak), "folders": folders}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
