"""`nkilint lsp`: the language server, on standard input and output."""

from __future__ import annotations

import argparse
import logging
import sys

NEEDED = "the language server needs more packages: install nkilint with its extra `lsp`, as with pip install '.[lsp]'"


def run(arguments: argparse.Namespace) -> int:
    try:
        from nkilint.lsp.leaving import on_signals, standard_input  # needed with the server only
        from nkilint.lsp.messages import to_standard_error
        from nkilint.lsp.serving import make_server  # needs packages that may not be there
    except ImportError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        print(f"nkilint: {NEEDED}", file=sys.stderr)
        return 2
    if arguments.log_file:
        logging.basicConfig(filename=arguments.log_file, level=logging.DEBUG)
    else:
        to_standard_error()
    server = make_server()
    on_signals(server.leave)
    try:
        server.start_io(standard_input(server.leave))
    finally:
        server.close()
    return 0
