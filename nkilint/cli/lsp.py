"""`nkilint lsp`: the language server, on standard input and output."""

from __future__ import annotations

import argparse
import sys

HELP = "run the language server for editors"
NEEDED = "the language server needs more packages: install nkilint with its extra `lsp`, as with pip install '.[lsp]'"
DESCRIPTION = "Speak the Language Server Protocol on standard input and output. Needs the extra `lsp`."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="use standard input and output, as it does anyway")
    parser.add_argument("--log-file", metavar="FILE", help="write what happens there")


def run(arguments: argparse.Namespace) -> int:
    try:
        import pygls  # noqa: F401
    except ImportError:
        print(f"nkilint: {NEEDED}", file=sys.stderr)
        return 2
    from nkilint.lsp.server import make_server

    if arguments.log_file:
        import logging

        logging.basicConfig(filename=arguments.log_file, level=logging.DEBUG)
    server = make_server()
    try:
        server.start_io()
    finally:
        server.close()
    return 0
