"""What the server says on standard error: a line for each message, and nobody waits until it is read."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from logging.handlers import QueueHandler, QueueListener
from queue import Full, Queue

from nkilint.base.faults import told

_WAITING = 1000  # messages that are not read yet, after which more are dropped


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage().partition("\n")[0]
        error = record.exc_info[1] if record.exc_info else None
        return f"nkilint lsp: {text}" + (f": {told(error)}" if isinstance(error, Exception) else "")


class _Patient(QueueHandler):
    def enqueue(self, record: logging.LogRecord) -> None:
        with suppress(Full):
            self.queue.put_nowait(record)


def to_standard_error() -> None:
    """Have a thread write what the server says; a client that does not read it stops only that thread."""
    waiting: Queue[logging.LogRecord] = Queue(_WAITING)
    handler = _Patient(waiting)
    handler.setFormatter(_Line())
    logging.getLogger().addHandler(handler)
    QueueListener(waiting, logging.StreamHandler(sys.stderr)).start()
