"""The device that a launch runs on: the one that is named, else the first that has what the kernel uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from nkilint_rules.words.targets import DEFAULT_TARGET, TARGETS, Target, targets_to_try
from reference_sim.machine.dtypes import Array
from reference_sim.machine.memory import Storage
from reference_sim.report.errors import FINDINGS, NkiError
from reference_sim.report.reporting import DeviceLacks
from reference_sim.report.strictness import Strictness
from reference_sim.tensors.deferred import Load

from .settings import chosen_target, settings


class Run(Protocol):
    """A launch on some device. One that is `open` is given up where the device lacks something."""

    def __call__(self, device: Target, strictness: Strictness, device_open: bool = False) -> Any: ...


def on_device(named: Target | None, run: Run) -> Any:
    """What a launch gives on its device."""
    chosen, strictness = named or chosen_target(), settings()
    if chosen is not None or not strictness.checks:
        return run(chosen or TARGETS[DEFAULT_TARGET], strictness)
    possible = targets_to_try()
    for target in possible:
        before = FINDINGS.copy()
        try:
            return run(target, strictness, device_open=True)
        except DeviceLacks:
            FINDINGS.put_back(before)
        except NkiError:
            if not _lacks_later(run, target, strictness):
                raise
            FINDINGS.put_back(before)
    return run(possible[0], strictness)


def _lacks_later(run: Run, target: Target, strictness: Strictness) -> bool:
    """Whether a launch that an error stopped would have asked for something that the device lacks."""
    before = FINDINGS.copy()
    try:
        run(target, replace(strictness, collect=True, shuffle=None), device_open=True)
    except DeviceLacks:
        return True
    except Exception:  # what a kernel does after an error is of no interest
        return False
    finally:
        FINDINGS.put_back(before)
    return False


class Originals:
    """Arrays of the host as they are now; what is written to is copied before."""

    def __init__(self, held: Sequence[tuple[Storage, Array]]) -> None:
        self._held = [(array, Load((array, (slice(None),) * array.ndim), storage)) for storage, array in held]

    def put_back(self) -> None:
        """Make the arrays what they were."""
        for array, load in self._held:
            if load.part[0] is not array:
                array[...] = load.part[0]
