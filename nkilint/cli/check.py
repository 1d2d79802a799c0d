"""`nkilint check`: verify every kernel in the given files."""

from __future__ import annotations

import argparse

from nkilint.base.config import ConfigError

from . import comparison, settings
from .tasks import complete, report_of, task_of, told


def run(arguments: argparse.Namespace) -> int:
    """Report what is wrong, or write a baseline of it."""
    try:
        if arguments.unsafe_fixes:
            raise ConfigError("--unsafe-fixes needs --fix or --diff-only")
        task = task_of(arguments)
        report = report_of(task, comparison.touched(arguments))
    except ConfigError as error:
        settings.complain(error)
        return 2
    if arguments.write_baseline:
        complete()
        return comparison.write(report, arguments, task.options, task.shown)
    return told(task, report)
