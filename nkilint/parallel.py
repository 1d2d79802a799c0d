"""Verifies kernels in several processes, which share what has been read so far."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.context import BaseContext

from nkilint_rules.rule import Severity

from . import catalogue
from .discovery import Kernel
from .findings import Diagnostic
from .outcome import Outcome, Runner, Setting, Verify, one_by_one

_work: tuple[Sequence[Kernel], Verify] | None = None  # what the processes inherit


def in_processes(jobs: int) -> Runner:
    """A runner with `jobs` processes; where the system cannot copy a process, kernels are verified one by one."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return one_by_one
    context = multiprocessing.get_context("fork")

    def run(setting: Setting, kernels: Sequence[Kernel], verify: Verify) -> list[Outcome]:
        with _inherited(kernels, verify):
            found = _round(context, jobs, range(len(kernels)), setting, kernels)
            for index in range(len(kernels)):  # a process died: each that is left gets one of its own
                if index not in found:
                    found |= _round(context, 1, [index], setting, kernels)
        return [found.get(index) or died(kernel) for index, kernel in enumerate(kernels)]

    return run


@contextmanager
def _inherited(kernels: Sequence[Kernel], verify: Verify) -> Iterator[None]:
    global _work
    _work = (kernels, verify)
    try:
        yield
    finally:
        _work = None


def _round(
    context: BaseContext, jobs: int, indices: Sequence[int], setting: Setting, kernels: Sequence[Kernel]
) -> dict[int, Outcome]:
    """The outcomes that new processes come to, by index, until one of them dies."""
    found: dict[int, Outcome] = {}
    with warnings.catch_warnings(), ProcessPoolExecutor(min(jobs, len(indices)), context) as pool:
        warnings.simplefilter("ignore", DeprecationWarning)  # "fork may deadlock": no other thread of ours holds a lock
        longest = sorted(indices, key=lambda index: -_length(kernels[index]))  # what takes long begins first
        futures: dict[int, Future[Outcome]] = {index: pool.submit(_verify, index) for index in longest}
        for index, future in sorted(futures.items()):
            setting.progress(len(found), len(kernels), f"{kernels[index].module.path}::{kernels[index].name}")
            try:
                found[index] = future.result()
            except BrokenProcessPool:
                continue
    return found


def _length(kernel: Kernel) -> int:
    return kernel.function.body[-1].at.end_row - kernel.function.at.row


def _verify(index: int) -> Outcome:
    assert _work is not None
    kernels, verify = _work
    return verify(kernels[index])


def died(kernel: Kernel) -> Outcome:
    """What is said of a kernel whose process died."""
    rule = catalogue.rule("NKI003")
    message = f"nkilint failed on `{kernel.name}`: its process died; please report it together with the kernel"
    fault = Diagnostic("NKI003", rule.name(), rule.severity, message, kernel.function.at, "", kernel.name)
    return Outcome(kernel.function.at, None, faults=(replace(fault, severity=Severity.ERROR),))
