"""What a migration came to, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from nkilint.base.serial import json_text
from nkilint.report.places import shown_path
from nkilint.report.summary import counted

from .outcomes import STATES, Migration, Outcome
from .steps import steps

_MOST = 3  # reasons that are told of one kernel


def text(migration: Migration, folder: Path) -> str:
    """By kernel what was done, then by file what is left to a person."""
    lines = [line for kernel in migration.kernels for line in _kernel(kernel, folder)]
    for file in migration.files:
        place = shown_path(file.path, folder)
        if file.problem:
            lines.append(f"{place}: not migrated: {file.problem}")
        lines += [f"{place}:{n.row}: {'left: ' if n.letter == 'P' else ''}{n.text}" for n in sorted(set(file.notes))]
        if file.path in migration.refused:
            lines.append(f"{place}: not written: {migration.refused[file.path]}")
    return "".join(f"{line}\n" for line in lines)


def _kernel(kernel: Outcome, folder: Path) -> Iterator[str]:
    place = f"{shown_path(kernel.file, folder)}::{kernel.kernel}"
    if kernel.state == "migrated":
        yield f"{place}: migrated; {shown_by(kernel)}"
        yield from (f"    {told}" for told in kernel.advice[:_MOST])
    elif kernel.state == "left":
        count = len({n for n in kernel.notes if n.letter == "P"})
        yield f"{place}: {counted(count, 'place')} left to a person"
    elif kernel.state == "failed":
        yield f"{place}: not the same"
        yield from (f"    {problem}" for problem in kernel.problems[:_MOST])
    else:
        reason = f": {kernel.skipped[0]}" if kernel.skipped else ""
        yield f"{place}: migrated, and not compared{reason}"


def shown_by(kernel: Outcome) -> str:
    """On what inputs the old and the new kernel did the same."""
    where = f" of `{kernel.caller}`" if kernel.caller else ""
    dtypes = f" ({', '.join(kernel.dtypes)})" if kernel.dtypes else ""
    rounding = f", {counted(kernel.close, 'time')} up to rounding" if kernel.close else ""
    return f"the same results on {counted(kernel.runs, 'input')}{where}{dtypes}{rounding}"


def summary(migration: Migration, unwritten: Collection[str] = ()) -> str:
    """How many kernels came to what, and how many files are others now; some could not be written."""
    found = Counter(k.state for k in migration.kernels)
    told = ", ".join(f"{found[state]} {state}" for state in STATES if found[state])
    stay = {*migration.refused, *unwritten}
    changed = sum(f.after != f.before and f.path not in stay for f in migration.files)
    kernels = counted(len(migration.kernels), "kernel") + (f": {told}" if told else "")
    return f"{kernels}; {counted(changed, 'file')} changed\n"


def document(migration: Migration, folder: Path) -> str:
    """The same as one JSON object."""
    letters = {s.name: s.letter for s in steps()}
    files: list[dict[str, Any]] = []
    for f in migration.files:
        notes = [{"row": n.row, "class": n.letter, "step": n.step, "text": n.text} for n in sorted(set(f.notes))]
        used = [{"step": name, "class": letters[name], "count": f.used[name]} for name in sorted(f.used)]
        files.append(
            {
                "filename": shown_path(f.path, folder),
                "changed": f.after != f.before,
                "problem": f.problem or None,
                "refused": migration.refused.get(f.path),
                "notes": notes,
                "steps": used,
            }
        )
    kernels = [
        {
            "filename": shown_path(k.file, folder),
            "kernel": k.kernel,
            "row": k.row,
            "state": k.state,
            "runs": k.runs,
            "rounded": k.close,
            "dtypes": list(k.dtypes),
            "skipped": list(k.skipped),
            "problems": list(k.problems),
            "advice": list(k.advice),
            "caller": k.caller or None,
        }
        for k in migration.kernels
    ]
    return json_text({"version": 1, "files": files, "kernels": kernels})
