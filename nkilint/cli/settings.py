"""Options that several commands share, and how they become `Options`."""

from __future__ import annotations

import argparse
import ast
import sys
from dataclasses import replace
from pathlib import Path

from nkilint.base.config import ConfigError, checked_target, checked_version, find, load
from nkilint.base.options import Options
from nkilint.base.source import Overlay, SourceError, decode, read_bytes
from nkilint.project import preludes
from nkilint.report.places import shown_path


def configuration(arguments: argparse.Namespace, start: Path) -> Path | None:
    """The configuration file that holds for `start`."""
    if arguments.no_config:
        return None
    file: Path | None = arguments.config
    return file or find(start)


def options(arguments: argparse.Namespace, start: Path) -> Options:
    """The configuration found from `start`, with what the command line changes."""
    file = configuration(arguments, start)
    chosen = load(file) if file else Options(root=Path.cwd())
    if arguments.target is not None:
        chosen = replace(chosen, target=checked_target(arguments.target))
    if getattr(arguments, "nki_version", None):
        chosen = replace(chosen, nki_version=checked_version(arguments.nki_version))
    return replace(chosen, prelude=prelude_of(arguments))


def prelude_of(arguments: argparse.Namespace) -> str:
    """What is to stand at the head of all files."""
    dialect, file = getattr(arguments, "assume_imports", None), getattr(arguments, "prelude", None)
    if file is None:
        return preludes.prelude(dialect)
    try:
        text = decode(read_bytes(str(file), Overlay()), str(file))
        ast.parse(text)
    except SourceError as error:
        raise ConfigError(error.message, file) from None
    except (SyntaxError, ValueError) as error:
        raise ConfigError(f"is not Python: {error}", file, getattr(error, "lineno", None) or 1) from None
    return preludes.prelude(dialect, text)


def complain(error: ConfigError) -> None:
    """Print what is wrong with the configuration, or with the command line."""
    place = f"{shown_path(str(error.file.absolute()), Path.cwd())}:{error.row}:1" if error.file else "command line"
    print(f"{place}: NKI004 {error.message}", file=sys.stderr)
