"""`nkilint reproduce`: the witnesses of findings as a file for pytest."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from nkilint.api.reproducing import as_test, reproductions
from nkilint.api.settings import BadRequest
from nkilint.base.config import ConfigError

from . import settings


def run(arguments: argparse.Namespace) -> int:
    """Exits with 0 if there is a test, 1 if no finding can be shown, 2 if there is no such kernel."""
    file, _, rest = arguments.kernel.partition("::")
    kernel, _, code = rest.partition(":")
    if not kernel:
        print("nkilint: name a kernel, as in FILE::KERNEL or FILE::KERNEL:CODE", file=sys.stderr)
        return 2
    try:
        options = settings.options(arguments, Path(file))
        found = reproductions(file, kernel, code.upper(), options)
    except ConfigError as error:
        settings.complain(error)
        return 2
    except BadRequest as error:
        print(f"nkilint: {error}", file=sys.stderr)
        return 2
    for each in found:
        if each.problem:
            place = f"{file}:{each.finding.at.row}: {each.finding.code}"
            print(f"nkilint: {place} has no test: {each.problem}", file=sys.stderr)
    if not any(each.call for each in found):
        if not found:
            print(f"nkilint: nothing is found{f' under {code}' if code else ''} in `{kernel}`", file=sys.stderr)
        return 1
    sys.stdout.write(as_test(file, kernel, arguments.kernel, found))
    return 0
