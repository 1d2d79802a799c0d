"""Options that several commands share, and how they become `Options`."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nkilint.base.config import ConfigError
    from nkilint.base.options import Options


def add_arguments(parser: argparse._ActionsContainer) -> None:
    """The arguments that choose a configuration and a target."""
    parser.add_argument(
        "--target",
        metavar="NAME",
        help="device to check for: trn1, inf2, trn2 or trn3 (default: trn2, or what the kernel asks for)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--config", type=Path, metavar="FILE", help="read this configuration file")
    which.add_argument("--no-config", action="store_true", help="read no configuration file")


def configuration(arguments: argparse.Namespace, start: Path) -> Path | None:
    """The configuration file that holds for `start`."""
    from nkilint.base.config import find

    if arguments.no_config:
        return None
    file: Path | None = arguments.config
    return file or find(start)


def options(arguments: argparse.Namespace, start: Path) -> Options:
    """The configuration found from `start`, with what the command line changes."""
    from nkilint.base.config import checked_target, load
    from nkilint.base.options import Options

    file = configuration(arguments, start)
    chosen = load(file) if file else Options(root=Path.cwd())
    if arguments.target is not None:
        chosen = replace(chosen, target=checked_target(arguments.target))
    return chosen


def complain(error: ConfigError) -> None:
    """Print what is wrong with the configuration, or with the command line."""
    from nkilint.report.places import shown_path

    place = f"{shown_path(str(error.file.absolute()), Path.cwd())}:{error.row}:1" if error.file else "command line"
    print(f"{place}: NKI004 {error.message}", file=sys.stderr)
