"""What a migration came to, as a page for a browser: its kernels, what is left in them and why, and what changed."""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from nkilint.base.source import decode
from nkilint.report.html.page import digest, resource
from nkilint.report.places import shown_path
from nkilint.report.summary import counted

from .outcomes import STATES, Migration, Outcome
from .report import shown_by
from .rewrites import Rewritten
from .rewriting import Note

_VERDICTS = {"migrated": "verified", "unverified": "incomplete", "left": "conditional", "failed": "violated"}
"""The verdict whose colour a state has."""

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>nkilint migration</title>
<style>{style}</style>
</head>
<body>
<header><h1>nkilint</h1><p>{summary}</p></header>
<main id="main">
{contents}
</main>
</body>
</html>
"""


def page(migration: Migration, folder: Path) -> str:
    """One file that needs no network and runs no script; nothing in sources or names is read as HTML."""
    style = resource("page.css")
    policy = f"default-src 'none'; style-src {digest(style)}; base-uri 'none'; form-action 'none'"
    parts = [*_overview(migration, folder), *(p for f in migration.files for p in _file(f, migration, folder))]
    return _PAGE.format(policy=policy, style=style, summary=_summary(migration), contents="\n".join(parts))


def _summary(migration: Migration) -> str:
    found = Counter(k.state for k in migration.kernels)
    told = [f"{found[state]} {state}" for state in STATES if found[state]]
    return escape(", ".join([counted(len(migration.kernels), "kernel"), *told]))


def _overview(migration: Migration, folder: Path) -> Iterator[str]:
    """All kernels, worst first."""
    if not migration.kernels:
        yield "<p>There is no kernel to migrate.</p>"
        return
    yield "<section><h2>Kernels</h2><div class='table'><table>"
    yield "<tr><th scope='col'>kernel</th><th scope='col'>outcome</th><th scope='col'>shown by</th></tr>"
    worst = list(STATES)[::-1]
    for kernel in sorted(migration.kernels, key=lambda k: (worst.index(k.state), k.file, k.row)):
        place = f"{shown_path(kernel.file, folder)}:{kernel.row}"
        link = f"<a href='#{_anchor(kernel, folder)}'><code>{escape(kernel.kernel)}</code></a>"
        yield f"<tr><td>{link} <small>{escape(place)}</small></td><td>{_badge(kernel.state)}</td>"
        yield f"<td>{_told(_evidence(kernel))}</td></tr>"
    yield "</table></div></section>"


def _badge(state: str) -> str:
    return f"<span class='badge {_VERDICTS[state]}' title='{escape(STATES[state])}'>{state}</span>"


def _evidence(kernel: Outcome) -> str:
    """On how many inputs old and new did the same, or why that is not known."""
    if kernel.state == "migrated":
        return shown_by(kernel)
    if kernel.state == "left":
        return f"{counted(len({n for n in kernel.notes if n.letter == 'P'}), 'place')} left to you"
    if kernel.state == "failed":
        return "not the same, and not written"
    return kernel.skipped[0] if kernel.skipped else "nothing that runs it was found"


def _file(file: Rewritten, migration: Migration, folder: Path) -> Iterator[str]:
    """One file: its kernels in turn, then the patch."""
    kernels = [k for k in migration.kernels if k.file == os.path.abspath(file.path)]
    if not kernels and not file.problem and file.after == file.before:
        return
    yield f"<section><h2>{escape(shown_path(file.path, folder))}</h2>"
    reasons = [r for r in (file.problem, migration.refused.get(file.path, "")) if r]
    yield from (f"<p class='where'>Not written: {_told(reason)}</p>" for reason in reasons)
    for kernel in kernels:
        yield from _kernel(kernel, folder)
    yield from _patch(file)
    yield "</section>"


def _kernel(kernel: Outcome, folder: Path) -> Iterator[str]:
    """What is known of one kernel: a line where no more is to be said than what shows it."""
    level = {"violated": "error", "conditional": "warning"}.get(_VERDICTS[kernel.state], "info")
    skipped = {"migrated": kernel.skipped, "unverified": kernel.skipped[1:]}.get(kernel.state, ())
    parts = [
        *_listed("Where they differ", kernel.problems),
        *_listed("Left to you", _lines(kernel.notes, "P")),
        *_listed("To know", [*_lines(kernel.notes, "AE"), *kernel.advice]),
        *_listed("Not compared", skipped),
    ]
    name = f"<code>{escape(kernel.kernel)}</code> {_badge(kernel.state)}"
    if not parts:
        yield f"<p class='where' id='{_anchor(kernel, folder)}'>{name} {_told(_evidence(kernel))}</p>"
        return
    yield f"<article class='finding {level}' id='{_anchor(kernel, folder)}'><h3>{name}</h3>"
    yield f"<p class='message'>{_told(_evidence(kernel))}</p>"
    yield from parts
    yield "</article>"


def _told(text: str) -> str:
    """A message with what stands between backticks as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def _lines(notes: Sequence[Note], letters: str) -> list[str]:
    return [f"line {n.row}: {n.text}" for n in sorted(set(notes)) if n.letter in letters]


def _listed(title: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        items, shown = "".join(f"<li>{_told(text)}</li>" for text in texts), "" if title == "Not compared" else " open"
        yield f"<details{shown}><summary>{title}</summary><ul>{items}</ul></details>"


def _patch(file: Rewritten) -> Iterator[str]:
    """What changed, line by line."""
    if file.after == file.before:
        return
    before, after = (decode(data, file.path).splitlines() for data in (file.before, file.after))
    lines = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
    yield f"<details open><summary>What changed: {counted(sum(x[0] in '+-' for x in lines), 'line')}</summary>"
    spans = "".join(f"<span{_kind(line)}>{escape(line) or ' '}</span>" for line in lines)
    yield f"<pre class='diff' tabindex='0'>{spans}</pre></details>"


def _kind(line: str) -> str:
    found = {"+": "added", "-": "removed", "@": "hunk"}.get(line[:1])
    return f" class='{found}'" if found else ""


def _anchor(kernel: Outcome, folder: Path) -> str:
    """A name for its place in the page, whatever the kernel and its file are called."""
    name = f"{shown_path(kernel.file, folder)}-{kernel.kernel}"
    return f"k{kernel.row}-" + "".join(c for c in name if c.isalnum() or c in "_-")
