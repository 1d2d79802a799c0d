"""What several tests ask of the same text, found out once in a session: by the first one, for all processes of it.

Nobody asks it here who has changed anything of the tool.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.run import engine
from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Example

from .checking import as_of_a_piece, evaluations, report_on, reveals
from .example_source import source_of

T = TypeVar("T")
FOLDERS: list[Path] = []
"""Where it is kept; nothing is where there is none."""


def known(find: Callable[[], T], *what: str) -> T:
    """What `find` gives, which depends on nothing but these texts."""
    if not FOLDERS:
        return find()
    place = FOLDERS[-1] / hashlib.sha256(repr(what).encode()).hexdigest()
    try:
        found: T = pickle.loads(place.read_bytes())
    except FileNotFoundError:
        found = find()
        made = place.with_suffix(f".{os.getpid()}")
        made.write_bytes(pickle.dumps(found))
        made.replace(place)
    return found


def report_of_example(example: Example) -> Report:
    """The report on an example of a rule."""
    source, options = source_of(example)[0], {"target": example.target, "nki_version": example.version}
    report = known(lambda: report_on(source, **options), "example", source, repr(options))
    return report if example in rules()["NKI210"].invalid else as_of_a_piece(report, example)


def report_of_file(file: Path) -> tuple[Report, dict[int, list[str]]]:
    """The report on a file of kernels, and what is revealed in it."""

    def find() -> tuple[Report, dict[int, list[str]]]:
        with evaluations() as evaluated:
            report = engine.check([file], Options())
        return report, reveals(evaluated)

    return known(find, "file", str(file), file.read_text(encoding="utf-8"))
