"""Keeps such processes: starts them, asks them one thing at a time, replaces them when they die."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from nkilint.base import folders

Process = Popen[bytes]


class WorkerDied(Exception):
    """The process ended before it answered."""


class Fault(Exception):
    """The process says that it failed."""


class Worker:
    """One process, which runs `module`, started when first asked. It works in an empty folder, so that all paths in
    reports are absolute."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.folder = folders.make(str(os.getpid()))
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._number = 0
        self._closed = False
        self._busy: tuple[str, float] | None = None

    async def ask(
        self, task: str, request: Mapping[str, Any], wanted: Callable[[], bool] = lambda: True, subject: str = ""
    ) -> Any:
        """The answer to a request; None if nobody wants it any more when its turn comes."""
        async with self._turn:
            if not wanted():
                return None
            if self._closed:
                raise asyncio.CancelledError
            process = self._started()
            self._busy = (subject, time.monotonic())
            try:
                answer = await self._exchange(process, task, request)
            finally:
                self._busy = None
        if self._closed:
            raise asyncio.CancelledError
        if not answer:
            raise WorkerDied
        found = json.loads(answer)
        if "fault" in found:
            raise Fault(found["fault"])
        return found["result"]

    async def _exchange(self, process: Process, task: str, request: Mapping[str, Any]) -> bytes:
        """The line that comes back; empty if the process is gone."""
        self._number += 1
        line = json.dumps({"id": self._number, "task": task, **request}) + "\n"
        try:
            answer = await asyncio.get_running_loop().run_in_executor(None, _exchanged, process, line.encode())
        except asyncio.CancelledError:
            self.stop()  # an answer that nobody waits for would be taken for the next one
            raise
        if not answer.endswith(b"\n"):
            self.stop()
            return b""
        return answer

    def give_up(self, subject: str, patience: float) -> None:
        """End the process if it has been at work on `subject` for longer than `patience` seconds."""
        if self._busy is not None and self._busy[0] == subject and time.monotonic() - self._busy[1] > patience:
            self.stop()

    def _started(self) -> Process:
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", self.module]
            self._process = Popen(command, stdin=PIPE, stdout=PIPE, cwd=self.folder, env=_environment())
        return self._process

    def stop(self) -> None:
        """End the process; the next request starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()

    def close(self) -> None:
        self._closed = True
        self.stop()
        if os.path.isdir(self.folder):
            os.rmdir(self.folder)


def _exchanged(process: Process, line: bytes) -> bytes:
    """Write a line, and wait for the one that comes back."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(line)
        process.stdin.flush()
        return process.stdout.readline()
    except (OSError, ValueError):  # it has ended, or was ended
        return b""


def _environment() -> dict[str, str]:
    """This process's environment, with its own import path but for the folder that it was started in."""
    here, own = os.getcwd(), str(Path(__file__).parents[2])
    path = [os.path.abspath(entry) for entry in sys.path if entry]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in path if p != here or p == own)}
