"""The arguments of every command: all that the help needs, and nothing that takes time to load."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nkilint.report.formats import FORMATS
from nkilint_rules.words.records import dataclass
from reference_sim import arguments as simulator

DEFAULT = "check"
EXIT_CODES = (
    "Exits with 0 if there is nothing to object to, 1 if there are errors, 2 if something could not be checked."
)


@dataclass(frozen=True, slots=True)
class Command:
    """One command: what the help says of it, its arguments, and the module that does its work with those given."""

    help: str
    description: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    module: Callable[[argparse.Namespace], str]


def _check(parser: argparse.ArgumentParser) -> None:
    parser.usage, parser.epilog = "nkilint [check] [OPTIONS] PATH...", EXIT_CODES
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, or - for standard input")
    parser.add_argument("--stdin-filename", metavar="FILE", help="the name that standard input goes by")
    checked = parser.add_argument_group("what is checked")
    _configuration(checked)
    checked.add_argument(
        "--nki-version", metavar="V", help="version of NKI to check for, such as 0.4 (default: the newest)"
    )
    _prelude(checked)
    checked.add_argument(
        "-s", "--select", action="append", metavar="CODES", help="report only codes with these prefixes"
    )
    checked.add_argument("-i", "--ignore", action="append", metavar="CODES", help="leave out codes with these prefixes")
    checked.add_argument("--no-confirm", action="store_true", help="do not run findings in the reference simulator")
    _comparison(parser.add_argument_group("only what is new, or changed"))
    reported = parser.add_argument_group("how it is reported")
    _outputs(reported)
    reported.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours and links (default: on a terminal)",
    )
    reported.add_argument(
        "--all-places", action="store_true", help="list each place of warnings that say the same of one kernel"
    )
    reported.add_argument("--statistics", action="store_true", help="print the number of findings by rule")
    reported.add_argument(
        "--strict", action="store_true", help="exit with 1 on warnings and on incompletely analysed kernels too"
    )
    reported.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    _repairs(parser.add_argument_group("repairs"))
    _speed(parser.add_argument_group("speed"))


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust-proofs",
        action="store_true",
        help="check no launch for whose shapes all is proved that would be checked",
    )
    simulator.add_arguments(parser)


def _check_module(arguments: argparse.Namespace) -> str:
    if arguments.add_noqa:
        return "noqa"
    return "watch" if arguments.watch else "fix" if arguments.fix or arguments.diff_only else "check"


def _configuration(parser: argparse._ActionsContainer) -> None:
    """The arguments that choose a configuration and a target."""
    parser.add_argument(
        "-t",
        "--target",
        metavar="NAME",
        help="device to check for: trn1, inf2, trn2 or trn3 (default: trn2, or what the kernel asks for)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--config", type=Path, metavar="FILE", help="read this configuration file")
    which.add_argument("--no-config", action="store_true", help="read no configuration file")


def _prelude(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--assume-imports",
        choices=("nki", "neuronxcc"),
        metavar="NAMESPACE",
        help="take files to begin with the usual imports of `nki` or `neuronxcc` (nl, nisa, ...)",
    )
    parser.add_argument("--prelude", type=Path, metavar="FILE", help="take files to begin with the statements in FILE")


def _comparison(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="report only findings that are not in this file")
    parser.add_argument(
        "--diff", metavar="REF", help="verify only kernels touched since this git revision, and their callers"
    )
    parser.add_argument("--write-baseline", action="store_true", help="write what is found to the --baseline file")


def _outputs(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "-f",
        "--output-format",
        action=_InOrder,
        dest="outputs",
        choices=FORMATS,
        metavar="FORMAT",
        help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]} (default: full); give several with an --output-file each",
    )
    parser.add_argument(
        "-o",
        "--output-file",
        action=_InOrder,
        dest="outputs",
        type=Path,
        metavar="FILE",
        help="print there and not on standard output; belongs to the --output-format before it",
    )
    parser.add_argument(
        "--rule-pages", metavar="URL", help="address of the rules' pages, with {code} in it; SARIF links there"
    )


class _InOrder(argparse.Action):
    """Keeps formats and files in the order given."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), values])


def _repairs(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--fix", action="store_true", help="repair what can be repaired, and report the rest")
    parser.add_argument("--add-noqa", action="store_true", help="silence each finding by a comment on its line")
    parser.add_argument(
        "--unsafe-fixes", action="store_true", help="also make repairs that may change what a kernel computes"
    )
    parser.add_argument(
        "--diff-only", action="store_true", help="print what --fix would change, and change nothing; exit with 1 if so"
    )


def _speed(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "-j", "--jobs", type=_count, metavar="N", help="processes that verify kernels (default: one for each core)"
    )
    parser.add_argument("--executor", metavar="dask://HOST:PORT", help="have the kernels verified by this Dask cluster")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--no-cache", action="store_true", help="neither use nor keep results of other runs")
    which.add_argument("--cache-dir", type=Path, metavar="DIR", help="keep results there and not in .nkilint_cache")
    parser.add_argument(
        "--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C is pressed"
    )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is no number of processes")
    return int(text)


def _explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kernel", metavar="FILE::KERNEL", help="a kernel; FILE alone means all kernels in it")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--memory", action="store_true", help="draw what SBUF and PSUM hold, statement by statement")
    how.add_argument("--html", action="store_true", help="print a page for a browser that shows all of it")
    how.add_argument("-f", "--output-format", choices=("text", "json"), default="text", help="how to print")
    _configuration(parser)
    _prelude(parser)


def _reproduce(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Exits with 0 if there is a test, 1 if no finding can be shown by a run, 2 if there is no such kernel."
    )
    parser.add_argument("kernel", metavar="FILE::KERNEL[:CODE]", help="a kernel, and a rule that it breaks")
    _configuration(parser)


def _migrate(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Exits with 0 if nothing is left to do, 1 if something is, 2 if a file could not be migrated at all."
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files and folders")
    parser.add_argument(
        "--from",
        dest="before",
        default="B1",
        metavar="V",
        help="the version that they are for (default: B1, which is `neuronxcc.nki`)",
    )
    parser.add_argument("--to", required=True, metavar="V", help="the version that they are to be for: 0.2 to 0.6")
    parser.add_argument("--diff", action="store_true", help="print what changes as a patch")
    parser.add_argument("--in-place", action="store_true", help="write the files")
    verify = parser.add_mutually_exclusive_group()
    verify.add_argument(
        "--verify", action="store_true", default=True, help="compare old and new kernels in the simulator (default)"
    )
    verify.add_argument("--no-verify", dest="verify", action="store_false", help="run no kernel")
    parser.add_argument("--strict", action="store_true", help="write no file in which something is left to a person")
    parser.add_argument("-f", "--output-format", choices=("text", "json", "html"), default="text", help="how to print")
    parser.add_argument(
        "-j", "--jobs", type=_count, metavar="N", help="processes that run kernels (default: one for each core)"
    )
    _configuration(parser)


def _versions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files and folders")
    parser.add_argument("-f", "--output-format", choices=("text", "json"), default="text", help="how to print")
    _configuration(parser)


def _rule(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "code", nargs="?", metavar="CODE", help="a code such as NKI101, a name, or a name of the NKI compiler's"
    )
    which.add_argument("--all", action="store_true", help="list all rules")
    which.add_argument("--vendor", action="store_true", help="list the names that the NKI compiler has for errors")
    parser.add_argument("-f", "--output-format", choices=("text", "json"), default="text", help="how to print")


def _config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", default=".", metavar="PATH", help="a file or folder (default: this one)")
    parser.add_argument("--schema", action="store_true", help="print the JSON schema of the configuration instead")
    parser.add_argument("-f", "--output-format", choices=("text", "json"), default="text", help="how to print")
    _configuration(parser)


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-j", "--jobs", type=_count, metavar="N", help="processes that answer requests (default: one for each core)"
    )
    _defaults(parser.add_argument_group("what holds for requests that do not say otherwise"))


def _defaults(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("-t", "--target", metavar="NAME", help="device to check for: trn1, inf2, trn2 or trn3")
    parser.add_argument("--nki-version", metavar="V", help="version of NKI to check for, such as 0.4")
    parser.add_argument(
        "--budget", type=int, metavar="N", help="work that evaluating a kernel, or deciding it, may take"
    )
    _prelude(parser)


def _completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")


def _lsp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="use standard input and output, as it does anyway")
    parser.add_argument("--log-file", metavar="FILE", help="write what happens there")


COMMANDS = {
    "check": Command(
        "verify the kernels in files and folders",
        "Verify every NKI kernel in the given files and folders.",
        _check,
        _check_module,
    ),
    "explain": Command(
        "show a kernel's contract, and how it was proved",
        "Show the contract of a kernel, the inputs it was checked for, and the verdict of each obligation.",
        _explain,
        lambda arguments: "explain",
    ),
    "rule": Command(
        "explain a rule, or list all",
        "Print the page of a rule, given by code, by name, or by what the NKI compiler calls the error.",
        _rule,
        lambda arguments: "rule",
    ),
    "reproduce": Command(
        "turn findings into tests",
        "Print a file for pytest with a test for each finding about a kernel: it fails as long as the fault is there.",
        _reproduce,
        lambda arguments: "reproduce",
    ),
    "migrate": Command(
        "rewrite kernels for another version of NKI",
        "Rewrite kernels for a later version of NKI, and show that they still do the same.",
        _migrate,
        lambda arguments: "migrate",
    ),
    "versions": Command(
        "tell which versions of NKI kernels work with",
        "Tell for each kernel which versions of NKI it works with, and why not with the others.",
        _versions,
        lambda arguments: "versions",
    ),
    "run": Command(
        "run a script that uses NKI on the simulator",
        simulator.DESCRIPTION,
        _run,
        lambda arguments: "run",
    ),
    "config": Command(
        "show the configuration in force",
        "Show the configuration that holds for a file or folder, and where it stands.",
        _config,
        lambda arguments: "config",
    ),
    "serve": Command(
        "answer programs that write kernels, as JSON lines",
        "Answer requests on standard input, a JSON object a line, on standard output. docs/programs.md has the format.",
        _serve,
        lambda arguments: "serve",
    ),
    "mcp": Command(
        "serve clients of the Model Context Protocol",
        "Offer check, explain, fix and simulate as tools of the Model Context Protocol, on standard input and output. "
        "Needs the extra `mcp`.",
        _serve,
        lambda arguments: "serve",
    ),
    "completion": Command(
        "print what a shell completes commands by",
        'Print what a shell completes commands and options by. For bash: eval "$(nkilint completion bash)".',
        _completion,
        lambda arguments: "completion",
    ),
    "lsp": Command(
        "run the language server for editors",
        "Speak the Language Server Protocol on standard input and output. Needs the extra `lsp`.",
        _lsp,
        lambda arguments: "lsp",
    ),
}
