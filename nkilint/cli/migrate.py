"""`nkilint migrate`: rewrites kernels for another version of NKI, and shows that nothing changed."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from nkilint.base import interruption
from nkilint.base.config import ConfigError
from nkilint.fixes.mending import write
from nkilint.migrate import report
from nkilint.migrate.outcomes import migrate
from nkilint.migrate.page import page
from nkilint.migrate.steps import VERSIONS, order
from nkilint_rules.words.suggestions import suggestion

from . import effort, settings
from .fix import difference

_FORMATS = {"text": report.text, "json": report.document, "html": page}


def run(arguments: argparse.Namespace) -> int:
    """Exits with 0 if nothing is left to do, 1 if something is, 2 if a file could not be migrated at all."""
    paths = [Path(path) for path in dict.fromkeys(arguments.paths)]
    try:
        options = settings.options(arguments, paths[0])
        before, after = _version(arguments.before), _version(arguments.to)
        if order(before) >= order(after):
            raise ConfigError(f"{after} is not later than {before}")
    except ConfigError as error:
        settings.complain(error)
        return 2
    result = migrate(
        paths,
        replace(options, nki_version=""),
        before,
        after,
        verified=arguments.verify and bool(options.confirm),
        strict=arguments.strict,
        jobs=effort.jobs(arguments),
    )
    mended, folder = result.mended(), Path.cwd()
    if arguments.diff:
        sys.stdout.write(difference(mended))
    with interruption.held():  # all files are written, or none: they need one another
        problems = write(mended) if arguments.in_place else {}
    told = _FORMATS[arguments.output_format](result, folder)
    (sys.stderr if arguments.diff else sys.stdout).write(told)
    for file, problem in problems.items():
        print(f"{file}: {problem}", file=sys.stderr)
    sys.stderr.write(report.summary(result, problems))
    if problems or any(f.problem for f in result.files):
        return 2
    return 0 if result.complete else 1


def _version(name: str) -> str:
    """A version that there is."""
    if name not in VERSIONS:
        known = ", ".join(VERSIONS)
        raise ConfigError(f"there is no version `{name}` of NKI{suggestion(name, list(VERSIONS))}; known are {known}")
    return name
