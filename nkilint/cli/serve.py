"""`nkilint serve` and `nkilint mcp`: servers for programs that write kernels."""

from __future__ import annotations

import argparse
import asyncio
import sys

from nkilint.api.settings import BadRequest, Settings
from nkilint.base.config import ConfigError
from nkilint.lsp.leaving import leaving, on_signals
from nkilint.serve.lines import serve
from nkilint.serve.pool import Pool

from . import effort, settings

NEEDED = "the MCP server needs more packages: install nkilint with its extra `mcp`, as with pip install '.[mcp]'"


def run(arguments: argparse.Namespace) -> int:
    """Serve until standard input ends."""
    try:
        defaults = _defaults(arguments)
    except ConfigError as error:
        settings.complain(error)
        return 2
    return _mcp(arguments, defaults) if arguments.command == "mcp" else _lines(arguments, defaults)


def _defaults(arguments: argparse.Namespace) -> Settings:
    """What holds for requests that do not say otherwise."""
    defaults = Settings(
        prelude=settings.prelude_of(arguments),
        target=arguments.target,
        nki_version=arguments.nki_version,
        budget=arguments.budget,
    )
    try:
        defaults.options()
    except BadRequest as error:
        raise ConfigError(str(error)) from None
    return defaults


def _lines(arguments: argparse.Namespace, defaults: Settings) -> int:
    pool = Pool(effort.jobs(arguments))
    leave = leaving(pool.close)
    on_signals(leave)
    try:
        asyncio.run(serve(pool, defaults, leave))
    finally:
        pool.close()
    return 0


def _mcp(arguments: argparse.Namespace, defaults: Settings) -> int:
    try:
        from nkilint.serve.tools import server  # needs packages that may not be there
    except ImportError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "mcp":
            raise
        print(f"nkilint: {NEEDED}", file=sys.stderr)
        return 2
    pool = Pool(effort.jobs(arguments))
    on_signals(leaving(pool.close))
    try:
        server(pool, defaults).run("stdio")
    finally:
        pool.close()
    return 0
