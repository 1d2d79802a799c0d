"""Measures what it costs to judge files by their text alone: `python benchmarks/texts.py PATH... [--edits N]`.

First the share of that in a run that begins with nothing, in processor time of the whole process from its start: names,
calls and checks of every function and module body, and what the compiler of `nki` takes. Then, with `--edits`, each
file is edited as somebody types in it, with what a language server keeps from one edit to the next: a name that is
nowhere defined comes to the end of its longest function, and what is timed is that judgement and, beside it, the same
text parsed by Python.
"""

from __future__ import annotations

import argparse
import ast
import gc
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.lsp import edited_in, percentile
from nkilint.base.options import Options
from nkilint.base.store import Memory
from nkilint.run.engine import check
from nkilint.run.incremental import Incremental
from nkilint.run.session import Session
from nkilint.warm.loop import freeze_imports

SHARE, MILLISECONDS = 0.10, 30.0  # at most
spent: list[float] = []  # seconds of each judgement


def listen() -> None:
    """Have sessions tell how long their judgements of texts take."""
    for name in ("check_texts", "check_compiled"):
        setattr(Session, name, _timed(getattr(Session, name)))


def _timed(judge: Callable[..., None]) -> Callable[..., None]:
    def timed(*arguments: Any) -> None:
        began = time.process_time()
        judge(*arguments)
        spent.append(time.process_time() - began)

    return timed


def of_edits(file: Path, edits: int) -> tuple[list[float], list[float]]:
    """Milliseconds that the text of a file takes to be judged after each edit, and to be parsed by Python."""
    edited, memory = edited_in(file), Memory()
    options = Options(confirm=False, solver_budget=0, whole_traces=False)
    judged, parsed = [], []
    for number in range(edits + 1):
        text = edited(number)
        gc.collect()  # as the processes of the server do while nobody asks them
        spent.clear()
        report = check(
            [file], options, overlay={str(file): text.encode()}, runner=Incremental(memory), choose=lambda *_: []
        )
        assert any(f"`nowhere_{number}`" in d.message for d in report.diagnostics), "the edit is not told of"
        judged.append(1000 * sum(spent))
        began = time.process_time()
        ast.parse(text)
        parsed.append(1000 * (time.process_time() - began))
    return judged[1:], parsed[1:]  # the first is the file as it is opened


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=0)
    arguments = parser.parse_args()
    paths = [path.absolute() for path in arguments.paths]
    listen()
    if arguments.edits:
        slow = False
        freeze_imports()
        for file in paths:
            judged, parsed = of_edits(file, arguments.edits)
            middle, high = percentile(judged, 0.5), percentile(judged, 0.95)
            slow |= high > MILLISECONDS
            print(f"{file.name}: median {middle:.1f} ms   95th percentile {high:.1f} ms", end="   ")
            print(f"(at most {MILLISECONDS:.0f}; parsed in {statistics.median(parsed):.1f} ms)", flush=True)
        return int(slow)
    check(paths, Options(confirm=False))
    whole = time.process_time()
    share = sum(spent) / whole
    print(f"{sum(spent):.2f} s of {whole:.2f} s: {100 * share:.1f}% (at most {100 * SHARE:.0f}%)")
    return int(share > SHARE)


if __name__ == "__main__":
    sys.exit(main())
