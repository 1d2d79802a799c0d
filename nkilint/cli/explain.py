"""`nkilint explain`: what is known about one kernel, and how."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from nkilint.base import interruption
from nkilint.base.config import ConfigError
from nkilint.base.findings import KernelReport, Report
from nkilint.base.options import Options
from nkilint.base.serial import json_text
from nkilint.base.source import source_lines
from nkilint.confirm import confirm
from nkilint.report.document import explained
from nkilint.report.explain import explanation
from nkilint.report.memory import drawing
from nkilint.report.rendering import render
from nkilint.report.schema import VERSION
from nkilint.report.setting import Setting
from nkilint.report.style import Style, style_for
from nkilint.report.text import concise_text
from nkilint.run.command import run as checked
from nkilint.run.documents import Documents
from nkilint.run.engine import check
from nkilint_rules.words.suggestions import suggestion

from . import settings
from .tasks import complete


def run(arguments: argparse.Namespace) -> int:
    file = arguments.kernel.partition("::")[0]
    try:
        options = settings.options(arguments, Path(file))
    except ConfigError as error:
        settings.complain(error)
        return 2
    documents = Documents([Path(file)], {}, options)
    with interruption.held():
        return _explained(arguments, documents, replace(options, proofs=True))


def _explained(arguments: argparse.Namespace, documents: Documents, options: Options) -> int:
    """Say what is known about the kernels of a file, or about those of one name."""
    file, _, name = arguments.kernel.partition("::")
    report = documents.home(_report(arguments, documents, options, name))
    if report.failures:
        failures = replace(report, diagnostics=())
        sys.stderr.write(concise_text(failures, Path.cwd(), style_for(sys.stderr)))
        return 2
    kernels = [k for k in report.kernels if not name or k.name == name]
    if not kernels:
        complete()
        print(f"nkilint: {_missing(file, name, report.kernels)}", file=sys.stderr)
        return 2
    if arguments.html:
        sys.stdout.write(_page(report, kernels, documents.shown))
        return 0
    style, folder = style_for(sys.stdout), Path.cwd()
    if arguments.memory:
        sys.stdout.write("\n".join(drawing(k, folder, style) for k in kernels))
        return 0
    if arguments.output_format == "json":
        told = {"version": VERSION, "kernels": [explained(k, report.diagnostics, folder) for k in kernels]}
        sys.stdout.write(json_text(told))
        return 0
    sys.stdout.write("\n".join(explanation(k, folder, style, report.diagnostics) for k in kernels))
    return 0


def _report(arguments: argparse.Namespace, documents: Documents, options: Options, name: str) -> Report:
    """What is known about the kernels of a file, and how findings about those that are asked for were confirmed."""
    paths, overlay = documents.paths, documents.overlay
    if arguments.html:
        return checked(paths, options, overlay=overlay)
    report = check(paths, options, overlay=overlay)
    if arguments.memory or report.failures or not options.confirm:
        return report
    shown = tuple(d for d in report.diagnostics if d.kernel and name in ("", d.kernel) and d.verdict is not None)
    return confirm(replace(report, diagnostics=shown), options, paths, overlay, jobs=2)


def _page(report: Report, kernels: list[KernelReport], texts: Mapping[str, bytes]) -> str:
    """A page about these kernels alone."""
    names = {k.name for k in kernels}
    shown = tuple(d for d in report.diagnostics if d.kernel in names)
    own = replace(report, kernels=tuple(kernels), diagnostics=shown)
    return render(own, "html", Setting(Path.cwd(), source_lines(texts), Style(), 0.0))


def _missing(file: str, name: str, kernels: tuple[KernelReport, ...]) -> str:
    names = [k.name for k in kernels]
    if not names:
        return f"there is no kernel in {file}"
    known = suggestion(name, names) or f"; it has {', '.join(f'`{n}`' for n in names)}"
    return f"there is no kernel `{name}` in {file}{known}"
