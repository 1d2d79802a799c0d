"""The system's calls that Python has no names for, through ctypes: nothing has to be installed for them."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from functools import cache
from typing import Any

X86, ARM = "x86_64", "aarch64"
MACHINE = platform.machine() if sys.platform == "linux" and sys.maxsize > 1 << 32 else ""

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22


@cache
def _library() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: Any) -> int:
    """Call a function of the C library by its name; OSError if it fails."""
    result: int = getattr(_library(), name)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return result


def syscall(number: int, *arguments: Any) -> int:
    """Make a system call by its number."""
    whole = (ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments)
    return call("syscall", ctypes.c_long(number), *whole)


def control(option: int, value: int) -> None:
    """`prctl`, with one value."""
    call("prctl", option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
