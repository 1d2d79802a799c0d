"""Above each kernel, what is known about it, and its whole explanation on a click."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from ..explain import explanation
from ..findings import OBLIGATION_VERDICTS, KernelReport
from ..report.style import Style
from ..report.summary import counted
from .places import editor_range, split_lines

if TYPE_CHECKING:
    from .server import NkiLanguageServer

EXPLAIN = "nkilint.explain"
_SHOWN = 3  # conditions of a contract in a lens


def lenses(server: NkiLanguageServer, uri: str) -> list[types.CodeLens]:
    """One lens for each kernel that still stands where it was analysed."""
    document = server.document(uri)
    if document is None:
        return []
    lines = split_lines(server.workspace.get_text_document(uri).source)
    return [
        types.CodeLens(
            range=editor_range(kernel.at, lines, server.workspace.position_codec),
            command=types.Command(title=title(kernel), command=EXPLAIN, arguments=[uri, kernel.name]),
        )
        for kernel in document.kernels
        if stands(kernel, lines)
    ]


def stands(kernel: KernelReport, lines: Sequence[str]) -> bool:
    """Whether the kernel's definition is still in its line."""
    at = kernel.at
    return (
        at.row <= len(lines)
        and re.search(rf"\bdef\s+{re.escape(kernel.name.split('.')[-1])}\b", lines[at.row - 1]) is not None
    )


def title(kernel: KernelReport) -> str:
    """The verdict, the contract as far as there is room, and how many obligations there are."""
    parts: list[str] = [kernel.verdict]
    if kernel.contract:
        more = f" and {len(kernel.contract) - _SHOWN} more" if len(kernel.contract) > _SHOWN else ""
        parts.append("needs " + ", ".join(kernel.contract[:_SHOWN]) + more)
    count = kernel.obligations
    tally = ", ".join(f"{getattr(count, v)} {v}" for v in OBLIGATION_VERDICTS if getattr(count, v))
    parts.append(counted(count.total, "obligation") + (f": {tally}" if tally else ""))
    return " · ".join(parts)


def explain(server: NkiLanguageServer, uri: str, name: str) -> str | None:
    """Show everything that is known about a kernel, and give it back."""
    document = server.document(uri)
    kernel = next((k for k in document.kernels if k.name == name), None) if document else None
    if kernel is None:
        return None
    text = explanation(kernel, Path(os.path.dirname(kernel.file)), Style())
    address = server.pages.write(re.sub(r"\W", "_", name), f"# {name}\n\n```\n{text}```\n")
    server.show(address)
    return text
