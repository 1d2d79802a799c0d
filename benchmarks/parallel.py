"""Measures what a second process gains: `python benchmarks/parallel.py FOLDER...`, with a hundred kernels in them.

Both are whole runs without a cache, in turn, so that a slow machine slows both.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys

from speed import timed

BAR = 1.6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", help="folders with kernels")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    tool = [sys.executable, "-m", "nkilint", "--no-cache", "--exit-zero", *arguments.folders]
    pairs = [(timed([*tool, "--jobs", "1"]), timed([*tool, "--jobs", "2"])) for _ in range(arguments.runs)]
    ratios = [one / two for one, two in pairs]
    print(f"one process   {statistics.median(one for one, _ in pairs):6.2f} s")
    print(f"two           {statistics.median(two for _, two in pairs):6.2f} s")
    print(f"ratio         {statistics.median(ratios):6.2f}  (min {min(ratios):.2f}, max {max(ratios):.2f})")
    print(json.dumps({"ratio": round(statistics.median(ratios), 2)}))
    return int(statistics.median(ratios) < BAR)


if __name__ == "__main__":
    sys.exit(main())
