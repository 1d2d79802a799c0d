"""Runs of the command line as a program, under circumstances that are not the best."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Prepare = Callable[[], None]
_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 1, 2


def nkilint(
    *arguments: str, folder: Path, prepare: Prepare | None = None, stdout: int | None = None, stderr: int | None = None
) -> subprocess.CompletedProcess[str]:
    """`nkilint ARGUMENTS` in a folder; `prepare` is done in its process before it starts."""
    return subprocess.run(
        [sys.executable, "-m", "nkilint", *arguments],
        cwd=folder,
        preexec_fn=prepare,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if stdout is None else stdout,
        stderr=subprocess.PIPE if stderr is None else stderr,
        text=True,
        check=False,
        timeout=600,
    )


def without(*descriptors: int) -> Prepare:
    """Close what a program starts with."""

    def close() -> None:
        for number in descriptors:
            os.close(number)

    return close


def as_anyone() -> None:
    """Have the superuser be refused what others are."""
    if os.geteuid() == 0:
        for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def files_of(size: int) -> Prepare:
    """Have files end after so many bytes, as on a full disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit
