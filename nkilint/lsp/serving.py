"""A server with everything it can do."""

from __future__ import annotations

from . import features
from .server import NkiLanguageServer


def make_server() -> NkiLanguageServer:
    server = NkiLanguageServer()
    features.register(server)
    return server
