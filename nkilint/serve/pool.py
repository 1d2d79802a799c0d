"""Several warm processes; a request goes to the first that is free."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from nkilint.api.settings import BadRequest
from nkilint.warm.workers import Fault, Worker, WorkerDied

WORKER = "nkilint.serve.worker"


class NoAnswer(Exception):
    """A request that could not be answered, through no fault of its own; the text says why."""


class Pool:
    """The processes, and which of them are free."""

    def __init__(self, count: int) -> None:
        self._workers = [Worker(WORKER) for _ in range(count)]
        self._free: asyncio.Queue[Worker] = asyncio.Queue()

    async def start(self) -> None:
        """Have the processes import what they need; each is free when it has."""
        await asyncio.gather(*(self._warm(worker) for worker in self._workers))

    async def _warm(self, worker: Worker) -> None:
        try:
            await worker.ask("warm", {})
        except (Fault, WorkerDied):
            pass  # the first request tries again, and tells
        finally:
            self._free.put_nowait(worker)

    async def ask(self, work: Mapping[str, Any]) -> Any:
        """The result of one request; a process that dies costs this one only."""
        worker = await self._free.get()
        try:
            answer = await worker.ask("ask", work)
        except WorkerDied:
            raise NoAnswer("the process that was at work on it died") from None
        except Fault as fault:
            raise NoAnswer(f"nkilint failed: {fault}; please report it with the text") from None
        finally:
            self._free.put_nowait(worker)
        if "refused" in answer:
            raise BadRequest(answer["refused"])
        return answer["result"]

    def close(self) -> None:
        for worker in self._workers:
            worker.close()
