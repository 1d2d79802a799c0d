"""Above each kernel, what is known about it, and its whole explanation on a click."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from nkilint.base.findings import OBLIGATION_VERDICTS, KernelReport, MemoryMap
from nkilint.report.explain import explanation
from nkilint.report.memory import NAMES, drawing, peaks
from nkilint.report.places import assignments
from nkilint.report.style import Style
from nkilint.report.summary import counted

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
    lines = split_lines(server.source(uri))
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
    """The verdict, the contract as far as there is room, how many obligations there are, and the most that is on chip
    at once."""
    parts: list[str] = [kernel.verdict]
    if kernel.contract:
        more = f" and {len(kernel.contract) - _SHOWN} more" if len(kernel.contract) > _SHOWN else ""
        parts.append("needs " + ", ".join(kernel.contract[:_SHOWN]) + more)
    parts.append(tally(kernel))
    if kernel.memory is not None:
        parts += filter(None, (on_chip(kernel.memory),))
    return " · ".join(parts)


def tally(kernel: KernelReport) -> str:
    """How many obligations there are, and what became of them."""
    count = kernel.obligations
    if count.total == count.proved > 0:
        return f"{'all ' if count.total > 1 else ''}{counted(count.total, 'obligation')} proved"
    parts = ", ".join(f"{getattr(count, v)} {v}" for v in OBLIGATION_VERDICTS if getattr(count, v))
    return counted(count.total, "obligation") + (f": {parts}" if parts else "")


def on_chip(memory: MemoryMap) -> str:
    """`SBUF 4/192 KiB, PSUM 2/16 KiB`: the peaks in a partition, and the sizes for which they hold."""
    shown = [
        f"{NAMES.get(p.memory, p.memory)} {'' if p.whole else '≥ '}{_kibibytes(p.bytes)}/{_kibibytes(p.capacity)} KiB"
        for p in peaks(memory)
    ]
    given = f" for {assignments(memory.sizes)}" if memory.sizes and shown else ""
    return ", ".join(shown) + given


def _kibibytes(count: int) -> str:
    return f"{count / 1024:.1f}".removesuffix(".0")


def explain(server: NkiLanguageServer, uri: str, name: str) -> str | None:
    """Show everything that is known about a kernel, and give it back."""
    document = server.document(uri)
    kernel = next((k for k in document.kernels if k.name == name), None) if document else None
    if kernel is None:
        return None
    folder = Path(os.path.dirname(kernel.file))
    text = explanation(kernel, folder, Style(), document.found if document else ())
    if kernel.memory is not None:
        text += "\n" + drawing(kernel, folder, Style())
    address = server.pages.write(re.sub(r"\W", "_", name), f"# {name}\n\n```\n{text}```\n")
    server.show(address)
    return text
