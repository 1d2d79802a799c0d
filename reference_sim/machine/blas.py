"""Threads of BLAS. Products of tiles are small: threads that wait for each other at each of them save little, and cost
many times as much where other work keeps the cores busy."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

LARGE = 1 << 28  # multiplications of a product that threads share


@cache
def _libraries() -> tuple[Any, int]:
    """What sets the threads of the libraries that numpy computes with, and how many there were at first."""
    found = ThreadpoolController().select(user_api="blas")
    return found, max((library["num_threads"] for library in found.info()), default=1)


def one_thread() -> AbstractContextManager[Any]:
    """Products take one thread each."""
    libraries, most = _libraries()
    return libraries.limit(limits=1) if most > 1 else nullcontext()


def threads_for(multiplications: int) -> AbstractContextManager[Any]:
    """A large product takes all threads there are."""
    libraries, most = _libraries()
    return libraries.limit(limits=most) if most > 1 and multiplications >= LARGE else nullcontext()
