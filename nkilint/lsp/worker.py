"""A process that analyses files for the server.

It remembers the outcome of kernels, so that an edit costs as much as the kernels it touches.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nkilint.base.findings import Report
from nkilint.base.ir import Module
from nkilint.base.options import Options
from nkilint.base.serial import plain, restored
from nkilint.base.store import Memory
from nkilint.confirm import confirm
from nkilint.fixes.mending import mend
from nkilint.migrate.alone import alone
from nkilint.migrate.outcomes import migrate
from nkilint.migrate.source import Source
from nkilint.migrate.steps import VERSIONS
from nkilint.project.discovery import Kernel
from nkilint.project.files import Project
from nkilint.run.engine import check
from nkilint.run.incremental import Incremental
from nkilint.run.revealing import reveal
from nkilint.run.shapes import tile_shapes
from nkilint.warm.loop import Tasks, answer_lines, freeze_imports
from nkilint_rules.catalogue import rules


class Analyst:
    """Answers requests; `memory` lives as long as the process."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.tasks: Tasks = {
            "check": self._check,
            "confirm": self._confirm,
            "fix": self._fix,
            "migrate": self._migrate,
            "reveal": self._reveal,
            "shapes": self._shapes,
            "warm": self._warm,
        }

    def _check(self, request: Mapping[str, Any]) -> Any:
        runner = Incremental(self.memory)
        paths = [Path(path) for path in request["paths"]]
        options, choose = restored(Options, request["options"]), _none if request["text_alone"] else None
        report = check(paths, options, overlay=_overlay(request), runner=runner, choose=choose)
        read = () if runner.project is None else runner.project.read
        return {"report": plain(report), "read": sorted({os.path.abspath(path) for path in read})}

    def _confirm(self, request: Mapping[str, Any]) -> Any:
        options, paths = restored(Options, request["options"]), [Path(path) for path in request["paths"]]
        report = restored(Report, request["report"])
        return {"report": plain(confirm(report, options, paths, _overlay(request), store=self.memory))}

    def _fix(self, request: Mapping[str, Any]) -> Any:
        """The text of a file after its certain repairs; None if there are none."""
        options, path = replace(restored(Options, request["options"]), confirm=False), request["path"]
        overlay = _overlay(request)

        def check_again(texts: Mapping[str, bytes]) -> Report:
            return check([Path(path)], options, overlay={**overlay, **texts}, runner=Incremental(self.memory))

        mended = mend(check_again, lambda file: os.path.abspath(file) == path, texts=overlay)
        found = next(iter(mended.files.values()), None)
        return None if found is None else found.decode("utf-8", "surrogatepass")

    def _migrate(self, request: Mapping[str, Any]) -> Any:
        """The text of a file for the newest version, or of a new file with one kernel, or why it is not written."""
        options, path, overlay = restored(Options, request["options"]), request["path"], _overlay(request)
        if kernel := request.get("kernel"):
            text = alone(Source(path, overlay[path].decode("utf-8", "surrogatepass")), kernel)
            if text is None:
                return {"text": None, "problem": f"`{kernel}` is not at the top level of its file", "left": 0}
            path = request["target"]
            overlay[path] = text.encode("utf-8", "surrogatepass")
        verified = bool(options.confirm)
        result = migrate(
            [Path(path)],
            replace(options, nki_version=""),
            request["before"],
            VERSIONS[-1],
            overlay=overlay,
            verified=verified,
        )
        problems = [*result.refused.values(), *(f.problem for f in result.files if f.problem)]
        changed = [f.after for f in result.files if f.after != f.before and not problems]
        text = changed[0].decode("utf-8", "surrogatepass") if changed else None
        left = sum(n.letter == "P" for f in result.files for n in f.notes)
        return {"text": text, "problem": problems[0] if problems else "", "left": left}

    def _reveal(self, request: Mapping[str, Any]) -> Any:
        options = restored(Options, request["options"])
        found = reveal(request["path"], request["row"], request["column"], options, _overlay(request))
        return None if found is None else plain(found)

    def _shapes(self, request: Mapping[str, Any]) -> Any:
        options = restored(Options, request["options"])
        return plain(tile_shapes(request["path"], request["first"], request["last"], options, _overlay(request)))

    def _warm(self, request: Mapping[str, Any]) -> Any:
        """Say that all is imported, and how many rules there are."""
        count = len(rules())
        freeze_imports()
        return count


def _none(project: Project, modules: Sequence[Module], kernels: Sequence[Kernel]) -> Sequence[Kernel]:
    """No kernel, where the text alone is judged."""
    return ()


def _overlay(request: Mapping[str, Any]) -> dict[str, bytes]:
    return {path: text.encode("utf-8", "surrogatepass") for path, text in request["overlay"].items()}


def main() -> int:
    return answer_lines(Analyst().tasks)


if __name__ == "__main__":
    sys.exit(main())
