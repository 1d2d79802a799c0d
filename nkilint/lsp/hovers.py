"""What stands under the pointer: a rule where its code is written, a kernel, a value inside one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from nkilint.base.findings import KernelReport, UnknownObligation
from nkilint.base.ir import Span
from nkilint.base.serial import restored
from nkilint.report.pages import page
from nkilint.report.places import assignments
from nkilint.run.revealing import Revealed
from nkilint_rules.catalogue import rules

from .lenses import on_chip, stands, tally
from .places import editor_range, source_place, split_lines

if TYPE_CHECKING:
    from .server import NkiLanguageServer

_CODE = re.compile(r"NKI\d{3}", re.IGNORECASE)


async def hover(server: NkiLanguageServer, uri: str, position: types.Position) -> types.Hover | None:
    """What is known about the place, in Markdown."""
    document = server.document(uri)
    if document is None:
        return None
    lines = split_lines(server.source(uri))
    codec = server.workspace.position_codec
    row, column = source_place(position, lines, codec)
    found = _rule(row, column, lines[row - 1] if lines else "")
    if found is None:
        found = next(
            ((_kernel(k), k.at) for k in document.kernels if stands(k, lines) and _within(k.at, row, column)), None
        )
    if found is None:
        revealed = await server.analysis.reveal(uri, row, column)
        if revealed is None or split_lines(server.source(uri)) != lines:
            return None
        value = restored(Revealed, revealed)
        found = (value.markdown, value.at)
    text, at = found
    return types.Hover(
        contents=types.MarkupContent(types.MarkupKind.Markdown, text), range=editor_range(at, lines, codec)
    )


def _rule(row: int, column: int, line: str) -> tuple[str, Span] | None:
    """The page of the rule whose code stands there."""
    for found in _CODE.finditer(line):
        rule = rules().get(found[0].upper())
        if rule is not None and found.start() < column <= found.end() + 1:
            return page(rule), Span("", row, found.start() + 1, row, found.end() + 1)
    return None


def _within(at: Span, row: int, column: int) -> bool:
    return at.row == row and at.column <= column <= at.end_column


def _kernel(kernel: KernelReport) -> str:
    """Verdict and contract."""
    parts = [f"**{kernel.name}** is *{kernel.verdict}* — {tally(kernel)}"]
    parts += _list("Proved for all inputs with", [f"`{c}`" for c in kernel.contract])
    parts += _list("Assuming", list(kernel.assumptions))
    instances = [f"`{kernel.name}({assignments(i.inputs)})`: {i.verdict}" for i in kernel.instances]
    parts += _list("Called as", instances)
    if kernel.memory is not None and (most := on_chip(kernel.memory)):
        parts.append(f"On chip at most, in a partition: {most}")
    reasons = dict.fromkeys(f"{_place(kernel, u)}: {u.code}: {u.reason}" for u in kernel.unknown)
    parts += _list("Not known", list(reasons))
    return "\n\n".join(parts)


def _place(kernel: KernelReport, unknown: UnknownObligation) -> str:
    elsewhere = unknown.file not in ("", kernel.file)
    return f"{Path(unknown.file).name}:{unknown.row}" if elsewhere else f"line {unknown.row}"


def _list(title: str, items: list[str]) -> list[str]:
    return [f"{title}:", "\n".join(f"- {item}" for item in items)] if items else []
