"""Beside each name that is bound to a tile, its dtype, shape and memory. Off unless the client asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from nkilint.base.serial import restored
from nkilint.run.shapes import Shape

from .places import editor_range, source_place, split_lines

if TYPE_CHECKING:
    from .server import NkiLanguageServer


async def inlays(server: NkiLanguageServer, uri: str, asked: types.Range) -> list[types.InlayHint]:
    """The hints for the lines asked about; none if the text changed meanwhile."""
    document = server.document(uri)
    if document is None or not server.settings.inlay_hints:
        return []
    lines = split_lines(server.source(uri))
    codec, version = server.workspace.position_codec, document.version
    first, last = source_place(asked.start, lines, codec)[0], source_place(asked.end, lines, codec)[0]
    found = await server.analysis.shapes(uri, first, last)
    if found is None or document.version != version:
        return []
    shapes = [restored(Shape, shape) for shape in found]
    return [
        types.InlayHint(
            position=editor_range(shape.at, lines, codec).end, label=f": {shape.text}", kind=types.InlayHintKind.Type
        )
        for shape in shapes
    ]
