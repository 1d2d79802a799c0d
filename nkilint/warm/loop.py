"""The process itself: one request a line on standard input, one answer a line on its output."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from nkilint.base.garbage import keep
from nkilint.base.interruption import in_a_process

REST = 0.3  # seconds without a request after which garbage is collected, which takes as long as an analysis
LITTER = 20_000  # objects for which it is worth while
GARBAGE = 500_000  # and for which it is done in the middle of an analysis

Tasks = Mapping[str, Callable[[Mapping[str, Any]], Any]]


def answer_lines(tasks: Tasks) -> int:
    """Answer until standard input ends. Whatever prints by itself goes to standard error."""
    in_a_process()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in _lines():
        try:
            answers.write(json.dumps(_answer(tasks, json.loads(line))) + "\n")
            answers.flush()
        except BrokenPipeError:  # the server has ended
            os._exit(0)
    return 0


def _answer(tasks: Tasks, request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to one request; a fault is an answer too."""
    try:
        return {"id": request["id"], "result": tasks[request["task"]](request)}
    except Exception as fault:
        return {"id": request.get("id"), "fault": f"{type(fault).__name__}: {str(fault)[:200]}"}


def freeze_imports() -> None:
    """Have what is imported stay, which need not be looked at for garbage again and again."""
    keep()
    gc.set_threshold(GARBAGE, 20, 50)


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
