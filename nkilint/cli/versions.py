"""`nkilint versions`: which versions of NKI each kernel works with, and why not with the others."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from nkilint.base.config import ConfigError
from nkilint.base.findings import Diagnostic
from nkilint.base.serial import json_text
from nkilint.report.places import shown_path
from nkilint.report.style import style_for
from nkilint.report.text import concise_text
from nkilint.run.supported import Support, supported
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.versions import LATEST

from . import settings


def run(arguments: argparse.Namespace) -> int:
    """Exits with 0 if every kernel works with the newest version, 1 if one does not, 2 if a file could not be read."""
    paths = [Path(path) for path in dict.fromkeys(arguments.paths)]
    try:
        options = settings.options(arguments, paths[0])
    except ConfigError as error:
        settings.complain(error)
        return 2
    found, report = supported(paths, options)
    folder = Path.cwd()
    if arguments.output_format == "json":
        sys.stdout.write(json_text({"version": 1, "kernels": [_entry(s, folder) for s in found]}))
    else:
        sys.stdout.write("".join(f"{line}\n" for s in found for line in _lines(s, folder)))
    if report.failures:
        sys.stderr.write(concise_text(replace(report, diagnostics=()), folder, style_for(sys.stderr)))
        return 2
    return int(any(LATEST[NKI] not in s.works for s in found))


def _lines(support: Support, folder: Path) -> Iterator[str]:
    place = f"{shown_path(support.file, folder)}::{support.kernel}"
    yield f"{place}: {_listed(support.works)}"
    for versions, reasons in _grouped(support):
        yield f"    not {', '.join(versions)}: {_told(reasons[0])}"
        yield from (f"        {_told(reason)}" for reason in reasons[1:])
    yield from (f"    {_told(reason)}" for reason in support.going)


def _listed(works: Sequence[str]) -> str:
    return f"works with {', '.join(works)}" if works else "works with no version"


def _grouped(support: Support) -> Iterator[tuple[list[str], Sequence[Diagnostic]]]:
    """Versions that the same keeps a kernel from, together."""
    groups: dict[tuple[str, ...], tuple[list[str], Sequence[Diagnostic]]] = {}
    for version, reasons in support.reasons.items():
        groups.setdefault(tuple(d.message for d in reasons), ([], reasons))[0].append(version)
    yield from groups.values()


def _told(reason: Diagnostic) -> str:
    return f"line {reason.at.row}: {reason.code} {reason.message}"


def _entry(support: Support, folder: Path) -> dict[str, object]:
    def shown(found: Sequence[Diagnostic]) -> list[dict[str, object]]:
        return [{"code": d.code, "row": d.at.row, "message": d.message} for d in found]

    return {
        "filename": shown_path(support.file, folder),
        "kernel": support.kernel,
        "row": support.row,
        "works": list(support.works),
        "reasons": {version: shown(found) for version, found in support.reasons.items()},
        "deprecated": shown(support.going),
    }
