"""The pytest plugin: `pytest -p reference_sim.pytest`, or `pytest_plugins = ["reference_sim.pytest"]` in a conftest,
makes the stand-ins importable before tests are collected."""

from __future__ import annotations

from typing import Any

import pytest

from . import cli
from .report.errors import FINDINGS, Finding


def pytest_addoption(parser: Any) -> None:
    """The simulator's options, under names of their own."""
    group = parser.getgroup("reference_sim")
    group.addoption("--sim-target", default=None, help="device to simulate")
    group.addoption("--sim-no-checks", action="store_true", help="do not check kernels, for speed")
    group.addoption("--sim-collect", action="store_true", help="record all findings instead of stopping at the first")
    group.addoption("--sim-shuffle", type=int, default=None, help="run affine_range loops in another order too")
    group.addoption("--sim-force", action="store_true", help="replace the vendor's modules even where installed")
    group.addoption("--sim-json", default=None, metavar="FILE", help="write the findings as JSON")


_INSTALLED = pytest.StashKey[bool]()


def pytest_load_initial_conftests(early_config: Any, parser: Any, args: Any) -> None:
    """Install before any conftest or test module is imported."""
    _install(early_config, early_config.known_args_namespace)


def pytest_configure(config: Any) -> None:
    """A conftest that names this plugin comes after the hook above; test modules still follow."""
    if _INSTALLED not in config.stash:
        _install(config, config.option)


def _install(config: Any, options: Any) -> None:
    config.stash[_INSTALLED] = True
    try:
        cli.configure(
            options.sim_target, not options.sim_no_checks, options.sim_collect, options.sim_shuffle, options.sim_force
        )
    except ValueError as error:
        raise pytest.UsageError(f"reference_sim: {error}") from None


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    """Recorded errors fail the session although they stopped no test; a worker of pytest-xdist hands its own over."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["reference_sim"] = [[f.as_json(), f not in FINDINGS.passed] for f in FINDINGS.items]
        return
    path = session.config.getoption("sim_json")
    if path is not None:
        cli.write_json(path)
    if exitstatus == 0 and any(finding.severity == "error" for finding in FINDINGS.passed):
        session.exitstatus = 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    """A worker of pytest-xdist has finished."""
    for told, stopped in getattr(node, "workeroutput", {}).get("reference_sim", ()):
        FINDINGS.add(Finding.from_json(told), stopped)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Findings that did not stop a test."""
    if FINDINGS.passed:
        terminalreporter.section("reference_sim findings")
        for finding in FINDINGS.passed:
            terminalreporter.line(str(finding))
