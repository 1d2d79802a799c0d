"""Runs tasks in several processes at a time."""

from __future__ import annotations

import json
import os
import queue
import secrets
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace

from nkilint.base import folders, interruption
from nkilint.base.serial import NotThis, plain, restored

from .copies import ended
from .jail.probing import ALL
from .server import command
from .tasks import Account, Task

_LOOK = 0.2  # seconds between two looks whether the program was told to stop
_PATIENCE = 0.5  # seconds that a thread may take to see that its process is gone
_STARTING = 20.0  # seconds that a process may take to import the simulator

Run = Callable[[Task], Account]
Work = Callable[[Run], None]


class Stopped(Exception):
    """A run that was ended because nobody wants to know any more."""


class Worker:
    """One process that runs kernels; started when first needed, and again when it is gone."""

    def __init__(self) -> None:
        self._owner = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._greeted: subprocess.Popen[bytes] | None = None
        self.open: tuple[str, ...] = ALL  # what a run is not kept from

    def run(self, task: Task) -> Account:
        """The account of a task; a process that does not answer is ended."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(task.seconds + _STARTING, process.kill)
        timer.daemon = True
        timer.start()
        try:
            if process is not self._greeted:
                kept = json.loads(process.stdout.readline())
                self.open, self._greeted = tuple(what for what in ALL if what not in kept), process
            if self.open and task.contained:
                return Account(problem=f"runs cannot be kept here from {', '.join(self.open)}", open=self.open)
            process.stdin.write(json.dumps(plain(task)).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
            return replace(restored(Account, json.loads(line)), open=self.open)
        except (OSError, ValueError, NotThis):
            self.close()
            if self._stopped:
                raise Stopped from None
            return ended(task, process.returncode, not timer.is_alive())
        finally:
            timer.cancel()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            folders.remove(self._owner)
            folders.remove_stale()
            arguments, environment = command(self._owner)
            pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
            self._process = subprocess.Popen(
                arguments,
                stdin=pipe,
                stdout=pipe,
                stderr=nothing,
                env=environment,
                start_new_session=True,  # what a terminal sends to a program, this program passes on
            )
        return self._process

    def stop(self) -> None:
        """End the process, from another thread than that which waits for it."""
        self._stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(2)
        process.kill()
        process.wait()
        folders.remove(self._owner)


class Crew:
    """Workers that are kept from one piece of work to the next.

    The system ends a process with the thread that started it, so the threads stay as long as the processes.
    """

    def __init__(self, jobs: int) -> None:
        self._workers = [Worker() for _ in range(jobs)]
        self._threads = ThreadPoolExecutor(max(1, jobs))
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.close()
        self._threads.shutdown(wait=False)

    def do(self, pieces: Sequence[Work]) -> None:
        """Do each piece with a worker of its own at a time; less if the program is told to stop."""
        if interruption.noted():
            return
        left = {self._threads.submit(self._do, piece) for piece in pieces}
        try:
            while left:
                with interruption.heard():  # z3 and Windows keep a signal from ending a wait without a limit
                    done, left = wait(left, _LOOK, FIRST_EXCEPTION)
                for future in done:
                    future.result()
        except BaseException as failure:
            for future in left:
                future.cancel()
            if not isinstance(failure, KeyboardInterrupt):
                raise
            for worker in self._workers:
                worker.stop()
            if not interruption.noted():
                raise
            wait(left, _PATIENCE)

    def _do(self, piece: Work) -> None:
        worker = self._idle.get()
        try:
            piece(worker.run)
        except Stopped:
            return
        finally:
            self._idle.put(worker)


def in_parallel(pieces: Sequence[Work], jobs: int) -> None:
    """Do each piece with a worker of its own at a time, `jobs` pieces at once; less if the program is told to stop."""
    crew = Crew(min(jobs, len(pieces)))
    try:
        crew.do(pieces)
    finally:
        crew.close()
