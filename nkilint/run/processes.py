"""Verifies kernels in several processes, which share what has been read so far."""

from __future__ import annotations

import multiprocessing
import pickle
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress

from nkilint.base import garbage, interruption
from nkilint.base.findings import failure
from nkilint.base.ir import Module
from nkilint.base.source import SourceError
from nkilint.lowering import lower
from nkilint.project.discovery import Kernel
from nkilint.project.files import Lower, Source
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis

from .outcome import Advance, Outcome, Runner, Setting, Verify, one_by_one

_CAN_FORK = "fork" in multiprocessing.get_all_start_methods()
_WORTH_IT = 50_000  # characters of source for which more processes are started
_EARLY = 3  # kernels for each process that begin before those whose turn it is
LOOK = 1.0  # seconds after which progress is told again of a kernel that takes long
_work: tuple[Sequence[Kernel], Verify] | None = None  # what the processes inherit


def in_processes(jobs: int) -> Runner:
    """A runner with `jobs` processes; where the system cannot copy a process, kernels are verified one by one."""
    if not _CAN_FORK:
        return one_by_one

    def run(setting: Setting, kernels: Sequence[Kernel], verify: Verify) -> list[Outcome]:
        with _inherited(kernels, verify):
            found = _round(jobs, range(len(kernels)), setting, kernels)
            for index in range(len(kernels)):  # a process died: each that is left gets one of its own
                if index not in found and not interruption.noted():
                    found |= _round(1, [index], setting, kernels)
        return [found.get(index) or _missing(kernel) for index, kernel in enumerate(kernels)]

    return run


def lowered_in_processes(jobs: int) -> Lower:
    """Lowers files in `jobs` processes; few are left to be lowered where they are needed, as are faulty ones."""

    def lower(work: Mapping[str, Source]) -> dict[str, Module]:
        if not _CAN_FORK or sum(len(source[0]) for source in work.values()) < _WORTH_IT:
            return {}
        from nkilint import lowering  # noqa: F401  once, and not in each process

        longest = sorted(work, key=lambda path: -len(work[path][0]))
        found: dict[str, Module] = {}
        with suppress(BrokenProcessPool), _processes(jobs) as pool:
            futures = {path: pool.submit(_lowered, *work[path]) for path in longest}
            import z3  # noqa: F401  while there is nothing else to do: those that verify need it

            for path, future in futures.items():
                data = future.result()
                if data is not None:
                    found[path] = pickle.loads(data)
        return found

    return lower


def _lowered(text: str, path: str, name: str, package: str) -> bytes | None:
    try:
        return pickle.dumps(lower(text, path, name, package), pickle.HIGHEST_PROTOCOL)
    except (SourceError, RecursionError):
        return None


@contextmanager
def _processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    context = multiprocessing.get_context("fork")
    with warnings.catch_warnings(), ProcessPoolExecutor(jobs, context, interruption.in_a_process) as pool:
        warnings.simplefilter("ignore", DeprecationWarning)  # "fork may deadlock": no other thread of ours holds a lock
        before = set(multiprocessing.active_children())
        try:
            yield pool
        except KeyboardInterrupt:
            for process in set(multiprocessing.active_children()) - before:
                process.kill()  # what they are at may take long
            raise


@contextmanager
def _inherited(kernels: Sequence[Kernel], verify: Verify) -> Iterator[None]:
    global _work
    _work = (kernels, verify)
    try:
        with garbage.kept():  # so it is neither collected in the processes nor copied for that
            yield
    finally:
        _work = None


def _round(jobs: int, indices: Sequence[int], setting: Setting, kernels: Sequence[Kernel]) -> dict[int, Outcome]:
    """The outcomes that new processes come to, by index, until one of them dies."""
    found: dict[int, Outcome] = {}
    try:
        with interruption.heard():
            _submit(found, jobs, indices, setting, kernels)
    except KeyboardInterrupt:
        if not interruption.noted():
            raise
    return found


def _submit(
    found: dict[int, Outcome], jobs: int, indices: Sequence[int], setting: Setting, kernels: Sequence[Kernel]
) -> None:
    advance = Advance(kernels)
    with _processes(min(jobs, len(indices))) as pool:
        futures = {pool.submit(_verify, index): index for index in _by_turns(indices, kernels, jobs)}
        left = dict.fromkeys(futures)
        try:
            while left:
                slowest = kernels[futures[next(iter(left))]]
                setting.progress(len(futures) - len(left), len(kernels), advance.said(slowest))
                for future in wait(left, LOOK, FIRST_COMPLETED).done:
                    del left[future]
                    with suppress(BrokenProcessPool):
                        index = futures[future]
                        found[index] = future.result()
                        advance.done(kernels[index], found[index])
                        setting.done(kernels[index], found[index])
                        interruption.minded()
        except KeyboardInterrupt:
            for future in left:
                if future.done() and future.exception() is None:
                    found[futures[future]] = future.result()
            raise


def _by_turns(indices: Sequence[int], kernels: Sequence[Kernel], jobs: int) -> list[int]:
    """In their order, so that what comes first is told first; but what is longest of all begins first."""
    longest = sorted(indices, key=lambda index: -_length(kernels[index]))[: jobs * _EARLY]
    return [*longest, *(index for index in indices if index not in longest)]


def _length(kernel: Kernel) -> int:
    return kernel.function.body[-1].at.end_row - kernel.function.at.row


def _verify(index: int) -> Outcome:
    assert _work is not None
    kernels, verify = _work
    return verify(kernels[index])


def _missing(kernel: Kernel) -> Outcome:
    """What is said of a kernel without an outcome."""
    return Outcome(kernel.function.at, None) if interruption.noted() else died(kernel)


def died(kernel: Kernel) -> Outcome:
    """What is said of a kernel whose process died."""
    message = IncompleteAnalysis.failed(subject=f"`{kernel.name}`", fault="its process died", source="kernel")
    return Outcome(kernel.function.at, None, faults=(failure(message, kernel.function.at, kernel.name),))
