"""Measures `nkilint serve`: the time from a candidate of 100 lines to its answer, in a warm server.

    PYTHONPATH=.:rules python benchmarks/serve.py --candidates 60

Each candidate is another text, so that no result can be remembered. The floor is a process that takes the same lines
and answers each after parsing the text with `libcst.parse_module`: no verifier that reads its source this way answers
faster. Both are warm and take turns, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time

BAR = 8.0  # times the floor, which keeps an answer below 100 ms on a machine that is not busy
FLOOR = """
import json, sys, libcst
for line in sys.stdin:
    request = json.loads(line)
    libcst.parse_module(request["source"])
    print(json.dumps({"id": request["id"], "answer": "x" * 2000}), flush=True)
"""
HEAD = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, weights):
    \"\"\"Rows of x, scaled and added up, a tile of 128 at a time.\"\"\"
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns % 512 == 0
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
"""
BLOCK = """
    # Pass {number}: bring a tile in, scale it, add the squares of its rows.
    for m in range(rows // 128):
        for n in range(columns // 512):
            tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(
                dst=tile,
                src=x[m * 128:(m + 1) * 128, n * 512:(n + 1) * 512],
            )
            square = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=square, data1=tile, data2=tile, op=nl.multiply)

            # The factor is another one in each candidate.
            nisa.tensor_scalar(
                dst=tile,
                data=square,
                op0=nl.multiply,
                operand0={factor},
            )
            nisa.dma_copy(
                dst=output[m * 128:(m + 1) * 128, n * 512:(n + 1) * 512],
                src=tile,
            )
"""
TAIL = "    return output\n"


def candidate(number: int, chance: random.Random) -> str:
    """A kernel of about 100 lines; every third breaks a limit."""
    blocks = [BLOCK.format(number=n, factor=round(chance.random(), 6)) for n in range(4)]
    if number % 3 == 2:
        blocks[2] = blocks[2].replace("(128, 512), dtype=nl.float32", "(129, 512), dtype=nl.float32")
    return HEAD + "".join(blocks) + TAIL


class Process:
    """A program that answers a line with a line."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, number: int, source: str) -> tuple[float, str]:
        """Milliseconds, and the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        started = time.perf_counter()
        self._process.stdin.write(json.dumps({"id": number, "source": source}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        return (time.perf_counter() - started) * 1000, answer

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--candidates", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    floor = Process([sys.executable, "-c", FLOOR])
    server = Process([sys.executable, "-m", "nkilint", "serve", "--jobs", "1"])
    bottom: list[float] = []
    times: list[float] = []
    for number in range(-3, arguments.candidates):  # the first three warm both
        source = candidate(number % 1000, chance)
        below, _ = floor.ask(number, source)
        taken, answer = server.ask(number, source)
        expected = "violated" if number % 1000 % 3 == 2 else "verified"
        if json.loads(answer)["verdict"] != expected:
            raise SystemExit(f"candidate {number} is {expected}: {answer[:500]}")
        if number >= 0:
            bottom.append(below)
            times.append(taken)
    floor.close()
    server.close()
    middle, low = statistics.median(times), statistics.median(bottom)
    worst = sorted(times)[int(0.95 * (len(times) - 1))]
    lines = len(candidate(0, chance).splitlines())
    print(f"{lines} lines: {middle:.0f} ms, 95% within {worst:.0f} ms; floor {low:.0f} ms; ratio {middle / low:.1f}")
    return int(middle / low > BAR)


if __name__ == "__main__":
    sys.exit(main())
