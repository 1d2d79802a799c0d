"""A process that analyses files for the server: one request a line on standard input, one answer a line on its output.

It remembers the outcome of kernels, so that an edit costs as much as the kernels it touches.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from nkilint.base.findings import Report
from nkilint.base.interruption import in_a_process
from nkilint.base.options import Options
from nkilint.base.serial import plain, restored
from nkilint.base.store import Memory
from nkilint.confirm import confirm
from nkilint.run.engine import check
from nkilint.run.incremental import Incremental
from nkilint.run.revealing import reveal
from nkilint.run.shapes import tile_shapes
from nkilint_rules.catalogue import rules

REST = 0.3  # seconds without a request after which garbage is collected, which takes as long as an analysis
LITTER = 20_000  # objects for which it is worth while
GARBAGE = 500_000  # and for which it is done in the middle of an analysis


class Analyst:
    """Answers requests; `memory` lives as long as the process."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.tasks: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
            "check": self._check,
            "confirm": self._confirm,
            "reveal": self._reveal,
            "shapes": self._shapes,
            "warm": self._warm,
        }

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one request; a fault is an answer too."""
        try:
            return {"id": request["id"], "result": self.tasks[request["task"]](request)}
        except Exception as fault:
            return {"id": request.get("id"), "fault": f"{type(fault).__name__}: {str(fault)[:200]}"}

    def _check(self, request: Mapping[str, Any]) -> Any:
        runner = Incremental(self.memory)
        paths = [Path(path) for path in request["paths"]]
        report = check(paths, restored(Options, request["options"]), overlay=_overlay(request), runner=runner)
        read = () if runner.project is None else runner.project.read
        return {"report": plain(report), "read": sorted({os.path.abspath(path) for path in read})}

    def _confirm(self, request: Mapping[str, Any]) -> Any:
        options, paths = restored(Options, request["options"]), [Path(path) for path in request["paths"]]
        report = restored(Report, request["report"])
        return {"report": plain(confirm(report, options, paths, _overlay(request), store=self.memory))}

    def _reveal(self, request: Mapping[str, Any]) -> Any:
        options = restored(Options, request["options"])
        found = reveal(request["path"], request["row"], request["column"], options, _overlay(request))
        return None if found is None else plain(found)

    def _shapes(self, request: Mapping[str, Any]) -> Any:
        options = restored(Options, request["options"])
        return plain(tile_shapes(request["path"], request["first"], request["last"], options, _overlay(request)))

    def _warm(self, request: Mapping[str, Any]) -> Any:
        """Say that all is imported, and how many rules there are."""

        count = len(rules())
        gc.collect()
        gc.freeze()  # what is imported stays, and need not be looked at again and again
        gc.set_threshold(GARBAGE, 20, 50)
        return count


def _overlay(request: Mapping[str, Any]) -> dict[str, bytes]:
    return {path: text.encode("utf-8", "surrogatepass") for path, text in request["overlay"].items()}


def main() -> int:
    """Answer until standard input ends. Whatever prints by itself goes to standard error."""
    in_a_process()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    analyst = Analyst()
    for line in _lines():
        try:
            answers.write(json.dumps(analyst.answer(json.loads(line))) + "\n")
            answers.flush()
        except BrokenPipeError:  # the server has ended
            os._exit(0)
    return 0


def _lines() -> Iterator[bytes]:
    """The lines of standard input; while there are none, garbage is collected."""
    waiting: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read, args=(waiting,), daemon=True).start()
    while True:
        try:
            line = waiting.get(timeout=REST)
        except Empty:
            if gc.get_count()[0] > LITTER:
                gc.collect()
            line = waiting.get()
        if not line:
            return
        yield line


def _read(into: SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        into.put(line)
    into.put(b"")


if __name__ == "__main__":
    sys.exit(main())
