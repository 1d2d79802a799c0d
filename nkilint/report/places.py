"""How places and values are written, in every format."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nkilint.base.findings import Diagnostic, Witness, conditioned, unconditioned
from nkilint.base.ir import Span


def shown_path(file: str, folder: Path) -> str:
    """`file` relative to `folder` where it lies inside, with forward slashes."""
    if not os.path.isabs(file):
        return Path(os.path.normpath(file)).as_posix()
    path = Path(os.path.normpath(file))
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()


LONGEST = 2_000  # characters of a text that are shown to people


def legible(text: str) -> str:
    """`text` for people: control characters written as Python would, and no more of it than anyone reads."""
    cut = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in cut)


def shown_place(at: Span, folder: Path) -> str:
    return f"{shown_path(at.file, folder)}:{at.row}:{at.column}"


def headline(finding: Diagnostic) -> str:
    """The message, with the precondition under which there would be no finding."""
    if finding.precondition is None or f"if `{finding.precondition}`" in finding.message:
        return finding.message
    if unconditioned(finding) != finding.message:
        return finding.message
    return conditioned(finding.message, finding.precondition)


def assignments(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


def witness_text(witness: Witness) -> str:
    """`K=128, k=0, element (0, 3)`, without inputs that the witness leaves open; empty for one without values."""
    inputs = {name: value for name, value in witness.inputs.items() if not _is_open(name, value)}
    parts = [assignments(inputs), assignments(witness.loops)]
    if witness.element is not None:
        parts.append(f"element ({', '.join(str(i) for i in witness.element)})")
    return ", ".join(p for p in parts if p) or ("any inputs" if witness.inputs else "")


def _is_open(name: str, value: Any) -> bool:
    """Whether a witness says nothing of an input: it stands for itself, or is a tensor without a size that is known."""
    sizes = re.fullmatch(r"\w*\[(.+)\]", value) if isinstance(value, str) else None
    return value == name or (sizes is not None and not re.search(r"(?:^|, )-?\d+(?:,|$)", sizes[1]))


def confirmation_text(finding: Diagnostic) -> str:
    """What the reference simulator said; empty where it was not asked and there is no reason to give."""
    reason = f": {finding.confirmation_reason}" if finding.confirmation_reason else ""
    if finding.confirmation == "confirmed":
        return "confirmed by the reference simulator" + reason
    if finding.confirmation == "not-reproduced":
        return "not reproduced by the reference simulator" + reason
    return f"not run{reason}" if reason else ""
