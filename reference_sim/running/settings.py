"""How the runs of this process check, and the device that they run on."""

from __future__ import annotations

import os
from collections.abc import Callable

from nkilint_rules.words.targets import DEFAULT_TARGET, TARGETS, Target
from reference_sim.report.strictness import Strictness

SETTINGS = {"strictness": Strictness()}
TRUSTED: list[Callable[..., bool]] = []
"""Say of a launch, its function, arguments and keyword arguments whether it needs no checks."""


def settings() -> Strictness:
    """How runs of this process check."""
    return SETTINGS["strictness"]


def chosen_target() -> Target | None:
    """The device that this process is to run kernels on, if something names one."""
    chosen = settings().target or os.environ.get("NEURON_PLATFORM_TARGET_OVERRIDE")
    return target_named(chosen) if chosen else None


def target_outside() -> Target:
    """The device that host code outside of any launch is told of."""
    return chosen_target() or TARGETS[DEFAULT_TARGET]


_TARGET_NAMES = {"gen2": "trn1", "gen3": "trn2", "gen4": "trn3"}


def target_named(name: str) -> Target:
    """The target of this name; generation names are understood."""
    __tracebackhide__ = True
    found = TARGETS.get(_TARGET_NAMES.get(name, name))
    if found is None:
        raise ValueError(f"unknown target {name!r}; known are {', '.join(TARGETS)}")
    return found
