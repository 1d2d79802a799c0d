"""The command line: `nkilint [check] PATH...`, `nkilint rule CODE`, `nkilint explain FILE::kernel`."""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence

from nkilint import __version__
from nkilint.base import interruption
from nkilint_rules.words.suggestions import suggestion

from .arguments import COMMANDS

DEFAULT = "check"
FAILED = 2
SIGNALLED = 128
INTERRUPTIBLE = ("check", "explain")  # that report what they have when they are told to stop
COLLECTING = 200_000, 20, 100  # new objects between collections: an analysis makes many and leaves few cycles


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code: 0 nothing to object to, 1 findings, 2 the tool could not do its job."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] not in (*COMMANDS, "-h", "--help", "--version"):
        arguments.insert(0, DEFAULT)
    parser = _parser()
    gc.set_threshold(*COLLECTING)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # not every terminal has every character
    if not arguments:
        parser.print_help(sys.stderr)
        return FAILED
    if arguments[0] == DEFAULT and (misspelt := _misspelt(arguments[1:])):
        print(f"nkilint: {misspelt}", file=sys.stderr)
        return FAILED
    try:
        parsed = parser.parse_args(arguments)
        if parsed.command in INTERRUPTIBLE:
            interruption.obey()
        code: int = _work(parsed)(parsed)
        sys.stdout.flush()
        if interruption.noted():
            return _interrupted()
    except SystemExit as stop:  # argparse has printed its help or its complaint
        return stop.code if isinstance(stop.code, int) else FAILED
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:  # the reader of our output went away; keep the interpreter from flushing into it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code


def _interrupted() -> int:
    """The exit code of a program that was told to stop, as shells count."""
    print("nkilint: interrupted; what it did not come to is missing", file=sys.stderr)
    return SIGNALLED + (interruption.noted() or signal.SIGINT)


def _misspelt(arguments: Sequence[str]) -> str:
    """What to say where a file that is not there has nearly the name of a command."""
    if not arguments or not arguments[0].isalpha() or os.path.exists(arguments[0]):
        return ""
    near = suggestion(arguments[0], list(COMMANDS))
    return f"there is no command, file or folder `{arguments[0]}`{near}" if near else ""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nkilint",
        usage="nkilint [check] [OPTIONS] PATH...\n       nkilint COMMAND [OPTIONS] ...",
        description="Static verifier for AWS Neuron Kernel Interface (NKI) kernels.",
        epilog="Without a command, `check` is meant: `nkilint kernels/`. `nkilint COMMAND --help` lists its options.",
    )
    parser.add_argument("--version", action="version", version=f"nkilint {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        arguments = commands.add_parser(
            name, prog=f"nkilint {name}", help=command.help, description=command.description
        )
        command.add_arguments(arguments)
    return parser


def _work(parsed: argparse.Namespace) -> Callable[[argparse.Namespace], int]:
    """What does the work of a command: loaded only now, so that help and other commands do not wait for it."""
    module = importlib.import_module(f"{__name__}.{COMMANDS[parsed.command].module(parsed)}")
    run: Callable[[argparse.Namespace], int] = module.run
    return run
