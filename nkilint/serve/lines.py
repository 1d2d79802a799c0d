"""`nkilint serve`: a request a line on standard input, an answer a line on standard output, in order of completion."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from nkilint.api.settings import BadRequest, Settings
from nkilint.lsp.leaving import Leave

from .pool import NoAnswer, Pool
from .requests import id_of, parsed, work_of

LONGEST = 20_000_000  # bytes of a line
WAITING = 256  # requests that are read ahead of those that are answered
_TOO_LONG = b""


async def serve(pool: Pool, defaults: Settings, leave: Leave) -> None:
    """Answer until standard input ends."""
    loop, tasks, starting = asyncio.get_running_loop(), set[asyncio.Task[None]](), asyncio.create_task(pool.start())
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = threading.Semaphore(WAITING)

    def read() -> None:
        for line in _lines(sys.stdin.buffer):
            room.acquire()
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, None)

    async def answer(line: bytes) -> None:
        told = await _answer(line, pool, defaults)
        try:
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()
        except OSError:  # nobody reads the answers any more
            leave(2)
        room.release()

    threading.Thread(target=read, daemon=True).start()
    while (line := await lines.get()) is not None:
        task = asyncio.create_task(answer(line))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(starting, *tasks)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines that hold something; one that is too long is `_TOO_LONG`."""
    while line := stream.readline(LONGEST):
        if len(line) < LONGEST or line.endswith(b"\n"):
            if line.strip():
                yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(LONGEST)
        yield _TOO_LONG


async def _answer(line: bytes, pool: Pool, defaults: Settings) -> Mapping[str, Any]:
    number = None
    try:
        if line == _TOO_LONG:
            raise BadRequest(f"the line is longer than {LONGEST // 1_000_000} MB")
        request = parsed(line)
        number = id_of(request)
        return {"id": number, **await pool.ask(work_of(request, defaults))}
    except BadRequest as error:
        return {"id": number, "error": {"kind": "bad-request", "message": str(error)}}
    except NoAnswer as error:
        return {"id": number, "error": {"kind": "no-answer", "message": str(error)}}
