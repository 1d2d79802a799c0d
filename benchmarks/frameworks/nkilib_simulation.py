"""A pytest plugin by which nki-library's own tests run here in their mode `simulation`.

They look for the vendor's `nki_cpu_simulator`, whose modules are those of `nki`, and for a `cpu_simulate` that runs a
kernel on the device that `NKI_NC_VERSION` names. Of each test function `--each` of its cases are run, evenly spread.
"""

from __future__ import annotations

import itertools
import os
import resource
import signal
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import pytest

import reference_sim
from reference_sim.running.kernels import Kernel, simulate

PACKAGE = "nki_cpu_simulator"
COMPILED = ("trace_only", "compile_only", "compile_and_infer")
"""Marks of tests that run in another mode whatever is asked for: they need the vendor's compiler."""
UNPUBLISHED = (
    "test.utils.perf_analysis_private", "test.utils.scripts", "test.utils.scripts.remote_lock_scripts",
)  # fmt: skip
"""Modules that the tests import and that the public repository lacks: what locks devices and measures them."""


def cpu_simulate(kernel: Any) -> Kernel:
    """The kernel as a callable that runs on the CPU."""
    made = simulate(kernel)
    made.options = {**made.options, "platform_target": os.environ["NKI_NC_VERSION"]}
    return made


def install() -> None:
    """Put the package into `sys.modules`."""
    reference_sim.install()
    ours = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "nki"}
    for leaf in ("builtin", "compiler", "tensor", "language.dtypes"):  # nothing of them is used
        ours.setdefault(f"nki.{leaf}", ModuleType(f"nki.{leaf}"))
    sys.modules[PACKAGE] = package = ModuleType(PACKAGE)
    package.__dict__.update(__path__=[], nki=ours["nki"])
    for name, module in ours.items():
        sys.modules[f"{PACKAGE}.{name}"] = module
        parent, _, leaf = f"{PACKAGE}.{name}".rpartition(".")
        setattr(sys.modules[parent], leaf, module)
    ours["nki"].cpu_simulate = cpu_simulate  # type: ignore[attr-defined]
    sys.modules.update({name: MagicMock(name=name) for name in UNPUBLISHED})


install()


def pytest_addoption(parser: Any) -> None:
    """How much is run."""
    parser.addoption("--each", type=int, default=2, help="cases of a test function")
    parser.addoption("--seconds", type=int, default=60, help="seconds of the processor that a case may take")
    parser.addoption("--bytes", type=int, default=8 << 30, help="how much memory they may take")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: Any) -> None:
    """The mode asks nothing of the compiler, and its end asks what that compiled; the device is known on the host."""
    from test.utils.test_orchestrator import Orchestrator  # the library's tests are importable now

    Orchestrator._compiled_kernel = None
    resource.setrlimit(resource.RLIMIT_DATA, (config.getoption("bytes"),) * 2)
    os.environ.setdefault("NEURON_PLATFORM_TARGET_OVERRIDE", str(config.getoption("platform_target")))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Of each function some cases, of those that the library runs in this mode, and does not skip as too large."""
    count = config.getoption("each")
    possible = [item for item in items if not any(map(item.get_closest_marker, ("skip", *COMPILED)))]
    chosen = []
    for _, cases in itertools.groupby(possible, lambda item: item.nodeid.partition("[")[0]):
        group = list(cases)
        chosen += [group[len(group) * i // count] for i in range(count)] if len(group) > count else group
    items[:] = chosen


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    """A case that takes too long ends as a failure: in time of the processor, which is the same beside other work."""
    seconds = item.config.getoption("seconds")

    def stop(*_: Any) -> None:
        pytest.fail(f"takes more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
