"""`nkilint check`: verify every kernel in the given files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nkilint.base import interruption
from nkilint.base.config import ConfigError

from . import comparison, settings
from .tasks import Task, complete, printer, report_of, task_of, told

if TYPE_CHECKING:
    from nkilint.project.affected import Touched


def run(arguments: argparse.Namespace) -> int:
    """Report what is wrong, or write a baseline of it."""
    try:
        if arguments.unsafe_fixes:
            raise ConfigError("--unsafe-fixes needs --fix or --diff-only")
        return _checked(task_of(arguments), comparison.touched(arguments))
    except ConfigError as error:
        settings.complain(error)
        return 2


def _checked(task: Task, touched: Touched | None) -> int:
    """Say what is found, as far as it was come to."""
    with interruption.held():
        if task.arguments.write_baseline:
            report = report_of(task, touched)
            complete()
            return comparison.write(report, task.arguments, task.options, task.shown)
        printing = printer(task)
        return told(task, report_of(task, touched, printing), printing)
