"""The command line: `nkilint [check] PATH...`, `nkilint rule CODE`, `nkilint explain FILE::kernel`."""

from __future__ import annotations

import argparse
import atexit
import gc
import importlib
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from nkilint import __version__
from nkilint.base import faults, interruption
from nkilint_rules.words.suggestions import suggestion

from . import streams
from .arguments import COMMANDS, DEFAULT

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

FAILED = 2
SIGNALLED = 128
INTERRUPTIBLE = ("check", "explain", "migrate")  # that have something to lose when they are told to stop
COLLECTING = 400_000, 20, 100  # new objects between collections: an analysis makes many and leaves few cycles


def start() -> NoReturn:
    """The command of this process. What it leaves in memory is not taken apart, which would take long."""
    code = main()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code: 0 nothing to object to, 1 findings, 2 the tool could not do its job."""
    with streams.ready():
        try:
            code = _done(list(sys.argv[1:] if argv is None else argv))
            sys.stdout.flush()
        except OSError as error:
            streams.failed(error)
        except Exception as fault:
            if sys.flags.dev_mode:
                raise
            print(f"nkilint: a fault of this tool; please report it: {faults.told(fault)}", file=sys.stderr)
        else:
            return code
    return FAILED


def _done(arguments: list[str]) -> int:
    """Do what the arguments say."""
    if arguments and arguments[0] not in (*COMMANDS, "-h", "--help", "--version"):
        arguments.insert(0, DEFAULT)
    parser = _parser(arguments[0] if arguments else "")
    gc.set_threshold(*COLLECTING)
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
    except SystemExit as stop:  # argparse has printed its help or its complaint
        return stop.code if isinstance(stop.code, int) else FAILED
    except KeyboardInterrupt:
        return _interrupted()
    return _interrupted() if interruption.noted() else code


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


class _Parser(argparse.ArgumentParser):
    """A parser that notices where its help cannot be written."""

    def error(self, message: str) -> NoReturn:
        """Complain, with the option that is nearest to one that is not known."""
        unknown = re.search(r"unrecognized arguments: (--[\w-]+)", message)
        near = suggestion(unknown[1], list(self.known)) if unknown else ""
        super().error(message + near)

    known: Sequence[str] = ()
    """The options of the command that is meant."""

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        (file or sys.stderr).write(message)


def _parser(chosen: str) -> argparse.ArgumentParser:
    parser = _Parser(
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
        if name == chosen:
            parser.known = [option for action in arguments._actions for option in action.option_strings]
    return parser


def _work(parsed: argparse.Namespace) -> Callable[[argparse.Namespace], int]:
    """What does the work of a command: loaded only now, so that help and other commands do not wait for it."""
    module = importlib.import_module(f"{__name__}.{COMMANDS[parsed.command].module(parsed)}")
    run: Callable[[argparse.Namespace], int] = module.run
    return run
