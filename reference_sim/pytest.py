"""The pytest plugin: `pytest -p reference_sim.pytest` makes the stand-ins importable before tests are collected."""

from __future__ import annotations

from typing import Any

from . import cli


def pytest_addoption(parser: Any) -> None:
    """The simulator's options, under names of their own."""
    group = parser.getgroup("reference_sim")
    group.addoption("--sim-target", default=None, help="device to simulate")
    group.addoption("--sim-no-checks", action="store_true", help="do not check kernels, for speed")
    group.addoption("--sim-collect", action="store_true", help="record all findings instead of stopping at the first")
    group.addoption("--sim-shuffle", type=int, default=None, help="run affine_range loops in another order too")
    group.addoption("--sim-force", action="store_true", help="replace real modules")


def pytest_load_initial_conftests(early_config: Any, parser: Any, args: Any) -> None:
    """Install before any conftest or test module is imported."""
    options = early_config.known_args_namespace
    cli.configure(
        target=getattr(options, "sim_target", None),
        checks=not getattr(options, "sim_no_checks", False),
        collect=getattr(options, "sim_collect", False),
        shuffle=getattr(options, "sim_shuffle", None),
        force=getattr(options, "sim_force", False),
    )


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Findings that did not stop a test."""
    from .errors import FINDINGS

    if FINDINGS.items:
        terminalreporter.section("reference_sim findings")
        for finding in FINDINGS.items:
            terminalreporter.line(str(finding))
